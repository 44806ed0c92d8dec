/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: crash-ext/core/flow.c crash-ext/core/flow_event.c crash-ext/core/flow_walk.c crash-ext/core/block.c crash-ext/core/insn.c crash-ext/core/packet.c crash-ext/core/packet_ext.c crash-ext/core/trace_time.c crash-ext/core/image.c crash-ext/core/pagetable.c crash-ext/core/problem.c crash-ext/core/status.c */
/* Where the walk ends, is lost, and is taken up again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "flow_fixture.h"

/* No branch there can have left: said, and nothing listed. */
static void test_filter_wrong(void **state)
{
	(void)state;
	asm_at(0, "90 74 fd");
	b_psb(&b, 0, BASE);
	b_ip(&b, ppt_tip_pgd, BASE + 0x1000);
	b_ip(&b, ppt_tip_pge, BASE);
	b_tnt(&b, "N");
	expect_text("gap 0 corrupt\noff 0>1000\non 0\nr 0 1\n");
	assert_int_equal(nr_problems, 1);
}

static void test_missing_page(void **state)
{
	(void)state;
	asm_at(0, "90 e9 00 00 10 00"); /* jmp far away */
	asm_at(0x40, "90 74 00");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "T");
	b_tnt(&b, "TTN");
	b_tip(0x80);
	b_ip(&b, ppt_tip_pge, BASE + 0x40);
	b_tnt(&b, "T");
	expect_text("r 0 1\ngap 100006 not found\non 40\nr 40 41\n");
	assert_int_equal(nr_problems, 1);

	/* An interrupt tells a whole position, too. */
	b.len = 0;
	b_psb(&b, 0, BASE);
	b_tnt(&b, "T");
	b_event(0x2000, 0x40);
	b_tnt(&b, "T");
	expect_text("r 0 1\ngap 100006 not found\nint 2000>40\nr 40 41\n");
}

/* An instruction cut by the end of what is mapped. */
static void test_missing_half(void **state)
{
	(void)state;
	asm_at(CODE_SIZE - 2, "0f 84");
	b_psb(&b, 0, BASE + CODE_SIZE - 2);
	b_tnt(&b, "T");
	expect_text("gap 3ffe not found\n");
}

static void test_cut_tail(void **state)
{
	(void)state;
	asm_at(0, "90 74 fd");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "TT");
	b_tip(0x40);
	b.len -= 3;
	expect_text("r 0 1 0 1\n");
	assert_int_equal(nr_problems, 1);
	assert_non_null(strstr(problem, "cut off after 4 bytes"));
}

static void test_bad_packet(void **state)
{
	(void)state;
	asm_at(0, "90 74 fd");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "T");
	b_bytes(&b, "\x02\xff", 2);
	b_tnt(&b, "T");
	expect_text("r 0 1\ngap 0 corrupt\n");
	assert_int_equal(nr_problems, 1);
	assert_non_null(strstr(problem, "02 ff"));
}

static void test_32bit(void **state)
{
	(void)state;
	asm_at(0, "90 48 cf");
	b_psb(&b, 0, BASE);
	b_no_ip(&b, ppt_tip_pgd);
	b_mode_exec(&b, 0, 1);
	b_ip(&b, ppt_tip_pge, BASE);
	b_tnt(&b, "T");
	b_no_ip(&b, ppt_tip_pgd);
	b_mode_exec(&b, 1, 0);
	b_ip(&b, ppt_tip_pge, BASE);
	b_no_ip(&b, ppt_tip_pgd);
	expect_text("r 0 1\noff 1>0\non 0\ngap 0 unsupported\noff 0>0\non 0\nr 0 1\noff 1>0\n");
}

/* Packets that have no business there. */
static void test_out_of_order(void **state)
{
	(void)state;
	asm_at(0, "90 74 fd");
	b_psb(&b, 0, 0); /* PacketEn=0 */
	b_tnt(&b, "T");
	b_tip(0);
	b_ip(&b, ppt_tip_pge, BASE);
	b_ip(&b, ppt_tip_pge, BASE);
	b_tnt(&b, "T");
	b_ip(&b, ppt_tip_pge, BASE + 1);
	b_tnt(&b, "T");
	expect_text("gap 0 corrupt\non 0\non 0\nr 0 1\ngap 0 corrupt\non 1\nr 1\n");
	assert_int_equal(nr_problems, 2);
}

/* A segment goes up to where the next PSB+ says that execution was. */
static void test_segments(void **state)
{
	uint64_t next;

	(void)state;
	asm_at(0, "90 74 00 90 90 90 90 74 fd ff e0");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "N");
	next = b.len;
	b_psb(&b, 0, BASE + 5);
	b_tnt(&b, "N");
	b_tip(0x40);
	walk_segment(0, next);
	assert_string_equal(text, "r 0 1 3 4\n");
	walk_segment(next, b.len);
	assert_string_equal(text, "r 5 6 7 9\n");
	assert_int_equal(nr_problems, 0);
	/* The whole in one go is the same. */
	walk_segment(0, b.len);
	assert_string_equal(text, "r 0 1 3 4 5 6 7 9\n");
}

