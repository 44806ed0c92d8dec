// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "pmu.h"

#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "compat/headers.h"
#include "compat/mm.h"
#include "fileio.h"
#include "msr.h"

#define PMU_TYPE_PATH "/sys/bus/event_source/devices/intel_pt/type"

static int read_cap(struct itrace_ptcap *cap)
{
	u32 eax, ebx, ecx, edx, lo, hi;

	if (cpuid_eax(0) < 7) {
		ebx = 0;
	} else {
		cpuid_count(7, 0, &eax, &ebx, &ecx, &edx);
	}
	if (!(ebx & BIT(25)) || cpuid_eax(0) < 0x14) {
		pr_err("no Intel PT (CPUID.7.EBX[25]=%u), not loading\n", !!(ebx & BIT(25)));
		return -ENODEV;
	}
	cpuid_count(0x14, 0, &eax, &cap->ebx0, &cap->ecx0, &edx);
	cap->eax1 = 0;
	cap->ebx1 = 0;
	if (eax >= 1)
		cpuid_count(0x14, 1, &cap->eax1, &cap->ebx1, &ecx, &edx);
	cap->vmx_misc = 0;
	if (boot_cpu_has(X86_FEATURE_VMX) && !rdmsr_safe(ITRACE_MSR_VMX_MISC, &lo, &hi))
		cap->vmx_misc = (u64)hi << 32 | lo;
	if (itrace_ptcap_regions(cap) == ITRACE_REGIONS_NONE) {
		pr_err("Intel PT without ToPA output (CPUID.14H.ECX[0]=0), not loading\n");
		return -ENODEV;
	}
	return 0;
}

static int read_type(u32 *type)
{
	char text[16];
	ssize_t len = itrace_file_read(PMU_TYPE_PATH, text, sizeof(text) - 1);

	if (len <= 0) {
		pr_err("no intel_pt PMU in this kernel (" PMU_TYPE_PATH ": %zd), not loading\n",
		       len);
		return -ENODEV;
	}
	text[len] = '\0';
	if (kstrtou32(strim(text), 10, type)) {
		pr_err(PMU_TYPE_PATH " is not a number, not loading\n");
		return -ENODEV;
	}
	return 0;
}

int itrace_pmu_init(struct itrace_pmu *pmu, u64 ring_bytes)
{
	u64 need, max;
	int err, psb;

	err = read_cap(&pmu->cap);
	if (err)
		return err;
	err = read_type(&pmu->type);
	if (err)
		return err;
	max = itrace_ptcap_ring_max(&pmu->cap, PAGE_SIZE << ITRACE_MAX_ORDER);
	if (ring_bytes > max) {
		pr_err("ring_kib=%llu: this CPU's PT writes to one piece of memory, at most %llu\n",
		       ring_bytes >> 10, max >> 10);
		return -EINVAL;
	}
	psb = itrace_psb_encoding(&pmu->cap, ring_bytes, &need);
	if (psb < 0) {
		pr_err("ring_kib=%llu: this CPU's PSB spacing needs at least %llu\n",
		       ring_bytes >> 10, need >> 10);
		return psb;
	}
	pmu->config = itrace_pt_config(psb, itrace_mtc_period(&pmu->cap));
	return 0;
}

void itrace_pmu_attr(const struct itrace_pmu *pmu, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->type = pmu->type;
	attr->size = sizeof(*attr);
	attr->config = pmu->config;
	attr->disabled = 1;
	attr->exclude_user = 1;
}
