// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/core/record_find.c crash-ext/core/record.c crash-ext/core/record_check.c crash-ext/core/record_part.c crash-ext/core/record_lists.c crash-ext/core/record_info.c crash-ext/core/vmcoreinfo.c crash-ext/core/problem.c crash-ext/core/status.c */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "record_fixture.h"

#define SYMBOL_VA 0xffffffffc0001000ull
#define SYMBOL_PA 0x9000u

static const char *log_text;

static int lookup(void *priv, const char *name, uint64_t *addr)
{
	(void)priv;
	*addr = SYMBOL_VA;
	return strcmp(name, "itrace_record") ? ITRACE_E_NOTFOUND : 0;
}

static int vtop(void *priv, uint64_t va, uint64_t *pa)
{
	(void)priv;
	*pa = SYMBOL_PA;
	return va == SYMBOL_VA ? 0 : ITRACE_E_NOTFOUND;
}

static int get_log(void *priv, char **log)
{
	(void)priv;
	if (!log_text)
		return ITRACE_E_FILTERED;
	*log = strdup(log_text);
	return 0;
}

/* Memory in two ranges; what lies between is not in the dump. */
static int next_range(void *priv, uint64_t from, uint64_t *start, uint64_t *end)
{
	static const uint64_t range[][2] = {{0, 0x20000}, {0x30000, MEM}};
	unsigned int i;

	(void)priv;
	for (i = 0; i < 2; i++) {
		if (range[i][1] > from) {
			*start = range[i][0];
			*end = range[i][1];
			return 0;
		}
	}
	return ITRACE_E_NOTFOUND;
}

static const struct itrace_source all = {
	.read_phys = read_phys,
	.lookup = lookup,
	.vtop = vtop,
	.log = get_log,
	.next_range = next_range,
	.max_pa = MEM,
};

static int setup(void **state)
{
	uint64_t pa = HEADER;

	make_record(state);
	memcpy(at(SYMBOL_PA), &pa, sizeof(pa));
	log_text = NULL;
	return 0;
}

/* A copy of the header elsewhere, with its own address and time. */
static void copy_header(uint64_t to, uint64_t real_ns)
{
	struct itrace_header *header = at(to);

	memcpy(header, at(HEADER), sizeof(*header));
	header->pa = to;
	header->arm_real_ns = real_ns;
	seal(&header->part, ITRACE_PART_HEADER, sizeof(*header) - 16);
}

static void found_at(const struct itrace_source *source, uint64_t pa, uint64_t scanned)
{
	struct itrace_record record;
	uint64_t looked;

	nr_lines = 0;
	assert_int_equal(itrace_record_find(&record, source, &problems, &looked), 0);
	assert_int_equal(record.pa, pa);
	assert_int_equal(looked, scanned);
	assert_true(record.cpu[0].slot_ok);
	itrace_record_deinit(&record);
}

static void fails(const struct itrace_source *source, int status, unsigned int expected_lines)
{
	struct itrace_record record;
	uint64_t looked;

	nr_lines = 0;
	assert_int_equal(itrace_record_find(&record, source, &problems, &looked), status);
	assert_int_equal(nr_lines, expected_lines);
}

static void by_symbol(void **state)
{
	(void)state;
	found_at(&all, HEADER, 0);
	assert_int_equal(nr_lines, 0);
}

static void symbol_then_log(void **state)
{
	uint64_t wrong = 0x40000;

	(void)state;
	copy_header(0x40000, 5);
	mem[0x40000 + 100] ^= 1;
	memcpy(at(SYMBOL_PA), &wrong, 8);
	log_text = "[    1.0] itrace: record v1 pa=0x10000 len=4096 boot=x\n[    2.0] other\n";
	found_at(&all, HEADER, 0);
	assert_int_equal(nr_lines, 1);
	assert_non_null(strstr(lines[0], "corrupt: record at 0x40000 has CRC "));
	assert_non_null(strstr(lines[0], "; trying the log line's address"));
}

