// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/source/prb.c crash-ext/core/vmcoreinfo.c crash-ext/core/status.c */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prb.h"
#include "status.h"
#include "vmcoreinfo.h"

/*
 * A printk ring buffer as kernel/printk/printk_ringbuffer.h of 6.12 lays it out: 8 descriptors,
 * 128 bytes of text. Virtual memory is at VA, physical from 0.
 */
#define VA    0xffffffff82000000ull
#define MEM   0x8000u
#define PRB   0x1000u /* the pointer */
#define RING  0x1010u /* struct printk_ringbuffer */
#define DESCS 0x2000u
#define INFOS 0x3000u
#define TEXT  0x4ff0u /* across two pages */
#define COUNT 8u
#define SIZE  128u

static uint8_t mem[MEM];
static uint64_t filtered;
static const char *drop; /* vmcoreinfo key that is missing */
static uint64_t head_lpos;

static int read_phys(void *priv, uint64_t pa, void *buf, size_t len)
{
	(void)priv;
	if (pa >= MEM || len > MEM - pa)
		return ITRACE_E_NOTFOUND;
	if (filtered && pa < filtered + 4096 && pa + len > filtered)
		return ITRACE_E_FILTERED;
	memcpy(buf, mem + pa, len);
	return 0;
}

static int vtop(void *priv, uint64_t va, uint64_t *pa)
{
	(void)priv;
	*pa = va - VA;
	return va >= VA && va - VA < MEM ? 0 : ITRACE_E_NOTFOUND;
}

static int vmcoreinfo(void *priv, const char *key, char *value, size_t size)
{
	static const char text[] =
		"SYMBOL(prb)=ffffffff82001000\n"
		"OFFSET(printk_ringbuffer.desc_ring)=0\nOFFSET(printk_ringbuffer.text_data_ring)="
		"48\n"
		"OFFSET(prb_desc_ring.count_bits)=0\nOFFSET(prb_desc_ring.descs)=8\n"
		"OFFSET(prb_desc_ring.infos)=16\nOFFSET(prb_desc_ring.head_id)=24\n"
		"OFFSET(prb_desc_ring.tail_id)=32\nSIZE(prb_desc)=24\nOFFSET(prb_desc.state_var)="
		"0\n"
		"OFFSET(prb_desc.text_blk_lpos)=8\nOFFSET(prb_data_blk_lpos.begin)=0\n"
		"OFFSET(prb_data_blk_lpos.next)=8\nSIZE(printk_info)=88\n"
		"OFFSET(printk_info.ts_nsec)=8\nOFFSET(printk_info.text_len)=16\n"
		"OFFSET(prb_data_ring.size_bits)=0\nOFFSET(prb_data_ring.data)=8\n";

	(void)priv;
	if (drop && !strcmp(drop, key))
		return ITRACE_E_NOTFOUND;
	return itrace_vmcoreinfo_find(text, key, value, size);
}

static const struct itrace_source source = {
	.read_phys = read_phys, .vtop = vtop, .vmcoreinfo = vmcoreinfo};

static void put(uint64_t pa, uint64_t value, size_t len)
{
	memcpy(mem + pa, &value, len);
}

static int setup(void **state)
{
	(void)state;
	memset(mem, 0, sizeof(mem));
	filtered = 0;
	drop = NULL;
	head_lpos = (uint64_t)0 - SIZE; /* as the kernel's first lpos: it wraps through 0 */
	put(PRB, VA + RING, 8);
	put(RING + 0, 3, 4);
	put(RING + 8, VA + DESCS, 8);
	put(RING + 16, VA + INFOS, 8);
	put(RING + 48, 7, 4);
	put(RING + 56, VA + TEXT, 8);
	return 0;
}

#define COMMITTED 1ull
#define FINALIZED 2ull
#define REUSABLE  3ull

/* What prb_reserve() and prb_commit() leave: the descriptor @id with @text. */
static void record(uint64_t id, uint64_t state, const char *text)
{
	uint64_t need = (8 + strlen(text) + 7) & ~7ull;
	uint64_t begin = head_lpos;
	uint64_t next = begin + need;
	uint64_t place = begin % SIZE;

	if (begin / SIZE != (next - 1) / SIZE) { /* does not fit before the end */
		next = next / SIZE * SIZE + need;
		place = 0;
	}
	head_lpos = next;
	put(TEXT + place, id, 8);
	memcpy(mem + TEXT + place + 8, text, strlen(text));
	put(DESCS + id % COUNT * 24, state << 62 | id, 8);
	put(DESCS + id % COUNT * 24 + 8, begin, 8);
	put(DESCS + id % COUNT * 24 + 16, next, 8);
	put(INFOS + id % COUNT * 88 + 8, id * 1001000, 8);
	put(INFOS + id % COUNT * 88 + 16, strlen(text), 2);
	put(RING + 24, id, 8);
}

static void gives(const char *expected)
{
	char *log = NULL;

	assert_int_equal(itrace_prb_read(&source, &log), 0);
	assert_string_equal(log, expected);
	free(log);
}

static void fails(int status)
{
	char *log = NULL;

	assert_int_equal(itrace_prb_read(&source, &log), status);
	assert_null(log);
}

