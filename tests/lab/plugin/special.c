// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * special.c - CPUID, RDMSR, WRMSR and RDTSC as a CPU with Intel PT does them.
 *
 * QEMU executes all of them by itself (unknown MSRs read as 0 and ignore writes); registers are
 * corrected when the instruction has completed. Skipping one by setting the PC is no way: QEMU
 * keeps x86 flags lazily and would lose them. An access that must fault is pointed at an x2APIC
 * register that doesn't exist, which faults in QEMU whatever the APIC's mode; RCX is put back when
 * the fault has been delivered.
 */
#include "vcpu.h"

#include "clock.h"
#include "trace.h"

#define MSR_THAT_FAULTS 0x8ff

static void set_post(struct vcpu *v, enum post post)
{
	v->post = post;
	v->pt.host->gates(&v->pt);
}

static void make_it_fault(struct vcpu *v, uint64_t rcx)
{
	v->saved_rcx = rcx;
	v->pt.n.gps++;
	reg_write(v->bytes, REG_RCX, MSR_THAT_FAULTS);
	set_post(v, POST_GP);
}

static void before_msr(struct vcpu *v, bool write)
{
	uint64_t rcx = reg_read(v->bytes, REG_RCX);
	const struct rtit_model *m = &v->pt.opt->model;

	v->number = (uint32_t)rcx;
	if (!write && v->number == MSR_PLATFORM_INFO) {
		set_post(v, POST_RDMSR);
		return;
	}
	if (!rtit_is_ours(v->number))
		return;
	if (!write) {
		if (rtit_exists(m, v->number))
			set_post(v, POST_RDMSR);
		else
			make_it_fault(v, rcx);
		return;
	}
	v->value = (reg_read(v->bytes, REG_RAX) & 0xffffffff) | reg_read(v->bytes, REG_RDX) << 32;
	if (rtit_may_write(m, &v->pt.rtit, v->number, v->value))
		set_post(v, POST_WRMSR);
	else
		make_it_fault(v, rcx);
}

void special_before(struct vcpu *v, const struct insn *i, uint64_t addr)
{
	v->post_addr = addr;
	switch (i->cls) {
	case CLS_CPUID:
		v->number = (uint32_t)reg_read(v->bytes, REG_RAX);
		v->subleaf = (uint32_t)reg_read(v->bytes, REG_RCX);
		if (v->number == 7 || v->number == 0x14 || v->number == 0x15)
			set_post(v, POST_CPUID);
		break;
	case CLS_RDMSR:
		if (!i->user)
			before_msr(v, false);
		break;
	case CLS_WRMSR:
		if (!i->user)
			before_msr(v, true);
		break;
	case CLS_RDTSC:
		set_post(v, POST_RDTSC);
		break;
	default:
		break;
	}
}

static void after_cpuid(struct vcpu *v)
{
	struct cpuid_regs r = {
		.eax = (uint32_t)reg_read(v->bytes, REG_RAX),
		.ebx = (uint32_t)reg_read(v->bytes, REG_RBX),
		.ecx = (uint32_t)reg_read(v->bytes, REG_RCX),
		.edx = (uint32_t)reg_read(v->bytes, REG_RDX),
	};

	if (!rtit_cpuid(&v->pt.opt->model, v->number, v->subleaf, &r))
		return;
	reg_write(v->bytes, REG_RAX, r.eax);
	reg_write(v->bytes, REG_RBX, r.ebx);
	reg_write(v->bytes, REG_RCX, r.ecx);
	reg_write(v->bytes, REG_RDX, r.edx);
}

static void after_rdmsr(struct vcpu *v)
{
	uint64_t val;

	/* Bits 15:8: the highest non-turbo ratio, which the perf driver reads. */
	if (v->number == MSR_PLATFORM_INFO)
		val = (uint64_t)v->pt.opt->model.bus_ratio << 8;
	else
		val = trace_rdmsr(&v->pt, v->number);
	reg_write(v->bytes, REG_RAX, val & 0xffffffff);
	reg_write(v->bytes, REG_RDX, val >> 32);
}

static void after_wrmsr(struct vcpu *v, uint64_t nlip)
{
	struct lab_cpu *c = &v->pt;
	bool was = c->rtit.ctl & CTL_TRACEEN;
	bool is = v->number == MSR_RTIT_CTL ? v->value & CTL_TRACEEN : was;

	if (was && !is) {
		trace_disable(c, v->post_addr);
		rtit_write(&c->rtit, v->number, v->value);
		c->host->gates(c);
		trace_stats(c);
		return;
	}
	rtit_write(&c->rtit, v->number, v->value);
	if (v->number == MSR_RTIT_STATUS)
		c->byte_cnt = v->value >> 32;
	if (!was && is)
		trace_enable(c, nlip);
}

void special_after(struct vcpu *v, uint64_t nlip)
{
	enum post post = v->post;

	set_post(v, POST_NONE);
	switch (post) {
	case POST_CPUID:
		after_cpuid(v);
		break;
	case POST_RDMSR:
		after_rdmsr(v);
		break;
	case POST_WRMSR:
		after_wrmsr(v, nlip);
		break;
	case POST_RDTSC:
		clock_learn((reg_read(v->bytes, REG_RAX) & 0xffffffff) | reg_read(v->bytes, REG_RDX)
										 << 32);
		break;
	default:
		break;
	}
}

void special_faulted(struct vcpu *v)
{
	if (v->post == POST_GP)
		reg_write(v->bytes, REG_RCX, v->saved_rcx);
	set_post(v, POST_NONE);
}
