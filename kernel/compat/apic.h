/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sending an NMI to a set of CPUs: by static call since "x86/apic: Provide static call
 * infrastructure for APIC callbacks" (v6.6), through struct apic before.
 */
#ifndef ITRACE_COMPAT_APIC_H
#define ITRACE_COMPAT_APIC_H

#include <linux/cpumask.h>
#include <asm/apic.h>
#include <asm/irq_vectors.h>

static __always_inline void itrace_send_nmi(const struct cpumask *mask)
{
#ifdef ITRACE_HAVE_APIC_STATIC_CALL
	__apic_send_IPI_mask(mask, NMI_VECTOR);
#else
	apic->send_IPI_mask(mask, NMI_VECTOR);
#endif
}

#endif
