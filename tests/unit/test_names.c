// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/core/names.c crash-ext/core/collect.c crash-ext/core/problem.c crash-ext/core/status.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "collect.h"
#include "names.h"
#include "status.h"

static int lookups;

/* One symbol of 0x100 bytes every 0x1000; a hostile one at 0x5000. */
static int symbol(void *priv, uint64_t addr, char *name, size_t size, char *module,
		  size_t module_size, uint64_t *start)
{
	(void)priv;
	lookups++;
	if ((addr & 0xfff) >= 0x100 || addr >= 0x1000000)
		return ITRACE_E_NOTFOUND;
	*start = addr & ~0xfffull;
	snprintf(name, size, *start == 0x5000 ? "a\033[2Jb c" : "s%x", (unsigned)(*start >> 12));
	snprintf(module, module_size, "%s", "");
	return 0;
}

static const struct itrace_source source = {.symbol = symbol};
static struct itrace_module module[] = {{.name = "demo", .base = 0xc0000000, .size = 0x1000}};
static const struct itrace_record record = {.module = module, .nr_modules = 1};

static void test_format(void **state)
{
	static const struct {
		uint64_t addr;
		const char *text;
	} row[] = {
		{0x1000, "s1"},		  {0x1010, "s1+0x10"},		{0x1200, "0x1200"},
		{0xc0000000, "[demo]"},	  {0xc0000fff, "[demo]+0xfff"}, {0xc0001000, "0xc0001000"},
		{0x5001, "a?[2Jb?c+0x1"}, {0x1234567, "0x1234567"},
	};
	struct itrace_names *names = itrace_names_create(&source, &record);
	char buf[320];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		itrace_names_format(names, row[i].addr, buf, sizeof(buf));
		assert_string_equal(buf, row[i].text);
	}
	itrace_names_destroy(names);
	names = itrace_names_create(NULL, NULL);
	itrace_names_format(names, 0x1000, buf, sizeof(buf));
	assert_string_equal(buf, "0x1000");
	itrace_names_destroy(names);
}

/* Each address once, equal names one pointer, however many there are. */
static void test_many(void **state)
{
	struct itrace_names *names = itrace_names_create(&source, &record);

	(void)state;
	lookups = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (uint64_t i = 0; i < 20000; i++) {
			uint64_t addr = (i / 16 << 12) + i % 16;
			const struct itrace_name *name = itrace_names_get(names, addr);

			assert_int_equal(name->start, addr & ~0xfffull);
			assert_ptr_equal(name->symbol,
					 itrace_names_get(names, addr & ~0xfffull)->symbol);
		}
	}
	assert_int_equal(lookups, 20000);
	itrace_names_destroy(names);
}

static void test_collect_once(void **state)
{
	struct itrace_collect collect;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	itrace_collect_init(&collect);
	for (int i = 0; i < 3; i++) {
		itrace_problem(&collect.problems, 1, 0x10, "corrupt: %s: x", "a");
		itrace_problem(&collect.problems, 2, ITRACE_NO_OFFSET, "b: y");
		itrace_problem(&collect.problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET, "c: z");
	}
	assert_int_equal(itrace_collect_count(&collect, ITRACE_NO_CPU), 3);
	assert_int_equal(itrace_collect_count(&collect, 1), 1);
	assert_null(itrace_collect_take(&collect, 1, 0x11));
	assert_string_equal(itrace_collect_take(&collect, 1, 0x10), "corrupt: a: x");
	assert_int_equal(itrace_collect_flush(&collect, out, ""), 2);
	assert_int_equal(itrace_collect_flush(&collect, out, ""), 0);
	fclose(out);
	assert_string_equal(text, "[cpu 2] b: y\nitrace: c: z\n");
	free(text);
	itrace_collect_deinit(&collect);
}

static void test_collect_bound(void **state)
{
	struct itrace_collect collect;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	itrace_collect_init(&collect);
	for (uint64_t i = 0; i < ITRACE_COLLECT_MAX + 5; i++)
		itrace_problem(&collect.problems, 1, i, "x");
	assert_int_equal(itrace_collect_count(&collect, ITRACE_NO_CPU), ITRACE_COLLECT_MAX + 5);
	itrace_collect_flush(&collect, out, "");
	fclose(out);
	assert_non_null(strstr(text, "itrace: 5 more problems"));
	free(text);
	itrace_collect_deinit(&collect);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_collect_once),
		cmocka_unit_test(test_collect_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
