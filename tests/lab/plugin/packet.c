// SPDX-License-Identifier: GPL-2.0-or-later
/* packet.c - see packet.h. */
#include "packet.h"

#include <string.h>

static void put(struct pt_enc *e, const uint8_t *bytes, unsigned int n)
{
	if (n > sizeof(e->buf) - e->len)
		return;
	memcpy(e->buf + e->len, bytes, n);
	e->len += n;
	e->packets++;
}

static void put_le(uint8_t *to, uint64_t val, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		to[i] = (uint8_t)(val >> (8 * i));
}

void pt_enc_init(struct pt_enc *e, bool tnt_long, bool sext48)
{
	memset(e, 0, sizeof(*e));
	e->tnt_max = tnt_long ? 47 : 6;
	e->sext48 = sext48;
}

bool pt_enc_tnt(struct pt_enc *e, bool taken)
{
	e->tnt = e->tnt << 1 | taken;
	return ++e->ntnt >= e->tnt_max;
}

/* 36.4.2.1: a stop bit above the oldest branch; the short form has bit 0 clear below the newest. */
void pt_enc_tnt_flush(struct pt_enc *e)
{
	uint64_t payload = 1ull << e->ntnt | e->tnt;
	uint8_t p[8] = {0x02, 0xa3};

	if (!e->ntnt)
		return;
	if (e->ntnt <= 6) {
		p[0] = (uint8_t)(payload << 1);
		put(e, p, 1);
	} else {
		put_le(p + 2, payload, 6);
		put(e, p, 8);
	}
	e->tnt = 0;
	e->ntnt = 0;
}

/*
 * 36.4.2.2, "IP compression": the fewest low bytes that differ from LastIP. What a part sends for
 * a full address is its own choice: 011 where 48 bits suffice (Skylake), 110 (Ice Lake, 57-bit).
 */
void pt_enc_ip(struct pt_enc *e, enum pt_ip_packet type, uint64_t ip)
{
	static const uint8_t width[8] = {[1] = 2, [2] = 4, [3] = 6, [6] = 8};
	uint64_t diff = ip ^ e->last_ip;
	unsigned int ipbytes;
	uint8_t p[9];

	if (!e->full_next && !(diff >> 16))
		ipbytes = 1;
	else if (!e->full_next && !(diff >> 32))
		ipbytes = 2;
	else if (e->sext48 && (uint64_t)((int64_t)(ip << 16) >> 16) == ip)
		ipbytes = 3;
	else
		ipbytes = 6;
	e->full_next = false;
	e->last_ip = ip;
	p[0] = (uint8_t)(ipbytes << 5 | type);
	put_le(p + 1, ip, width[ipbytes]);
	put(e, p, 1u + width[ipbytes]);
}

void pt_enc_noip(struct pt_enc *e, enum pt_ip_packet type)
{
	uint8_t p = (uint8_t)type;

	put(e, &p, 1);
}

/* 36.4.2.17 */
void pt_enc_psb(struct pt_enc *e)
{
	static const uint8_t p[16] = {0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
				      0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82};

	put(e, p, sizeof(p));
	e->last_ip = 0;
	e->full_next = false;
}

void pt_enc_psbend(struct pt_enc *e)
{
	put(e, (const uint8_t[]){0x02, 0x23}, 2);
}

void pt_enc_ovf(struct pt_enc *e)
{
	put(e, (const uint8_t[]){0x02, 0xf3}, 2);
}

void pt_enc_tracestop(struct pt_enc *e)
{
	put(e, (const uint8_t[]){0x02, 0x83}, 2);
}

/* 36.4.2.7: CR3[51:5] above the NR bit. */
void pt_enc_pip(struct pt_enc *e, uint64_t cr3)
{
	uint8_t p[8] = {0x02, 0x43};

	put_le(p + 2, (cr3 & 0xfffffffffffe0ull) >> 5 << 1, 6);
	put(e, p, 8);
}

/* 36.4.2.8: leaf ID in bits 7:5, 000 is MODE.Exec. */
void pt_enc_mode_exec(struct pt_enc *e, bool cs_l, bool cs_d)
{
	put(e, (const uint8_t[]){0x99, (uint8_t)(cs_l | cs_d << 1)}, 2);
}

void pt_enc_mode_tsx(struct pt_enc *e)
{
	put(e, (const uint8_t[]){0x99, 0x20}, 2);
}

void pt_enc_tsc(struct pt_enc *e, uint64_t tsc)
{
	uint8_t p[8] = {0x19};

	put_le(p + 1, tsc, 7);
	put(e, p, 8);
}

void pt_enc_tma(struct pt_enc *e, uint64_t ctc, uint32_t fast)
{
	uint8_t p[7] = {0x02, 0x73};

	put_le(p + 2, ctc, 2);
	put_le(p + 5, fast & 0x1ff, 2);
	put(e, p, 7);
}

void pt_enc_mtc(struct pt_enc *e, uint64_t ctc)
{
	put(e, (const uint8_t[]){0x59, (uint8_t)ctc}, 2);
}

void pt_enc_cbr(struct pt_enc *e, uint8_t ratio)
{
	put(e, (const uint8_t[]){0x02, 0x03, ratio, 0}, 4);
}

/* 36.4.2.14: five bits and a continuation bit in the first byte, then seven bits a byte. */
void pt_enc_cyc(struct pt_enc *e, uint64_t cycles)
{
	unsigned int n = 0;
	uint8_t p[12];

	p[n++] = (uint8_t)((cycles & 0x1f) << 3 | 3);
	cycles >>= 5;
	if (cycles)
		p[0] |= 4;
	while (cycles) {
		p[n] = (uint8_t)((cycles & 0x7f) << 1);
		cycles >>= 7;
		if (cycles)
			p[n] |= 1;
		n++;
	}
	put(e, p, n);
}
