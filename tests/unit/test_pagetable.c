// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/core/pagetable.c crash-ext/core/status.c */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pagetable.h"
#include "status.h"

/* A machine with MEM bytes of memory from 0; pages in `filtered` are not in the dump. */
#define MEM 0x10000u

static uint8_t mem[MEM];
static uint64_t filtered;

static int read_phys(void *priv, uint64_t pa, void *buf, size_t len)
{
	(void)priv;
	if (pa >= MEM || len > MEM - pa)
		return ITRACE_E_NOTFOUND;
	if (filtered && (pa & ~0xfffull) == filtered)
		return ITRACE_E_FILTERED;
	memcpy(buf, mem + pa, len);
	return 0;
}

static const struct itrace_source source = {.read_phys = read_phys};

#define P  0x1ull
#define W  0x2ull
#define U  0x4ull
#define PS 0x80ull
#define NX (1ull << 63)
#define VA 0xffffffff81234567ull

static void put(uint64_t table, unsigned int index, uint64_t entry)
{
	memcpy(mem + table + index * 8, &entry, 8);
}

/* PML5 at 0x1000, PML4 0x2000, PDPT 0x3000, PD 0x4000, PT 0x5000. */
static int setup(void **state)
{
	(void)state;
	memset(mem, 0, sizeof(mem));
	filtered = 0;
	put(0x1000, 511, 0x2000 | P | W);
	put(0x2000, 511, 0x3000 | P | W);
	put(0x3000, 510, 0x4000 | P | W);
	put(0x4000, 9, 0x5000 | P | W);
	put(0x5000, 0x34, 0x7000 | P);
	return 0;
}

static struct itrace_paging paging4 = {.cr3 = 0x2000, .levels = 4, .phys_bits = 40};

static int walk(const struct itrace_paging *paging, uint64_t va, struct itrace_translation *t)
{
	memset(t, 0xee, sizeof(*t));
	return itrace_translate(&source, paging, va, t);
}

static void small_page(void **state)
{
	struct itrace_paging paging5 = {.cr3 = 0x1fff, .levels = 5, .phys_bits = 40};
	struct itrace_translation t;

	(void)state;
	assert_int_equal(walk(&paging4, VA, &t), 0);
	assert_int_equal(t.pa, 0x7567);
	assert_int_equal(t.page_size, 4096);
	assert_true(t.executable);
	assert_false(t.user);
	assert_false(t.writable);
	assert_int_equal(walk(&paging5, VA, &t), 0);
	assert_int_equal(t.pa, 0x7567);
}

static void rights(void **state)
{
	static const struct {
		uint64_t table;
		unsigned int index;
	} entry[] = {{0x2000, 511}, {0x3000, 510}, {0x4000, 9}, {0x5000, 0x34}};
	struct itrace_translation t;
	unsigned int i;
	uint64_t old;

	/* NX at any one level forbids; U and W need every level. */
	for (i = 0; i < 4; i++) {
		setup(state);
		memcpy(&old, mem + entry[i].table + entry[i].index * 8, 8);
		put(entry[i].table, entry[i].index, old | NX | U | W);
		assert_int_equal(walk(&paging4, VA, &t), 0);
		assert_false(t.executable);
		assert_false(t.user);
	}
	setup(state);
	for (i = 0; i < 4; i++) {
		memcpy(&old, mem + entry[i].table + entry[i].index * 8, 8);
		put(entry[i].table, entry[i].index, old | U | W);
	}
	assert_int_equal(walk(&paging4, VA, &t), 0);
	assert_true(t.executable && t.user && t.writable);
}

