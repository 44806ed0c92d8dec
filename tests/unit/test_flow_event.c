/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: crash-ext/core/flow.c crash-ext/core/flow_event.c crash-ext/core/flow_walk.c crash-ext/core/block.c crash-ext/core/insn.c crash-ext/core/packet.c crash-ext/core/packet_ext.c crash-ext/core/trace_time.c crash-ext/core/image.c crash-ext/core/pagetable.c crash-ext/core/problem.c crash-ext/core/status.c */
/* The walk over everything that is no branch: events and ways out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "flow_fixture.h"

/* With KPTI the way out goes on behind MOV CR3, with no packet but PIP and TIP.PGD. */
static void test_kpti_exit(void **state)
{
	(void)state;
	asm_at(0,
	       "90 0f 22 df 5f 0f 01 f8 48 0f 07"); /* nop; mov %rdi,%cr3; pop; swapgs; sysretq */
	asm_at(0x40, "90 0f 30");
	b_psb(&b, 0, BASE);
	b_pip(&b, 0x123000);
	b_no_ip(&b, ppt_tip_pgd);
	b_ip(&b, ppt_tip_pge, BASE + 0x40);
	b_freeze(0x41);
	expect_text("r 0 1\ncr3 123000\nr 4 5 8\noff 8>0\non 40\nr 40\noff 41>0\n");
	assert_int_equal(nr_problems, 0);
}

/* Without PIP the same. */
static void test_exit(void **state)
{
	(void)state;
	asm_at(0, "90 74 05");
	asm_at(8, "5f 48 cf");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "T");
	b_no_ip(&b, ppt_tip_pgd);
	expect_text("r 0 1 8 9\noff 9>0\n");
}

/* Two MOV CR3 before the exit: each PIP is for the next one. */
static void test_two_cr3(void **state)
{
	(void)state;
	asm_at(0, "90 0f 22 d8 90 0f 22 d8 48 cf");
	b_psb(&b, 0, BASE);
	b_pip(&b, 0x1000);
	b_pip(&b, 0x2000);
	b_no_ip(&b, ppt_tip_pgd);
	expect_text("r 0 1\ncr3 1000\nr 4 5\ncr3 2000\nr 8\noff 8>0\n");
}

static void test_interrupt(void **state)
{
	(void)state;
	asm_at(0, "90 90 90 0f 30");
	asm_at(0x40, "90 48 cf");
	b_psb(&b, 0, BASE);
	b_ip(&b, ppt_fup, BASE + 1);
	b_pip(&b, 0x5000);
	b_tip(0x40);
	b_tip(1);
	b_freeze(3);
	expect_text("r 0\ncr3 5000\nint 1>40\nr 40 41 1 2\noff 3>0\n");
	assert_int_equal(nr_problems, 0);
}

/* A fault and an INT3 have their own address, and are not listed. */
static void test_fault_and_int3(void **state)
{
	(void)state;
	asm_at(0, "90 8b 00 cc 90 0f 30"); /* nop; mov (%rax),%eax; int3; nop; wrmsr */
	asm_at(0x40, "48 cf");
	b_psb(&b, 0, BASE);
	b_event(1, 0x40);
	b_tip(1);
	b_event(3, 0x40);
	b_tip(4);
	b_freeze(5);
	expect_text("r 0\nint 1>40\nr 40 1\nint 3>40\nr 40 4\noff 5>0\n");
}

/* A branch that faults itself; a jump to nowhere faults where there is no code. */
static void test_fault_at_branch(void **state)
{
	(void)state;
	asm_at(0, "ff d0");
	asm_at(0x40, "0f 30");
	b_psb(&b, 0, BASE);
	b_event(0, 0x40);
	b_freeze(0x40);
	expect_text("int 0>40\noff 40>0\n");

	b.len = 0;
	b_psb(&b, 0, BASE);
	b_tip(0x1000000); /* not mapped */
	b_event(0x1000000, 0x40);
	b_freeze(0x40);
	expect_text("r 0\nint 1000000>40\noff 40>0\n");
	assert_int_equal(nr_problems, 0);
}

/* UD2 faults; nothing goes on behind it, whatever a packet says. */
static void test_ud2(void **state)
{
	(void)state;
	asm_at(0, "90 0f 0b 90 74 fa");
	asm_at(0x40, "0f 30");
	b_psb(&b, 0, BASE);
	b_event(1, 0x40);
	b_freeze(0x40);
	expect_text("r 0\nint 1>40\noff 40>0\n");

	b.len = 0;
	b_psb(&b, 0, BASE);
	b_tnt(&b, "T");
	expect_text("r 0\ngap 1 corrupt\n");
}

/* The PIP of an event is not that of a MOV CR3 that has not been reached. */
static void test_interrupt_at_cr3(void **state)
{
	(void)state;
	asm_at(0, "90 0f 22 d8 48 cf");
	asm_at(0x40, "0f 30");
	b_psb(&b, 0, BASE);
	b_ip(&b, ppt_fup, BASE + 1);
	b_pip(&b, 0x5000);
	b_tip(0x40);
	b_freeze(0x40);
	expect_text("r 0\ncr3 5000\nint 1>40\noff 40>0\n");
}

/* A REP that is interrupted and goes on is listed once. */
static void test_rep(void **state)
{
	(void)state;
	asm_at(0, "f3 a4 0f 30");
	asm_at(0x40, "48 cf");
	b_psb(&b, 0, BASE);
	b_event(0, 0x40);
	b_tip(0);
	b_event(0, 0x40);
	b_tip(0);
	b_freeze(2);
	expect_text("int 0>40\nr 40\nint 0>40\nr 40 0\noff 2>0\n");
}

