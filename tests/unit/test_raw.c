// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/source/raw.c crash-ext/core/status.c */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "raw.h"
#include "status.h"

/* Around the sizes at which the buffer grows. */
static void sizes(void **state)
{
	static const size_t size[] = {0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5000000};
	char path[] = "/tmp/itrace-test-raw.XXXXXX";
	int fd = mkstemp(path);
	struct itrace_raw raw;
	uint8_t *bytes = malloc(5000000);
	size_t i;

	(void)state;
	assert_true(fd >= 0);
	for (i = 0; i < 5000000; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 251);
	for (i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bytes, size[i], 0), size[i]);
		assert_int_equal(itrace_raw_init(&raw, path), 0);
		assert_int_equal(raw.len, size[i]);
		assert_memory_equal(raw.bytes, bytes, size[i]);
		itrace_raw_deinit(&raw);
		assert_null(raw.bytes);
	}
	free(bytes);
	close(fd);
	unlink(path);
}

static void unreadable(void **state)
{
	struct itrace_raw raw;

	(void)state;
	assert_int_equal(itrace_raw_init(&raw, "/nonexistent/file"), ITRACE_E_SYSTEM);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(itrace_raw_init(&raw, "/"), ITRACE_E_SYSTEM);
	assert_int_equal(errno, EISDIR);
	assert_null(raw.bytes);
	assert_int_equal(raw.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(unreadable),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
