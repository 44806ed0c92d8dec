// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * models.c - see models.h.
 *
 * Sources: "libcpuid" is github.com/anrieff/libcpuid at 2d1e0190, tests/intel; "libvirt" is
 * github.com/libvirt/libvirt, tests/cputestdata/x86_64-cpuid-*. No dump has VMX MSRs: vmx_pt is
 * the SDM's (3D A.6) and the kernel's word that Broadwell alone lacks it. The form of full IPs is
 * what traces in public corpora of the generation show, where there are any.
 */
#include "models.h"

#include <string.h>

const struct pt_cpu pt_cpus[PT_CPUS] = {
	/* libvirt, Core-i7-5600U; libcpuid has three more Broadwells, all the same */
	{.name = "broadwell", .eax0 = 0, .ebx0 = 0x1, .ecx0 = 0x1, .sext48 = true},
	/* libvirt, Xeon-Gold-6148 */
	{.name = "skylake-sp",
	 .eax0 = 1,
	 .ebx0 = 0xf,
	 .ecx0 = 0x7,
	 .eax1 = 0x02490002,
	 .ebx1 = 0x003f3fff,
	 .eax15 = 2,
	 .ebx15 = 0xc0,
	 .vmx_pt = true,
	 .sext48 = true},
	/* libcpuid, willow-cove/11th-gen-intel-core-i5-1135g7 */
	{.name = "tigerlake",
	 .eax0 = 1,
	 .ebx0 = 0x4f,
	 .ecx0 = 0x7,
	 .eax1 = 0x02490002,
	 .ebx1 = 0x003f1fff,
	 .eax15 = 2,
	 .ebx15 = 0x7e,
	 .vmx_pt = true},
	/* libvirt, Ice-Lake-Server */
	{.name = "icelake-sp",
	 .eax0 = 1,
	 .ebx0 = 0xf,
	 .ecx0 = 0x7,
	 .eax1 = 0x02490002,
	 .ebx1 = 0x003f1fff,
	 .eax15 = 2,
	 .ebx15 = 0xa0,
	 .vmx_pt = true},
	/* Not found itself: libvirt, Xeon-Gold-6530 (Emerald Rapids, its successor of the same
	 * core family); libcpuid's golden-cove clients agree in leaf 14h */
	{.name = "sapphirerapids",
	 .eax0 = 1,
	 .ebx0 = 0x5f,
	 .ecx0 = 0x7,
	 .eax1 = 0x02490002,
	 .ebx1 = 0x003f003f,
	 .eax15 = 2,
	 .ebx15 = 0xa8,
	 .vmx_pt = true},
	/* Not found itself: libcpuid, redwood-cove/intel-core-ultra-7-155h, a client of the same
	 * core */
	{.name = "graniterapids",
	 .eax0 = 1,
	 .ebx0 = 0x5f,
	 .ecx0 = 0x7,
	 .eax1 = 0x02490002,
	 .ebx1 = 0x003f003f,
	 .eax15 = 2,
	 .ebx15 = 0x9c,
	 .vmx_pt = true},
	/* libcpuid, gracemont/intel-core-i3-n305: LIP, PTWRITE, power events, event trace */
	{.name = "gracemont",
	 .eax0 = 1,
	 .ebx0 = 0x1ff,
	 .ecx0 = 0x80000007,
	 .eax1 = 0x02490002,
	 .ebx1 = 0x003fffff,
	 .eax15 = 2,
	 .ebx15 = 0x5e,
	 .vmx_pt = true},
};

const struct pt_cpu *pt_cpu_find(const char *name)
{
	for (size_t i = 0; i < PT_CPUS; i++)
		if (!strcmp(pt_cpus[i].name, name))
			return &pt_cpus[i];
	return NULL;
}
