/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: kernel/window.c */
/*
 * The sampler's window: the 2014 rule against a straight copy of all that was ever written, for
 * every position of a small ring, and for rings of several pages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "window.h"

#define PAGE ITRACE_WINDOW_PAGE

/* A ring of whole pages into which a counted stream is written. */
struct ring {
	uint8_t *mem;
	void *pages[16];
	uint64_t bytes;
};

static uint8_t stream_byte(uint64_t i)
{
	return (uint8_t)(i * 7 + (i >> 8) * 13 + 1);
}

static void ring_create(struct ring *r, uint64_t bytes)
{
	uint64_t i;

	r->bytes = bytes;
	r->mem = calloc(1, bytes < PAGE ? PAGE : bytes);
	assert_non_null(r->mem);
	for (i = 0; i * PAGE < bytes; i++)
		r->pages[i] = r->mem + i * PAGE;
}

static void ring_write(struct ring *r, uint64_t from, uint64_t to)
{
	for (; from < to; from++)
		r->mem[from % r->bytes] = stream_byte(from);
}

/* The newest @size bytes of the @written ones; bytes before the first are the ring's zeros. */
static void check(const struct ring *r, uint64_t written, uint64_t size)
{
	uint64_t want = size < r->bytes ? size : r->bytes;
	struct itrace_window w;
	uint8_t out[PAGE * 4 + 8];
	uint64_t i;
	size_t n;

	assert_int_equal(itrace_window(&w, r->bytes, written, size), 0);
	assert_int_equal(w.size, want);
	assert_true(w.from < r->bytes || w.size == 0);
	memset(out, 0xee, sizeof(out));
	n = itrace_window_copy(out, sizeof(out), r->pages, &w);
	assert_int_equal(n, itrace_window_padded(&w));
	assert_int_equal(n % 8, 0);
	for (i = 0; i < want; i++) {
		uint64_t back = want - i; /* bytes before the position */
		uint8_t right = back > written ? 0 : stream_byte(written - back);

		assert_int_equal(out[i], right);
	}
	for (; i < n; i++)
		assert_int_equal(out[i], 0);
	assert_int_equal(out[n], 0xee);
}

static void every_position(void **state)
{
	struct ring r;
	uint64_t written, size;

	(void)state;
	ring_create(&r, 64);
	for (written = 0; written < 200; written++) {
		ring_write(&r, written ? written - 1 : 0, written);
		for (size = 0; size <= 80; size++)
			check(&r, written, size);
	}
	free(r.mem);
}

static void across_pages(void **state)
{
	static const uint64_t sizes[] = {
		1, 7, 8, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 4 * PAGE - 1, 4 * PAGE, 9 * PAGE};
	struct ring r;
	uint64_t written;
	size_t i;

	(void)state;
	ring_create(&r, 4 * PAGE);
	for (written = 0; written < 10 * PAGE; written += 509) {
		ring_write(&r, written < 509 ? 0 : written - 509, written);
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			check(&r, written, sizes[i]);
	}
	free(r.mem);
}

static void the_rule_itself(void **state)
{
	struct itrace_window w;

	(void)state;
	/* to = pos; from = to < size ? ring + to - size : to - size */
	assert_int_equal(itrace_window(&w, 0x1000, 0x300, 0x100), 0);
	assert_int_equal(w.from, 0x200);
	assert_int_equal(w.to, 0x300);
	assert_int_equal(itrace_window(&w, 0x1000, 0x300, 0x400), 0);
	assert_int_equal(w.from, 0xf00);
	assert_int_equal(itrace_window(&w, 0x1000, 0x300, 0x300), 0);
	assert_int_equal(w.from, 0);
	assert_int_equal(itrace_window(&w, 0x1000, 0x300, ~0ull), 0);
	assert_int_equal(w.from, 0x300);
	assert_int_equal(w.size, 0x1000);
	assert_int_equal(itrace_window(&w, 0x1000, 0x5300, 0x100), 0);
	assert_int_equal(w.to, 0x300);
}

static void refusals(void **state)
{
	struct ring r;
	struct itrace_window w;
	uint8_t out[16];

	(void)state;
	assert_int_equal(itrace_window(&w, 0, 0, 8), -EINVAL);
	assert_int_equal(itrace_window(&w, 3 * PAGE, 0, 8), -EINVAL);

	ring_create(&r, PAGE);
	assert_int_equal(itrace_window(&w, PAGE, 100, 13), 0);
	memset(out, 0xee, sizeof(out));
	assert_int_equal(itrace_window_copy(out, 15, r.pages, &w), 0);
	assert_int_equal(out[0], 0xee);
	assert_int_equal(itrace_window_copy(out, 16, r.pages, &w), 16);
	free(r.mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rule_itself),
		cmocka_unit_test(every_position),
		cmocka_unit_test(across_pages),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
