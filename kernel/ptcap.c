// SPDX-License-Identifier: GPL-2.0-only
#include "ptcap.h"

/* msr.h's, which user space cannot read */
#define CTL_TRACEEN    (1u << 0)
#define STATUS_ERROR   (1u << 4)
#define STATUS_STOPPED (1u << 5)

#define REGION_MAX (128ull << 20)

itrace_u64 itrace_ptcap_ring_max(const struct itrace_ptcap *cap, itrace_u64 chunk)
{
	switch (itrace_ptcap_regions(cap)) {
	case ITRACE_REGIONS_MANY:
		return ~0ull;
	case ITRACE_REGIONS_ONE:
		return chunk < REGION_MAX ? chunk : REGION_MAX;
	default:
		return 0;
	}
}

int itrace_psb_encoding(const struct itrace_ptcap *cap, itrace_u64 ring_bytes, itrace_u64 *need)
{
	itrace_u32 offered = cap->ebx0 & ITRACE_CAP_PSB ? cap->ebx1 >> 16 : 1;
	int psb;

	/* An empty list still allows the field to stay 0. */
	if (!offered)
		offered = 1;
	for (psb = 0; !(offered & (1u << psb)); psb++)
		;
	*need = 2 * (2048ull << psb);
	return ring_bytes < *need ? -EINVAL : psb;
}

int itrace_mtc_period(const struct itrace_ptcap *cap)
{
	itrace_u32 offered = cap->ebx0 & ITRACE_CAP_MTC ? cap->eax1 >> 16 : 0;
	int period;

	if (!offered)
		return -ENODEV;
	if (offered & (1u << 3))
		return 3;
	for (period = 0; !(offered & (1u << period)); period++)
		;
	return period;
}

itrace_u64 itrace_pt_config(int psb, int mtc)
{
	itrace_u64 config = ITRACE_CONFIG_PT | ITRACE_CONFIG_BRANCH | ITRACE_CONFIG_TSC |
			    ITRACE_CONFIG_NORETCOMP;

	config |= (itrace_u64)psb << ITRACE_CONFIG_PSB_SHIFT;
	if (mtc >= 0)
		config |= ITRACE_CONFIG_MTC | (itrace_u64)mtc << ITRACE_CONFIG_MTC_SHIFT;
	return config;
}

const char *itrace_start_problem(itrace_u64 ctl, itrace_u64 status, itrace_u64 vmx)
{
	/* Error first: it stays where the CPU cleared TraceEn by itself, too. */
	if (status & STATUS_ERROR)
		return "the CPU reports an error";
	if (status & STATUS_STOPPED)
		return "stopped at once";
	if (ctl & CTL_TRACEEN)
		return NULL;
	if (vmx == ITRACE_VMX_ON)
		return "in VMX operation, where PT of this CPU is off";
	return "TraceEn does not stay set";
}
