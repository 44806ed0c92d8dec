// SPDX-License-Identifier: GPL-2.0-or-later
/* test_output.c - ToPA and single-range output into a pretended memory. */
#include "tests.h"

#include <string.h>

#include "output.h"

#define MEM_SIZE (256u << 10)
#define TABLE	 0x1000u

static uint8_t memory[MEM_SIZE];

static bool mem_read(void *owner, uint64_t pa, void *to, size_t n)
{
	(void)owner;
	if (pa > MEM_SIZE || n > MEM_SIZE - pa)
		return false;
	memcpy(to, memory + pa, n);
	return true;
}

static bool mem_write(void *owner, uint64_t pa, const void *from, size_t n)
{
	(void)owner;
	if (pa > MEM_SIZE || n > MEM_SIZE - pa)
		return false;
	memcpy(memory + pa, from, n);
	return true;
}

static void setup(struct pt_out *o, const uint64_t *table, unsigned int entries)
{
	memset(memory, 0, sizeof(memory));
	if (table)
		memcpy(memory + TABLE, table, entries * 8);
	memset(o, 0, sizeof(*o));
	o->mem = (struct pt_out_mem){NULL, mem_read, mem_write};
	o->maxphyaddr = 40;
	o->multi = true;
}

/* n bytes counting up from where the stream stands, in pieces of odd sizes. */
static void feed(struct pt_out *o, uint64_t from, uint64_t n)
{
	uint8_t piece[37];

	for (uint64_t at = from; at < from + n;) {
		unsigned int k = 0;

		while (k < 1 + at % sizeof(piece) && at < from + n)
			piece[k++] = (uint8_t)(at++ * 131 >> 3);
		pt_out_write(o, piece, k);
	}
}

static uint8_t wanted(uint64_t at)
{
	return (uint8_t)(at * 131 >> 3);
}

/* Two regions of different size in one table, one in a second: the newest bytes are all there. */
void topa_wraps_at_end(void **state)
{
	static const uint64_t second[] = {0x20000 | 1 << 6, TABLE | 1};
	static const uint64_t first[] = {0x10000, 0x12000 | 1 << 6, 0x2000 | 1};
	static const uint64_t ring = 4096 + 8192 + 8192;
	struct pt_out o;

	(void)state;
	for (uint64_t total = ring - 3; total < 3 * ring; total += 4099) {
		setup(&o, first, 3);
		memcpy(memory + 0x2000, second, sizeof(second));
		pt_out_start(&o, true, TABLE, 0x7f);
		assert_false(o.error);
		feed(&o, 0, total);
		pt_out_flush(&o);
		assert_int_equal(o.total, total);
		for (uint64_t at = total > ring ? total - ring : 0; at < total; at++) {
			uint64_t pos = at % ring;
			uint64_t pa = pos < 4096    ? 0x10000 + pos
				      : pos < 12288 ? 0x12000 + pos - 4096
						    : 0x20000 + pos - 12288;

			assert_int_equal(memory[pa], wanted(at));
		}
		assert_int_equal(pt_out_base(&o), total % ring < 12288 ? TABLE : 0x2000);
		assert_int_equal(pt_out_mask(&o) & 0x7f, 0x7f);
		assert_int_equal(pt_out_mask(&o) >> 32, total % ring < 4096 ? total % ring
							: total % ring < 12288
								? total % ring - 4096
								: total % ring - 12288);
	}
}

static bool start_fails(const uint64_t *table, uint64_t base, uint64_t mask, bool multi)
{
	struct pt_out o;

	setup(&o, table, 2);
	o.multi = multi;
	pt_out_start(&o, true, base, mask);
	pt_out_write(&o, (const uint8_t *)"x", 1);
	pt_out_flush(&o);
	assert_int_equal(o.total, o.error ? 0 : 1);
	return o.error;
}

void topa_rules_are_errors(void **state)
{
	static const uint64_t good[] = {0x10000, TABLE | 1};
	static const uint64_t end_first[] = {TABLE | 1, 0};
	static const uint64_t reserved[] = {0x10000 | 1 << 3, TABLE | 1};
	static const uint64_t unaligned[] = {0x11000 | 1 << 6, TABLE | 1};
	static const uint64_t too_high[] = {1ull << 40, TABLE | 1};
	static const uint64_t end_int[] = {0x10000, TABLE | 1 | 4};
	static const uint64_t no_memory[] = {0x100000, TABLE | 1};

	(void)state;
	assert_false(start_fails(good, TABLE, 0x7f, true));
	assert_true(start_fails(end_first, TABLE, 0x7f, true));
	assert_true(start_fails(reserved, TABLE, 0x7f, true));
	assert_true(start_fails(unaligned, TABLE, 0x7f, true));
	assert_true(start_fails(too_high, TABLE, 0x7f, true));
	assert_true(start_fails(end_int, TABLE, 0xff, true));
	assert_true(start_fails(no_memory, TABLE, 0x7f, true));
	assert_true(start_fails(good, TABLE + 0x80, 0x7f, true));
	assert_true(start_fails(good, TABLE, 4096ull << 32 | 0x7f, true));
	assert_false(start_fails(good, TABLE, 4095ull << 32 | 0x7f, true));
	assert_false(start_fails(good, TABLE, 0x7f, false));
}

void topa_stop_stops(void **state)
{
	static const uint64_t table[] = {0x10000 | 1 << 2, 0x12000 | 1 << 4, 0x20000, TABLE | 1};
	struct pt_out o;

	(void)state;
	setup(&o, table, 4);
	pt_out_start(&o, true, TABLE, 0x7f);
	feed(&o, 0, 8191);
	pt_out_flush(&o);
	assert_false(o.stopped);
	assert_int_equal(o.pmis, 1);
	feed(&o, 8191, 100);
	pt_out_flush(&o);
	assert_true(o.stopped);
	assert_int_equal(o.total, 8192);
	assert_int_equal(memory[0x20000], 0);
}

void single_range_wraps(void **state)
{
	struct pt_out o;

	(void)state;
	setup(&o, (const uint64_t[]){0}, 1);
	pt_out_start(&o, false, 0x10000, 100ull << 32 | 0x1fff);
	assert_false(o.error);
	feed(&o, 0, 20000);
	pt_out_flush(&o);
	for (uint64_t at = 20000 - 8192; at < 20000; at++)
		assert_int_equal(memory[0x10000 + (at + 100) % 8192], wanted(at));
	assert_int_equal(pt_out_mask(&o), ((20000ull + 100) % 8192) << 32 | 0x1fff);
	pt_out_start(&o, false, 0x11000, 0x1fff);
	assert_true(o.error);
	pt_out_start(&o, false, 0x10000, 0x2fff);
	assert_true(o.error);
}

/* What an earlier arming left as position goes on there. */
void start_position_is_kept(void **state)
{
	static const uint64_t table[] = {0x10000, 0x11000, TABLE | 1};
	struct pt_out o;

	(void)state;
	setup(&o, table, 3);
	pt_out_start(&o, true, TABLE, 4000ull << 32 | 1 << 7 | 0x7f);
	feed(&o, 0, 200);
	pt_out_flush(&o);
	for (uint64_t at = 0; at < 96; at++)
		assert_int_equal(memory[0x11000 + 4000 + at], wanted(at));
	for (uint64_t at = 96; at < 200; at++)
		assert_int_equal(memory[0x10000 + at - 96], wanted(at));
	assert_int_equal(pt_out_mask(&o), 104ull << 32 | 0x7f);
}
