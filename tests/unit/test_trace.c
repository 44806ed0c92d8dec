/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: crash-ext/core/flow.c crash-ext/core/flow_event.c crash-ext/core/flow_walk.c crash-ext/core/block.c crash-ext/core/insn.c crash-ext/core/packet.c crash-ext/core/packet_ext.c crash-ext/core/trace_time.c crash-ext/core/trace.c crash-ext/core/image.c crash-ext/core/pagetable.c crash-ext/core/problem.c crash-ext/core/status.c */
/* One CPU's history from its end: each window against the whole, marks, statistics, time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "flow_fixture.h"
#include "trace.h"

static struct itrace_image *image;
static struct itrace_trace *trace;

/* What was given: instructions and other steps, in order. */
struct item {
	enum itrace_step_type type;
	uint64_t ip; /* RUN: the instruction; else `to` */
	uint64_t tsc;
};

struct items {
	struct item item[4096];
	uint32_t nr;
	uint32_t stop_at; /* refuse at this many; 0: never */
};

static int keep(void *priv, const struct itrace_step *step)
{
	struct items *items = priv;
	uint32_t i, nr = step->type == ITRACE_STEP_RUN ? step->nr : 1;

	for (i = 0; i < nr; i++) {
		assert_true(items->nr < 4096);
		items->item[items->nr].type = step->type;
		items->item[items->nr].tsc = step->tsc;
		items->item[items->nr++].ip =
			step->type == ITRACE_STEP_RUN ? step->insn[i].ip : step->to;
	}
	return items->stop_at && items->nr >= items->stop_at ? ITRACE_E_STOP : 0;
}

/* A loop with an interrupt and a way out now and then, in segments of uneven length. */
static void make_trace(void)
{
	int i;

	asm_at(0, "90 90 74 fc 90 ff e0"); /* nop; nop; jz 0; nop; jmp *%rax */
	asm_at(0x40, "90 48 cf");
	b_bytes(&b, "\x06\x06\x06", 3); /* of before the first PSB */
	b_psb(&b, 1000, 0);
	b_ip(&b, ppt_tip_pge, BASE);
	for (i = 0; i < 40; i++) {
		b_tnt(&b, "TTN");
		b_tip(0);
		if (i % 7 == 3) {
			b_event(1, 0x40);
			b_tip(1);
		}
		if (i % 11 == 4) {
			b_event(0, 0x40);
			b_no_ip(&b, ppt_tip_pgd);
			b_ip(&b, ppt_tip_pge, BASE);
		}
		if (i % 6 == 5)
			b_psb(&b, 1000 + (uint64_t)i * 10, BASE + (uint64_t)(i % 2));
	}
	b_freeze(1);
}

static void create_trace(void)
{
	image = itrace_image_create();
	assert_non_null(image);
	assert_int_equal(itrace_image_add(image, BASE, code, sizeof(code)), 0);
	stream.bytes = b.bytes;
	stream.len = b.len;
	config.stream = &stream;
	config.blocks = itrace_blocks_create(image);
	assert_non_null(config.blocks);
	nr_problems = 0;
	assert_int_equal(itrace_trace_create(&config, &trace), 0);
}

static int destroy_trace(void **state)
{
	(void)state;
	itrace_trace_destroy(trace);
	itrace_blocks_destroy(config.blocks);
	itrace_image_destroy(image);
	trace = NULL;
	config.blocks = NULL;
	image = NULL;
	return 0;
}

static void begin_trace(void)
{
	make_trace();
	create_trace();
}

/* What the window [lo, hi) of all should give. */
static uint32_t expected(const struct items *all, uint64_t lo, uint64_t hi, struct item *out)
{
	uint32_t i, nr = 0;
	uint64_t at = 0;
	bool in;

	for (i = 0; i < all->nr; i++) {
		if (all->item[i].type == ITRACE_STEP_RUN) {
			in = at >= lo && at < hi;
			at++;
		} else {
			in = at >= lo && at <= hi && (at > lo || lo == hi || !lo);
		}
		if (in)
			out[nr++] = all->item[i];
	}
	return nr;
}

