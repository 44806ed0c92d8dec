/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: kernel/ptcap.c tests/lab/plugin/models.c */
/*
 * What is asked of a CPU's PT, from its CPUID leaf 14h: PSB spacing (cases K9), MTC period, and
 * the configuration word; and what its MSRs mean then (cases K6, K8). A row for each real CPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../lab/plugin/models.h"
#include "ptcap.h"

#define CHUNK	 (4ull << 20)
#define NO_LIMIT (~0ull)
#define CR4_VMXE (1u << 13)

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

/* What each CPU of models.c is asked for, with a ring of 4 MiB and with the least ring. */
static const struct {
	const char *name;
	enum itrace_regions regions;
	uint64_t ring_max;
	uint64_t config;
	unsigned int filters;
	uint64_t vmx_on; /* itrace_vmx_flags() in VMX operation */
} asked[PT_CPUS] = {
	{"broadwell", ITRACE_REGIONS_ONE, CHUNK, 0x2c01, 0, 1},
	{"skylake-sp", ITRACE_REGIONS_MANY, NO_LIMIT, 0xee01, 2, 3},
	{"tigerlake", ITRACE_REGIONS_MANY, NO_LIMIT, 0xee01, 2, 3},
	{"icelake-sp", ITRACE_REGIONS_MANY, NO_LIMIT, 0xee01, 2, 3},
	{"sapphirerapids", ITRACE_REGIONS_MANY, NO_LIMIT, 0xee01, 2, 3},
	{"graniterapids", ITRACE_REGIONS_MANY, NO_LIMIT, 0xee01, 2, 3},
	{"gracemont", ITRACE_REGIONS_MANY, NO_LIMIT, 0xee01, 2, 3},
};

static void real_cpus(void **state)
{
	(void)state;
	for (size_t i = 0; i < PT_CPUS; i++) {
		const struct pt_cpu *cpu = pt_cpu_find(asked[i].name);
		struct itrace_ptcap cap;
		uint64_t need;
		int psb;

		print_message("# %s\n", asked[i].name);
		assert_non_null(cpu);
		cap = (struct itrace_ptcap){cpu->ebx0, cpu->ecx0, cpu->eax1, cpu->ebx1,
					    cpu->vmx_pt ? 1ull << 14 : 0};
		assert_int_equal(itrace_ptcap_regions(&cap), asked[i].regions);
		assert_int_equal(itrace_ptcap_ring_max(&cap, CHUNK), asked[i].ring_max);
		assert_int_equal(itrace_ptcap_filters(&cap), asked[i].filters);
		psb = itrace_psb_encoding(&cap, CHUNK, &need);
		assert_int_equal(itrace_pt_config(psb, itrace_mtc_period(&cap)), asked[i].config);
		assert_int_equal(itrace_psb_encoding(&cap, 4096, &need), psb);
		assert_int_equal(itrace_psb_encoding(&cap, 4095, &need), -EINVAL);
		assert_int_equal(itrace_vmx_flags(&cap, CR4_VMXE), asked[i].vmx_on);
		assert_int_equal(itrace_vmx_flags(&cap, ~(uint64_t)CR4_VMXE),
				 asked[i].vmx_on & ITRACE_VMX_PT);
	}
}

static void largest_ring(void **state)
{
	struct itrace_ptcap cap = {.ecx0 = ITRACE_CAP_TOPA};

	(void)state;
	/* a region is of 128 MiB at most, however much memory comes in one piece */
	assert_int_equal(itrace_ptcap_ring_max(&cap, 1ull << 30), 128ull << 20);
	cap.ecx0 = 0;
	assert_int_equal(itrace_ptcap_regions(&cap), ITRACE_REGIONS_NONE);
	assert_int_equal(itrace_ptcap_ring_max(&cap, CHUNK), 0);
	/* single range alone: the driver wants ToPA */
	cap.ecx0 = 1 << 2 | ITRACE_CAP_TOPA_MANY;
	assert_int_equal(itrace_ptcap_regions(&cap), ITRACE_REGIONS_NONE);
}

static void started(void **state)
{
	const uint64_t on = 0x2d05, off = 0x2d04, error = 1 << 4, stopped = 1 << 5;
	/* as read from an emulated CPU: bytes since PSB, TriggerEn, ContextEn, FilterEn */
	const uint64_t fine = 0x8700000007;

	(void)state;
	assert_null(itrace_start_problem(on, fine, 0));
	assert_null(itrace_start_problem(on, 0, ITRACE_VMX_ON | ITRACE_VMX_PT));
	assert_string_equal(itrace_start_problem(on, error, 0), "the CPU reports an error");
	assert_string_equal(itrace_start_problem(off, fine | error, ITRACE_VMX_ON),
			    "the CPU reports an error");
	assert_string_equal(itrace_start_problem(on, stopped, 0), "stopped at once");
	assert_string_equal(itrace_start_problem(off, 0, ITRACE_VMX_ON),
			    "in VMX operation, where PT of this CPU is off");
	assert_string_equal(itrace_start_problem(off, 0, ITRACE_VMX_ON | ITRACE_VMX_PT),
			    "TraceEn does not stay set");
	assert_string_equal(itrace_start_problem(off, 0, 0), "TraceEn does not stay set");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(psb_spacing),	cmocka_unit_test(psb_spacing_fixed),
		cmocka_unit_test(mtc),		cmocka_unit_test(configuration),
		cmocka_unit_test(filters),	cmocka_unit_test(real_cpus),
		cmocka_unit_test(largest_ring), cmocka_unit_test(started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
