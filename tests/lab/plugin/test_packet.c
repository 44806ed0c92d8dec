// SPDX-License-Identifier: GPL-2.0-or-later
/* test_packet.c - the encoder's bytes as libipt's packet decoder reads them. */
#include "tests.h"

#include <intel-pt.h>
#include <string.h>

#include "packet.h"

struct reader {
	struct pt_packet_decoder *dec;
};

static void open_reader(struct reader *r, struct pt_enc *e)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = e->buf;
	config.end = e->buf + e->len;
	r->dec = pt_pkt_alloc_decoder(&config);
	assert_non_null(r->dec);
	assert_int_equal(pt_pkt_sync_set(r->dec, 0), 0);
}

static struct pt_packet next_packet(struct reader *r, enum pt_packet_type type)
{
	struct pt_packet p;

	memset(&p, 0, sizeof(p));
	assert_true(pt_pkt_next(r->dec, &p, sizeof(p)) > 0);
	assert_int_equal(p.type, type);
	return p;
}

static void close_reader(struct reader *r)
{
	struct pt_packet p;

	assert_int_equal(pt_pkt_next(r->dec, &p, sizeof(p)), -pte_eos);
	pt_pkt_free_decoder(r->dec);
}

void packets_match_libipt(void **state)
{
	struct pt_packet p;
	struct reader r;
	struct pt_enc e;

	(void)state;
	pt_enc_init(&e, false, true);
	pt_enc_ip(&e, PT_TIP, 0xffffffff81000000ull);
	pt_enc_psb(&e);
	pt_enc_mode_tsx(&e);
	pt_enc_mode_exec(&e, true, false);
	pt_enc_mode_exec(&e, false, true);
	pt_enc_pip(&e, 0x8000123456789fffull);
	pt_enc_tsc(&e, 0xab123456789abcdeull);
	pt_enc_tma(&e, 0x12345, 0x3ab);
	pt_enc_mtc(&e, 0x1fe);
	pt_enc_cbr(&e, 27);
	pt_enc_ip(&e, PT_FUP, 0xffffffff81000002ull);
	pt_enc_psbend(&e);
	pt_enc_ovf(&e);
	pt_enc_noip(&e, PT_TIP_PGD);
	pt_enc_tracestop(&e);
	open_reader(&r, &e);
	next_packet(&r, ppt_tip);
	next_packet(&r, ppt_psb);
	p = next_packet(&r, ppt_mode);
	assert_int_equal(p.payload.mode.leaf, pt_mol_tsx);
	assert_int_equal(p.payload.mode.bits.tsx.intx | p.payload.mode.bits.tsx.abrt, 0);
	p = next_packet(&r, ppt_mode);
	assert_int_equal(p.payload.mode.leaf, pt_mol_exec);
	assert_int_equal(pt_get_exec_mode(&p.payload.mode.bits.exec), ptem_64bit);
	p = next_packet(&r, ppt_mode);
	assert_int_equal(pt_get_exec_mode(&p.payload.mode.bits.exec), ptem_32bit);
	p = next_packet(&r, ppt_pip);
	assert_int_equal(p.payload.pip.cr3, 0x123456789fe0ull);
	assert_int_equal(p.payload.pip.nr, 0);
	p = next_packet(&r, ppt_tsc);
	assert_int_equal(p.payload.tsc.tsc, 0x123456789abcdeull);
	p = next_packet(&r, ppt_tma);
	assert_int_equal(p.payload.tma.ctc, 0x2345);
	assert_int_equal(p.payload.tma.fc, 0x1ab);
	p = next_packet(&r, ppt_mtc);
	assert_int_equal(p.payload.mtc.ctc, 0xfe);
	p = next_packet(&r, ppt_cbr);
	assert_int_equal(p.payload.cbr.ratio, 27);
	p = next_packet(&r, ppt_fup); /* PSB cleared LastIP */
	assert_int_equal(p.payload.ip.ipc, pt_ipc_sext_48);
	next_packet(&r, ppt_psbend);
	next_packet(&r, ppt_ovf);
	p = next_packet(&r, ppt_tip_pgd);
	assert_int_equal(p.payload.ip.ipc, pt_ipc_suppressed);
	next_packet(&r, ppt_stop);
	close_reader(&r);
	assert_int_equal(e.packets, 15);
}

