/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which handler belongs to which vector: the interrupt descriptor table of the dump.
 *
 * SDM 3A 6.14.1 (64-bit gates of 16 bytes). Vectors of Linux: arch/x86/include/asm/irq_vectors.h.
 */
#ifndef ITRACE_IDT_H
#define ITRACE_IDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image.h"
#include "source.h"

#define ITRACE_NR_VECTORS 256
#define ITRACE_NO_VECTOR  UINT32_MAX

struct itrace_idt {
	uint64_t handler[ITRACE_NR_VECTORS]; /* 0: no gate, or not known */
	bool known;
};

/*
 * Read the table at the virtual address @base with @limit (as LIDT takes it) through @paging.
 * Returns 0, or the status of the first gate that could not be read: those before it are there.
 * ITRACE_E_NODATA if @base is 0 (FRED has no table).
 */
int itrace_idt_init(struct itrace_idt *idt, const struct itrace_source *source,
		    const struct itrace_paging *paging, uint64_t base, uint32_t limit);

/* The vector whose handler is at @addr, or ITRACE_NO_VECTOR. */
uint32_t itrace_idt_vector(const struct itrace_idt *idt, uint64_t addr);

/* Exceptions that are faults, traps or aborts of the code itself: 0 to 31 without the NMI. */
bool itrace_idt_exception(uint32_t vector);

/* "page fault", "NMI", "timer interrupt", "interrupt 37"; into @buf. Returns @buf. */
const char *itrace_idt_name(uint32_t vector, char *buf, size_t size);

#endif