static void by_log(void **state)
{
	struct itrace_source source = all;

	(void)state;
	source.lookup = NULL;
	copy_header(0x50000, 5);
	/* The newest line wins; those that user space forged, or garbled, are passed over. */
	log_text = "[1] itrace: record v1 pa=0x10000 len=1 boot=a\n"
		   "[2] itrace: record v1 pa=0x50000 len=1 boot=a\n"
		   "[3] itrace: record v1 pa=0x60000 len=1 boot=a\n"
		   "[4] itrace: record v1 pa=zzz\n"
		   "[5] itrace: record v1 pa=0x99999999999999999\n"
		   "[6] itrace: record v1";
	found_at(&source, 0x50000, 0);
	assert_int_equal(nr_lines, 1);
	assert_string_equal(lines[0], "not found: no record at 0x60000; "
				      "searching memory for the magic");
}

static void by_scan(void **state)
{
	struct itrace_source source = all;
	uint64_t in_dump = 0x20000 + MEM - 0x30000;

	(void)state;
	source.lookup = NULL;
	found_at(&source, HEADER, in_dump);
	/* An older boot's record is still in memory, one is between the ranges, one is damaged. */
	copy_header(0x8000, 1);
	copy_header(0x20000, 99999);
	copy_header(0x70000, 88888);
	mem[0x70000 + 200] ^= 1;
	found_at(&source, HEADER, in_dump);
	assert_int_equal(nr_lines, 1);
	assert_non_null(strstr(lines[0], "corrupt: record at 0x70000 has CRC"));
	copy_header(0x60000, 2000);
	found_at(&source, 0x60000, in_dump);
	filtered = 0x60000;
	found_at(&source, HEADER, in_dump - 4096);
	filtered = 0;
	source.next_range = NULL;
	found_at(&source, 0x20000, MEM);
}

static void nowhere(void **state)
{
	struct itrace_source source = all;
	struct itrace_header *header = at(HEADER);
	uint64_t zero = 0;

	(void)state;
	/* The page is filtered out: said once, though symbol and log both name it. */
	log_text = "itrace: record v1 pa=0x10000 len=4096 boot=x\n";
	filtered = HEADER;
	fails(&source, ITRACE_E_FILTERED, 1);
	assert_string_equal(lines[0], "filtered out of the dump: record at 0x10000; "
				      "trying the log line's address");
	filtered = 0;
	header->flags ^= 1;
	fails(&source, ITRACE_E_CORRUPT, 1);
	header->flags ^= 1;
	header->major = 9;
	seal_header();
	fails(&source, ITRACE_E_UNSUPPORTED, 1);
	assert_string_equal(lines[0], "unsupported: record version 9.0, this itrace reads 1.x");
	memset(header, 0, sizeof(*header));
	memcpy(at(SYMBOL_PA), &zero, 8);
	log_text = NULL;
	fails(&source, ITRACE_E_NODATA, 1);
	filtered = SYMBOL_PA & ~0xfffu;
	fails(&source, ITRACE_E_NOTFOUND, 1);
	filtered = 0;
	source.lookup = NULL;
	fails(&source, ITRACE_E_NOTFOUND, 0);
	/* Armed twice, and unloaded before the dump: one line for the log's newest, one for what it
	 * means. */
	log_text = "[1] itrace: record v1 pa=0x50000 len=1 boot=a\n"
		   "[2] itrace: record v1 pa=0x60000 len=1 boot=a\n";
	fails(&source, ITRACE_E_NODATA, 2);
	assert_non_null(strstr(lines[0], "no record at 0x60000"));
	assert_non_null(strstr(lines[1], "had been disarmed or unloaded"));
	source.log = NULL;
	source.next_range = NULL;
	source.max_pa = 0;
	fails(&source, ITRACE_E_NOTFOUND, 0);
}

static uint64_t damaged_from;

static int read_damaged(void *priv, uint64_t pa, void *buf, size_t len)
{
	return pa >= damaged_from ? ITRACE_E_CORRUPT : read_phys(priv, pa, buf, len);
}

/* A dump that was cut off does not look like one without the module. */
static void damaged_dump(void **state)
{
	struct itrace_source source = {.read_phys = read_damaged, .max_pa = MEM};

	(void)state;
	damaged_from = 0x10000;
	fails(&source, ITRACE_E_CORRUPT, 1);
	assert_string_equal(lines[0], "corrupt: 240 pages of the dump can't be read (cut off?): "
				      "no record in the rest");
	damaged_from = 0x90000;
	found_at(&source, HEADER, damaged_from);
	assert_int_equal(nr_lines, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, free_record)
	const struct CMUnitTest tests[] = {
		TEST(by_symbol), TEST(symbol_then_log), TEST(by_log),
		TEST(by_scan),	 TEST(nowhere),		TEST(damaged_dump),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
