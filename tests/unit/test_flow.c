/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: crash-ext/core/flow.c crash-ext/core/flow_event.c crash-ext/core/flow_walk.c crash-ext/core/block.c crash-ext/core/insn.c crash-ext/core/packet.c crash-ext/core/packet_ext.c crash-ext/core/trace_time.c crash-ext/core/image.c crash-ext/core/pagetable.c crash-ext/core/problem.c crash-ext/core/status.c */
/* The walk over branches and returns: what TNT and TIP packets mean for code made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "flow_fixture.h"

static void test_branches(void **state)
{
	(void)state;
	asm_at(0, "90 74 02 90 90 ff e0"); /* nop; jz 5; nop; nop; 5: jmp *%rax */
	asm_at(0x100, "90 90 0f 30");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "T");
	b_tip(0);
	b_tnt(&b, "N");
	b_tip(0x100);
	b_freeze(0x102);
	expect_text("r 0 1 5 0 1 3 4 5 100 101\noff 102>0\n");
	assert_int_equal(nr_problems, 0);
}

/* Nothing is made up behind the last packet. */
static void test_no_more_than_proven(void **state)
{
	(void)state;
	asm_at(0, "90 74 02 90 90 90 90 ff e0");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "T");
	expect_text("r 0 1\n");
}

static void test_long_tnt(void **state)
{
	(void)state;
	asm_at(0, "74 fe 90 ff e0"); /* 0: jz 0; nop; jmp *%rax */
	b_psb(&b, 0, BASE);
	b_tnt(&b, "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTN");
	b_tip(0x2);
	assert_int_equal(walk_segment(0, b.len), 47 + 2);
}

/* A WRMSR that clears TraceEn has FUP with its own address: it is not listed. */
static void test_wrmsr_stop(void **state)
{
	(void)state;
	asm_at(0, "90 0f 30 90");
	b_psb(&b, 0, BASE);
	b_freeze(1);
	expect_text("r 0\noff 1>0\n");
}

/* Finding 0.1 of retpolines: the RET with a TIP takes the thunk's entry off the stack. */
static void test_retpoline(void **state)
{
	(void)state;
	asm_at(0, "e8 1b 00 00 00 90 0f 30"); /* call 20; 5: nop; wrmsr */
	asm_at(0x20,
	       "e8 07 00 00 00 f3 90 0f ae e8 eb f9"); /* call 2c; 25: pause; lfence; jmp 25 */
	asm_at(0x2c, "48 89 04 24 c3");		       /* mov %rax,(%rsp); ret */
	asm_at(0x50, "90 c3");
	b_psb(&b, 0, BASE);
	b_tip(0x50);
	b_tnt(&b, "T");
	b_freeze(6);
	expect_text("r 0 20 2c 30 50 51 5\noff 6>0\n");
	assert_int_equal(nr_problems, 0);
}

static void test_deferred_tip(void **state)
{
	(void)state;
	asm_at(0, "74 0e"); /* jz 10 */
	asm_at(0x10, "ff e0");
	asm_at(0x20, "74 0e"); /* jz 30 */
	asm_at(0x30, "ff e0");
	asm_at(0x40, "90 0f 30");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "TT");
	b_tip(0x20);
	b_tip(0x40);
	b_freeze(0x41);
	expect_text("r 0 10 20 30 40\noff 41>0\n");
	assert_int_equal(nr_problems, 0);
}

/* A RET cannot be compressed with nothing on the stack: its TIP is behind the bits. */
static void test_deferred_ret(void **state)
{
	(void)state;
	asm_at(0, "74 0e");
	asm_at(0x10, "c3");
	asm_at(0x20, "74 0e");
	asm_at(0x30, "90 0f 30");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "TT");
	b_tip(0x20);
	b_freeze(0x31);
	expect_text("r 0 10 20 30\noff 31>0\n");
}

/* The same with something on the stack, where the record says DisRETC. */
static void test_deferred_ret_no_retc(void **state)
{
	(void)state;
	asm_at(0, "e8 0b 00 00 00 74 19"); /* call 10; 5: jz 20 */
	asm_at(0x10, "74 0e");		   /* jz 20 */
	asm_at(0x20, "c3");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "TT");
	b_tip(5);
	b_tip(0x30);
	asm_at(0x30, "0f 30");
	b_freeze(0x30);
	config.no_retc = true;
	expect_text("r 0 10 20 5 20\noff 30>0\n");
	/* Believed to be compressed, the second bit is the RET's. */
	config.no_retc = false;
	walk_segment(0, b.len);
	assert_true(nr_problems > 0);
}

static void test_zero_length_call(void **state)
{
	(void)state;
	asm_at(0, "e8 0b 00 00 00 0f 30");    /* call 10 */
	asm_at(0x10, "e8 00 00 00 00 58 c3"); /* call 15; pop %rax; ret */
	b_psb(&b, 0, BASE);
	b_tnt(&b, "T");
	b_freeze(5);
	expect_text("r 0 10 15 16\noff 5>0\n");
}

static void test_indirect_call_pushes(void **state)
{
	(void)state;
	asm_at(0, "ff d0 0f 30");
	asm_at(0x10, "c3");
	b_psb(&b, 0, BASE);
	b_tip(0x10);
	b_tnt(&b, "T");
	b_freeze(2);
	expect_text("r 0 10\noff 2>0\n");
}

