/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: crash-ext/core/ring.c crash-ext/core/topa.c crash-ext/core/stream.c crash-ext/core/seam.c crash-ext/core/packet.c crash-ext/core/packet_ext.c crash-ext/core/problem.c crash-ext/core/status.c */
/* Rings read from a dump: whole, with pages missing, and with an end that nobody saved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ring_fixture.h"
#include "seam.h"

#define BASE_IP 0xffffffff81000000ull

static void test_stream(void **state)
{
	static const uint64_t stop[] = {1, 0x1fff, 0x2000, 0x3005, 0x7fff, 0x8000, 0x8001, 0x9123};
	static struct pt_build b;
	struct itrace_stream stream;
	struct machine m;
	uint64_t want;
	unsigned int i;

	(void)state;
	make_stream(&b, 0xa000);
	for (i = 0; i < sizeof(stop) / sizeof(stop[0]); i++) {
		set_up(NULL);
		run_machine(&m, &b, stop[i]);
		assert_int_equal(itrace_stream_init(&stream, &m.record, 0, &source, &problems), 0);
		want = stop[i] < 0x8000 ? stop[i] : 0x8000;
		assert_int_equal(stream.len, want);
		assert_memory_equal(stream.bytes, b.bytes + stop[i] - want, want);
		assert_int_equal(stream.nr_holes, 0);
		assert_false(stream.seam_searched);
		assert_int_equal(nr_said, 0);
		itrace_stream_deinit(&stream);
	}
}

static void test_stream_none(void **state)
{
	struct itrace_stream stream;
	struct machine m;

	(void)state;
	make_machine(&m);
	assert_int_equal(itrace_stream_init(&stream, &m.record, 0, &source, &problems),
			 ITRACE_E_NODATA);
	m.cpu.slot.state = ITRACE_STATE_OFF;
	assert_int_equal(itrace_stream_init(&stream, &m.record, 0, &source, &problems),
			 ITRACE_E_NODATA);
	assert_int_equal(itrace_stream_init(&stream, &m.record, 1, &source, &problems),
			 ITRACE_E_INVALID);
	make_machine(&m);
	memset(absent, 1, sizeof(absent));
	assert_int_equal(itrace_stream_init(&stream, &m.record, 0, &source, &problems),
			 ITRACE_E_FILTERED);
}

/* Pages 0x9000 and 0xd000 are missing: one is cut in two by the write position. */
static void test_stream_holes(void **state)
{
	static struct pt_build b;
	struct itrace_stream stream;
	struct machine m;

	(void)state;
	make_stream(&b, 0xa000);
	run_machine(&m, &b, 0x9123);
	absent[0xd] = absent[9] = true;
	assert_int_equal(itrace_stream_init(&stream, &m.record, 0, &source, &problems), 0);
	assert_int_equal(stream.len, 0x8000);
	assert_true(stream.wrapped);
	assert_int_equal(stream.nr_holes, 3);
	assert_int_equal(stream.hole[0].start, 0);
	assert_int_equal(stream.hole[0].len, 0xedd);
	assert_int_equal(stream.hole[0].pa, 0x9123);
	assert_int_equal(stream.hole[0].status, ITRACE_E_FILTERED);
	assert_int_equal(stream.hole[1].start, 0x3000 - 0x1123);
	assert_int_equal(stream.hole[1].len, 0x1000);
	assert_int_equal(stream.hole[1].pa, 0xd000);
	assert_int_equal(stream.hole[2].start, 0x8000 - 0x123);
	assert_int_equal(stream.hole[2].len, 0x123);
	assert_int_equal(stream.hole[2].pa, 0x9000);
	assert_true(all_zero(stream.bytes + stream.hole[1].start, 0x1000));
	assert_memory_equal(stream.bytes + 0xedd, b.bytes + 0x1123 + 0xedd, 0x1000);
	assert_int_equal(nr_said, 1);
	assert_non_null(strstr(said[0], "2 of 8 pages of the ring filtered out of the dump"));
	itrace_stream_deinit(&stream);
}

/* All that could tell that it wrapped is missing, but so is the first PSB. */
static void test_stream_wrap_missing(void **state)
{
	static struct pt_build b;
	struct itrace_stream stream;
	struct machine m;

	(void)state;
	make_stream(&b, 0x10000 - 0x200);
	run_machine(&m, &b, 0xf000);
	absent[0x13] = true;
	assert_int_equal(itrace_stream_init(&stream, &m.record, 0, &source, &problems), 0);
	assert_true(stream.wrapped);
	assert_int_equal(stream.len, 0x8000);
	assert_int_equal(stream.nr_holes, 1);
	assert_int_equal(stream.hole[0].start, 0);
	itrace_stream_deinit(&stream);
}

