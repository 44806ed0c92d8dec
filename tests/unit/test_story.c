// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/core/story.c crash-ext/core/idt.c crash-ext/core/pagetable.c crash-ext/core/status.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_trace.h"
#include "story.h"

#define PF_HANDLER    0xffffffff82000e00
#define NMI_HANDLER   0xffffffff82000200
#define TIMER_HANDLER 0xffffffff82001000
#define INT3_HANDLER  0xffffffff82000300
#define PANIC	      0xffffffff81100000
#define FAULT	      0xffffffff81000040

static struct itrace_cpu slot;
static struct itrace_session session;
static struct itrace_story story;
static struct itrace_insn insn[64];

const struct itrace_cpu *itrace_session_slot(const struct itrace_session *s, uint32_t cpu)
{
	(void)s;
	return cpu ? NULL : &slot;
}

static int setup(void **state)
{
	(void)state;
	memset(&session, 0, sizeof(session));
	memset(&slot, 0, sizeof(slot));
	session.idt.known = true;
	session.idt.handler[2] = NMI_HANDLER;
	session.idt.handler[3] = INT3_HANDLER;
	session.idt.handler[14] = PF_HANDLER;
	session.idt.handler[0xec] = TIMER_HANDLER;
	slot.state = ITRACE_STATE_FROZEN;
	for (int i = 0; i < 64; i++)
		insn[i] = (struct itrace_insn){.ip = 0xffffffff81000000 + i * 4, .size = 4};
	return 0;
}

static void tell(struct itrace_step *step, size_t nr)
{
	struct itrace_trace trace = {.step = step, .nr = nr};
	struct itrace_history history = {.trace = &trace};

	assert_int_equal(itrace_story_init(&story, &session, &history), 0);
}

#define TELL(steps)	  tell(steps, sizeof(steps) / sizeof((steps)[0]))
#define RUN(first, count) {.type = ITRACE_STEP_RUN, .insn = &insn[first], .nr = (count)}
#define INTERRUPT(at, handler) \
	{.type = ITRACE_STEP_INTERRUPT, .from = (at), .to = (handler), .tsc = 7}

static struct itrace_step page_fault[] = {
	RUN(0, 10), INTERRUPT(FAULT, PF_HANDLER),
	RUN(20, 5), /* handled, earlier */
	RUN(0, 16), INTERRUPT(FAULT, PF_HANDLER),
	RUN(20, 6), INTERRUPT(0xffffffff81000068, TIMER_HANDLER),
	RUN(40, 3), INTERRUPT(0xffffffff81000070, PF_HANDLER),
	RUN(50, 2), /* the crash path's own */
};

static void test_fault_by_ip(void **state)
{
	(void)state;
	slot.reason = ITRACE_REASON_OOPS;
	slot.valid = ITRACE_V_REGS | ITRACE_V_VECTOR;
	slot.regs.ip = FAULT;
	slot.vector = 14;
	TELL(page_fault);
	assert_int_equal(story.kind, ITRACE_MARK_FAULT);
	assert_int_equal(story.mark, 6 + 3 + 2);
	assert_true(story.ip == FAULT);
	assert_int_equal(story.vector, 14);
	assert_int_equal(story.tsc, 7);
	/* Without the table the address is enough. */
	session.idt.known = false;
	TELL(page_fault);
	assert_int_equal(story.mark, 6 + 3 + 2);
	assert_int_equal(story.vector, 14);
}

/* An interrupt that came at the very address, later in the same loop. */
static void test_fault_by_vector(void **state)
{
	struct itrace_step steps[] = {RUN(0, 10), INTERRUPT(FAULT, PF_HANDLER), RUN(20, 5),
				      INTERRUPT(FAULT, TIMER_HANDLER), RUN(30, 4)};

	(void)state;
	slot.reason = ITRACE_REASON_OOPS;
	slot.valid = ITRACE_V_REGS | ITRACE_V_VECTOR;
	slot.regs.ip = FAULT;
	slot.vector = 14;
	TELL(steps);
	assert_int_equal(story.mark, 9);
}

/* Without the interrupt table an NMI is known by where it came. */
static void test_nmi_by_ip(void **state)
{
	struct itrace_step steps[] = {RUN(0, 3), INTERRUPT(insn[3].ip, NMI_HANDLER), RUN(8, 5)};

	(void)state;
	session.idt.known = false;
	slot.reason = ITRACE_REASON_NMI;
	TELL(steps);
	assert_int_equal(story.kind, ITRACE_MARK_END);
	slot.valid = ITRACE_V_REGS;
	slot.regs.ip = insn[3].ip;
	TELL(steps);
	assert_int_equal(story.kind, ITRACE_MARK_NMI);
	assert_int_equal(story.mark, 5);
}

