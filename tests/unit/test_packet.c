/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: crash-ext/core/packet.c crash-ext/core/packet_ext.c crash-ext/core/status.c */
/*
 * Packets: the vectors of tests/packets against what ptdump of a newer libipt says of them, line by
 * line; the compressions of an address; ends, errors and resync.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "packet.h"
#include "pt_build.h"
#include "status.h"

/* Columns of ptdump, with single spaces. */
static void ip_text(const struct itrace_packet *packet, char *buf, size_t size)
{
	static const int digits[8] = {0, 4, 8, 12, 12, 0, 16, 0};
	enum pt_ip_compression ipc = packet->pt.payload.ip.ipc;
	int i, shown = ipc == pt_ipc_sext_48 ? 16 : digits[ipc & 7];
	char hex[17];

	snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)packet->ip);
	for (i = 0; i < 16 - shown; i++)
		hex[i] = '?';
	if (packet->has_ip)
		snprintf(buf, size, "%d: %s ip %016llx", (int)ipc, hex,
			 (unsigned long long)packet->ip);
	else
		snprintf(buf, size, "0: ???????????????? ip <suppressed>");
}

static void tnt_text(const struct pt_packet_tnt *tnt, char *buf)
{
	unsigned int i;

	for (i = tnt->bit_size; i-- > 0;)
		*buf++ = tnt->payload >> i & 1 ? '!' : '.';
	*buf = 0;
}

static const char *ext_text(const struct itrace_packet *packet, char *buf, size_t size)
{
	switch (packet->ext) {
	case ITRACE_EXT_CFE:
		if (packet->ext_type == ITRACE_CFE_INTR)
			snprintf(buf, size, "1: %u%s type intr", packet->ext_vector,
				 packet->ext_ip ? ", ip" : "");
		else
			snprintf(buf, size, "%u type unknown", packet->ext_type);
		return "cfe";
	case ITRACE_EXT_EVD:
		snprintf(buf, size, "%u: %llx type %s", packet->ext_type,
			 (unsigned long long)packet->ext_value, packet->ext_type ? "?" : "cr2");
		return "evd";
	default:
		return "ext";
	}
}

static const char *mode_text(const struct pt_packet_mode *mode, char *buf, size_t size)
{
	if (mode->leaf == pt_mol_exec) {
		snprintf(buf, size, "%s", mode->bits.exec.csl ? "cs.l" : "");
		return "mode.exec";
	}
	snprintf(buf, size, "%s", mode->bits.tsx.intx ? "intx" : "");
	return "mode.tsx";
}

static const char *name_of(const struct itrace_packet *packet, char *buf, size_t size)
{
	const struct pt_packet *pt = &packet->pt;

	*buf = 0;
	if (packet->ext)
		return ext_text(packet, buf, size);
	switch ((int)pt->type) {
	case ppt_psb:
		return "psb";
	case ppt_psbend:
		return "psbend";
	case ppt_ovf:
		return "ovf";
	case ppt_fup:
		ip_text(packet, buf, size);
		return "fup";
	case ppt_tip:
		ip_text(packet, buf, size);
		return "tip";
	case ppt_tip_pge:
		ip_text(packet, buf, size);
		return "tip.pge";
	case ppt_tip_pgd:
		ip_text(packet, buf, size);
		return "tip.pgd";
	case ppt_tnt_8:
		tnt_text(&pt->payload.tnt, buf);
		return "tnt.8";
	case ppt_mode:
		return mode_text(&pt->payload.mode, buf, size);
	case ppt_pip:
		snprintf(buf, size, "%llx%s cr3 %016llx", (unsigned long long)pt->payload.pip.cr3,
			 pt->payload.pip.nr ? ", nr" : "", (unsigned long long)pt->payload.pip.cr3);
		return "pip";
	case ppt_vmcs:
		snprintf(buf, size, "%llx vmcs %016llx", (unsigned long long)pt->payload.vmcs.base,
			 (unsigned long long)pt->payload.vmcs.base);
		return "vmcs";
	case ppt_tsc:
		snprintf(buf, size, "%llx", (unsigned long long)pt->payload.tsc.tsc);
		return "tsc";
	case ppt_cbr:
		snprintf(buf, size, "%u", pt->payload.cbr.ratio);
		return "cbr";
	case ppt_mnt:
		snprintf(buf, size, "%llx", (unsigned long long)pt->payload.mnt.payload);
		return "mnt";
	case ppt_ptw:
		snprintf(buf, size, "%u: %llx", pt->payload.ptw.plc,
			 (unsigned long long)pt->payload.ptw.payload);
		return "ptw";
	}
	return "?";
}

