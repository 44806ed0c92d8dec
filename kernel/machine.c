// SPDX-License-Identifier: GPL-2.0-only
/* The record's machine part: what a reader without symbols has to know. */
#include "itrace.h"
#include "record.h"

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <asm/cpufeature.h>
#include <asm/desc.h>
#include <asm/msr.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include "compat/headers.h"
#include "compat/module.h"
#include "fileio.h"
#include "msr.h"

#define CR4_FRED_BIT 32 /* SDM 1 (FRED specification), CR4.FRED */

static void add_leaf(struct itrace_machine *m, u32 leaf, u32 subleaf)
{
	struct itrace_cpuid *c = &m->cpuid[m->nr_cpuid];

	if (m->nr_cpuid == ITRACE_NR_CPUID || leaf > cpuid_eax(0))
		return;
	c->leaf = leaf;
	c->subleaf = subleaf;
	cpuid_count(leaf, subleaf, &c->eax, &c->ebx, &c->ecx, &c->edx);
	m->nr_cpuid++;
}

static void fill_cpuid(struct itrace_machine *m)
{
	u32 sub, last;

	m->nr_cpuid = 0;
	add_leaf(m, 0, 0);
	add_leaf(m, 1, 0);
	add_leaf(m, 7, 0);
	add_leaf(m, 7, 1);
	last = cpuid_eax(0) >= 0x14 ? cpuid_eax(0x14) : 0;
	for (sub = 0; sub <= last && sub < 8; sub++)
		add_leaf(m, 0x14, sub);
	add_leaf(m, 0x15, 0);
	add_leaf(m, 0x16, 0);
	add_leaf(m, 0x1a, 0);
}

static u64 read_msr(u32 msr)
{
	u32 lo, hi;

	return rdmsr_safe(msr, &lo, &hi) ? 0 : (u64)hi << 32 | lo;
}

static void fill_memory(struct itrace_machine *m)
{
	m->page_offset_base = (u64)__va(0);
	m->phys_base = phys_base;
	/* Taken by name, so that a reader finds the kernel's own offset with any symbol table. */
	m->anchor_addr = (u64)&kernel_read;
	strscpy(m->anchor_name, "kernel_read", sizeof(m->anchor_name));
#ifdef CONFIG_AMD_MEM_ENCRYPT
	m->encryption_mask = sme_me_mask;
#endif
	m->phys_bits = boot_cpu_data.x86_phys_bits;
	m->la57 = !!(__read_cr4() & X86_CR4_LA57);
}

static void fill_entries(struct itrace_machine *m)
{
	struct desc_ptr idt;

	m->lstar = read_msr(ITRACE_MSR_LSTAR);
	m->fred = __read_cr4() >> CR4_FRED_BIT & 1;
	if (m->fred) {
		m->fred_config = read_msr(ITRACE_MSR_FRED_CONFIG);
		return;
	}
	store_idt(&idt);
	m->idt_base = idt.address;
	m->idt_limit = idt.size;
}

void itrace_machine_fill(struct itrace_machine *m)
{
	memset_after(m, 0, part);
	strscpy(m->release, init_uts_ns.name.release, sizeof(m->release));
	strscpy(m->nodename, init_uts_ns.name.nodename, sizeof(m->nodename));
	m->build_id_len = itrace_build_id("/sys/kernel/notes", m->build_id);
	m->microcode = boot_cpu_data.microcode;
	fill_cpuid(m);
	m->msr_platform_info = read_msr(ITRACE_MSR_PLATFORM_INFO);
	m->tsc_khz = tsc_khz;
	fill_memory(m);
	fill_entries(m);
	m->text_base = itrace_module_text(THIS_MODULE);
	m->text_size = itrace_module_text_size(THIS_MODULE);
}
