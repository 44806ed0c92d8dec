/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel tells dump tools about itself (Documentation/admin-guide/kdump/vmcoreinfo.rst).
 */
#ifndef ITRACE_VMCOREINFO_H
#define ITRACE_VMCOREINFO_H

#include "image.h"
#include "source.h"

/*
 * The line "@kind(@name)=..." as a number: SYMBOL is hexadecimal, OFFSET, SIZE, LENGTH and NUMBER
 * are decimal. A negative NUMBER is given as its two's complement.
 * Returns 0; ITRACE_E_NOTFOUND; ITRACE_E_CORRUPT if it is no number.
 */
int itrace_vmcoreinfo_number(const struct itrace_source *source, const char *kind, const char *name,
			     uint64_t *ret);

/* The value of @key in a whole vmcoreinfo @text, lines of KEY=VALUE. As source->vmcoreinfo. */
int itrace_vmcoreinfo_find(const char *text, const char *key, char *value, size_t size);

/*
 * The kernel's own first page table (init_top_pgt), which maps all that the kernel maps.
 * Returns 0, ITRACE_E_NOTFOUND, ITRACE_E_CORRUPT.
 */
int itrace_vmcoreinfo_paging(const struct itrace_source *source, struct itrace_paging *ret);

#endif