static uint64_t load(const char *name, const char *suffix, char *buf, size_t size)
{
	char path[256];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "tests/packets/%s.%s", name, suffix);
	file = fopen(path, "rb");
	if (!file)
		fail_msg("no %s", path);
	len = fread(buf, 1, size - 1, file);
	fclose(file);
	buf[len] = 0;
	return len;
}

/* One line per packet or bad place, without ptdump's padding. */
static void dump(const uint8_t *bytes, uint64_t len, char *out, size_t size)
{
	struct itrace_packets packets;
	struct itrace_packet packet;
	char text[128];
	const char *name;
	size_t used = 0;
	int status;

	*out = 0;
	assert_int_equal(itrace_packets_init(&packets, bytes, len), 0);
	for (status = itrace_packets_sync(&packets, 0); !status;) {
		status = itrace_packets_next(&packets, &packet);
		if (status == ITRACE_E_NODATA)
			break;
		if (status) {
			used += (size_t)snprintf(out + used, size - used, "[%llx: %s %u\n",
						 (unsigned long long)packet.offset,
						 status == ITRACE_E_CORRUPT ? "error" : "cut",
						 status == ITRACE_E_CORRUPT ? 0 : packet.pt.size);
			status = itrace_packets_sync(&packets, packet.offset + 1);
			continue;
		}
		if (packet.pt.type == ppt_pad)
			continue;
		name = name_of(&packet, text, sizeof(text));
		used += (size_t)snprintf(out + used, size - used, "%016llx %s%s%s\n",
					 (unsigned long long)packet.offset, name, *text ? " " : "",
					 text);
	}
	itrace_packets_deinit(&packets);
}

/* ptdump's lines with single spaces, and errors without their words. */
static void squeeze(const char *in, char *out)
{
	for (; *in; in++) {
		if (*in == ' ' && (in[1] == ' ' || in[1] == '\n' || !in[1]))
			continue;
		if (!strncmp(in, "error decoding packet", 21)) {
			out += sprintf(out, "error 0");
			in += strcspn(in, "\n");
		}
		*out++ = *in;
	}
	*out = 0;
}

static void check_vector(const char *name, const char *also)
{
	static char bytes[4096], theirs[4096], expect[4096], ours[4096];
	uint64_t len = load(name, "pt", bytes, sizeof(bytes));

	theirs[0] = 0;
	if (strcmp(name, "empty"))
		load(name, "libipt", theirs, sizeof(theirs));
	squeeze(theirs, expect);
	strcat(expect, also);
	dump((uint8_t *)bytes, len, ours, sizeof(ours));
	assert_string_equal(ours, expect);
}

static void test_vectors(void **state)
{
	static const char *const names[] = {
		"bad-opcode",  "cfe-unknown",	 "empty",	    "no-psb",	    "ovf-fup",
		"pgd-noip",    "pge-pgd-toggle", "psb-in-mode-fup", "psb-in-trunc", "psb-vmcs-pip",
		"ptw-cfe-evd", "tip-full-ip",	 "wrapped",	    "zero-tail",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		print_message("# %s\n", names[i]);
		check_vector(names[i], "");
	}
}

/* Where ptdump is not to be followed: it is silent about a packet that is cut off. */
static void test_vector_cut(void **state)
{
	(void)state;
	check_vector("tip-trunc", "[1b: cut 3\n");
}