static void test_windows(void **state)
{
	static struct items all, some;
	static struct item want[4096];
	uint64_t total, end, n, given;
	uint32_t nr;

	(void)state;
	begin_trace();
	assert_int_equal(itrace_trace_last(trace, 0, ITRACE_ALL, keep, &all, &total), 0);
	assert_int_equal(nr_problems, 0);
	assert_true(total > 300);
	assert_int_equal(all.item[0].type, ITRACE_STEP_ENABLED);
	for (end = 0; end < total + 3; end += 1 + end / 40) {
		for (n = 0; n <= total - (end < total ? end : total) + 2; n += 1 + n / 15) {
			some.nr = 0;
			assert_int_equal(itrace_trace_last(trace, end, n, keep, &some, &given), 0);
			nr = expected(&all, end + n < total ? total - end - n : 0,
				      end < total ? total - end : 0, want);
			assert_int_equal(some.nr, nr);
			for (uint32_t i = 0; i < nr; i++) {
				assert_int_equal(some.item[i].type, want[i].type);
				assert_int_equal(some.item[i].ip, want[i].ip);
			}
			assert_true(given <= n);
		}
	}
}

/* The last instructions come from the last segments: what is older is not even looked at. */
static void test_tail_only(void **state)
{
	static struct items some;
	uint64_t given;

	(void)state;
	make_trace();
	/* Spoil the first segments: a walk through them would be heard. */
	memset(b.bytes + 100, 0xff, 50);
	create_trace();
	assert_int_equal(itrace_trace_last(trace, 0, 10, keep, &some, &given), 0);
	assert_int_equal(given, 10);
	assert_int_equal(nr_problems, 0);
	/* Heard once, however often it is walked. */
	assert_int_equal(itrace_trace_last(trace, 0, ITRACE_ALL, keep, &some, &given), 0);
	assert_true(nr_problems > 0);
	nr_problems = 0;
	some.nr = 0;
	assert_int_equal(itrace_trace_last(trace, 0, ITRACE_ALL, keep, &some, &given), 0);
	assert_int_equal(nr_problems, 0);
}

static void test_callback_stops(void **state)
{
	static struct items some;
	uint64_t given;

	(void)state;
	begin_trace();
	some.stop_at = 5;
	assert_int_equal(itrace_trace_last(trace, 0, 100, keep, &some, &given), ITRACE_E_STOP);
	assert_true(some.nr >= 5 && some.nr < 20);
}

static int match_interrupt(void *priv, const struct itrace_step *step)
{
	(void)priv;
	return step->type == ITRACE_STEP_INTERRUPT && step->from == BASE + 1;
}

/* 1 + the index of the last one of them in the step. */
static int match_iret(void *priv, const struct itrace_step *step)
{
	uint32_t i;
	int ret = 0;

	(void)priv;
	if (step->type == ITRACE_STEP_RUN)
		for (i = 0; i < step->nr; i++)
			if (step->insn[i].ip == BASE + 0x41)
				ret = (int)i + 1;
	return ret;
}

/* Instructions behind the last item that is at @ip. */
static uint64_t behind(const struct items *all, enum itrace_step_type type, uint64_t ip, bool with)
{
	uint64_t ret = 0;
	uint32_t i;

	for (i = all->nr; i-- > 0;) {
		if (all->item[i].type == type && all->item[i].ip == ip)
			return ret + (with ? 1 : 0);
		ret += all->item[i].type == ITRACE_STEP_RUN;
	}
	return UINT64_MAX;
}

static void test_find(void **state)
{
	static struct items all;
	struct itrace_step found;
	uint64_t total, mark, want;

	(void)state;
	begin_trace();
	assert_int_equal(itrace_trace_last(trace, 0, ITRACE_ALL, keep, &all, &total), 0);

	want = behind(&all, ITRACE_STEP_RUN, BASE + 0x41, false);
	assert_int_equal(itrace_trace_find(trace, ITRACE_ALL, match_iret, NULL, &mark, &found), 0);
	assert_int_equal(mark, want);
	assert_int_equal(found.type, ITRACE_STEP_RUN);

	/* Its interrupt is the one before: the same number and what ran behind it. */
	assert_int_equal(itrace_trace_find(trace, ITRACE_ALL, match_interrupt, NULL, &mark, &found),
			 0);
	assert_int_equal(found.to, BASE + 0x40);
	assert_true(mark > 0 && mark <= total);
	/* A limit below it, and one that reaches it. */
	assert_int_equal(itrace_trace_find(trace, mark - 1, match_interrupt, NULL, &want, &found),
			 ITRACE_E_NOTFOUND);
	assert_int_equal(itrace_trace_find(trace, mark, match_interrupt, NULL, &want, &found), 0);
	assert_int_equal(want, mark);
	/* The window that ends there ends with that step. */
	all.nr = 0;
	assert_int_equal(itrace_trace_last(trace, mark, 5, keep, &all, &total), 0);
	assert_int_equal(all.item[all.nr - 1].type, ITRACE_STEP_INTERRUPT);
	assert_int_equal(total, 5);
}

