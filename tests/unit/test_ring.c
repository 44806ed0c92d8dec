/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: crash-ext/core/ring.c crash-ext/core/topa.c crash-ext/core/stream.c crash-ext/core/seam.c crash-ext/core/packet.c crash-ext/core/packet_ext.c crash-ext/core/problem.c crash-ext/core/status.c */
/*
 * From a ring to a linear stream: every stop point of a small ring against a straight copy, and
 * write positions through ToPA tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ring_fixture.h"

/* From the first PSB of @tail on, its packets are the last ones of @whole. */
static void same_packets(const uint8_t *whole, uint64_t whole_len, const uint8_t *tail,
			 uint64_t len)
{
	struct itrace_packets a, b;
	struct itrace_packet x, y;
	int status;

	assert_int_equal(itrace_packets_init(&a, whole, whole_len), 0);
	assert_int_equal(itrace_packets_init(&b, tail, len), 0);
	if (!itrace_packets_sync(&b, 0)) {
		assert_int_equal(itrace_packets_sync(&a, whole_len - len + b.offset), 0);
		assert_int_equal(a.offset, whole_len - len + b.offset);
		do {
			status = itrace_packets_next(&a, &x);
			assert_int_equal(itrace_packets_next(&b, &y), status);
			assert_int_equal(x.offset - (whole_len - len), y.offset);
			assert_int_equal(x.pt.type, y.pt.type);
			assert_int_equal(x.has_ip ? x.ip : 0, y.has_ip ? y.ip : 0);
		} while (!status);
	}
	itrace_packets_deinit(&a);
	itrace_packets_deinit(&b);
}

static void every_stop(uint64_t size, uint64_t start)
{
	static struct pt_build b;
	uint8_t ring[1024], out[1024];
	uint64_t stop, want, skip;
	const uint8_t *expect;
	bool wrapped;
	int64_t len;

	make_stream(&b, 3000);
	for (stop = 0; stop <= 3000; stop++) {
		write_ring(ring, size, start, b.bytes, stop);
		len = itrace_ring_unwrap(ring, size, (start + stop) % size, start, out, &wrapped);
		want = stop < size ? stop : size;
		expect = b.bytes + stop - want;
		/* Where the oldest bytes are zero, nobody can tell that they were written. */
		assert_true(len >= 0 && (uint64_t)len <= want);
		skip = want - (uint64_t)len;
		assert_true(all_zero(expect, skip));
		assert_true(skip < 16);
		assert_memory_equal(out, expect + skip, (size_t)len);
		assert_int_equal(wrapped, stop >= size && !skip && !all_zero(expect, want));
		same_packets(b.bytes, stop, out, (uint64_t)len);
	}
}

static void test_every_stop(void **state)
{
	(void)state;
	every_stop(512, 0);
	every_stop(512, 100);
	every_stop(509, 0);
	every_stop(1000, 999);
}

static void test_unwrap_bounds(void **state)
{
	uint8_t ring[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8];
	bool wrapped;

	(void)state;
	assert_int_equal(itrace_ring_unwrap(ring, 8, 9, 0, out, &wrapped), ITRACE_E_INVALID);
	assert_int_equal(itrace_ring_unwrap(ring, 8, 0, 8, out, &wrapped), ITRACE_E_INVALID);
	assert_int_equal(itrace_ring_unwrap(ring, 0, 0, 0, out, &wrapped), ITRACE_E_INVALID);
	assert_int_equal(itrace_ring_unwrap(ring, 8, 8, 0, out, &wrapped), 8);
	assert_memory_equal(out, ring, 8);
	assert_true(wrapped);
	assert_int_equal(itrace_ring_unwrap(ring, 8, 3, 0, out, &wrapped), 8);
	assert_memory_equal(out, "\4\5\6\7\10\1\2\3", 8);
	memset(ring + 3, 0, 5);
	assert_int_equal(itrace_ring_unwrap(ring, 8, 3, 0, out, &wrapped), 3);
	assert_false(wrapped);
	memset(ring, 0, 8);
	assert_int_equal(itrace_ring_unwrap(ring, 8, 5, 5, out, &wrapped), 0);
}