static void test_compression(void **state)
{
	static const enum pt_packet_type types[] = {ppt_fup, ppt_tip, ppt_tip_pge, ppt_tip_pgd};
	static const struct {
		enum pt_ip_compression ipc;
		uint64_t payload, ip;
		uint8_t size;
	} step[] = {
		/* One after the other: each goes on from the last IP of the one before. */
		{pt_ipc_update_16, 0x1234, 0x1234, 3},
		{pt_ipc_sext_48, 0xffff81000010, 0xffffffff81000010, 7},
		{pt_ipc_update_16, 0xbeef, 0xffffffff8100beef, 3},
		{pt_ipc_suppressed, 0, 0, 1},
		{pt_ipc_update_32, 0x82001000, 0xffffffff82001000, 5},
		{pt_ipc_update_48, 0x7f0012345678, 0xffff7f0012345678, 7},
		{pt_ipc_full, 0xff11000012345678, 0xff11000012345678, 9},
		{pt_ipc_update_48, 0x7f0012345678, 0xff117f0012345678, 7},
		{pt_ipc_sext_48, 0x7f0012345678, 0x7f0012345678, 7},
	};
	static struct pt_build b;
	struct itrace_packets packets;
	struct itrace_packet packet;
	size_t i, t;

	(void)state;
	for (t = 0; t < 4; t++) {
		b.len = 0;
		b_type(&b, ppt_psb);
		for (i = 0; i < sizeof(step) / sizeof(step[0]); i++)
			b_ipc(&b, types[t], step[i].ipc, step[i].payload);
		b_type(&b, ppt_psb);
		b_ipc(&b, types[t], pt_ipc_update_16, 0x77);
		assert_int_equal(itrace_packets_init(&packets, b.bytes, b.len), 0);
		assert_int_equal(itrace_packets_next(&packets, &packet), 0);
		for (i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
			assert_int_equal(itrace_packets_next(&packets, &packet), 0);
			assert_int_equal(packet.pt.size, step[i].size);
			assert_int_equal(packet.has_ip, step[i].ipc != pt_ipc_suppressed);
			if (packet.has_ip)
				assert_int_equal(packet.ip, step[i].ip);
		}
		/* A PSB sets last IP to 0. */
		assert_int_equal(itrace_packets_next(&packets, &packet), 0);
		assert_int_equal(itrace_packets_next(&packets, &packet), 0);
		assert_int_equal(packet.ip, 0x77);
		assert_int_equal(itrace_packets_next(&packets, &packet), ITRACE_E_NODATA);
		itrace_packets_deinit(&packets);
	}
}

/* 5 and 7 are reserved. */
static void test_compression_reserved(void **state)
{
	static const uint8_t bad[] = {0xad, 0xed};
	struct itrace_packets packets;
	struct itrace_packet packet;
	uint8_t bytes[32] = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad); i++) {
		bytes[0] = bad[i];
		assert_int_equal(itrace_packets_init(&packets, bytes, sizeof(bytes)), 0);
		assert_int_equal(itrace_packets_next(&packets, &packet), ITRACE_E_CORRUPT);
		assert_int_equal(packet.offset, 0);
		itrace_packets_deinit(&packets);
	}
}

/* From a PSB to the end, each cut gives whole packets, then the word for the cut one. */
static void test_every_cut(void **state)
{
	static struct pt_build b;
	struct itrace_packets packets;
	struct itrace_packet packet;
	uint64_t len, sum;
	int status;

	(void)state;
	b_psb(&b, 0x123456789a, 0xffffffff81000000);
	b_tnt(&b, "TNTTNTTNTTTTTTNNTT");
	b_pip(&b, 0x123000);
	b_tma(&b, 7, 9);
	b_mtc(&b, 7);
	b_bytes(&b, "\x02\x13\x81\x0e\x02\x53\x00\xef\xbe\xad\xde\x00\x00\x00\x00", 15);
	b_bytes(&b, "\xd9\x40\x01\x02\x03\x02\x63\x04\x0c\x01\x02\x03\x04\x05\x06\x07\x08\x02\x33",
		19);
	b_ip(&b, ppt_tip, 0xffffffff81000020);
	for (len = 1; len <= b.len; len++) {
		assert_int_equal(itrace_packets_init(&packets, b.bytes, len), 0);
		for (sum = 0; !(status = itrace_packets_next(&packets, &packet));)
			sum += packet.pt.size;
		assert_int_equal(packet.offset, sum);
		if (status == ITRACE_E_NODATA) {
			assert_int_equal(sum, len);
		} else {
			assert_int_equal(status, ITRACE_E_UNSUPPORTED);
			assert_int_equal(packet.pt.size, len - sum);
			assert_true(sum < len);
		}
		itrace_packets_deinit(&packets);
	}
}

