// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/source/kdump_check.c crash-ext/core/status.c */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kdump_check.h"
#include "status.h"

/* A dump of 16 MiB: header, sub header, two bitmaps of one block each. */
#define FILE_SIZE 0x100000u

static uint8_t head[ITRACE_KDUMP_HEAD];
static char why[256];

static void put32(unsigned int at, uint32_t value)
{
	memcpy(head + at, &value, 4);
}

static void put64(unsigned int at, uint64_t value)
{
	memcpy(head + at, &value, 8);
}

static int setup(void **state)
{
	(void)state;
	memset(head, 0, sizeof(head));
	memcpy(head, "KDUMP   ", 8);
	put32(8, 6);
	put32(428, 4096);
	put32(432, 1);
	put32(436, 2);
	put64(4096 + 32, 0x5000); /* vmcoreinfo */
	put64(4096 + 40, 0x800);
	put64(4096 + 96, 4096); /* pages */
	why[0] = '\0';
	return 0;
}

static int check(void)
{
	return itrace_kdump_check(head, sizeof(head), FILE_SIZE, why, sizeof(why));
}

static void good(void **state)
{
	(void)state;
	assert_int_equal(check(), 0);
	/* Smaller than a header, but no such dump at all. */
	head[0] = 'k';
	assert_int_equal(itrace_kdump_check(head, 3, 3, why, sizeof(why)), 0);
	assert_int_equal(check(), 0);
	/* An old version has its number of pages in the first header. */
	setup(state);
	put32(8, 5);
	put32(440, 4096);
	put64(4096 + 96, ~0ull);
	assert_int_equal(check(), 0);
	put32(440, 0x10001);
	assert_int_equal(check(), ITRACE_E_CORRUPT);
}

static void cut_off(void **state)
{
	size_t len;

	(void)state;
	for (len = 8; len < sizeof(head); len += 8)
		assert_int_equal(itrace_kdump_check(head, len, len, why, sizeof(why)),
				 ITRACE_E_CORRUPT);
	assert_string_equal(why, "dump is cut off in its header");
	assert_int_equal(itrace_kdump_check(head, sizeof(head), 4 * 4096 - 1, why, sizeof(why)),
			 ITRACE_E_CORRUPT);
	assert_string_equal(why, "dump is cut off after 16383 bytes");
}

static void hostile(void **state)
{
	static const struct {
		unsigned int at;
		uint32_t value;
	} row[] = {
		{8, 0},
		{8, 0xffffffff},
		{432, 0},
		{432, 0xffffffff},
		{436, 0xffffffff},
		{436, 0},
		{440, 0x8001},
		{4096 + 96, 0x8001},	 /* more pages than bits */
		{4096 + 100, 1},	 /* far more */
		{4096 + 32, 0xff801},	 /* vmcoreinfo ends behind the file */
		{4096 + 36, 0x80000000}, /* begins there */
		{4096 + 44, 0xffffffff}, /* wraps */
		{4096 + 60, 1},		 /* notes of 4 GiB */
		{4096 + 72, 0x100001},	 /* erase info */
	};
	unsigned int i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		setup(state);
		put32(row[i].at, row[i].value);
		assert_int_equal(check(), ITRACE_E_CORRUPT);
		assert_true(why[0]);
	}
	setup(state);
	put32(428, 8192);
	assert_int_equal(check(), ITRACE_E_UNSUPPORTED);
	assert_string_equal(why, "dump with blocks of 8192 bytes");
}

static void elf(void **state)
{
	Elf64_Ehdr ehdr = {.e_phoff = 64, .e_phnum = 2};
	Elf64_Phdr phdr[2] = {{.p_offset = 0x1000, .p_filesz = 0x1000}};
	FILE *file = tmpfile();
	int fd;

	(void)state;
	assert_non_null(file);
	fd = fileno(file);
	memcpy(ehdr.e_ident, ELFMAG, SELFMAG);
	ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	phdr[1].p_offset = 0x2000;
	phdr[1].p_filesz = 0x345;
	assert_int_equal(pwrite(fd, &ehdr, sizeof(ehdr), 0), sizeof(ehdr));
	assert_int_equal(pwrite(fd, phdr, sizeof(phdr), 64), sizeof(phdr));
	assert_int_equal(ftruncate(fd, 0x2345), 0);
	assert_int_equal(itrace_kdump_check_elf(fd, why, sizeof(why)), 0);
	assert_int_equal(ftruncate(fd, 0x2344), 0);
	assert_int_equal(itrace_kdump_check_elf(fd, why, sizeof(why)), ITRACE_E_CORRUPT);
	assert_string_equal(why, "ELF dump is cut off after 9028 of 9029 bytes");
	assert_int_equal(ftruncate(fd, 64 + 60), 0);
	assert_int_equal(itrace_kdump_check_elf(fd, why, sizeof(why)), ITRACE_E_CORRUPT);
	/* Segments are counted in the first section header, which is not there. */
	assert_int_equal(ftruncate(fd, 0x2345), 0);
	ehdr.e_phnum = PN_XNUM;
	ehdr.e_shoff = ~0ull;
	assert_int_equal(pwrite(fd, &ehdr, sizeof(ehdr), 0), sizeof(ehdr));
	assert_int_equal(itrace_kdump_check_elf(fd, why, sizeof(why)), ITRACE_E_CORRUPT);
	ehdr.e_phoff = ~0ull - 8;
	assert_int_equal(pwrite(fd, &ehdr, sizeof(ehdr), 0), sizeof(ehdr));
	assert_int_equal(itrace_kdump_check_elf(fd, why, sizeof(why)), ITRACE_E_CORRUPT);
	ehdr.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(pwrite(fd, &ehdr, sizeof(ehdr), 0), sizeof(ehdr));
	assert_int_equal(itrace_kdump_check_elf(fd, why, sizeof(why)), 0);
	fclose(file);
	assert_int_equal(itrace_kdump_check_elf(-1, why, sizeof(why)), ITRACE_E_SYSTEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(good, setup),
		cmocka_unit_test_setup(cut_off, setup),
		cmocka_unit_test_setup(hostile, setup),
		cmocka_unit_test_setup(elf, setup),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
