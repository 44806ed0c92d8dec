// SPDX-License-Identifier: GPL-2.0-or-later
/* rtit.c - see rtit.h. */
#include "rtit.h"

/* MTC periods 2^0..2^15 CTC ticks, cycle thresholds 0 and 1, PSB periods 2 KiB..64 MiB. */
#define MTC_PERIODS 0xffffu
#define CYC_THRESH  0x0003u
#define PSB_PERIODS 0xffffu

/*
 * 36.3.1, leaf 14h. Offered: CR3 filtering, configurable PSB and CYC, IP filters and TraceStop with
 * MSRs kept over a warm reset, MTC, ToPA. Not offered: PTWRITE, power events, event trace, TNT
 * disable, PSB and PMI preservation, LIP payloads.
 */
static void leaf_14(const struct rtit_model *m, uint32_t subleaf, struct cpuid_regs *r)
{
	*r = (struct cpuid_regs){0};
	if (subleaf == 0) {
		r->eax = 1;
		r->ebx = 1u << 0 | 1u << 1 | (m->filters ? 1u << 2 : 0) | (m->mtc ? 1u << 3 : 0);
		r->ecx = 1u << 0 | (m->multi ? 1u << 1 : 0) | (m->range ? 1u << 2 : 0);
	} else if (subleaf == 1) {
		r->eax = m->filters | (m->mtc ? MTC_PERIODS << 16 : 0);
		r->ebx = CYC_THRESH | PSB_PERIODS << 16;
	}
}

bool rtit_cpuid(const struct rtit_model *m, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *r)
{
	if (leaf == 7 && subleaf == 0) {
		r->ebx |= 1u << 25;
		return true;
	}
	if (leaf == 0x14) {
		leaf_14(m, subleaf, r);
		return true;
	}
	/* The crystal's frequency stays unknown, or the guest would set its clock by it. */
	if (leaf == 0x15 && m->leaf15) {
		*r = (struct cpuid_regs){.eax = 1, .ebx = m->ctc_ratio};
		return true;
	}
	return false;
}

bool rtit_exists(const struct rtit_model *m, uint32_t msr)
{
	switch (msr) {
	case MSR_RTIT_OUTPUT_BASE:
	case MSR_RTIT_OUTPUT_MASK:
	case MSR_RTIT_CTL:
	case MSR_RTIT_STATUS:
	case MSR_RTIT_CR3_MATCH:
		return true;
	default:
		return msr >= MSR_RTIT_ADDR0_A && msr < MSR_RTIT_ADDR0_A + 2 * m->filters;
	}
}

uint64_t rtit_read(const struct rtit *r, uint32_t msr)
{
	switch (msr) {
	case MSR_RTIT_OUTPUT_BASE:
		return r->base;
	case MSR_RTIT_OUTPUT_MASK:
		return r->mask;
	case MSR_RTIT_CTL:
		return r->ctl;
	case MSR_RTIT_STATUS:
		return r->status;
	case MSR_RTIT_CR3_MATCH:
		return r->cr3_match;
	default:
		return r->addr[(msr - MSR_RTIT_ADDR0_A) & 7];
	}
}

/* 36.2.8.2, table "IA32_RTIT_CTL MSR": what the model lacks is reserved. */
static bool may_write_ctl(const struct rtit_model *m, const struct rtit *r, uint64_t val)
{
	uint64_t allowed = CTL_TRACEEN | CTL_CYCEN | CTL_OS | CTL_USR | CTL_CR3FILTER | CTL_TOPA |
			   CTL_TSCEN | CTL_DISRETC | CTL_BRANCHEN | 0xfull << 19 | 0xfull << 24;

	if (m->mtc)
		allowed |= CTL_MTCEN | 0xfull << 14;
	if (m->filters)
		allowed |= ((1ull << (4 * m->filters)) - 1) << 32;
	if (val & ~allowed)
		return false;
	/* "Any attempt to modify the other bits while TraceEn is set": only TraceEn may change. */
	if ((r->ctl & CTL_TRACEEN) && (val & CTL_TRACEEN) && val != r->ctl)
		return false;
	/* Neither ToPA nor FabricEn needs single-range output. */
	if ((val & CTL_TRACEEN) && !(val & CTL_TOPA) && !m->range)
		return false;
	if (!(CYC_THRESH >> CTL_CYCTHRESH(val) & 1) || !(PSB_PERIODS >> CTL_PSBFREQ(val) & 1))
		return false;
	for (unsigned int n = 0; n < m->filters; n++)
		if (CTL_ADDR_CFG(val, n) > 2)
			return false;
	return true;
}

static bool canonical(uint64_t addr)
{
	return (uint64_t)((int64_t)(addr << 7) >> 7) == addr;
}

/*
 * 36.2.8.1: the configuration MSRs may be written with TraceEn 0 only. For STATUS, which the text
 * names less clearly, KVM's emulation (arch/x86/kvm/vmx/vmx.c) refuses it too [MEM].
 */
bool rtit_may_write(const struct rtit_model *m, const struct rtit *r, uint32_t msr, uint64_t val)
{
	if (!rtit_exists(m, msr))
		return false;
	if (msr == MSR_RTIT_CTL)
		return may_write_ctl(m, r, val);
	if (r->ctl & CTL_TRACEEN)
		return false;
	switch (msr) {
	case MSR_RTIT_OUTPUT_BASE:
		return !(val & 0x7f) && !(val >> m->maxphyaddr);
	case MSR_RTIT_STATUS:
		return !(val & ~(STATUS_FILTEREN | STATUS_CONTEXTEN | STATUS_TRIGGEREN |
				 STATUS_ERROR | STATUS_STOPPED | STATUS_BYTECNT));
	case MSR_RTIT_CR3_MATCH:
		return !(val & 0x1f) && !(val >> m->maxphyaddr);
	case MSR_RTIT_OUTPUT_MASK:
		return true;
	default:
		return canonical(val);
	}
}

void rtit_write(struct rtit *r, uint32_t msr, uint64_t val)
{
	switch (msr) {
	case MSR_RTIT_OUTPUT_BASE:
		r->base = val;
		break;
	case MSR_RTIT_OUTPUT_MASK:
		/* 36.2.8.8: bits 6:0 are forced to 1. */
		r->mask = val | 0x7f;
		break;
	case MSR_RTIT_CTL:
		r->ctl = val;
		break;
	case MSR_RTIT_STATUS:
		r->status = val & (STATUS_ERROR | STATUS_STOPPED);
		break;
	case MSR_RTIT_CR3_MATCH:
		r->cr3_match = val;
		break;
	default:
		r->addr[(msr - MSR_RTIT_ADDR0_A) & 7] = val;
		break;
	}
}
