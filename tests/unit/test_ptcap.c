/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: kernel/ptcap.c */
/*
 * What is asked of a CPU's PT, from its CPUID leaf 14h: PSB spacing (cases K9), MTC period, and
 * the configuration word.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ptcap.h"

static struct itrace_ptcap cap_psb(uint32_t mask)
{
	struct itrace_ptcap cap = {
		.ebx0 = ITRACE_CAP_PSB,
		.ecx0 = ITRACE_CAP_TOPA,
		.ebx1 = mask << 16,
	};

	return cap;
}

static void psb_spacing(void **state)
{
	struct itrace_ptcap cap;
	uint64_t need;

	(void)state;
	/* 2 KiB to 64 KiB offered, a ring of 4 KiB: every 2 KiB */
	cap = cap_psb(0x3f);
	assert_int_equal(itrace_psb_encoding(&cap, 4096, &need), 0);
	/* 16 KiB and more: 4 KiB may hold none */
	cap = cap_psb(0x38);
	assert_int_equal(itrace_psb_encoding(&cap, 4096, &need), -EINVAL);
	assert_int_equal(need, 32768);
	assert_int_equal(itrace_psb_encoding(&cap, 32768, &need), 3);
	assert_int_equal(itrace_psb_encoding(&cap, 4 << 20, &need), 3);
	/* the top encoding, 64 MiB */
	cap = cap_psb(0x8000);
	assert_int_equal(itrace_psb_encoding(&cap, 128ull << 20, &need), 15);
	assert_int_equal(itrace_psb_encoding(&cap, 64ull << 20, &need), -EINVAL);
	assert_int_equal(need, 128ull << 20);
}

static void psb_spacing_fixed(void **state)
{
	struct itrace_ptcap cap = cap_psb(0x38);
	uint64_t need;

	(void)state;
	cap.ebx0 = 0; /* the list means nothing then: Broadwell */
	assert_int_equal(itrace_psb_encoding(&cap, 4096, &need), 0);
	assert_int_equal(itrace_psb_encoding(&cap, 2048, &need), -EINVAL);
	cap = cap_psb(0);
	assert_int_equal(itrace_psb_encoding(&cap, 4096, &need), 0);
}

static void mtc(void **state)
{
	struct itrace_ptcap cap = {.ebx0 = ITRACE_CAP_MTC, .eax1 = 0x02490002};

	(void)state;
	assert_int_equal(itrace_mtc_period(&cap), 3); /* 0x249: 0, 3, 6, 9 */
	cap.eax1 = 0x02400002;
	assert_int_equal(itrace_mtc_period(&cap), 6);
	cap.eax1 = 2;
	assert_int_equal(itrace_mtc_period(&cap), -ENODEV);
	cap.eax1 = 0x02490002;
	cap.ebx0 = 0;
	assert_int_equal(itrace_mtc_period(&cap), -ENODEV);
}

static void configuration(void **state)
{
	(void)state;
	/* pass-through, TSC, DisRETC, branches: what the stock driver took in the lab */
	assert_int_equal(itrace_pt_config(0, -ENODEV), 0x2c01);
	assert_int_equal(itrace_pt_config(0, 3), 0x2c01 | 1 << 9 | 3 << 14);
	assert_int_equal(itrace_pt_config(5, -ENODEV), 0x2c01 | 5 << 24);
}

static void filters(void **state)
{
	struct itrace_ptcap cap = {.ebx0 = 1 << 2, .eax1 = 2};

	(void)state;
	assert_int_equal(itrace_ptcap_filters(&cap), 2);
	cap.eax1 = 7; /* more than there are MSRs */
	assert_int_equal(itrace_ptcap_filters(&cap), 4);
	cap.ebx0 = 0;
	assert_int_equal(itrace_ptcap_filters(&cap), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(psb_spacing), cmocka_unit_test(psb_spacing_fixed),
		cmocka_unit_test(mtc),	       cmocka_unit_test(configuration),
		cmocka_unit_test(filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