static void plain(void **state)
{
	(void)state;
	put(RING + 32, 3, 8);
	record(3, FINALIZED, "three");
	record(4, COMMITTED, "four\033[1m\ttab");
	record(5, FINALIZED, "");
	record(6, 0, "being written");
	record(7, FINALIZED, "seven");
	record(8, REUSABLE, "gone");
	gives("[    0.003003] three\n[    0.004004] four?[1m\ttab\n[    0.005005] \n"
	      "[    0.007007] seven\n");
	/* A record without data is odd; an old one in a slot that was taken again is no record. */
	put(DESCS + 4 * 24 + 8, 1, 8);
	put(DESCS + 4 * 24 + 16, 1, 8);
	put(DESCS + 3 * 24, FINALIZED << 62 | 11, 8);
	gives("[    0.005005] \n[    0.007007] seven\n");
}

/* A block that does not fit before the end of the ring begins at its start; one may end there. */
static void wrapping(void **state)
{
	const char *text = "exactly forty-eight bytes of text, it is so....."; /* 56 with its id */
	char expected[256];

	(void)state;
	assert_int_equal(strlen(text), 48);
	put(RING + 32, 1, 8);
	record(1, FINALIZED, text);
	record(2, FINALIZED, "in the middle");
	record(3, FINALIZED, "up to the very end of the ring, I say....");
	assert_int_equal(head_lpos % SIZE, 56); /* 128 - 56 - 24 < 56: it went to the start */
	snprintf(expected, sizeof(expected),
		 "[    0.002002] in the middle\n"
		 "[    0.003003] up to the very end of the ring, I say....\n");
	put(RING + 32, 2, 8); /* the first is overwritten */
	gives(expected);
	setup(state);
	put(RING + 32, 1, 8);
	record(1, FINALIZED, text);
	record(2, FINALIZED, text);
	record(3, FINALIZED, "8 bytes.");
	assert_int_equal(head_lpos % SIZE, 0); /* ends with the ring */
	snprintf(expected, sizeof(expected),
		 "[    0.001001] %s\n[    0.002002] %s\n[    0.003003] 8 bytes.\n", text, text);
	gives(expected);
}

/* One page missing costs its records only, or everything if it holds the ring itself. */
static void filtered_pages(void **state)
{
	(void)state;
	put(RING + 32, 0, 8);
	record(0, FINALIZED, "a"); /* text up to 0x4fff + 1 */
	record(1, FINALIZED, "b"); /* behind it */
	filtered = 0x5000;
	gives("[    0.000000] a\n");
	filtered = 0x4000;
	gives("[    0.001001] b\n");
	filtered = 0x2000;
	fails(ITRACE_E_FILTERED);
	filtered = 0x1000;
	fails(ITRACE_E_FILTERED);
}

static void hostile(void **state)
{
	unsigned int i;

	(void)state;
	put(RING + 32, 0, 8);
	record(0, FINALIZED, "a");
	put(RING + 0, 25, 4);
	fails(ITRACE_E_CORRUPT);
	put(RING + 0, 3, 4);
	put(RING + 48, 29, 4);
	fails(ITRACE_E_CORRUPT);
	put(RING + 48, 7, 4);
	put(RING + 24, 8, 8); /* more ids than descriptors */
	fails(ITRACE_E_CORRUPT);
	put(RING + 24, 0, 8);
	put(INFOS + 16, 0xffff, 2); /* longer than its block */
	gives("[    0.000000] a???????\n");
	put(DESCS + 16, head_lpos + 2 * SIZE, 8); /* a block longer than the ring */
	fails(ITRACE_E_FILTERED);
	put(DESCS + 8, 1, 8); /* odd: no data */
	put(DESCS + 16, 33, 8);
	fails(ITRACE_E_FILTERED);
	put(DESCS + 8, 16, 8); /* ends before it begins */
	put(DESCS + 16, 8, 8);
	fails(ITRACE_E_FILTERED);
	/* All descriptors claim the whole ring: the text never exceeds what the ring has. */
	for (i = 0; i < COUNT; i++) {
		put(DESCS + i * 24, FINALIZED << 62 | i, 8);
		put(DESCS + i * 24 + 8, 0, 8);
		put(DESCS + i * 24 + 16, SIZE, 8);
		put(INFOS + i * 88 + 16, 120, 2);
	}
	put(RING + 24, 7, 8);
	{
		char *log;

		assert_int_equal(itrace_prb_read(&source, &log), 0);
		assert_true(strlen(log) < SIZE + COUNT * 32);
		free(log);
	}
	put(RING + 56, ~0ull - 64, 8); /* text at the end of the address space */
	fails(ITRACE_E_FILTERED);
	put(PRB, 0x1234, 8);
	fails(ITRACE_E_NOTFOUND);
}

static void no_vmcoreinfo(void **state)
{
	struct itrace_source bare = source;
	char *log;

	(void)state;
	drop = "SYMBOL(prb)";
	fails(ITRACE_E_NOTFOUND);
	drop = "OFFSET(prb_data_ring.data)";
	fails(ITRACE_E_NOTFOUND);
	bare.vmcoreinfo = NULL;
	assert_int_equal(itrace_prb_read(&bare, &log), ITRACE_E_NOTFOUND);
	bare = source;
	bare.vtop = NULL;
	assert_int_equal(itrace_prb_read(&bare, &log), ITRACE_E_NOTFOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(plain, setup),
		cmocka_unit_test_setup(wrapping, setup),
		cmocka_unit_test_setup(filtered_pages, setup),
		cmocka_unit_test_setup(hostile, setup),
		cmocka_unit_test_setup(no_vmcoreinfo, setup),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
