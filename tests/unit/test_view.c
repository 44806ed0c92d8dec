// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/view/show.c crash-ext/view/common.c crash-ext/view/summary.c crash-ext/view/summary_header.c crash-ext/view/insn.c crash-ext/view/addresses.c crash-ext/view/functions.c crash-ext/view/packets.c crash-ext/view/packet_text.c crash-ext/view/disasm.c crash-ext/view/tree.c crash-ext/view/tree_frames.c crash-ext/view/tree_fold.c crash-ext/core/story.c crash-ext/core/names.c crash-ext/core/idt.c crash-ext/core/collect.c crash-ext/core/image.c crash-ext/core/pagetable.c crash-ext/core/packet.c crash-ext/core/packet_ext.c crash-ext/core/problem.c crash-ext/core/record_info.c crash-ext/core/vmcoreinfo.c crash-ext/core/status.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake_session.h"
#include "show.h"

static char *out, *messages;
static size_t out_size, messages_size;
static enum itrace_exit status;

static void show(int opened)
{
	struct itrace_view_out view = {
		.session = &fake_session,
		.options = &fake_options,
		.command = "itrace",
	};

	free(out);
	free(messages);
	view.out = open_memstream(&out, &out_size);
	view.messages = open_memstream(&messages, &messages_size);
	status = itrace_show(&view, opened);
	fclose(view.out);
	fclose(view.messages);
}

static void expect(const char *want)
{
	if (strcmp(out, want))
		fail_msg("want\n%sgot\n%s", want, out);
	assert_int_equal(status, 0);
	assert_string_equal(messages, "");
}

#define FAULT "page fault, did not complete\n"

static void test_insn(void **state)
{
	(void)state;
	fake_options.view = ITRACE_VIEW_INSN;
	show(0);
	expect("  ffffffff81000000  alpha      nop\n"
	       "  ffffffff81000001  alpha+0x1  call   0xffffffff81000040 <beta>\n"
	       "> ffffffff81000040  beta [demo]  mov    0x10(%rax), %rax    " FAULT
	       "  (then 3 instructions of the crash path: -x)\n");
	fake_options.n_given = true;
	fake_options.n = 1;
	show(0);
	expect("  ffffffff81000001  alpha+0x1  call   0xffffffff81000040 <beta>\n"
	       "> ffffffff81000040  beta [demo]  mov    0x10(%rax), %rax    " FAULT
	       "  (then 3 instructions of the crash path: -x)\n");
}

static void test_insn_extra(void **state)
{
	(void)state;
	fake_options.view = ITRACE_VIEW_INSN;
	fake_options.extra = true;
	fake_options.n_given = true;
	fake_options.n = UINT64_MAX;
	show(0);
	assert_non_null(strstr(out, "\n> ffffffff81000040"));
	assert_non_null(strstr(out, "  hlt\n"));
	assert_non_null(strstr(out, "\n  -- tracing stops at handler+0x3 --\n"));
	assert_null(strstr(out, "crash path"));
	assert_null(strstr(out, "-- page fault"));
}

static void test_addresses(void **state)
{
	(void)state;
	fake_options.view = ITRACE_VIEW_INSN;
	fake_options.quiet = fake_options.extra = true;
	fake_options.n_given = true;
	fake_options.n = UINT64_MAX;
	show(0);
	expect("ffffffff81000000\nffffffff81000001\n"
	       "ffffffff81000080\nffffffff81000081\nffffffff81000082\n");
	/* N counts up to the fault; the crash path is on top of that. */
	fake_options.n = 1;
	show(0);
	expect("ffffffff81000001\nffffffff81000080\nffffffff81000081\nffffffff81000082\n");
}

/* No padding: user addresses, one digit, zero. */
static void test_short_addresses(void **state)
{
	static const struct itrace_insn insn[] = {
		{0x401000, 1, 0}, {0x0, 1, 0}, {0xf, 1, 0}, {0x10, 1, 0}, {UINT64_MAX, 1, 0}};
	static const struct itrace_step step = {.type = ITRACE_STEP_RUN, .insn = insn, .nr = 5};
	struct itrace_trace trace = {.step = &step, .nr = 1};

	(void)state;
	fake_history.trace = &trace;
	fake_cpu.slot_ok = false;
	fake_options.view = ITRACE_VIEW_INSN;
	fake_options.quiet = fake_options.extra = true;
	show(0);
	expect("401000\n0\nf\n10\nffffffffffffffff\n");
}

static void test_functions(void **state)
{
	(void)state;
	fake_options.view = ITRACE_VIEW_FUNCTIONS;
	show(0);
	expect("    -2.00 us  alpha\n"
	       "              | beta [demo]\n"
	       ">>         0  | | mov    0x10(%rax), %rax   page fault: rax=0000000000000000\n"
	       "              (then 3 instructions of the crash path: -x)\n");
	fake_options.extra = true;
	show(0);
	expect("    -2.00 us  alpha\n"
	       "              | beta [demo]\n"
	       "           0  | | <page fault>\n");
}

