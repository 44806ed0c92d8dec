/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: crash-ext/core/ring.c crash-ext/core/topa.c crash-ext/core/stream.c crash-ext/core/seam.c crash-ext/core/packet.c crash-ext/core/packet_ext.c crash-ext/core/problem.c crash-ext/core/status.c */
/*
 * From a ring to a linear stream: every stop point of a small ring against a straight copy; write
 * positions through ToPA tables; missing pages; the seam of a ring in use.
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
#include "ring.h"
#include "seam.h"
#include "status.h"

#define PAGE   4096u
#define NPAGES 64u

/* What a machine left: pages of memory, some of them not in the dump. */
static uint8_t memory[NPAGES * PAGE];
static bool absent[NPAGES];
static char said[16][256];
static unsigned int nr_said;

static int read_phys(void *priv, uint64_t pa, void *buf, size_t len)
{
	uint64_t i;

	(void)priv;
	if (pa >= sizeof(memory) || len > sizeof(memory) - pa)
		return ITRACE_E_NOTFOUND;
	for (i = pa / PAGE; i * PAGE < pa + len; i++)
		if (absent[i])
			return ITRACE_E_FILTERED;
	memcpy(buf, memory + pa, len);
	return 0;
}

static void report(void *priv, uint32_t cpu, uint64_t offset, const char *text)
{
	(void)priv;
	(void)cpu;
	(void)offset;
	if (nr_said < 16)
		snprintf(said[nr_said++], sizeof(said[0]), "%s", text);
}

static const struct itrace_source source = {.read_phys = read_phys};
static const struct itrace_problems problems = {.report = report};

static int set_up(void **state)
{
	(void)state;
	memset(memory, 0, sizeof(memory));
	memset(absent, 0, sizeof(absent));
	nr_said = 0;
	return 0;
}

static void put64(uint64_t pa, uint64_t value)
{
	memcpy(memory + pa, &value, 8);
}

/* A stream with packets of all lengths and a PSB+ about every 200 bytes. */
static void make_stream(struct pt_build *b, uint64_t len)
{
	uint64_t i = 0, psb = 0;

	b->len = 0;
	for (; b->len < len; i++) {
		if (!i || b->len - psb > 200) {
			psb = b->len;
			b_psb(b, 1000 + i, 0xffffffff81000000ull + i);
		}
		b_tnt(b, i % 3 ? "TTNT" : "NTTNTTNTTTTTTTNNTTTNTNTTTTNT");
		b_ip(b, i % 5 ? ppt_tip : ppt_fup, 0xffffffff81000000ull + i * 77);
		b_ipc(b, ppt_tip, pt_ipc_update_16, i * 3 & 0xffff);
		if (i % 7 == 0)
			b_pip(b, 0x1000 * i);
		if (i % 4 == 0)
			b_no_ip(b, ppt_tip_pgd);
	}
}

/* What a CPU leaves that writes @len bytes into a zeroed ring of @size, beginning at @start. */
static void write_ring(uint8_t *ring, uint64_t size, uint64_t start, const uint8_t *bytes,
		       uint64_t len)
{
	uint64_t i;

	memset(ring, 0, size);
	for (i = 0; i < len; i++)
		ring[(start + i) % size] = bytes[i];
}

static bool all_zero(const uint8_t *bytes, uint64_t len)
{
	while (len--)
		if (*bytes++)
			return false;
	return true;
}

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

/* Four regions (8, 4, 4 and 16 KiB) in two tables, the middle ones side by side in memory. */
#define TABLE_A 0x1000u
#define TABLE_B 0x2000u
#define RING	0x8000u

static const struct {
	uint64_t pa, len, table;
	uint32_t index;
} region[4] = {
	{0x8000, 0x2000, TABLE_A, 0},
	{0xc000, 0x1000, TABLE_A, 1},
	{0xd000, 0x1000, TABLE_B, 0},
	{0x10000, 0x4000, TABLE_B, 1},
};

struct machine {
	struct itrace_record record;
	struct itrace_record_cpu cpu;
	struct itrace_extent extent[3];
};