static void large_pages(void **state)
{
	struct itrace_translation t;

	put(0x4000, 9, 0x1200000 | P | PS | 0x1000); /* bit 12 is PAT here */
	assert_int_equal(walk(&paging4, VA, &t), 0);
	assert_int_equal(t.pa, 0x1200000 + (VA & 0x1fffff));
	assert_int_equal(t.page_size, 2 << 20);
	put(0x4000, 9, 0x1204000 | P | PS);
	assert_int_equal(walk(&paging4, VA, &t), ITRACE_E_CORRUPT);
	put(0x3000, 510, 0x80000000 | P | PS);
	assert_int_equal(walk(&paging4, VA, &t), 0);
	assert_int_equal(t.pa, 0x80000000 + (VA & 0x3fffffff));
	assert_int_equal(t.page_size, 1 << 30);
	put(0x3000, 510, 0xa0000000 | P | PS);
	assert_int_equal(walk(&paging4, VA, &t), ITRACE_E_CORRUPT);
	setup(state);
	put(0x2000, 511, 0x3000 | P | PS); /* no such page size */
	assert_int_equal(walk(&paging4, VA, &t), ITRACE_E_CORRUPT);
}

static void encryption(void **state)
{
	struct itrace_paging paging = paging4;
	struct itrace_translation t;
	uint64_t c = 1ull << 47;
	unsigned int i;
	uint64_t entry;

	(void)state;
	for (i = 0x2000; i < 0x6000; i += 8) {
		memcpy(&entry, mem + i, 8);
		if (entry)
			put(i, 0, entry | c);
	}
	assert_int_equal(walk(&paging, VA, &t), ITRACE_E_CORRUPT);
	paging.encryption_mask = c;
	paging.cr3 |= c;
	assert_int_equal(walk(&paging, VA, &t), 0);
	assert_int_equal(t.pa, 0x7567);
}

static void bad(void **state)
{
	struct itrace_paging paging = paging4;
	struct itrace_translation t;
	uint64_t table;

	(void)state;
	assert_int_equal(walk(&paging4, 0x0000800000000000ull, &t), ITRACE_E_INVALID);
	assert_int_equal(walk(&paging4, 0xffff7fffffffffffull, &t), ITRACE_E_INVALID);
	assert_int_equal(walk(&paging4, 0x00007fffffffffffull, &t), ITRACE_E_NOTFOUND);
	assert_int_equal(walk(&paging4, 0xffff800000000000ull, &t), ITRACE_E_NOTFOUND);
	paging.levels = 3;
	assert_int_equal(walk(&paging, VA, &t), ITRACE_E_INVALID);
	paging.levels = 5;
	assert_int_equal(walk(&paging, 0x0100000000000000ull, &t), ITRACE_E_INVALID);
	paging.levels = 4;
	for (table = 0x2000; table <= 0x5000; table += 0x1000) {
		filtered = table;
		assert_int_equal(walk(&paging4, VA, &t), ITRACE_E_FILTERED);
	}
	filtered = 0;
	put(0x5000, 0x34, 0x7000);
	assert_int_equal(walk(&paging4, VA, &t), ITRACE_E_NOTFOUND);
	put(0x5000, 0x34, (1ull << 40) | P); /* above MAXPHYADDR */
	assert_int_equal(walk(&paging4, VA, &t), ITRACE_E_CORRUPT);
	paging.phys_bits = 0; /* not known */
	assert_int_equal(walk(&paging, VA, &t), 0);
	paging.phys_bits = ~0u;
	assert_int_equal(walk(&paging, VA, &t), 0);
	put(0x5000, 0x34, 0x7000 | P | (0x7ffull << 52)); /* ignored by the CPU */
	assert_int_equal(walk(&paging4, VA, &t), 0);
	assert_int_equal(t.pa, 0x7567);
	put(0x4000, 9, 0x20000 | P); /* a table where no memory is */
	assert_int_equal(walk(&paging4, VA, &t), ITRACE_E_CORRUPT);
	paging.cr3 = ~0ull;
	assert_int_equal(walk(&paging, VA, &t), ITRACE_E_CORRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(small_page, setup),
		cmocka_unit_test_setup(rights, setup),
		cmocka_unit_test_setup(large_pages, setup),
		cmocka_unit_test_setup(encryption, setup),
		cmocka_unit_test_setup(bad, setup),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