/* Kinds that libipt lacks in one version or all. */
static void test_ext(void **state)
{
	static const uint8_t bytes[] = {
		0x02, 0x63, 0x84,				/* BBP, items of 4 bytes, type 4 */
		0x0c, 0x78, 0x56, 0x34, 0x12,			/* BIP 1 */
		0x06,						/* TNT-8 all the same */
		0x02, 0xb3,					/* BEP with IP */
		0xd9, 0xc0, 0x05, 0x01, 0x00,			/* TRIG with IP and ICNT */
		0x99, 0x43,					/* MODE leaf 2 */
		0x02, 0x13, 0x82, 0x00,				/* CFE IRET with IP */
		0x02, 0x53, 0x01, 1,	2,    3, 4, 5, 6, 7, 8, /* EVD type 1 */
	};
	static const struct {
		uint8_t ext, size, type, vector;
		bool ip;
		uint64_t value;
	} expect[] = {
		{ITRACE_EXT_BBP, 3, 4, 5, false, 0},
		{ITRACE_EXT_BIP, 5, 1, 0, false, 0x12345678},
		{ITRACE_EXT_NONE, 1, 0, 0, false, 0},
		{ITRACE_EXT_BEP, 2, 0, 0, true, 0},
		{ITRACE_EXT_TRIG, 5, 0, 0, true, 5},
		{ITRACE_EXT_MODE, 2, 2, 0, false, 3},
		{ITRACE_EXT_CFE, 4, ITRACE_CFE_IRET, 0, true, 0},
		{ITRACE_EXT_EVD, 11, 1, 0, false, 0x0807060504030201},
	};
	struct itrace_packets packets;
	struct itrace_packet packet;
	size_t i;

	(void)state;
	assert_int_equal(itrace_packets_init(&packets, bytes, sizeof(bytes)), 0);
	for (i = 0; i < sizeof(expect) / sizeof(expect[0]); i++) {
		assert_int_equal(itrace_packets_next(&packets, &packet), 0);
		assert_int_equal(packet.ext, expect[i].ext);
		assert_int_equal(packet.pt.size, expect[i].size);
		if (!packet.ext)
			continue;
		assert_int_equal(packet.ext_type, expect[i].type);
		assert_int_equal(packet.ext_vector, expect[i].vector);
		assert_int_equal(packet.ext_ip, expect[i].ip);
		assert_int_equal(packet.ext_value, expect[i].value);
	}
	assert_int_equal(itrace_packets_next(&packets, &packet), ITRACE_E_NODATA);
	itrace_packets_deinit(&packets);
}

/* Any alignment, and behind the beginning of another one that was cut. */
static void test_psb_find(void **state)
{
	uint8_t bytes[64];
	uint64_t at;

	(void)state;
	for (at = 0; at < 48; at++) {
		memset(bytes, 6, sizeof(bytes));
		memcpy(bytes + at,
		       "\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82", 16);
		assert_int_equal(itrace_psb_find(bytes, sizeof(bytes), 0), at);
		assert_int_equal(itrace_psb_find(bytes, sizeof(bytes), at), at);
		assert_int_equal(itrace_psb_find(bytes, sizeof(bytes), at + 1), UINT64_MAX);
		assert_int_equal(itrace_psb_find(bytes, at + 15, 0), UINT64_MAX);
		if (at < 6)
			continue;
		memcpy(bytes + at - 6, "\x02\x82\x02\x82\x02\x82", 6);
		assert_int_equal(itrace_psb_find(bytes, sizeof(bytes), 0), at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),	    cmocka_unit_test(test_vector_cut),
		cmocka_unit_test(test_compression), cmocka_unit_test(test_compression_reserved),
		cmocka_unit_test(test_every_cut),   cmocka_unit_test(test_ext),
		cmocka_unit_test(test_psb_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