static void make_machine(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	put64(TABLE_A + 0, 0x8000 | 1 << 6);
	put64(TABLE_A + 8, 0xc000);
	put64(TABLE_A + 16, TABLE_B | 1);
	put64(TABLE_B + 0, 0xd000);
	put64(TABLE_B + 8, 0x10000 | 2 << 6);
	put64(TABLE_B + 16, TABLE_A | 1);
	m->extent[0] = (struct itrace_extent){0x8000, 0x2000};
	m->extent[1] = (struct itrace_extent){0xc000, 0x2000};
	m->extent[2] = (struct itrace_extent){0x10000, 0x4000};
	m->cpu.slot_ok = true;
	m->cpu.extent = m->extent;
	m->cpu.nr_extents = 3;
	m->cpu.ring_size = 0x8000;
	m->cpu.slot.state = ITRACE_STATE_FROZEN;
	m->cpu.slot.valid = ITRACE_V_POSITION | ITRACE_V_RING;
	m->cpu.slot.ctl_freeze = 0x2d05;
	m->cpu.slot.topa_pa = TABLE_A;
	m->cpu.slot.ring_size = 0x8000;
	m->cpu.slot.output_base[1] = TABLE_A;
	m->cpu.slot.output_mask[1] = 0x7f;
	m->record.cpu = &m->cpu;
	m->record.nr_cpus = 1;
}

static void set_position(struct machine *m, unsigned int i, uint64_t offset)
{
	m->cpu.slot.output_base[1] = region[i].table;
	m->cpu.slot.output_mask[1] = offset << 32 | (uint64_t)region[i].index << 7 | 0x7f;
}

/* Byte @offset of the ring in memory. */
static uint8_t *ring_byte(uint64_t offset)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		if (offset < region[i].len)
			return memory + region[i].pa + offset;
		offset -= region[i].len;
	}
	return NULL;
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

/* @len bytes through the regions of the machine, and its registers after them. */
static void run_machine(struct machine *m, const struct pt_build *b, uint64_t len)
{
	uint64_t i, offset = len % 0x8000;
	unsigned int r = 0;

	make_machine(m);
	for (i = 0; i < len; i++)
		*ring_byte(i % 0x8000) = b->bytes[i];
	while (offset >= region[r].len)
		offset -= region[r++].len;
	set_position(m, r, offset);
}

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

/*
 * Every stop of a small ring again, without the position: the stream must have the true end, or
 * go on behind it with older packets up to the next PSB at most.
 */
static void test_seam(void **state)
{
	static struct pt_build b;
	static uint8_t ring[2048], twice[4096];
	uint64_t stop, pos, beyond, psb, exact = 0, all = 0;

	(void)state;
	make_stream(&b, 9000);
	for (stop = 1; stop <= 9000; stop++) {
		write_ring(ring, sizeof(ring), 0, b.bytes, stop);
		assert_int_equal(itrace_seam_find(ring, sizeof(ring), 0, &pos), 0);
		if (stop + 256 <= sizeof(ring)) {
			/* Not wrapped: exact, but for zeros at the end. */
			assert_true(pos <= stop && all_zero(b.bytes + pos, stop - pos));
			continue;
		}
		memcpy(twice, ring, sizeof(ring));
		memcpy(twice + sizeof(ring), ring, sizeof(ring));
		psb = itrace_psb_find(twice, sizeof(twice), stop % sizeof(ring));
		/* How far it is behind the true end; just before it is where a packet or a PSB+ is
		 * cut. */
		beyond = (pos + 48 - stop % sizeof(ring)) % sizeof(ring);
		assert_true(beyond <= psb - stop % sizeof(ring) + 48);
		exact += beyond <= 48;
		all++;
	}
	print_message("# measured: seam exact, or up to a PSB+ before it: %u of %u\n",
		      (unsigned int)exact, (unsigned int)all);
	assert_true(exact > 0);
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

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_every_stop),
		TEST(test_unwrap_bounds),
		TEST(test_position),
		TEST(test_position_wrong),
		TEST(test_position_no_table),
		TEST(test_position_single_range),
		TEST(test_stream),
		TEST(test_stream_none),
		TEST(test_stream_holes),
		TEST(test_stream_wrap_missing),
		TEST(test_stream_unwritten_dropped),
		TEST(test_stream_by_table),
		TEST(test_seam),
		TEST(test_seam_none),
		TEST(test_stream_armed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
