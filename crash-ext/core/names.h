/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of addresses: symbols where the source knows them, else the record's list of modules.
 *
 * Each address is looked up once; the answers live as long as the table.
 */
#ifndef ITRACE_NAMES_H
#define ITRACE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "source.h"

enum itrace_name_kind {
	ITRACE_NAME_PLAIN = 0,
	ITRACE_NAME_INDIRECT_THUNK, /* a jump through a register, by a detour */
	ITRACE_NAME_RETURN_THUNK,   /* a return, by a detour */
};

struct itrace_name {
	enum itrace_name_kind kind;
	const char *symbol; /* "" if there is none; shared: equal names are one pointer */
	const char *module; /* "" for the kernel itself, or if not known */
	uint64_t start;	    /* of the symbol, or of the module without one; 0 without both */
};

struct itrace_names;

/*
 * @source and @record may be NULL; both must outlive the table. Returns NULL when out of memory.
 */
struct itrace_names *itrace_names_create(const struct itrace_source *source,
					 const struct itrace_record *record);
void itrace_names_destroy(struct itrace_names *names);

/* Never NULL: without memory it is a name with nothing in it. */
const struct itrace_name *itrace_names_get(struct itrace_names *names, uint64_t addr);

/* True if names of functions can be had at all. */
bool itrace_names_symbols(const struct itrace_names *names);

/*
 * "symbol+0x1f [module]", "[module]+0x1f", or "0xffffffff81000000" where nothing is known.
 * snprintf's return value.
 */
int itrace_names_format(struct itrace_names *names, uint64_t addr, char *buf, size_t size);

#endif
