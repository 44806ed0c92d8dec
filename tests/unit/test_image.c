// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/core/image.c crash-ext/core/pagetable.c crash-ext/core/status.c */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "image.h"
#include "status.h"

#define MEM  0x10000u
#define TEXT 0xffffffff81000000ull

static uint8_t mem[MEM];
static uint64_t filtered;
static unsigned int reads;

static int read_phys(void *priv, uint64_t pa, void *buf, size_t len)
{
	(void)priv;
	reads++;
	if (pa >= MEM || len > MEM - pa)
		return ITRACE_E_NOTFOUND;
	if (filtered && (pa & ~0xfffull) == filtered)
		return ITRACE_E_FILTERED;
	memcpy(buf, mem + pa, len);
	return 0;
}

static const struct itrace_source source = {.read_phys = read_phys};
static const struct itrace_paging paging = {.cr3 = 0x2000, .levels = 4, .phys_bits = 40};

static void put(uint64_t table, unsigned int index, uint64_t entry)
{
	memcpy(mem + table + index * 8, &entry, 8);
}

/* Text pages 0 to 3 at 0x8000, 0xc000 (filtered out), NX, and one without memory behind it. */
static int setup(void **state)
{
	struct itrace_image *image = itrace_image_create();
	unsigned int i;

	assert_non_null(image);
	memset(mem, 0, sizeof(mem));
	put(0x2000, 511, 0x3000 | 3);
	put(0x3000, 510, 0x4000 | 3);
	put(0x4000, 8, 0x5000 | 3);
	put(0x5000, 0, 0x8000 | 1);
	put(0x5000, 1, 0xc000 | 1);
	put(0x5000, 2, 0x9000 | 1 | (1ull << 63));
	put(0x5000, 3, 0x20000 | 1);
	for (i = 0; i < 4096; i++)
		mem[0x8000 + i] = (uint8_t)(i * 7);
	filtered = 0xc000;
	reads = 0;
	itrace_image_set_paged(image, &source, &paging);
	*state = image;
	return 0;
}

static int teardown(void **state)
{
	itrace_image_destroy(*state);
	return 0;
}

static void pages(void **state)
{
	struct itrace_image *image = *state;
	const uint8_t *first;
	const uint8_t *bytes;
	unsigned int before;

	assert_int_equal(itrace_image_get(image, TEXT, &first), 4096);
	assert_memory_equal(first, mem + 0x8000, 4096);
	before = reads;
	mem[0x8000] ^= 0xff; /* the answer never changes */
	assert_int_equal(itrace_image_get(image, TEXT + 0xffe, &bytes), 2);
	assert_ptr_equal(bytes, first + 0xffe);
	assert_int_equal(reads, before);
	assert_int_equal(itrace_image_get(image, TEXT + 0x1000, &bytes), ITRACE_E_FILTERED);
	assert_int_equal(itrace_image_get(image, TEXT + 0x1fff, &bytes), ITRACE_E_FILTERED);
	assert_int_equal(itrace_image_missing(image), 1);
	assert_int_equal(itrace_image_get(image, TEXT + 0x2000, &bytes), ITRACE_E_NOTFOUND);
	assert_int_equal(itrace_image_get(image, TEXT + 0x3000, &bytes), ITRACE_E_NOTFOUND);
	assert_int_equal(itrace_image_get(image, 0x123456789abcdefull, &bytes), ITRACE_E_NOTFOUND);
	put(0x5000, 4, (1ull << 45) | 1);
	assert_int_equal(itrace_image_get(image, TEXT + 0x4000, &bytes), ITRACE_E_CORRUPT);
	assert_int_equal(itrace_image_missing(image), 1);
}