static void test_stats(void **state)
{
	static struct items all;
	struct itrace_trace_stats stats;
	uint64_t total;

	(void)state;
	begin_trace();
	assert_int_equal(itrace_trace_last(trace, 0, ITRACE_ALL, keep, &all, &total), 0);
	assert_int_equal(itrace_trace_stats(trace, &stats), 0);
	assert_int_equal(stats.instructions, total);
	assert_int_equal(stats.segments, 7);
	assert_int_equal(stats.gaps, 0);
	assert_int_equal(stats.overflows, 0);
	assert_int_equal(stats.first_tsc, 1000);
	assert_int_equal(stats.last_tsc, 1350);
	assert_int_equal(stats.head_lost, 3);
}

static void test_none(void **state)
{
	(void)state;
	b_bytes(&b, "\x06\x06", 2);
	stream.bytes = b.bytes;
	stream.len = b.len;
	config.stream = &stream;
	assert_int_equal(itrace_trace_create(&config, &trace), ITRACE_E_NODATA);
	stream.len = 0;
	assert_int_equal(itrace_trace_create(&config, &trace), ITRACE_E_NODATA);
}

/* MTC every 8 CTC ticks, 5 TSC ticks to 2 CTC ticks. SDM 3C 33.8.3. */
static void test_time(void **state)
{
	static struct items all;
	uint64_t given;

	(void)state;
	asm_at(0, "74 fe");
	b_psb(&b, 10000, BASE);
	b_tma(&b, 0x1234, 7); /* CTC 1234 at TSC 10000 - 7 */
	b_tnt(&b, "T");
	b_mtc(&b, (0x1238 >> 3) & 0xff); /* 4 CTC ticks: 9993 + 10 */
	b_tnt(&b, "T");
	b_mtc(&b, (0x1240 >> 3) & 0xff); /* 12: 9993 + 30 */
	b_tnt(&b, "T");
	b_mtc(&b, ((0x1240 >> 3) - 1) & 0xff); /* 255 later: 9993 + (12 + 2040) * 5 / 2 */
	b_tnt(&b, "T");
	b_tsc(&b, 16000);
	b_tnt(&b, "T");
	b_mtc(&b, ((0x1240 >> 3) + 99) & 0xff); /* no TMA since: tells nothing */
	b_tnt(&b, "T");
	config.mtc_freq = 3;
	config.tsc_ctc_num = 5;
	config.tsc_ctc_den = 2;
	create_trace();
	assert_int_equal(itrace_trace_last(trace, 0, ITRACE_ALL, keep, &all, &given), 0);
	assert_int_equal(given, 6);
	assert_int_equal(all.item[0].tsc, 10000);
	assert_int_equal(all.item[1].tsc, 10003);
	assert_int_equal(all.item[2].tsc, 10023);
	assert_int_equal(all.item[3].tsc, 15123);
	assert_int_equal(all.item[4].tsc, 16000);
	assert_int_equal(all.item[5].tsc, 16000);
}

/* Without the ratio only TSC packets tell the time. */
static void test_time_no_ratio(void **state)
{
	static struct items all;
	uint64_t given;

	(void)state;
	asm_at(0, "74 fe");
	b_psb(&b, 10000, BASE);
	b_tma(&b, 0x1234, 7);
	b_mtc(&b, (0x1240 >> 3) & 0xff);
	b_tnt(&b, "T");
	config.mtc_freq = 3;
	create_trace();
	assert_int_equal(itrace_trace_last(trace, 0, ITRACE_ALL, keep, &all, &given), 0);
	assert_int_equal(all.item[0].tsc, 10000);
}

#define TRACE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_begin, destroy_trace)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRACE_TEST(test_windows),	 TRACE_TEST(test_tail_only),
		TRACE_TEST(test_callback_stops), TRACE_TEST(test_find),
		TRACE_TEST(test_stats),		 TRACE_TEST(test_time),
		TRACE_TEST(test_time_no_ratio),	 TEST(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
