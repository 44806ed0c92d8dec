// SPDX-License-Identifier: GPL-2.0-only
#include "ptcap.h"

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
