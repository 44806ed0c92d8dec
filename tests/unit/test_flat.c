// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/source/flat.c crash-ext/core/status.c */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flat.h"
#include "status.h"

static FILE *in; /* the flattened dump */
static char why[256];
static uint8_t head[11];
static struct itrace_flat_info info = {.head = head, .head_len = sizeof(head)};

static void number(uint64_t n)
{
	n = htobe64(n);
	assert_int_equal(fwrite(&n, 8, 1, in), 1);
}

static void start(const char *signature, uint64_t type, uint64_t version)
{
	char name[16] = {0};

	if (in)
		fclose(in);
	in = tmpfile();
	assert_non_null(in);
	why[0] = '\0';
	memcpy(name, signature, strlen(signature));
	fwrite(name, 16, 1, in);
	number(type);
	number(version);
	fseek(in, 4096, SEEK_SET);
}

static void record(int64_t offset, int64_t size, const char *bytes, size_t len)
{
	number((uint64_t)offset);
	number((uint64_t)size);
	fwrite(bytes, 1, len, in);
}

/* Both ways of looking at it must agree. Gives the ordered file or -1. */
static int order(int expected)
{
	int fd = -1;

	fflush(in);
	assert_int_equal(itrace_flat_check(fileno(in), &info, why, sizeof(why)), expected);
	assert_int_equal(itrace_flat_order(fileno(in), &fd, why, sizeof(why)), expected);
	return fd;
}

static void whole(void **state)
{
	char buf[64] = {0};
	int fd;

	(void)state;
	start("makedumpfile", 1, 1);
	record(8, 4, "efgh", 4);
	record(0, 4, "ABCD", 4);
	record(1, 2, "bc", 2); /* a later one overwrites */
	record(-1, -1, "rest of a raw disk", 18);
	assert_true(itrace_flat_is(fileno(in)));
	fd = order(0);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, buf, sizeof(buf), 0), 12);
	assert_memory_equal(buf, "AbcD\0\0\0\0efgh", 12);
	assert_memory_equal(head, "AbcD\0\0\0\0efgh", 11);
	assert_int_equal(info.size, 12);
	close(fd);
}

/* More than one buffer, and more than 32 bits of offset. */
static void large(void **state)
{
	size_t len = (2u << 20) + 17;
	char *bytes = malloc(len);
	char *back = malloc(len);
	size_t i;
	int fd;

	(void)state;
	for (i = 0; i < len; i++)
		bytes[i] = (char)(i * 31 + i / 4099);
	start("makedumpfile", 1, 1);
	record(5ll << 32, (int64_t)len, bytes, len);
	record(-1, -1, "", 0);
	fd = order(0);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, back, len, 5ll << 32), len);
	assert_memory_equal(back, bytes, len);
	assert_int_equal(info.size, (5ll << 32) + (int64_t)len);
	close(fd);
	free(bytes);
	free(back);
}

static void cut_off(void **state)
{
	long end, cut;

	(void)state;
	start("makedumpfile", 1, 1);
	record(0, 4, "ABCD", 4);
	record(100, 3, "xyz", 3);
	record(-1, -1, "", 0);
	fflush(in);
	end = ftell(in);
	/* From whole down to nothing behind the header: every cut is noticed. */
	assert_int_equal(close(order(0)), 0);
	for (cut = end - 1; cut >= 4096; cut--) {
		assert_int_equal(ftruncate(fileno(in), cut), 0);
		assert_int_equal(order(ITRACE_E_CORRUPT), -1);
		assert_non_null(strstr(why, "flattened dump is cut off after "));
	}
	assert_int_equal(ftruncate(fileno(in), 31), 0);
	assert_int_equal(order(ITRACE_E_CORRUPT), -1);
	assert_string_equal(why, "flattened dump is cut off in its header");
	assert_int_equal(ftruncate(fileno(in), 15), 0);
	assert_false(itrace_flat_is(fileno(in)));
}

static void hostile(void **state)
{
	static const int64_t bad[][2] = {
		{-1, 4},	{4, -1},	{-2, -2},
		{0, 0},		{INT64_MIN, 4}, {4, INT64_MIN},
		{INT64_MAX, 4}, {4, INT64_MAX}, {(1ll << 46) + 1, 4},
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		start("makedumpfile", 1, 1);
		record(bad[i][0], bad[i][1], "ABCD", 4);
		record(-1, -1, "", 0);
		assert_int_equal(order(ITRACE_E_CORRUPT), -1);
	}
	start("makedumpfile", 2, 1);
	assert_int_equal(order(ITRACE_E_UNSUPPORTED), -1);
	start("makedumpfile", 1, 2);
	assert_int_equal(order(ITRACE_E_UNSUPPORTED), -1);
	assert_string_equal(why, "flattened dump of type 1, version 2");
	start("makedumpfilf", 1, 1);
	fflush(in);
	assert_false(itrace_flat_is(fileno(in)));
	assert_false(itrace_flat_is(-1));
}

static void no_room(void **state)
{
	int fd = -1;

	(void)state;
	start("makedumpfile", 1, 1);
	record(-1, -1, "", 0);
	fflush(in);
	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_equal(itrace_flat_order(fileno(in), &fd, why, sizeof(why)), ITRACE_E_SYSTEM);
	assert_string_equal(why, "temporary file in /nonexistent: No such file or directory");
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),   cmocka_unit_test(large),   cmocka_unit_test(cut_off),
		cmocka_unit_test(hostile), cmocka_unit_test(no_room),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
