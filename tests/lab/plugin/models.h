/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * models.h - what real CPUs say of their Intel PT: one table, for the emulated CPU (model=NAME)
 * and for the unit test of what itrace.ko asks of each.
 *
 * The values are from published CPUID dumps; models.c names the dump of each row.
 */
#ifndef ITRACE_LAB_MODELS_H
#define ITRACE_LAB_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_cpu {
	const char *name;
	uint32_t eax0, ebx0, ecx0; /* CPUID.(14h,0) */
	uint32_t eax1, ebx1;	   /* CPUID.(14h,1); 0 where eax0 is */
	uint32_t eax15, ebx15;	   /* CPUID.15h: TSC / crystal = ebx / eax; 0: no such leaf */
	bool vmx_pt;		   /* IA32_VMX_MISC[14]: PT goes on in VMX operation */
	bool sext48;		   /* full IPs as 48 bits, sign-extended, where that suffices */
};

#define PT_CPUS 7
extern const struct pt_cpu pt_cpus[PT_CPUS];

/* NULL: no such name. */
const struct pt_cpu *pt_cpu_find(const char *name);

#endif
