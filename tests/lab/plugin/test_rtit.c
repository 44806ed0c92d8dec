// SPDX-License-Identifier: GPL-2.0-or-later
/* test_rtit.c - which MSR writes fault, and what CPUID says. */
#include "tests.h"

#include "rtit.h"

static const struct rtit_model model = {
	.filters = 2,
	.mtc = true,
	.multi = true,
	.ctc_ratio = 512,
	.maxphyaddr = 40,
};

void writes_that_fault(void **state)
{
	struct rtit r = {0};

	(void)state;
	assert_true(rtit_may_write(&model, &r, MSR_RTIT_CTL, 0x2d05));
	assert_true(rtit_may_write(&model, &r, MSR_RTIT_CTL, 0xef0d));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_CTL, 1 << 4));	    /* PwrEvtEn */
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_CTL, 1 << 6));	    /* FabricEn */
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_CTL, 1 << 12));    /* PTWEn */
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_CTL, 1 << 18));    /* reserved */
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_CTL, 2 << 19));    /* CycThresh 2 */
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_CTL, 1ull << 31)); /* EventEn */
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_CTL, 3ull << 32)); /* ADDR0_CFG 3 */
	assert_true(rtit_may_write(&model, &r, MSR_RTIT_CTL, 0x21ull << 32));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_CTL, 0x100ull << 32)); /* ADDR2 */
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_CTL, 0x2c05));		/* no ToPA */
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_OUTPUT_BASE, 0x1040));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_OUTPUT_BASE, 1ull << 40));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_ADDR0_A, 1ull << 60));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_ADDR0_A + 4, 0));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_STATUS, 1 << 3));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_CR3_MATCH, 0x1010));
	rtit_write(&r, MSR_RTIT_OUTPUT_MASK, 0);
	assert_int_equal(rtit_read(&r, MSR_RTIT_OUTPUT_MASK), 0x7f);

	rtit_write(&r, MSR_RTIT_CTL, 0x2d05);
	assert_true(rtit_may_write(&model, &r, MSR_RTIT_CTL, 0x2d05));
	assert_true(rtit_may_write(&model, &r, MSR_RTIT_CTL, 0x2d04));
	assert_true(rtit_may_write(&model, &r, MSR_RTIT_CTL, 0));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_CTL, 0x2505));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_OUTPUT_BASE, 0x1000));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_OUTPUT_MASK, 0x7f));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_STATUS, 0));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_CR3_MATCH, 0));
	assert_false(rtit_may_write(&model, &r, MSR_RTIT_ADDR0_A, 0));
}

void cpuid_leaves(void **state)
{
	struct cpuid_regs r = {.ebx = 1};

	(void)state;
	assert_true(rtit_cpuid(&model, 7, 0, &r));
	assert_int_equal(r.ebx, 1 | 1 << 25);
	assert_true(rtit_cpuid(&model, 0x14, 0, &r));
	assert_int_equal(r.eax, 1);
	assert_int_equal(r.ebx, 0xf);
	assert_int_equal(r.ecx, 3);
	assert_true(rtit_cpuid(&model, 0x14, 1, &r));
	assert_int_equal(r.eax & 7, 2);
	assert_true(rtit_cpuid(&model, 0x14, 2, &r));
	assert_int_equal(r.eax | r.ebx | r.ecx | r.edx, 0);
	assert_false(rtit_cpuid(&model, 0x15, 0, &r));
	assert_false(rtit_cpuid(&model, 7, 1, &r));
}
