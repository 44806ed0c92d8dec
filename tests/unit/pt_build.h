/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams made by hand, packet by packet, with libipt's encoder. Include once, after cmocka.h.
 * Addresses are written whole (sext48) unless said otherwise.
 */
#ifndef ITRACE_PT_BUILD_H
#define ITRACE_PT_BUILD_H

#include <intel-pt.h>
#include <stdint.h>
#include <string.h>

struct pt_build {
	uint8_t bytes[65536];
	uint64_t len;
};

static inline void b_packet(struct pt_build *b, const struct pt_packet *packet)
{
	struct pt_encoder *encoder;
	struct pt_config config;
	int size;

	pt_config_init(&config);
	config.begin = b->bytes + b->len;
	config.end = b->bytes + sizeof(b->bytes);
	encoder = pt_alloc_encoder(&config);
	assert_non_null(encoder);
	size = pt_enc_next(encoder, packet);
	assert_true(size > 0);
	b->len += (uint64_t)size;
	pt_free_encoder(encoder);
}

static inline void b_bytes(struct pt_build *b, const void *bytes, uint64_t len)
{
	assert_true(b->len + len <= sizeof(b->bytes));
	memcpy(b->bytes + b->len, bytes, len);
	b->len += len;
}

static inline void b_type(struct pt_build *b, enum pt_packet_type type)
{
	struct pt_packet packet = {.type = type};

	b_packet(b, &packet);
}

static inline void b_ipc(struct pt_build *b, enum pt_packet_type type, enum pt_ip_compression ipc,
			 uint64_t payload)
{
	struct pt_packet packet = {.type = type};

	packet.payload.ip.ipc = ipc;
	packet.payload.ip.ip = payload;
	b_packet(b, &packet);
}

static inline void b_ip(struct pt_build *b, enum pt_packet_type type, uint64_t ip)
{
	b_ipc(b, type, pt_ipc_sext_48, ip & 0xffffffffffffull);
}

/* TIP, PGE, PGD or FUP with the address suppressed. */
static inline void b_no_ip(struct pt_build *b, enum pt_packet_type type)
{
	b_ipc(b, type, pt_ipc_suppressed, 0);
}

/* "TNT": oldest first; 1 to 6 bits make the short packet, up to 47 the long one. */
static inline void b_tnt(struct pt_build *b, const char *bits)
{
	struct pt_packet packet = {.type = strlen(bits) <= 6 ? ppt_tnt_8 : ppt_tnt_64};

	packet.payload.tnt.bit_size = (uint8_t)strlen(bits);
	for (; *bits; bits++)
		packet.payload.tnt.payload = packet.payload.tnt.payload << 1 | (*bits == 'T');
	b_packet(b, &packet);
}

static inline void b_mode_exec(struct pt_build *b, int csl, int csd)
{
	struct pt_packet packet = {.type = ppt_mode};

	packet.payload.mode.leaf = pt_mol_exec;
	packet.payload.mode.bits.exec.csl = csl & 1;
	packet.payload.mode.bits.exec.csd = csd & 1;
	b_packet(b, &packet);
}

static inline void b_mode_tsx(struct pt_build *b, int intx, int abrt)
{
	struct pt_packet packet = {.type = ppt_mode};

	packet.payload.mode.leaf = pt_mol_tsx;
	packet.payload.mode.bits.tsx.intx = intx & 1;
	packet.payload.mode.bits.tsx.abrt = abrt & 1;
	b_packet(b, &packet);
}

static inline void b_pip(struct pt_build *b, uint64_t cr3)
{
	struct pt_packet packet = {.type = ppt_pip};

	packet.payload.pip.cr3 = cr3;
	b_packet(b, &packet);
}

static inline void b_tsc(struct pt_build *b, uint64_t tsc)
{
	struct pt_packet packet = {.type = ppt_tsc};

	packet.payload.tsc.tsc = tsc;
	b_packet(b, &packet);
}

static inline void b_tma(struct pt_build *b, uint16_t ctc, uint16_t fc)
{
	struct pt_packet packet = {.type = ppt_tma};

	packet.payload.tma.ctc = ctc;
	packet.payload.tma.fc = fc;
	b_packet(b, &packet);
}

static inline void b_mtc(struct pt_build *b, uint8_t ctc)
{
	struct pt_packet packet = {.type = ppt_mtc};

	packet.payload.mtc.ctc = ctc;
	b_packet(b, &packet);
}

static inline void b_ptw(struct pt_build *b, uint32_t value, int ip)
{
	struct pt_packet packet = {.type = ppt_ptw};

	packet.payload.ptw.payload = value;
	packet.payload.ptw.plc = 0;
	packet.payload.ptw.ip = ip & 1;
	b_packet(b, &packet);
}

/* PSB+ with TSC if it is not 0, FUP if @ip is not 0. */
static inline void b_psb(struct pt_build *b, uint64_t tsc, uint64_t ip)
{
	b_type(b, ppt_psb);
	if (tsc)
		b_tsc(b, tsc);
	if (ip) {
		b_mode_exec(b, 1, 0);
		b_ip(b, ppt_fup, ip);
	}
	b_type(b, ppt_psbend);
}

#endif