static void test_position(void **state)
{
	uint64_t sum = 0, offset, pos;
	struct machine m;
	unsigned int i;

	(void)state;
	make_machine(&m);
	for (i = 0; i < 4; i++) {
		for (offset = 0; offset <= region[i].len; offset += 0x400) {
			set_position(&m, i, offset);
			pos = 0;
			assert_int_equal(itrace_ring_position(&m.cpu, &source, &pos), 0);
			assert_int_equal(pos, sum + offset);
		}
		sum += region[i].len;
	}
	/* At the END entry: on its way to the next table. */
	m.cpu.slot.output_base[1] = TABLE_A;
	m.cpu.slot.output_mask[1] = 2 << 7 | 0x7f;
	assert_int_equal(itrace_ring_position(&m.cpu, &source, &pos), 0);
	assert_int_equal(pos, 0x3000);
	/* By the table alone. */
	m.cpu.nr_extents = 0;
	m.cpu.ring_size = 0;
	set_position(&m, 3, 0x123);
	assert_int_equal(itrace_ring_position(&m.cpu, &source, &pos), 0);
	assert_int_equal(pos, 0x4123);
}

static void expect_position(struct machine *m, int status)
{
	uint64_t pos;

	assert_int_equal(itrace_ring_position(&m->cpu, &source, &pos), status);
	make_machine(m);
}

static void test_position_wrong(void **state)
{
	struct machine m;

	(void)state;
	make_machine(&m);
	m.cpu.slot.valid = 0;
	expect_position(&m, ITRACE_E_NODATA);
	m.cpu.slot.state = ITRACE_STATE_ARMED;
	expect_position(&m, ITRACE_E_NODATA);
	m.cpu.slot_ok = false;
	expect_position(&m, ITRACE_E_NODATA);
	set_position(&m, 1, 0x1001); /* above the region */
	expect_position(&m, ITRACE_E_CORRUPT);
	m.cpu.slot.output_mask[1] = 5 << 7 | 0x7f; /* no such entry */
	expect_position(&m, ITRACE_E_CORRUPT);
	m.cpu.slot.output_mask[1] = 0x3f; /* the ones are not ones */
	expect_position(&m, ITRACE_E_CORRUPT);
	m.cpu.slot.output_base[1] = 0x3000; /* not a table of this ring */
	expect_position(&m, ITRACE_E_CORRUPT);
	m.extent[1].pa = 0xe000; /* the extents are elsewhere */
	expect_position(&m, ITRACE_E_CORRUPT);
	m.extent[2].len = 0x8000;
	m.cpu.ring_size = 0xc000; /* ... or more */
	expect_position(&m, ITRACE_E_CORRUPT);
	put64(TABLE_A + 8, 0xc002); /* a reserved bit */
	expect_position(&m, ITRACE_E_CORRUPT);
	put64(TABLE_A + 0, TABLE_B | 1); /* END as the first entry */
	expect_position(&m, ITRACE_E_CORRUPT);
	put64(TABLE_A + 0, 0x9000 | 1 << 6); /* not aligned to its size */
	expect_position(&m, ITRACE_E_CORRUPT);
	put64(TABLE_A + 0, 0x9000 | 1 << 6); /* ... and no extents to ask */
	m.cpu.nr_extents = 0;
	expect_position(&m, ITRACE_E_CORRUPT);
	put64(TABLE_B + 16, TABLE_B | 1); /* never comes back */
	expect_position(&m, ITRACE_E_CORRUPT);
	put64(TABLE_B + 16, 0x7ffffffff000ull | 1); /* leads out of memory */
	set_position(&m, 1, 0);
	expect_position(&m, ITRACE_E_FILTERED);
}

static void test_position_no_table(void **state)
{
	struct machine m;
	uint64_t pos;

	(void)state;
	make_machine(&m);
	absent[TABLE_A / PAGE] = true;
	set_position(&m, 0, 0x777);
	assert_int_equal(itrace_ring_position(&m.cpu, &source, &pos), 0);
	assert_int_equal(pos, 0x777);
	set_position(&m, 1, 0);
	assert_int_equal(itrace_ring_position(&m.cpu, &source, &pos), ITRACE_E_FILTERED);
}

static void test_position_single_range(void **state)
{
	struct machine m;
	uint64_t pos;

	(void)state;
	make_machine(&m);
	m.cpu.nr_extents = 1;
	m.cpu.ring_size = 0x2000;
	m.cpu.slot.ctl_freeze = 0x2c05;
	m.cpu.slot.output_base[1] = 0x8000;
	m.cpu.slot.output_mask[1] = 0x1234ull << 32 | 0x1fff;
	assert_int_equal(itrace_ring_position(&m.cpu, &source, &pos), 0);
	assert_int_equal(pos, 0x1234);
	m.cpu.slot.output_base[1] = 0x9000;
	assert_int_equal(itrace_ring_position(&m.cpu, &source, &pos), ITRACE_E_CORRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_every_stop),	      TEST(test_unwrap_bounds),
		TEST(test_position),	      TEST(test_position_wrong),
		TEST(test_position_no_table), TEST(test_position_single_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