/* Never written pages may have been dropped as zero: that is no loss and no wrap. */
static void test_stream_unwritten_dropped(void **state)
{
	static struct pt_build b;
	struct itrace_stream stream;
	struct machine m;

	(void)state;
	make_stream(&b, 0xa000);
	run_machine(&m, &b, 0x1100);
	absent[0xc] = absent[0xd] = absent[0x10] = absent[0x11] = absent[0x12] = absent[0x13] =
		true;
	assert_int_equal(itrace_stream_init(&stream, &m.record, 0, &source, &problems), 0);
	assert_false(stream.wrapped);
	assert_int_equal(stream.len, 0x1100);
	assert_int_equal(stream.nr_holes, 0);
	assert_memory_equal(stream.bytes, b.bytes, 0x1100);
	itrace_stream_deinit(&stream);
}

/* Extents that nobody believes: the table tells the same. */
static void test_stream_by_table(void **state)
{
	static struct pt_build b;
	struct itrace_stream stream;
	struct machine m;

	(void)state;
	make_stream(&b, 0xa000);
	run_machine(&m, &b, 0x9123);
	m.cpu.extent = NULL;
	m.cpu.nr_extents = 0;
	m.cpu.ring_size = 0;
	assert_int_equal(itrace_stream_init(&stream, &m.record, 0, &source, &problems), 0);
	assert_int_equal(stream.len, 0x8000);
	assert_memory_equal(stream.bytes, b.bytes + 0x1123, 0x8000);
	itrace_stream_deinit(&stream);
}

/* End of the last whole PSB+ of @bytes[0..len), or 0. A PSB+ of b_psb() ends with PSBEND. */
static uint64_t last_psbend(const uint8_t *bytes, uint64_t len)
{
	while (len >= 2 && (bytes[len - 2] != 0x02 || bytes[len - 1] != 0x23))
		len--;
	return len;
}

/*
 * Every stop of a small ring again, without the position: without MTC the stream ends behind the
 * newest whole PSB+, never behind the true end.
 */
static void test_seam(void **state)
{
	static struct pt_build b;
	static uint8_t ring[1999]; /* no PSB comes to lie on an older one */
	uint64_t stop, pos;

	(void)state;
	make_stream(&b, 9000);
	for (stop = 1; stop <= 9000; stop++) {
		write_ring(ring, sizeof(ring), 0, b.bytes, stop);
		assert_int_equal(itrace_seam_find(ring, sizeof(ring), 0, &pos), 0);
		if (stop + 256 <= sizeof(ring))
			/* Not wrapped: exact, but for zeros at the end. */
			assert_true(pos <= stop && all_zero(b.bytes + pos, stop - pos));
		else
			assert_int_equal(pos, last_psbend(b.bytes, stop) % sizeof(ring));
	}
}

/* An MTC that is of the round before tells the end before any PSB does, after the last that fits.
 */
static void test_seam_mtc(void **state)
{
	static struct pt_build b;
	uint64_t pos, proven;
	int i;

	(void)state;
	b_psb(&b, 5000, BASE_IP);
	for (i = 250; i < 270; i++) {
		b_tnt(&b, "TTN");
		b_mtc(&b, i & 0xff);
	}
	proven = b.len;
	b_tnt(&b, "TTN"); /* of this round or of the one before: who knows */
	b_mtc(&b, 30);
	b_tnt(&b, "TTN");
	b_psb(&b, 4000, BASE_IP);
	while (b.len < 1024)
		b_tnt(&b, "TTN");
	assert_int_equal(itrace_seam_find(b.bytes, b.len, 0, &pos), 0);
	assert_int_equal(pos, proven);
}

static void test_seam_none(void **state)
{
	static struct pt_build b;
	static uint8_t ring[2048];
	uint64_t pos;

	(void)state;
	memset(ring, 6, sizeof(ring));
	assert_int_equal(itrace_seam_find(ring, sizeof(ring), 0, &pos), ITRACE_E_NODATA);
	assert_int_equal(itrace_seam_find(ring, sizeof(ring), sizeof(ring), &pos),
			 ITRACE_E_INVALID);
	b_psb(&b, 0, 0xffffffff81000000ull);
	memcpy(ring + 100, b.bytes, b.len);
	assert_int_equal(itrace_seam_find(ring, sizeof(ring), 0, &pos), ITRACE_E_UNSUPPORTED);
}

static void test_stream_armed(void **state)
{
	static struct pt_build b;
	struct itrace_stream stream;
	struct machine m;

	(void)state;
	make_stream(&b, 0xa000);
	run_machine(&m, &b, 0x9123);
	m.cpu.slot.state = ITRACE_STATE_ARMED;
	assert_int_equal(itrace_stream_init(&stream, &m.record, 0, &source, &problems), 0);
	assert_true(stream.seam_searched);
	assert_int_equal(stream.len, 0x8000);
	assert_int_equal(nr_said, 1);
	assert_non_null(strstr(said[0], "searched"));
	itrace_stream_deinit(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_stream),
		TEST(test_stream_none),
		TEST(test_stream_holes),
		TEST(test_stream_wrap_missing),
		TEST(test_stream_unwritten_dropped),
		TEST(test_stream_by_table),
		TEST(test_seam),
		TEST(test_seam_none),
		TEST(test_seam_mtc),
		TEST(test_stream_armed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
