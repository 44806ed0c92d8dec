// SPDX-License-Identifier: GPL-2.0-or-later
/* rtit.c - see rtit.h. */
#include "rtit.h"

#include "models.h"

/* Leaf 14h, EBX and ECX. */
#define EBX_CR3	  (1u << 0)
#define EBX_PSB	  (1u << 1)
#define EBX_IP	  (1u << 2)
#define EBX_MTC	  (1u << 3)
#define EBX_DONE  (EBX_CR3 | EBX_PSB | EBX_IP | EBX_MTC)
#define ECX_TOPA  (1u << 0)
#define ECX_MULTI (1u << 1)
#define ECX_RANGE (1u << 2)
#define ECX_LIP	  (1u << 31)

/* MTC periods 2^0..2^15 CTC ticks, cycle thresholds 0 and 1, PSB periods 2 KiB..64 MiB. */
void rtit_model_init(struct rtit_model *m)
{
	*m = (struct rtit_model){
		.filters = 2,
		.mtc = true,
		.mtc_periods = 0xffff,
		.cyc_thresholds = 0x0003,
		.psb_periods = 0xffff,
		.multi = true,
		.ctc_ratio = 512,
		.ctc_den = 1,
		.maxphyaddr = 40,
	};
}

void rtit_model_play(struct rtit_model *m, const struct pt_cpu *cpu)
{
	m->filters = cpu->ebx0 & EBX_IP ? cpu->eax1 & 7 : 0;
	m->mtc = cpu->ebx0 & EBX_MTC;
	m->psb_fixed = !(cpu->ebx0 & EBX_PSB);
	m->lip = cpu->ecx0 & ECX_LIP;
	m->mtc_periods = (uint16_t)(cpu->eax1 >> 16);
	m->cyc_thresholds = (uint16_t)cpu->ebx1;
	m->psb_periods = (uint16_t)(cpu->ebx1 >> 16);
	m->claimed = cpu->ebx0 & ~EBX_DONE;
	m->multi = cpu->ecx0 & ECX_MULTI;
	m->range = cpu->ecx0 & ECX_RANGE;
	m->leaf15 = cpu->eax15;
	if (cpu->eax15) {
		m->ctc_den = cpu->eax15;
		m->ctc_ratio = cpu->ebx15 / cpu->eax15;
	}
}

static bool has_subleaf_1(const struct rtit_model *m)
{
	return m->filters || m->mtc || !m->psb_fixed;
}

/*
 * 36.3.1, leaf 14h. Done here: CR3 filtering, configurable PSB and CYC, IP filters and TraceStop
 * with MSRs kept over a warm reset, MTC, ToPA, single range. Not done, though a model may claim
 * it: PTWRITE, power events, event trace, TNT disable, PSB and PMI preservation.
 */
static void leaf_14(const struct rtit_model *m, uint32_t subleaf, struct cpuid_regs *r)
{
	*r = (struct cpuid_regs){0};
	if (subleaf == 0) {
		r->eax = has_subleaf_1(m);
		r->ebx = EBX_CR3 | (m->psb_fixed ? 0 : EBX_PSB) | (m->filters ? EBX_IP : 0) |
			 (m->mtc ? EBX_MTC : 0) | m->claimed;
		r->ecx = ECX_TOPA | (m->multi ? ECX_MULTI : 0) | (m->range ? ECX_RANGE : 0) |
			 (m->lip ? ECX_LIP : 0);
	} else if (subleaf == 1 && has_subleaf_1(m)) {
		r->eax = m->filters | (m->mtc ? (uint32_t)m->mtc_periods << 16 : 0);
		if (!m->psb_fixed)
			r->ebx = m->cyc_thresholds | (uint32_t)m->psb_periods << 16;
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
		*r = (struct cpuid_regs){.eax = m->ctc_den, .ebx = m->ctc_ratio * m->ctc_den};
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

static bool offered(uint16_t encodings, unsigned int n)
{
	return !n || encodings >> n & 1;
}

/* 36.2.8.2, table "IA32_RTIT_CTL MSR": what the model lacks is reserved. */
static bool may_write_ctl(const struct rtit_model *m, const struct rtit *r, uint64_t val)
{
	uint64_t allowed = CTL_TRACEEN | CTL_OS | CTL_USR | CTL_CR3FILTER | CTL_TOPA | CTL_TSCEN |
			   CTL_DISRETC | CTL_BRANCHEN;

	if (!m->psb_fixed)
		allowed |= CTL_CYCEN | 0xfull << 19 | 0xfull << 24;
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
	/* 0 is what a part that offers no choice does. */
	if (!offered(m->cyc_thresholds, CTL_CYCTHRESH(val)) ||
	    !offered(m->psb_periods, CTL_PSBFREQ(val)) ||
	    !offered(m->mtc_periods, CTL_MTCFREQ(val)))
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
	/* 36.5, where IA32_VMX_MISC[14] is 0: any write of RTIT_CTL in VMX operation is a #GP. */
	if (msr == MSR_RTIT_CTL && r->vmx)
		return false;
	if (msr == MSR_RTIT_CTL)
		return may_write_ctl(m, r, val);
	if (r->ctl & CTL_TRACEEN)
		return false;
	switch (msr) {
	case MSR_RTIT_OUTPUT_BASE:
		return !(val & 0x7f) && !(val >> m->maxphyaddr);
	case MSR_RTIT_STATUS:
		if (m->psb_fixed && (val & STATUS_BYTECNT))
			return false;
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
