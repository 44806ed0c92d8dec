/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86-64 page table walk over a dump (SDM 3A 4.5: 4-level and 5-level paging).
 */
#ifndef ITRACE_PAGETABLE_H
#define ITRACE_PAGETABLE_H

#include "image.h"
#include "source.h"

struct itrace_translation {
	uint64_t pa;
	uint64_t page_size; /* 4 KiB, 2 MiB or 1 GiB */
	bool executable;    /* no NX bit at any level */
	bool user;	    /* U/S set at every level */
	bool writable;
};

/*
 * Translate @va. Returns 0; ITRACE_E_INVALID if it is not canonical; ITRACE_E_NOTFOUND if an
 * entry is not present; ITRACE_E_CORRUPT if an entry has reserved bits set;
 * ITRACE_E_FILTERED if a table is not in the dump.
 */
int itrace_translate(const struct itrace_source *source, const struct itrace_paging *paging,
		     uint64_t va, struct itrace_translation *ret);

#endif
