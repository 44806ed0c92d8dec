/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a CPU's Intel PT can do, what to ask of the intel_pt PMU for it, and what its MSRs then
 * say: pure functions of CPUID leaf 14h (SDM 3C 33.3.1, table 33-11 ff.) and of MSR values.
 *
 * Nothing depends on ECX[31] (LIP): it tells whether IPs in packets include the base of CS, and
 * that base is 0 in 64-bit code (SDM 1 3.4.2.1), the only code that is recorded.
 */
#ifndef ITRACE_PTCAP_H
#define ITRACE_PTCAP_H

#include "pure.h"

struct itrace_ptcap {
	itrace_u32 ebx0;     /* CPUID.(14h,0).EBX */
	itrace_u32 ecx0;     /* CPUID.(14h,0).ECX */
	itrace_u32 eax1;     /* CPUID.(14h,1).EAX */
	itrace_u32 ebx1;     /* CPUID.(14h,1).EBX */
	itrace_u64 vmx_misc; /* IA32_VMX_MISC; 0 where there is no VMX */
};

#define ITRACE_CAP_CR3	     (1u << 0) /* ebx0: CR3 filter */
#define ITRACE_CAP_PSB	     (1u << 1) /* ebx0: configurable PSB and cycle-accurate mode */
#define ITRACE_CAP_MTC	     (1u << 3) /* ebx0 */
#define ITRACE_CAP_TOPA	     (1u << 0) /* ecx0 */
#define ITRACE_CAP_TOPA_MANY (1u << 1) /* ecx0: more than one entry */

/* SDM 3D A.6: IA32_VMX_MISC, PT may be used in VMX operation */
#define ITRACE_CAP_VMX_MISC_PT (1ull << 14)

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

/* How many regions of memory a CPU can write a ring to (SDM 3C 33.2.7.2). */
enum itrace_regions {
	ITRACE_REGIONS_NONE, /* no ToPA: the intel_pt driver does not take the CPU */
	ITRACE_REGIONS_ONE,  /* tables of one entry: a ring is one contiguous chunk */
	ITRACE_REGIONS_MANY,
};

static inline enum itrace_regions itrace_ptcap_regions(const struct itrace_ptcap *cap)
{
	if (!(cap->ecx0 & ITRACE_CAP_TOPA))
		return ITRACE_REGIONS_NONE;
	return cap->ecx0 & ITRACE_CAP_TOPA_MANY ? ITRACE_REGIONS_MANY : ITRACE_REGIONS_ONE;
}

/*
 * The largest ring in bytes, where contiguous memory comes in chunks of up to @chunk bytes, a power
 * of two: one region at most where there is but one, of 128 MiB at most (33.2.7.2, Size); else
 * no limit, all ones. 0: no output at all.
 */
itrace_u64 itrace_ptcap_ring_max(const struct itrace_ptcap *cap, itrace_u64 chunk);

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

/*
 * struct itrace_cpu's vmx: bit 0 in VMX operation as far as CR4.VMXE (@cr4) tells, bit 1 PT goes on
 * there. Bit 0 alone: VMXON clears TraceEn and keeps it clear (SDM 3C 33.5), so the trace has
 * gaps. In line, as it runs while a CPU is being frozen.
 */
static inline itrace_u64 itrace_vmx_flags(const struct itrace_ptcap *cap, itrace_u64 cr4)
{
	return (cr4 & (1u << 13) ? ITRACE_VMX_ON : 0) |
	       (cap->vmx_misc & ITRACE_CAP_VMX_MISC_PT ? ITRACE_VMX_PT : 0);
}

/*
 * Whether a CPU whose PT was just switched on traces, from IA32_RTIT_CTL, IA32_RTIT_STATUS and
 * itrace_vmx_flags() then.
 *
 * Returns NULL, or in a few words why not
 */
const char *itrace_start_problem(itrace_u64 ctl, itrace_u64 status, itrace_u64 vmx);

#endif