static void test_fault_without_regs(void **state)
{
	(void)state;
	slot.reason = ITRACE_REASON_DIE;
	TELL(page_fault);
	assert_int_equal(story.kind, ITRACE_MARK_FAULT);
	assert_int_equal(story.mark, 2);
	session.idt.known = false;
	TELL(page_fault);
	assert_int_equal(story.kind, ITRACE_MARK_END);
	assert_true(story.expected);
}

/* A fault that came from user mode is not in the trace: an older one must not be taken for it. */
static void test_fault_elsewhere(void **state)
{
	(void)state;
	slot.reason = ITRACE_REASON_OOPS;
	slot.valid = ITRACE_V_REGS | ITRACE_V_VECTOR;
	slot.regs.ip = 0x401000;
	slot.vector = 14;
	TELL(page_fault);
	assert_int_equal(story.kind, ITRACE_MARK_END);
	assert_int_equal(story.mark, 0);
	assert_true(story.expected);
}

static void test_int3(void **state)
{
	struct itrace_step steps[] = {RUN(0, 3), INTERRUPT(insn[3].ip, INT3_HANDLER), RUN(8, 9)};

	(void)state;
	slot.reason = ITRACE_REASON_DIE;
	slot.valid = ITRACE_V_REGS | ITRACE_V_VECTOR;
	slot.regs.ip = insn[3].ip + 1;
	slot.vector = 3;
	TELL(steps);
	assert_int_equal(story.kind, ITRACE_MARK_FAULT);
	assert_true(story.ip == insn[3].ip);
	assert_int_equal(story.mark, 9);
}

static void test_nmi(void **state)
{
	struct itrace_step kernel[] = {RUN(0, 3), INTERRUPT(insn[3].ip, NMI_HANDLER), RUN(8, 5)};
	struct itrace_step user[] = {RUN(0, 3),
				     {.type = ITRACE_STEP_DISABLED},
				     {.type = ITRACE_STEP_ENABLED, .to = NMI_HANDLER},
				     RUN(8, 4)};

	(void)state;
	slot.reason = ITRACE_REASON_NMI;
	TELL(kernel);
	assert_int_equal(story.kind, ITRACE_MARK_NMI);
	assert_int_equal(story.mark, 5);
	assert_true(story.ip == insn[3].ip);
	TELL(user);
	assert_int_equal(story.kind, ITRACE_MARK_NMI);
	assert_int_equal(story.mark, 4);
	assert_true(story.ip == 0);
}

/* What the hooked function ran is the crash path's, its first instruction included. */
static void test_call(void **state)
{
	struct itrace_step steps[] = {RUN(0, 20)};

	(void)state;
	slot.reason = ITRACE_REASON_PANIC;
	slot.valid = ITRACE_V_HOOK | ITRACE_V_REGS;
	insn[4].ip = PANIC; /* an earlier panic() that came back */
	insn[12].ip = PANIC;
	slot.hook_ip = PANIC;
	TELL(steps);
	assert_int_equal(story.kind, ITRACE_MARK_CALL);
	assert_int_equal(story.mark, 8);
	assert_false(story.expected);
}

static void test_nothing(void **state)
{
	struct itrace_step steps[] = {RUN(0, 20)};

	(void)state;
	slot.state = ITRACE_STATE_ARMED;
	slot.reason = ITRACE_REASON_OOPS;
	TELL(steps);
	assert_int_equal(story.kind, ITRACE_MARK_END);
	assert_int_equal(story.mark, 0);
	assert_false(story.expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_fault_by_ip, setup),
		cmocka_unit_test_setup(test_fault_without_regs, setup),
		cmocka_unit_test_setup(test_fault_elsewhere, setup),
		cmocka_unit_test_setup(test_fault_by_vector, setup),
		cmocka_unit_test_setup(test_nmi_by_ip, setup),
		cmocka_unit_test_setup(test_int3, setup),
		cmocka_unit_test_setup(test_nmi, setup),
		cmocka_unit_test_setup(test_call, setup),
		cmocka_unit_test_setup(test_nothing, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
