/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtit.h - the Intel PT MSRs and CPUID leaves of one CPU: values and the rules for writing them.
 *
 * Rests on SDM Vol. 3C, 36.2.8 "Configuration MSRs" and 36.3.1 "Detection of Intel PT and
 * Capability Enumeration". Pure: what a write sets in motion is trace.h's business.
 */
#ifndef ITRACE_LAB_RTIT_H
#define ITRACE_LAB_RTIT_H

#include <stdbool.h>
#include <stdint.h>

#define MSR_PLATFORM_INFO    0x0ce
#define MSR_RTIT_OUTPUT_BASE 0x560
#define MSR_RTIT_OUTPUT_MASK 0x561
#define MSR_RTIT_CTL	     0x570
#define MSR_RTIT_STATUS	     0x571
#define MSR_RTIT_CR3_MATCH   0x572
#define MSR_RTIT_ADDR0_A     0x580
#define MSR_RTIT_ADDR3_B     0x587

#define CTL_TRACEEN	   (1ull << 0)
#define CTL_CYCEN	   (1ull << 1)
#define CTL_OS		   (1ull << 2)
#define CTL_USR		   (1ull << 3)
#define CTL_CR3FILTER	   (1ull << 7)
#define CTL_TOPA	   (1ull << 8)
#define CTL_MTCEN	   (1ull << 9)
#define CTL_TSCEN	   (1ull << 10)
#define CTL_DISRETC	   (1ull << 11)
#define CTL_BRANCHEN	   (1ull << 13)
#define CTL_MTCFREQ(c)	   ((c) >> 14 & 15)
#define CTL_CYCTHRESH(c)   ((c) >> 19 & 15)
#define CTL_PSBFREQ(c)	   ((c) >> 24 & 15)
#define CTL_ADDR_CFG(c, n) ((c) >> (32 + 4 * (n)) & 15)

#define STATUS_FILTEREN	 (1ull << 0)
#define STATUS_CONTEXTEN (1ull << 1)
#define STATUS_TRIGGEREN (1ull << 2)
#define STATUS_ERROR	 (1ull << 4)
#define STATUS_STOPPED	 (1ull << 5)
#define STATUS_BYTECNT	 (0x1ffffull << 32)

struct pt_cpu;

/* What the emulated part offers: CPUID leaf 14h says this and nothing else. */
struct rtit_model {
	unsigned int filters; /* address ranges, 0..4 */
	bool mtc;
	bool psb_fixed;	      /* neither configurable PSB nor CYC: EBX[1] is 0 */
	bool lip;	      /* IPs are said to include the CS base, which is 0 in 64-bit code */
	uint16_t mtc_periods; /* encodings, a bit each */
	uint16_t cyc_thresholds;
	uint16_t psb_periods;
	uint32_t claimed;	 /* more of EBX: said to be there, though enabling it faults */
	bool multi;		 /* ToPA tables of more than one region */
	bool range;		 /* single-range output */
	uint32_t ctc_ratio;	 /* TSC ticks per CTC tick, 1..512 */
	bool leaf15;		 /* say so in CPUID 15h (with an unknown crystal) */
	uint32_t ctc_den;	 /* EAX there, 1 or more; EBX is ctc_ratio times this */
	uint8_t bus_ratio;	 /* TSC frequency in units of 100 MHz */
	unsigned int maxphyaddr; /* bits */
};

struct rtit {
	uint64_t ctl;
	uint64_t status; /* Error, Stopped; the rest is filled in by who reads */
	uint64_t base;
	uint64_t mask;
	uint64_t cr3_match;
	uint64_t addr[8];
	bool vmx; /* in VMX operation, without PT there */
};

struct cpuid_regs {
	uint32_t eax, ebx, ecx, edx;
};

/* Every encoding that has a meaning, no more of EBX: what a part has that is no model's. */
void rtit_model_init(struct rtit_model *m);
/* Makes it say what this CPU says. */
void rtit_model_play(struct rtit_model *m, const struct pt_cpu *cpu);

/* The range of numbers in which only the MSRs that the model has exist. */
static inline bool rtit_is_ours(uint32_t msr)
{
	return msr >= 0x560 && msr <= 0x58f;
}

/* Changes *r, QEMU's own answer, where PT has a say; false: left alone. */
bool rtit_cpuid(const struct rtit_model *m, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *r);

bool rtit_exists(const struct rtit_model *m, uint32_t msr);
/* Reads the stored value; the caller supplies live parts of STATUS and of the output MSRs. */
uint64_t rtit_read(const struct rtit *r, uint32_t msr);
/* Whether the write is legal; otherwise it is a #GP(0) and changes nothing. */
bool rtit_may_write(const struct rtit_model *m, const struct rtit *r, uint32_t msr, uint64_t val);
/* Stores a legal value. */
void rtit_write(struct rtit *r, uint32_t msr, uint64_t val);

#endif
