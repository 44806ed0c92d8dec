/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a CPU's Intel PT can do, and what to ask of the intel_pt PMU for it: pure functions of
 * CPUID leaf 14h (SDM 3C 33.3.1, table 33-11 ff.).
 */
#ifndef ITRACE_PTCAP_H
#define ITRACE_PTCAP_H

#include "pure.h"

struct itrace_ptcap {
	itrace_u32 ebx0; /* CPUID.(14h,0).EBX */
	itrace_u32 ecx0; /* CPUID.(14h,0).ECX */
	itrace_u32 eax1; /* CPUID.(14h,1).EAX */
	itrace_u32 ebx1; /* CPUID.(14h,1).EBX */
};

#define ITRACE_CAP_CR3	     (1u << 0) /* ebx0: CR3 filter */
#define ITRACE_CAP_PSB	     (1u << 1) /* ebx0: configurable PSB and cycle-accurate mode */
#define ITRACE_CAP_MTC	     (1u << 3) /* ebx0 */
#define ITRACE_CAP_TOPA	     (1u << 0) /* ecx0 */
#define ITRACE_CAP_TOPA_MANY (1u << 1) /* ecx0: more than one entry */

/* attr.config of the intel_pt PMU = RTIT_CTL bits, bit 0 "pass-through" (pt_event_valid()) */
#define ITRACE_CONFIG_PT	(1ull << 0)
#define ITRACE_CONFIG_MTC	(1ull << 9)
#define ITRACE_CONFIG_TSC	(1ull << 10)
#define ITRACE_CONFIG_NORETCOMP (1ull << 11)
#define ITRACE_CONFIG_BRANCH	(1ull << 13)
#define ITRACE_CONFIG_MTC_SHIFT 14
#define ITRACE_CONFIG_PSB_SHIFT 24

/* Address ranges that the CPU can filter by: pairs of IA32_RTIT_ADDRn MSRs, 0 to 4. */
static inline unsigned int itrace_ptcap_filters(const struct itrace_ptcap *cap)
{
	unsigned int n = cap->ebx0 & (1u << 2) ? cap->eax1 & 7 : 0;

	return n > 4 ? 4 : n;
}

/*
 * The PSBFreq encoding with the most synchronization points that a ring of @ring_bytes can use:
 * the ring must hold two of its spacings (2 KiB << encoding), else it may hold no PSB at all.
 * CPUs whose spacing is fixed take encoding 0.
 *
 * Returns 0 to 15, or
 * -EINVAL: no spacing that this CPU offers fits; *@need is then the least ring that does
 */
int itrace_psb_encoding(const struct itrace_ptcap *cap, itrace_u64 ring_bytes, itrace_u64 *need);

/*
 * The MTC period encoding: 3, perf's own default, where offered, else the shortest.
 *
 * Returns 0 to 15, or
 * -ENODEV: no MTC packets on this CPU
 */
int itrace_mtc_period(const struct itrace_ptcap *cap);

/* attr.config for kernel tracing with these encodings; @mtc negative: no MTC. */
itrace_u64 itrace_pt_config(int psb, int mtc);

#endif