static void mappings(void **state)
{
	static const uint8_t a[8192] = {[0] = 'a', [0xfff] = 'b', [0x1fff] = 'c'};
	static const uint8_t d[16] = {'d'};
	struct itrace_image *image = *state;
	const uint8_t *bytes;

	assert_int_equal(itrace_image_add(image, 0x10800, a, sizeof(a)), 0);
	assert_int_equal(itrace_image_get(image, 0x107ff, &bytes), ITRACE_E_NOTFOUND);
	assert_int_equal(itrace_image_get(image, 0x10800, &bytes), 0x800);
	assert_ptr_equal(bytes, a);
	assert_int_equal(itrace_image_get(image, 0x12000, &bytes), 0x800);
	assert_ptr_equal(bytes, a + 0x1800);
	assert_int_equal(itrace_image_get(image, 0x12800, &bytes), ITRACE_E_NOTFOUND);

	/* A later one wins, and ends the answer of what lies before it. */
	assert_int_equal(itrace_image_add(image, 0x10900, d, sizeof(d)), 0);
	assert_int_equal(itrace_image_get(image, 0x10800, &bytes), 0x100);
	assert_int_equal(itrace_image_get(image, 0x10901, &bytes), 15);
	assert_ptr_equal(bytes, d + 1);
	assert_int_equal(itrace_image_get(image, 0x10910, &bytes), 0x6f0);
	assert_ptr_equal(bytes, a + 0x110);
	assert_int_equal(itrace_image_add(image, TEXT + 0x10, d, sizeof(d)), 0);
	assert_int_equal(itrace_image_get(image, TEXT, &bytes), 0x10);
	assert_int_equal(itrace_image_get(image, TEXT + 0x20, &bytes), 0xfe0);
	assert_int_equal(bytes[0], (uint8_t)(0x20 * 7));
}

static void mapping_edges(void **state)
{
	static const uint8_t a[32];
	struct itrace_image *image = *state;
	const uint8_t *bytes;

	assert_int_equal(itrace_image_add(image, UINT64_MAX - 31, a, 32), 0);
	assert_int_equal(itrace_image_get(image, UINT64_MAX, &bytes), 1);
	assert_ptr_equal(bytes, a + 31);
	assert_int_equal(itrace_image_add(image, UINT64_MAX - 30, a, 32), ITRACE_E_INVALID);
	assert_int_equal(itrace_image_add(image, 0, a, 0), ITRACE_E_INVALID);
}

static void read_across(void **state)
{
	static const uint8_t a[0x20] = "0123456789abcdef0123456789abcde";
	struct itrace_image *image = *state;
	uint8_t buf[64];

	assert_int_equal(itrace_image_add(image, 0xff0, a, sizeof(a)), 0);
	assert_int_equal(itrace_image_read(image, 0xff1, buf, 0x1f), 0x1f);
	assert_memory_equal(buf, a + 1, 0x1f);
	assert_int_equal(itrace_image_read(image, 0x1000, buf, 64), 0x10);
	assert_int_equal(itrace_image_read(image, 0x1010, buf, 64), ITRACE_E_NOTFOUND);
	/* The next page was filtered out: what is there is given. */
	assert_int_equal(itrace_image_read(image, TEXT + 0xff8, buf, 15), 8);
	assert_memory_equal(buf, mem + 0x8ff8, 8);
	assert_int_equal(itrace_image_read(image, TEXT + 0x1000, buf, 15), ITRACE_E_FILTERED);
}

/* More pages than the first table has room for: every answer stays right, pointers valid. */
static void many(void **state)
{
	struct itrace_image *image = *state;
	const uint8_t *first;
	const uint8_t *bytes;
	unsigned int i;

	put(0x4000, 9, 0x0 | 0x81 | 2); /* a 2 MiB page over all of memory */
	assert_int_equal(itrace_image_get(image, TEXT + 0x208000, &first), 4096);
	for (i = 0; i < 5000; i++)
		assert_int_equal(itrace_image_get(image, 0x400000 + i * 4096ull, &bytes),
				 ITRACE_E_NOTFOUND);
	assert_int_equal(itrace_image_get(image, TEXT + 0x208000, &bytes), 4096);
	assert_ptr_equal(bytes, first);
	assert_memory_equal(bytes, mem + 0x8000, 4096);
}

static void files_only(void **state)
{
	struct itrace_image *image = itrace_image_create();
	const uint8_t *bytes;

	(void)state;
	assert_int_equal(itrace_image_get(image, TEXT, &bytes), ITRACE_E_NOTFOUND);
	itrace_image_destroy(image);
	itrace_image_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pages, setup, teardown),
		cmocka_unit_test_setup_teardown(mappings, setup, teardown),
		cmocka_unit_test_setup_teardown(mapping_edges, setup, teardown),
		cmocka_unit_test_setup_teardown(read_across, setup, teardown),
		cmocka_unit_test_setup_teardown(many, setup, teardown),
		cmocka_unit_test(files_only),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