/* Begun in a callee: the RET has a TIP, the stack is empty. */
static void test_starts_in_callee(void **state)
{
	(void)state;
	asm_at(0x5, "90 c3");
	asm_at(0x10, "90 c3");
	asm_at(0x20, "0f 30");
	b_psb(&b, 0, BASE + 0x10);
	b_tip(5);
	b_tip(0x20);
	b_freeze(0x20);
	expect_text("r 10 11 5 6\noff 20>0\n");
}

/* A compressed RET with nothing on the stack can't be right. */
static void test_compressed_underflow(void **state)
{
	(void)state;
	asm_at(0x10, "90 c3");
	b_psb(&b, 0, BASE + 0x10);
	b_tnt(&b, "T");
	b_freeze(0x20);
	expect_text("gap 10 corrupt\noff 20>0\n");
	assert_int_equal(nr_problems, 1);
}

/* 70 calls deep: 64 returns are on the stack, the oldest six have been dropped. */
static void test_return_depth(void **state)
{
	uint64_t i;

	(void)state;
	for (i = 0; i < 70; i++)
		asm_at(i * 16, "e8 0b 00 00 00 c3");
	asm_at(70 * 16, "c3");
	asm_at(71 * 16, "0f 30");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT");
	b_tnt(&b, "TTTTTTTTTTTTTTTTT");
	for (i = 6; i > 0; i--)
		b_tip((i - 1) * 16 + 5);
	b_tip(71 * 16);
	b_freeze(71 * 16);
	assert_int_equal(walk_segment(0, b.len), 70 + 1 + 70);
	assert_int_equal(nr_problems, 0);
	assert_non_null(strstr(text, " 15 5\noff 470>0\n"));

	b.len = 0;
	b_psb(&b, 0, BASE);
	b_tnt(&b, "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT");
	b_tnt(&b, "TTTTTTTTTTTTTTTTTT");
	b_freeze(0x55);
	walk_segment(0, b.len);
	assert_non_null(strstr(text, " 85 75\ngap 65 corrupt\n"));
}

/* PSB and OVF clear the stack: a bit at the RET is then no compressed return. */
static void test_return_cleared(void **state)
{
	(void)state;
	asm_at(0, "e8 0b 00 00 00 0f 30");
	asm_at(0x10, "90 c3");
	b_psb(&b, 0, BASE);
	b_type(&b, ppt_ovf);
	b_ip(&b, ppt_fup, BASE + 0x10);
	b_tnt(&b, "T");
	b_freeze(5);
	expect_text("ovf 10\ngap 10 corrupt\noff 5>0\n");

	b.len = 0;
	b_psb(&b, 0, BASE);
	b_ip(&b, ppt_tip_pgd, BASE + 0x10); /* by a filter */
	b_ip(&b, ppt_tip_pge, BASE + 0x10);
	b_tnt(&b, "T");
	b_freeze(5);
	expect_text("r 0\noff 0>10\non 10\ngap 10 corrupt\noff 5>0\n");
}

static void test_long_block(void **state)
{
	uint64_t i;

	(void)state;
	for (i = 0; i < 200; i++)
		asm_at(i, "90");
	asm_at(200, "74 fe ff e0");
	b_psb(&b, 0, BASE);
	b_event(150, 0x200);
	asm_at(0x200, "48 cf"); /* iretq */
	b_tip(150);
	b_tnt(&b, "TN");
	b_tip(0x300);
	assert_int_equal(walk_segment(0, b.len), 150 + 1 + 50 + 3);
	assert_int_equal(nr_problems, 0);
}

/* No branch of the code ever needs a bit, but there is one. */
static void test_no_progress(void **state)
{
	(void)state;
	asm_at(0, "90 eb fe"); /* jmp . */
	b_psb(&b, 0, BASE);
	b_tnt(&b, "T");
	expect_text("gap 0 corrupt\n");
	assert_int_equal(nr_problems, 1);

	b.len = 0;
	b_psb(&b, 0, BASE);
	b_freeze(0x40);
	expect_text("gap 0 corrupt\noff 40>0\n");

	/* Left by an interrupt it is a loop like others: the first round is all that is known. */
	b.len = 0;
	b_psb(&b, 0, BASE);
	b_freeze(1);
	expect_text("r 0\noff 1>0\n");
}

/* A loop of direct calls never comes back either. */
static void test_no_progress_calls(void **state)
{
	(void)state;
	asm_at(0, "e8 0b 00 00 00");
	asm_at(0x10, "e8 eb ff ff ff"); /* call 0 */
	b_psb(&b, 0, BASE);
	b_tip(0x20);
	expect_text("gap 0 corrupt\n");
}

static void test_tip_at_conditional(void **state)
{
	(void)state;
	asm_at(0, "90 74 fd");
	b_psb(&b, 0, BASE);
	b_tip(0x20);
	expect_text("gap 0 corrupt\n");
	assert_non_null(strstr(problem, "ffffffff81000000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_branches),	      TEST(test_no_more_than_proven),
		TEST(test_long_tnt),	      TEST(test_wrmsr_stop),
		TEST(test_retpoline),	      TEST(test_deferred_tip),
		TEST(test_deferred_ret),      TEST(test_deferred_ret_no_retc),
		TEST(test_zero_length_call),  TEST(test_indirect_call_pushes),
		TEST(test_starts_in_callee),  TEST(test_compressed_underflow),
		TEST(test_return_depth),      TEST(test_return_cleared),
		TEST(test_long_block),	      TEST(test_no_progress),
		TEST(test_no_progress_calls), TEST(test_tip_at_conditional),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
