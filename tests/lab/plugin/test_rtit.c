// SPDX-License-Identifier: GPL-2.0-or-later
/* test_rtit.c - which MSR writes fault, and what CPUID says. */
#include "tests.h"

#include "models.h"
#include "rtit.h"

static const struct rtit_model model = {
	.filters = 2,
	.mtc = true,
	.mtc_periods = 0xffff,
	.cyc_thresholds = 3,
	.psb_periods = 0xffff,
	.multi = true,
	.ctc_ratio = 512,
	.ctc_den = 1,
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

/* Each model says what its dump says, with the crystal left out; EDX is 0 everywhere. */
void models_say_what_was_recorded(void **state)
{
	(void)state;
	for (size_t i = 0; i < PT_CPUS; i++) {
		const struct pt_cpu *cpu = &pt_cpus[i];
		struct cpuid_regs r = {0};
		struct rtit_model m;

		rtit_model_init(&m);
		rtit_model_play(&m, pt_cpu_find(cpu->name));
		rtit_cpuid(&m, 0x14, 0, &r);
		assert_int_equal(r.eax, cpu->eax0);
		assert_int_equal(r.ebx, cpu->ebx0);
		assert_int_equal(r.ecx, cpu->ecx0);
		rtit_cpuid(&m, 0x14, 1, &r);
		assert_int_equal(r.eax, cpu->eax1);
		assert_int_equal(r.ebx, cpu->ebx1);
		assert_int_equal(rtit_cpuid(&m, 0x15, 0, &r), cpu->eax15 != 0);
		if (cpu->eax15) {
			assert_int_equal(r.eax, cpu->eax15);
			assert_int_equal(r.ebx, cpu->ebx15);
		}
	}
	assert_null(pt_cpu_find("haswell"));
}

static bool may_set(const char *name, uint64_t ctl)
{
	struct rtit_model m;
	struct rtit r = {0};

	rtit_model_init(&m);
	rtit_model_play(&m, pt_cpu_find(name));
	return rtit_may_write(&m, &r, MSR_RTIT_CTL, ctl);
}

/* Table 36-11: what a part lacks is reserved in RTIT_CTL. */
void models_fault_where_they_must(void **state)
{
	struct rtit_model m;
	struct rtit r = {0};

	(void)state;
	assert_true(may_set("broadwell", 0x2d05));
	assert_false(may_set("broadwell", 0x2d05 | 1ull << 24)); /* PSBFreq */
	assert_false(may_set("broadwell", 0x2d07));		 /* CYCEn */
	assert_false(may_set("broadwell", 0x2f05));		 /* MTCEn */
	assert_false(may_set("broadwell", 0x2d05 | 1ull << 32)); /* ADDR0_CFG */
	assert_false(may_set("broadwell", 0x2c05));		 /* single range */
	assert_true(may_set("skylake-sp", 0x2c05));
	assert_true(may_set("skylake-sp", 0x2f05 | 3ull << 14));
	assert_false(may_set("skylake-sp", 0x2f05 | 4ull << 14)); /* 0x249: 0, 3, 6, 9 */
	assert_true(may_set("skylake-sp", 0x2d05 | 5ull << 24));
	assert_false(may_set("skylake-sp", 0x2d05 | 6ull << 24)); /* up to 64 KiB */
	assert_true(may_set("skylake-sp", 0x2d07 | 13ull << 19));
	assert_false(may_set("sapphirerapids", 0x2d07 | 13ull << 19));
	assert_false(may_set("gracemont", 0x2d05 | 1ull << 12)); /* PTWEn: claimed, not done */

	rtit_model_init(&m);
	assert_true(rtit_may_write(&m, &r, MSR_RTIT_STATUS, 1ull << 32));
	rtit_model_play(&m, pt_cpu_find("broadwell"));
	assert_false(rtit_may_write(&m, &r, MSR_RTIT_STATUS, 1ull << 32));
	assert_false(rtit_exists(&m, MSR_RTIT_ADDR0_A));
}
