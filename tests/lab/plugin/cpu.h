/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu.h - one emulated CPU with Intel PT: the state that emit.c and trace.c work on.
 *
 * Only the vCPU's own thread touches it. Nothing here knows QEMU: what has to come from the
 * machine comes through struct pt_host.
 */
#ifndef ITRACE_LAB_CPU_H
#define ITRACE_LAB_CPU_H

#include "classify.h"
#include "output.h"
#include "packet.h"
#include "rtit.h"
#include "truth.h"

struct lab_cpu;

/* Deliberate faults: they prove that the tests which compare with the truth can fail. */
enum pt_defect {
	DEFECT_NONE,
	DEFECT_DROP_TNT,  /* one TNT bit in defect_every is inverted */
	DEFECT_WRONG_TIP, /* one TIP in defect_every points a byte too far */
	DEFECT_LOSE_FUP,  /* one interrupt's FUP and TIP in defect_every are left out */
};

struct pt_options {
	struct rtit_model model;
	uint64_t skid;	/* instructions that TraceStop takes effect late */
	uint64_t vmxon; /* packet bytes until the CPU is in VMX operation without PT, 0: never */
	uint64_t ovf;	/* packet bytes from one injected overflow to the next, 0: none */
	enum pt_defect defect;
	uint64_t defect_every;
	bool error; /* TraceEn always ends in STATUS.Error, as under some hypervisors */
	bool pip;   /* send PIP (off imitates a part that filters them out) */
	bool tnt_long;
	bool sext48;
};

/* A straight run of instructions: only the last one may be a branch. */
struct block {
	uint64_t start;
	unsigned int n; /* instructions, the last included: 1 or more */
	struct insn last;
	uint8_t len[]; /* of each */
};

struct pt_host {
	uint64_t (*cr3)(struct lab_cpu *c);
	/* Whether the last instruction of the block that trace_block() named was started. */
	bool (*last_started)(struct lab_cpu *c);
	uint64_t (*rcx)(struct lab_cpu *c);
	/* Tells the machine which callbacks are wanted: after each change of tracing or pend. */
	void (*gates)(struct lab_cpu *c);
};

/* 36.4.2.2, "Indirect Transfer Compression for Returns": 64 entries, the oldest drops out. */
struct ret_stack {
	uint64_t entry[64];
	unsigned int top, depth;
};

struct pt_timing {
	uint64_t last; /* no packet of this CPU may show an earlier TSC */
	uint64_t mtc;  /* CTC >> MTCFreq of the last MTC or TMA */
	uint64_t cyc;  /* TSC of the last CYC */
};

struct pt_counts {
	uint64_t psbs, ovfs, anomalies, restarts, discons;
	uint64_t jcc_same, jcc_guessed; /* to their own next instruction; not knowable */
	uint64_t enables, stops, resets, defects, gps;
	uint64_t bad_from[4], bad_to[4]; /* first anomalies */
	uint8_t bad_cls[4];
};

struct lab_cpu {
	unsigned int index;
	const struct pt_options *opt;
	const struct pt_host *host;
	struct rtit rtit;
	struct pt_enc enc;
	struct pt_out out;
	struct truth truth;
	struct ret_stack ret;
	struct pt_timing time;
	struct pt_counts n;

	bool user; /* CPL 3 */
	bool mode64;
	uint64_t cr3;
	bool packet_en;		  /* 36.2.5.1, as of the instruction boundary reached */
	uint64_t byte_cnt;	  /* packet bytes since the last PSB: STATUS.PacketByteCnt */
	uint64_t drained;	  /* packet bytes ever handed to the output */
	int mode_sent;		  /* MODE.Exec since the last PSB: -1 none, else mode64 */
	const struct block *pend; /* started, not settled yet */
	uint64_t shift;		  /* where it runs less where it was translated */
	uint64_t expect;    /* after an event: where the next instruction must be; 0 unknown */
	uint64_t skid_left; /* TraceStop was hit: instructions until it acts, 0 idle */
	unsigned int mute;  /* in an overflow: blocks until it resolves */
	uint64_t lost_from; /* truth index at the overflow's start */
	uint64_t ovf_at;    /* value of drained at which the next one starts */
	uint64_t defect_seen;
	bool leave; /* pend may end in a ring that is not traced */
};

/* TraceEn and TriggerEn. */
static inline bool cpu_tracing(const struct lab_cpu *c)
{
	return (c->rtit.ctl & CTL_TRACEEN) && !(c->rtit.status & (STATUS_ERROR | STATUS_STOPPED));
}

#endif