static void test_summary(void **state)
{
	(void)state;
	show(0);
	expect("itrace  6.12.1-test  web-17  2026-11-30 08:17:54 UTC  up 1 day 02:11:09.417\n"
	       "\n"
	       "  Stopped by   page fault at beta [demo], read of 0000000000000010\n"
	       "               CPU 0, pid 214 writer\n"
	       "  Quality      frozen 3 instructions after the fault; no gaps; all pages in the "
	       "dump\n"
	       "\n"
	       "    CPU  state      history before the stop         gaps  last function\n"
	       "  *   0  frozen            2 instructions  2.00 us     0  beta [demo]\n"
	       "\n"
	       "  CPU 0, the last functions (itrace -f for more, -i for instructions):\n"
	       "    -2.00 us  alpha\n"
	       "              | beta [demo]\n"
	       ">>         0  | | mov    0x10(%rax), %rax   page fault: rax=0000000000000000\n"
	       "              (then 3 instructions of the crash path: -x)\n");
}

static void test_gap_inline(void **state)
{
	static const struct itrace_step steps[] = {
		{.type = ITRACE_STEP_RUN, .insn = fake_insn, .nr = 1, .tsc = 1000},
		{.type = ITRACE_STEP_GAP, .offset = 0x20, .status = ITRACE_E_CORRUPT},
		{.type = ITRACE_STEP_RUN, .insn = fake_insn, .nr = 1, .tsc = 2000},
		{.type = ITRACE_STEP_OVERFLOW, .offset = 0x40, .to = BETA, .tsc = 4100},
		{.type = ITRACE_STEP_RUN, .insn = fake_insn, .nr = 1, .tsc = 4100},
	};
	struct itrace_trace trace = {.step = steps, .nr = 5};

	(void)state;
	fake_history.trace = &trace;
	fake_cpu.slot.state = ITRACE_STATE_ARMED;
	itrace_problem(&fake_session.collect.problems, 0, 0x30, "corrupt: elsewhere: left out");
	itrace_problem(&fake_session.collect.problems, 0, 0x30, "corrupt: elsewhere: left out");
	fake_options.view = ITRACE_VIEW_INSN;
	show(0);
	assert_int_equal(status, 0);
	assert_string_equal(out,
			    "  ffffffff81000000  alpha  nop\n"
			    "  [cpu 0 off 0x20] gap: corrupt: goes on with the next sync point\n"
			    "  ffffffff81000000  alpha  nop\n"
			    "  [cpu 0 off 0x40] overflow: trace lost for up to 2.10 us, resumes at "
			    "beta [demo]\n"
			    "  ffffffff81000000  alpha  nop\n");
	assert_string_equal(messages, "[cpu 0 off 0x30] corrupt: elsewhere: left out\n");
}

static void test_statuses(void **state)
{
	static const struct {
		int opened;
		enum itrace_exit status;
	} row[] = {
		{ITRACE_E_NOTFOUND, ITRACE_EXIT_NOTHING},
		{ITRACE_E_FILTERED, ITRACE_EXIT_NOTHING},
		{ITRACE_E_NODATA, ITRACE_EXIT_NOTHING},
		{ITRACE_E_CORRUPT, ITRACE_EXIT_CORRUPT},
		{ITRACE_E_UNSUPPORTED, ITRACE_EXIT_CORRUPT},
		{ITRACE_E_SYSTEM, ITRACE_EXIT_SYSTEM},
		{ITRACE_E_NOMEM, ITRACE_EXIT_SYSTEM},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		show(row[i].opened);
		assert_int_equal(status, row[i].status);
		assert_string_equal(out, "");
		assert_int_equal(strncmp(messages, "itrace: ", 8), 0);
		assert_ptr_equal(strchr(messages, '\n'), messages + messages_size - 1);
	}
}

static void test_cpu_without_trace(void **state)
{
	(void)state;
	fake_history.trace = NULL;
	fake_history.status = ITRACE_E_FILTERED;
	for (int view = ITRACE_VIEW_SUMMARY; view <= ITRACE_VIEW_PACKETS; view++) {
		fake_options.view = view;
		show(0);
		assert_int_equal(status, ITRACE_EXIT_NOTHING);
	}
	fake_history.status = ITRACE_E_CORRUPT;
	fake_options.view = ITRACE_VIEW_SUMMARY;
	show(0);
	assert_int_equal(status, ITRACE_EXIT_CORRUPT);
	fake_options.cpu = 7;
	show(0);
	assert_int_equal(status, ITRACE_EXIT_USAGE);
	assert_string_equal(messages, "itrace: no CPU 7: there are CPUs 0 to 0\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_session_setup, fake_session_teardown)

static int teardown(void **state)
{
	(void)state;
	free(out);
	free(messages);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_insn),
		TEST(test_insn_extra),
		TEST(test_addresses),
		TEST(test_short_addresses),
		TEST(test_functions),
		TEST(test_summary),
		TEST(test_gap_inline),
		TEST(test_statuses),
		TEST(test_cpu_without_trace),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