/* The next PSB+ is cut, or has an OVF: what is known without it stays. */
static void test_segments_cut(void **state)
{
	uint64_t next;

	(void)state;
	asm_at(0, "90 74 00 90 90 90 90 74 fd");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "N");
	next = b.len;
	b_type(&b, ppt_psb);
	b_ip(&b, ppt_fup, BASE + 5);
	walk_segment(0, next);
	assert_string_equal(text, "r 0 1\n");
	b_type(&b, ppt_ovf);
	walk_segment(0, next);
	assert_string_equal(text, "r 0 1\n");
	/* Lost before: the next PSB+ ends that. */
	b.len = next;
	b_type(&b, ppt_ovf);
	next = b.len;
	b_psb(&b, 0, BASE + 5);
	walk_segment(0, next);
	assert_string_equal(text, "r 0 1\novf 5\n");
}

/* The next PSB+ contradicts the walk. */
static void test_segments_wrong(void **state)
{
	uint64_t next;

	(void)state;
	asm_at(0, "90 74 00 90 90 90 90 74 fd");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "N");
	next = b.len;
	b_psb(&b, 0, BASE + 0x100);
	walk_segment(0, next);
	assert_string_equal(text, "r 0 1\ngap 3 corrupt\n");
}

/* A PSB in the middle of a packet: the segment ends there, and says so. */
static void test_swallowed_psb(void **state)
{
	uint64_t next;

	(void)state;
	asm_at(0, "90 74 fd");
	b_psb(&b, 0, BASE);
	b_bytes(&b, "\x02\xc3\x88", 3);
	next = b.len;
	b_psb(&b, 0, BASE);
	walk_segment(0, next);
	assert_string_equal(text, "gap 0 corrupt\n");
	assert_non_null(strstr(problem, "runs into the next PSB"));
}

/* Bytes of the ring that are missing. */
static void test_hole(void **state)
{
	struct itrace_hole hole = {.status = ITRACE_E_FILTERED, .len = 100};

	(void)state;
	asm_at(0, "90 74 fd");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "T");
	hole.start = b.len;
	memset(b.bytes + b.len, 0, 100);
	b.len += 100;
	b_tnt(&b, "T");
	stream.hole = &hole;
	stream.nr_holes = 1;
	expect_text("r 0 1\ngap 0 filtered out of the dump\n");
	assert_int_equal(nr_problems, 1);
}

/* At the seam of a ring in use, what comes behind the first misfit is older. */
static void test_seam(void **state)
{
	(void)state;
	asm_at(0, "90 74 fd");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "T");
	b_tip(0x40);
	b_ip(&b, ppt_tip_pge, BASE);
	b_tnt(&b, "T");
	stream.seam_searched = true;
	expect_text("r 0 1\ngap 0 corrupt\n");
}

/* Random bytes, and right streams with one byte wrong: whatever comes of it, it ends. */
static void test_hostile(void **state)
{
	uint32_t seed = 1, i, round;
	uint64_t j;

	(void)state;
	asm_at(0, "e8 1b 00 00 00 74 fb 0f 22 df 48 0f 07");
	asm_at(0x20, "90 74 0d ff d0 c3");
	asm_at(0x30, "90 e0 fd c3");
	config.problems = NULL;
	for (round = 0; round < 3000; round++) {
		b.len = 0;
		b_psb(&b, 5, BASE);
		b_tnt(&b, "TTNTTN");
		b_tip(0x20);
		b_tnt(&b, "NT");
		b_tip(0x30);
		b_event(0x30, 0x20);
		b_pip(&b, 0x1000);
		b_no_ip(&b, ppt_tip_pgd);
		b_ip(&b, ppt_tip_pge, BASE + 5);
		b_tnt(&b, "TTNTTNTTTTTTTTTTTTT");
		b_psb(&b, 6, BASE + 5);
		for (i = 0; i < (round & 3) + 1; i++) {
			seed = seed * 1664525 + 1013904223;
			b.bytes[seed % b.len] = (uint8_t)(seed >> 20);
		}
		if (round % 5 == 0)
			for (j = 40; j < b.len; j++) {
				seed = seed * 1664525 + 1013904223;
				b.bytes[j] = (uint8_t)(seed >> 24);
			}
		walk_segment(0, b.len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_filter_wrong),   TEST(test_missing_page),  TEST(test_missing_half),
		TEST(test_cut_tail),	   TEST(test_bad_packet),    TEST(test_32bit),
		TEST(test_out_of_order),   TEST(test_segments),	     TEST(test_segments_cut),
		TEST(test_segments_wrong), TEST(test_swallowed_psb), TEST(test_hole),
		TEST(test_seam),	   TEST(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
