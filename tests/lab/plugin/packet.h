/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet.h - Intel PT packet encoder: bytes only, no policy.
 *
 * Rests on SDM Vol. 3C, "Intel Processor Trace", section "Trace Packets and Data Types" (36.4 in
 * the edition that numbers the chapter 36; the section numbers of this folder follow it). The
 * caller decides which packet is due; this file knows its bytes, the IP compression and the
 * accumulation of TNT bits. Nothing here allocates or fails; the unit test checks it against
 * libipt's packet decoder.
 */
#ifndef ITRACE_LAB_PACKET_H
#define ITRACE_LAB_PACKET_H

#include <stdbool.h>
#include <stdint.h>

/* Room for everything that one instruction boundary can emit (a PSB+ and an event). */
#define PT_ENC_MAX 512

/* The four packets that carry a compressed IP; values are the low five bits of the header byte. */
enum pt_ip_packet {
	PT_TIP_PGD = 0x01,
	PT_TIP = 0x0d,
	PT_TIP_PGE = 0x11,
	PT_FUP = 0x1d,
};

struct pt_enc {
	uint8_t buf[PT_ENC_MAX];
	unsigned int len;     /* bytes in buf that the caller has not drained yet */
	uint64_t last_ip;     /* 36.4.2.2: LastIP; 0 at PSB */
	uint64_t tnt;	      /* bits not sent yet, the oldest at the highest position */
	unsigned int ntnt;    /* how many of them, 0..tnt_max */
	unsigned int tnt_max; /* 6: short TNT only; 47: long TNT */
	bool sext48;	      /* model: canonical full addresses by IPBytes 011, else by 110 */
	bool full_next;	      /* next IP uncompressed, whatever LastIP is */
	uint64_t packets;     /* sent so far */
};

void pt_enc_init(struct pt_enc *e, bool tnt_long, bool sext48);

/* Adds a TNT bit; true when the bits held fill a packet, which the caller then flushes. */
bool pt_enc_tnt(struct pt_enc *e, bool taken);
/* Sends the TNT bits held, if any. Every packet below but the timing ones wants this before it. */
void pt_enc_tnt_flush(struct pt_enc *e);

void pt_enc_ip(struct pt_enc *e, enum pt_ip_packet type, uint64_t ip);
/* The same packet with IPBytes 000: no payload, LastIP unchanged. */
void pt_enc_noip(struct pt_enc *e, enum pt_ip_packet type);

/* PSB also sets LastIP to 0. */
void pt_enc_psb(struct pt_enc *e);
void pt_enc_psbend(struct pt_enc *e);
void pt_enc_ovf(struct pt_enc *e);
void pt_enc_tracestop(struct pt_enc *e);
/* cr3: the register's value; bits 51:5 are sent. NR is 0: there is no VMX non-root here. */
void pt_enc_pip(struct pt_enc *e, uint64_t cr3);
/* cs_l, cs_d: those bits of the code segment (64-bit code: 1, 0). */
void pt_enc_mode_exec(struct pt_enc *e, bool cs_l, bool cs_d);
/* Never in a transaction: InTX = TXAbort = 0. */
void pt_enc_mode_tsx(struct pt_enc *e);
/* tsc: 56 bits are sent. */
void pt_enc_tsc(struct pt_enc *e, uint64_t tsc);
/* ctc: 16 bits are sent; fast: 9 bits, TSC ticks since that CTC edge. */
void pt_enc_tma(struct pt_enc *e, uint64_t ctc, uint32_t fast);
/* ctc: already shifted right by MTCFreq; 8 bits are sent. */
void pt_enc_mtc(struct pt_enc *e, uint64_t ctc);
void pt_enc_cbr(struct pt_enc *e, uint8_t ratio);
/* cycles: core clocks since the last CYC. */
void pt_enc_cyc(struct pt_enc *e, uint64_t cycles);

#endif
