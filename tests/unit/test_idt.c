// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/core/idt.c crash-ext/core/status.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "idt.h"
#include "pagetable.h"
#include "status.h"

#define BASE 0xfffffe0000000000

static uint8_t table[4096];
static int translate_status;

int itrace_translate(const struct itrace_source *source, const struct itrace_paging *paging,
		     uint64_t va, struct itrace_translation *ret)
{
	(void)source;
	(void)paging;
	*ret = (struct itrace_translation){.pa = va - BASE};
	return translate_status;
}

/* From vector 200 on the table is not in the dump. */
static int read_phys(void *priv, uint64_t pa, void *buf, size_t len)
{
	(void)priv;
	if (pa + len > 200 * 16)
		return ITRACE_E_FILTERED;
	memcpy(buf, table + pa, len);
	return 0;
}

static const struct itrace_source source = {.read_phys = read_phys};
static const struct itrace_paging paging;

/* As the SDM draws it: bytes 0-1, 6-7 and 8-11 are the offset, byte 5 is P, DPL, type. */
static void gate(uint32_t vector, uint64_t handler, uint8_t attributes)
{
	uint8_t *at = &table[vector * 16];

	at[0] = handler;
	at[1] = handler >> 8;
	at[5] = attributes;
	at[6] = handler >> 16;
	at[7] = handler >> 24;
	for (int i = 0; i < 4; i++)
		at[8 + i] = handler >> (32 + 8 * i);
}

static void test_gates(void **state)
{
	struct itrace_idt idt;

	(void)state;
	gate(2, 0xffffffff82000123, 0x8e);
	gate(14, 0xffffffff8a0b0c0d, 0x8e);
	gate(3, 0xffffffff82000456, 0xef); /* trap gate, DPL 3 */
	gate(5, 0xffffffff82000789, 0x0e); /* not present */
	gate(6, 0xffffffff82000789, 0x85); /* a task gate */
	assert_int_equal(itrace_idt_init(&idt, &source, &paging, BASE, 16 * 100 - 1), 0);
	assert_true(idt.known);
	assert_int_equal(itrace_idt_vector(&idt, 0xffffffff8a0b0c0d), 14);
	assert_int_equal(itrace_idt_vector(&idt, 0xffffffff82000456), 3);
	assert_int_equal(itrace_idt_vector(&idt, 0xffffffff82000789), ITRACE_NO_VECTOR);
	assert_int_equal(itrace_idt_vector(&idt, 0), ITRACE_NO_VECTOR);
	assert_true(itrace_idt_exception(14));
	assert_false(itrace_idt_exception(2));
	assert_false(itrace_idt_exception(32));
	assert_false(itrace_idt_exception(ITRACE_NO_VECTOR));
}

static void test_damage(void **state)
{
	struct itrace_idt idt;

	(void)state;
	gate(14, 0xffffffff8a0b0c0d, 0x8e);
	assert_int_equal(itrace_idt_init(&idt, &source, &paging, BASE, 0xfff), ITRACE_E_FILTERED);
	assert_int_equal(itrace_idt_vector(&idt, 0xffffffff8a0b0c0d), 14);
	assert_int_equal(itrace_idt_init(&idt, &source, &paging, 0, 0xfff), ITRACE_E_NODATA);
	assert_false(idt.known);
	translate_status = ITRACE_E_CORRUPT;
	assert_int_equal(itrace_idt_init(&idt, &source, &paging, BASE, 0xfff), ITRACE_E_CORRUPT);
	assert_false(idt.known);
	translate_status = 0;
	/* A limit that is no limit. */
	assert_int_equal(itrace_idt_init(&idt, &source, &paging, BASE, 3), 0);
	assert_false(idt.known);
}

static void test_names(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(itrace_idt_name(14, buf, sizeof(buf)), "page fault");
	assert_string_equal(itrace_idt_name(2, buf, sizeof(buf)), "NMI");
	assert_string_equal(itrace_idt_name(9, buf, sizeof(buf)), "exception 9");
	assert_string_equal(itrace_idt_name(0xec, buf, sizeof(buf)), "timer interrupt");
	assert_string_equal(itrace_idt_name(37, buf, sizeof(buf)), "interrupt 37");
	assert_string_equal(itrace_idt_name(ITRACE_NO_VECTOR, buf, sizeof(buf)), "interrupt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gates),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