/* Every length of both forms, with a pattern that no reversal or shift leaves alone. */
static void check_tnt(unsigned int bits, bool tnt_long)
{
	uint64_t pattern = 0x5a96c3f01e87ull & ((1ull << bits) - 1);
	enum pt_packet_type type = bits > 6 ? ppt_tnt_64 : ppt_tnt_8;
	struct pt_packet p;
	struct reader r;
	struct pt_enc e;

	pt_enc_init(&e, tnt_long, true);
	for (unsigned int b = bits; b--;)
		assert_int_equal(pt_enc_tnt(&e, pattern >> b & 1),
				 b == 0 && bits == (tnt_long ? 47u : 6u));
	pt_enc_tnt_flush(&e);
	pt_enc_tnt_flush(&e);
	open_reader(&r, &e);
	p = next_packet(&r, type);
	assert_int_equal(p.payload.tnt.bit_size, bits);
	assert_int_equal(p.payload.tnt.payload, pattern);
	close_reader(&r);
}

void tnt_bits_keep_their_order(void **state)
{
	(void)state;
	for (unsigned int bits = 1; bits <= 6; bits++)
		check_tnt(bits, false);
	for (unsigned int bits = 1; bits <= 47; bits++)
		check_tnt(bits, true);
}

static uint64_t apply_ip(uint64_t last, const struct pt_packet_ip *ip)
{
	switch (ip->ipc) {
	case pt_ipc_update_16:
		return (last & ~0xffffull) | ip->ip;
	case pt_ipc_update_32:
		return (last & ~0xffffffffull) | ip->ip;
	case pt_ipc_update_48:
		return (last & ~0xffffffffffffull) | ip->ip;
	case pt_ipc_sext_48:
		return (uint64_t)((int64_t)(ip->ip << 16) >> 16);
	case pt_ipc_full:
		return ip->ip;
	default:
		return last;
	}
}

void ip_compression_matches_libipt(void **state)
{
	static const uint64_t ips[] = {
		0xffffffff81000000ull, 0xffffffff81001234ull, 0xffffffff82001234ull,
		0x7f1234567890ull,     0x7f1234567891ull,     0xff11000012345678ull,
		0xffffffffc0201000ull, 0xffffffffc0211000ull, 0x1234,
		0xffff800000000000ull,
	};
	static const enum pt_ip_packet types[] = {PT_TIP, PT_FUP, PT_TIP_PGE, PT_TIP_PGD};
	static const enum pt_packet_type read[] = {ppt_tip, ppt_fup, ppt_tip_pge, ppt_tip_pgd};

	(void)state;
	for (int sext48 = 0; sext48 < 2; sext48++) {
		unsigned int n = sizeof(ips) / sizeof(ips[0]);
		uint64_t last = 0;
		struct reader r;
		struct pt_enc e;

		pt_enc_init(&e, false, sext48);
		pt_enc_psb(&e);
		for (unsigned int i = 0; i < n; i++) {
			e.full_next = i == 4;
			pt_enc_ip(&e, types[i % 4], ips[i]);
		}
		open_reader(&r, &e);
		next_packet(&r, ppt_psb);
		for (unsigned int i = 0; i < n; i++) {
			struct pt_packet p = next_packet(&r, read[i % 4]);

			last = apply_ip(last, &p.payload.ip);
			assert_int_equal(last, ips[i]);
			if (i == 1)
				assert_int_equal(p.payload.ip.ipc, pt_ipc_update_16);
			if (i == 2)
				assert_int_equal(p.payload.ip.ipc, pt_ipc_update_32);
			if (i == 4)
				assert_true(p.payload.ip.ipc ==
					    (sext48 ? pt_ipc_sext_48 : pt_ipc_full));
			if (i == 5)
				assert_int_equal(p.payload.ip.ipc, pt_ipc_full);
		}
		close_reader(&r);
	}
}

void cyc_matches_libipt(void **state)
{
	static const uint64_t cycles[] = {0, 1, 31, 32, 4095, 4096, 0x123456789abull};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cycles) / sizeof(cycles[0]); i++) {
		struct pt_packet p;
		struct reader r;
		struct pt_enc e;

		pt_enc_init(&e, false, true);
		pt_enc_cyc(&e, cycles[i]);
		open_reader(&r, &e);
		p = next_packet(&r, ppt_cyc);
		assert_int_equal(p.payload.cyc.value, cycles[i]);
		close_reader(&r);
	}
}
