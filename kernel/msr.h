/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PT's MSRs (SDM 3C 33.2.8), by native instructions: the kernel's accessors go through pv_ops,
 * nine instructions each, where CONFIG_PARAVIRT_XXL is set.
 */
#ifndef ITRACE_MSR_H
#define ITRACE_MSR_H

#define ITRACE_MSR_OUTPUT_BASE	 0x560
#define ITRACE_MSR_OUTPUT_MASK	 0x561
#define ITRACE_MSR_RTIT_CTL	 0x570
#define ITRACE_MSR_RTIT_STATUS	 0x571
#define ITRACE_MSR_CR3_MATCH	 0x572
#define ITRACE_MSR_ADDR0_A	 0x580
#define ITRACE_MSR_TSC_ADJUST	 0x3b
#define ITRACE_MSR_PLATFORM_INFO 0xce
#define ITRACE_MSR_FRED_CONFIG	 0x1d4
#define ITRACE_MSR_VMX_MISC	 0x485
#define ITRACE_MSR_LSTAR	 0xc0000082

#define ITRACE_CTL_TRACEEN    1
#define ITRACE_STATUS_ERROR   (1 << 4)
#define ITRACE_STATUS_STOPPED (1 << 5)

#ifndef __ASSEMBLY__
#include <linux/types.h>

/* Only for MSRs that this CPU has: there is no fixup. */
static __always_inline u64 itrace_rdmsr(u32 msr)
{
	u32 lo, hi;

	asm volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
	return (u64)hi << 32 | lo;
}

/*
 * Clears TraceEn; returns RTIT_CTL as it was. The output MSRs are valid from here on. Where TraceEn
 * is clear already nothing is written: a CPU whose PT is off in VMX operation faults at any WRMSR
 * of RTIT_CTL there (SDM 3C 33.5).
 */
static __always_inline u64 itrace_stop(void)
{
	u32 lo, hi;

	asm volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(ITRACE_MSR_RTIT_CTL));
	if (lo & ITRACE_CTL_TRACEEN)
		asm volatile("wrmsr"
			     :
			     : "c"(ITRACE_MSR_RTIT_CTL), "a"(lo & ~ITRACE_CTL_TRACEEN), "d"(hi)
			     : "memory");
	return (u64)hi << 32 | lo;
}
#endif

#endif
