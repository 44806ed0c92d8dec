// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/options.c crash-ext/core/status.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "options.h"
#include "status.h"

static struct itrace_options options;
static char why[256];

static int parse(enum itrace_front front, const char *line)
{
	static char copy[256];
	char *argv[16] = {"itrace"};
	int argc = 1;

	itrace_options_deinit(&options);
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	return itrace_options_init(&options, front, argc, argv, why, sizeof(why));
}

static void test_defaults(void **state)
{
	(void)state;
	assert_int_equal(parse(ITRACE_FRONT_COMMAND, "dump"), 0);
	assert_int_equal(options.view, ITRACE_VIEW_SUMMARY);
	assert_int_equal(options.cpu, ITRACE_ANY_CPU);
	assert_false(options.n_given);
	assert_false(options.extra);
	assert_string_equal(options.source, "dump");
	assert_int_equal(parse(ITRACE_FRONT_CRASH, ""), 0);
	assert_null(options.source);
}

static void test_letters(void **state)
{
	(void)state;
	assert_int_equal(parse(ITRACE_FRONT_COMMAND, "dump -c 3 -i -n all -q"), 0);
	assert_int_equal(options.cpu, 3);
	assert_int_equal(options.view, ITRACE_VIEW_INSN);
	assert_true(options.quiet);
	assert_true(options.extra);
	assert_true(options.n == UINT64_MAX);
	assert_int_equal(parse(ITRACE_FRONT_CRASH, "-fn20 -x"), 0);
	assert_int_equal(options.view, ITRACE_VIEW_FUNCTIONS);
	assert_true(options.n == 20);
	assert_true(options.extra);
	assert_false(options.quiet);
	assert_int_equal(parse(ITRACE_FRONT_CRASH, "-q"), 0);
	assert_int_equal(options.view, ITRACE_VIEW_INSN);
	assert_int_equal(parse(ITRACE_FRONT_CRASH, "-p"), 0);
	assert_int_equal(options.view, ITRACE_VIEW_PACKETS);
	assert_int_equal(parse(ITRACE_FRONT_COMMAND, "-i dump -n 5"), 0);
	assert_string_equal(options.source, "dump");
	assert_true(options.n == 5);
}

static void test_raw(void **state)
{
	(void)state;
	assert_int_equal(parse(ITRACE_FRONT_COMMAND,
			       "--raw t.pt --image a@b.bin@0xffffffff81000000 "
			       "--image=c@0x1000 --cpu 6/158/10 -i"),
			 0);
	assert_string_equal(options.raw, "t.pt");
	assert_int_equal(options.nr_images, 2);
	assert_string_equal(options.image[0].path, "a@b.bin");
	assert_true(options.image[0].va == 0xffffffff81000000);
	assert_string_equal(options.image[1].path, "c");
	assert_true(options.image[1].va == 0x1000);
	assert_int_equal(options.family, 6);
	assert_int_equal(options.model, 158);
	assert_int_equal(options.stepping, 10);
}

static void test_refused(void **state)
{
	static const char *const command[] = {
		"",
		"a b",
		"a --raw b",
		"a --image c@0x1",
		"a --cpu 6/1/1",
		"a -c",
		"a -c x",
		"a -c -1",
		"a -c 4294967295",
		"a -c 1x",
		"a -n 0",
		"a -n -1",
		"a -n 18446744073709551616",
		"a -n",
		"a -i -f",
		"a -p -q",
		"a -z",
		"a --nonsense",
		"--raw t --image c",
		"--raw t --image c@12",
		"--raw t --image @0x12",
		"--raw t --image c@0x",
		"--raw t --image c@0x1ffffffffffffffff",
		"--raw t --cpu 6",
		"--raw t --cpu 6/1",
		"--raw t --cpu 6/1/1/1",
		"--raw t --cpu 6//1",
		"--raw",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(command) / sizeof(command[0]); i++) {
		if (parse(ITRACE_FRONT_COMMAND, command[i]) != ITRACE_E_INVALID)
			fail_msg("taken: %s", command[i]);
		if (!*why || strchr(why, '\n'))
			fail_msg("not one line for: %s", command[i]);
	}
	assert_int_equal(parse(ITRACE_FRONT_CRASH, "vmcore"), ITRACE_E_INVALID);
	assert_int_equal(parse(ITRACE_FRONT_CRASH, "--raw x"), ITRACE_E_INVALID);
}

static void test_help(void **state)
{
	(void)state;
	assert_int_equal(parse(ITRACE_FRONT_COMMAND, "--help"), 0);
	assert_true(options.help);
	assert_int_equal(parse(ITRACE_FRONT_COMMAND, "--version"), 0);
	assert_true(options.version);
	assert_int_equal(parse(ITRACE_FRONT_CRASH, "-h"), 0);
	assert_true(options.help);
	for (int front = 0; front < 2; front++)
		for (const char *const *line = itrace_options_help(front); *line; line++)
			if (strlen(*line) > 90 || strchr(*line, '\n') || strchr(*line, '%'))
				fail_msg("not a line for every screen and printf: %s", *line);
}

static int teardown(void **state)
{
	(void)state;
	itrace_options_deinit(&options);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_letters),
		cmocka_unit_test(test_raw),	 cmocka_unit_test(test_refused),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
