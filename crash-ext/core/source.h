/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where bytes come from: the one interface between the core and a dump.
 *
 * Implemented by crash-ext/source/ (crash, libkdumpfile, raw). The core never opens a file and
 * never calls crash. A source is used from one thread at a time.
 */
#ifndef ITRACE_SOURCE_H
#define ITRACE_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

struct itrace_source {
	/*
	 * Read @len bytes at physical address @pa, quietly. Must be given whole or not at all.
	 * Returns 0, ITRACE_E_FILTERED if a page is not in the dump,
	 * ITRACE_E_NOTFOUND if there is no memory at that address,
	 * ITRACE_E_CORRUPT if the dump itself is damaged there, ITRACE_E_SYSTEM.
	 */
	int (*read_phys)(void *priv, uint64_t pa, void *buf, size_t len);

	/*
	 * Name the symbol at or before @addr: @name gets "sym" (no offset, no module; NUL
	 * terminated, at most @size bytes), @module gets the module's name or "", @start the
	 * symbol's address. Either buffer may be filled in from static data of the source.
	 * Returns 0, ITRACE_E_NOTFOUND. NULL where the source knows no names.
	 */
	int (*symbol)(void *priv, uint64_t addr, char *name, size_t size, char *module,
		      size_t module_size, uint64_t *start);

	/* Address of the named symbol. Returns 0, ITRACE_E_NOTFOUND. May be NULL. */
	int (*lookup)(void *priv, const char *name, uint64_t *addr);

	/*
	 * Virtual to physical by the dump's own kernel page table, for finding the record by its
	 * symbol. Returns 0, ITRACE_E_NOTFOUND, ITRACE_E_FILTERED. May be NULL.
	 */
	int (*vtop)(void *priv, uint64_t va, uint64_t *pa);

	/*
	 * Walk the ranges of physical memory that the dump covers, in ascending order: sets
	 * [*start, *end) to the first range that ends above @from. Returns 0, ITRACE_E_NOTFOUND
	 * after the last. NULL: the scan tries 0 to @max_pa.
	 */
	int (*next_range)(void *priv, uint64_t from, uint64_t *start, uint64_t *end);
	uint64_t max_pa; /* exclusive; 0 if not known */

	/*
	 * The kernel's log of the dump, decoded to text lines, newest last. Sets *@log to a
	 * malloc'ed NUL-terminated text that the caller frees. Returns 0, ITRACE_E_NOTFOUND,
	 * ITRACE_E_FILTERED. May be NULL.
	 */
	int (*log)(void *priv, char **log);

	/* vmcoreinfo's value of @key into @value. Returns 0, ITRACE_E_NOTFOUND. May be NULL. */
	int (*vmcoreinfo)(void *priv, const char *key, char *value, size_t size);

	void *priv;
};

#endif