static void test_overflow(void **state)
{
	(void)state;
	asm_at(0, "90 74 02 90 90 90 74 02");
	asm_at(0x20, "90 74 02 90 90 ff e0");
	b_psb(&b, 0, BASE);
	b_tnt(&b, "T");
	b_type(&b, ppt_ovf);
	b_tsc(&b, 7);
	b_ip(&b, ppt_fup, BASE + 0x21);
	b_tnt(&b, "T");
	b_tip(0);
	expect_text("r 0 1\novf 21\nr 21 25\n");

	b.len = 0;
	b_psb(&b, 0, BASE);
	b_type(&b, ppt_ovf);
	b_ip(&b, ppt_tip_pge, BASE + 0x20);
	b_tnt(&b, "T");
	expect_text("ovf 0\non 20\nr 20 21\n");
	assert_int_equal(nr_problems, 0);

	/* Nothing after it. */
	b.len = 0;
	b_psb(&b, 0, BASE);
	b_type(&b, ppt_ovf);
	expect_text("ovf 0\n");

	/* In a PSB+, which it ends. */
	b.len = 0;
	b_type(&b, ppt_psb);
	b_ip(&b, ppt_fup, BASE);
	b_type(&b, ppt_ovf);
	b_ip(&b, ppt_fup, BASE + 0x20);
	b_tnt(&b, "T");
	expect_text("ovf 20\nr 20 21\n");
}

/* Left by a filter: direct and conditional branches tell where by the address only. */
static void test_filter(void **state)
{
	(void)state;
	asm_at(0, "90 eb 0d");	  /* jmp 10 */
	asm_at(0x10, "90 74 0d"); /* jz 20 */
	asm_at(0x13, "90 ff e0");
	b_psb(&b, 0, BASE);
	b_ip(&b, ppt_tip_pgd, BASE + 0x10);
	b_ip(&b, ppt_tip_pge, BASE + 0x10);
	b_ip(&b, ppt_tip_pgd, BASE + 0x20);
	b_ip(&b, ppt_tip_pge, BASE + 0x10);
	b_tnt(&b, "N");
	b_ip(&b, ppt_tip_pgd, BASE + 0x3000);
	expect_text("r 0 1\noff 1>10\non 10\nr 10 11\noff 11>20\n"
		    "on 10\nr 10 11 13 14\noff 14>3000\n");
	assert_int_equal(nr_problems, 0);
}

static void test_stop(void **state)
{
	(void)state;
	asm_at(0, "90 eb 0d");
	b_psb(&b, 0, BASE);
	b_ip(&b, ppt_tip_pgd, BASE + 0x10);
	b_type(&b, ppt_stop);
	expect_text("r 0 1\noff 1>10\nstop\n");
}

/* FUPs that stand for themselves: a TIP behind them is a branch's. */
static void test_lone_fup(void **state)
{
	(void)state;
	asm_at(0, "90 f3 0f ae e0 90 ff e0"); /* nop; ptwrite %eax; nop; jmp *%rax */
	asm_at(0x40, "0f 30");
	b_psb(&b, 0, BASE);
	b_ptw(&b, 0x1234, 1);
	b_ip(&b, ppt_fup, BASE + 1);
	b_tip(0x40);
	b_freeze(0x40);
	expect_text("r 0 1 5 6\noff 40>0\n");

	b.len = 0;
	b_psb(&b, 0, BASE);
	b_mode_tsx(&b, 1, 0);
	b_ip(&b, ppt_fup, BASE + 5);
	b_tip(0x40);
	b_freeze(0x40);
	expect_text("r 0 1 5 6\noff 40>0\n");

	/* An abort is an event. */
	b.len = 0;
	b_psb(&b, 0, BASE);
	b_mode_tsx(&b, 0, 1);
	b_ip(&b, ppt_fup, BASE + 5);
	b_tip(0x40);
	b_freeze(0x40);
	expect_text("r 0 1\nint 5>40\noff 40>0\n");
	assert_int_equal(nr_problems, 0);
}

/* With event tracing, an IRET's FUP is its own, and an interrupt's is the event's. */
static void test_cfe(void **state)
{
	(void)state;
	asm_at(0, "90 90 0f 30");
	asm_at(0x40, "90 48 cf");
	b_psb(&b, 0, BASE);
	b_bytes(&b, "\x02\x13\x81\x0e", 4);
	b_ip(&b, ppt_fup, BASE + 1);
	b_bytes(&b, "\x02\x53\x00\xef\xbe\xad\xde\x00\x00\x00\x00", 11);
	b_tip(0x40);
	b_bytes(&b, "\x02\x13\x82\x00", 4);
	b_ip(&b, ppt_fup, BASE + 0x41);
	b_tip(1);
	b_freeze(2);
	expect_text("r 0\nint 1>40\nr 40 41 1\noff 2>0\n");
	assert_int_equal(nr_problems, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_kpti_exit),
		TEST(test_exit),
		TEST(test_two_cr3),
		TEST(test_interrupt),
		TEST(test_fault_and_int3),
		TEST(test_fault_at_branch),
		TEST(test_ud2),
		TEST(test_interrupt_at_cr3),
		TEST(test_rep),
		TEST(test_overflow),
		TEST(test_filter),
		TEST(test_stop),
		TEST(test_lone_fup),
		TEST(test_cfe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
