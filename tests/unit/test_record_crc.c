/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: */
/*
 * How the module seals a part of the record: its CRC against zlib's, its sequence number, and what
 * happens to a slot that another CPU turns to "no answer" while its own CPU writes it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>

#include "part.h"

static void crc_is_zlibs(void **state)
{
	uint8_t data[1031];
	size_t i, len;

	(void)state;
	assert_int_equal(itrace_crc32(0, "123456789", 9), 0xcbf43926);
	srand(1);
	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)rand();
	for (len = 0; len <= sizeof(data); len++)
		assert_int_equal(itrace_crc32(0, data, len), crc32(0, data, (uInt)len));
	/* in pieces */
	for (len = 0; len <= sizeof(data); len += 17)
		assert_int_equal(
			itrace_crc32(itrace_crc32(0, data, len), data + len, sizeof(data) - len),
			crc32(0, data, sizeof(data)));
}

static void part_is_sealed(void **state)
{
	struct itrace_event e;

	(void)state;
	memset(&e, 0, sizeof(e));
	itrace_part_begin(&e.part);
	assert_int_equal(e.part.seq, 1);
	e.reason = ITRACE_REASON_OOPS;
	itrace_part_end(&e.part, ITRACE_PART_EVENT, sizeof(e));
	assert_int_equal(e.part.seq, 2);
	assert_int_equal(e.part.type, ITRACE_PART_EVENT);
	assert_int_equal(e.part.len, sizeof(e));
	assert_int_equal(e.part.crc, crc32(0, (const uint8_t *)&e + 8, sizeof(e) - 8));

	/* A writer that died half way: still odd, and its successor ends even again. */
	itrace_part_begin(&e.part);
	itrace_part_begin(&e.part);
	assert_int_equal(e.part.seq, 3);
	itrace_part_end(&e.part, ITRACE_PART_EVENT, sizeof(e));
	assert_int_equal(e.part.seq, 4);
}

static void every_bit_counts(void **state)
{
	struct itrace_cpu slot;
	size_t i;

	(void)state;
	memset(&slot, 0x5a, sizeof(slot));
	itrace_part_begin(&slot.part);
	itrace_part_end(&slot.part, ITRACE_PART_CPU, sizeof(slot));
	for (i = 8 * 8; i < 8 * sizeof(slot); i++) {
		((uint8_t *)&slot)[i / 8] ^= 1 << i % 8;
		assert_int_not_equal(itrace_part_crc(&slot.part, sizeof(slot)), slot.part.crc);
		((uint8_t *)&slot)[i / 8] ^= 1 << i % 8;
	}
	assert_int_equal(itrace_part_crc(&slot.part, sizeof(slot)), slot.part.crc);
	/* crc and seq are not covered: they change while the rest is in place */
	slot.part.seq += 2;
	assert_int_equal(itrace_part_crc(&slot.part, sizeof(slot)), slot.part.crc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc_is_zlibs),
		cmocka_unit_test(part_is_sealed),
		cmocka_unit_test(every_bit_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
