/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ToPA tables of a ring, read from the dump: SDM 3C 33.2.7.2, table 33-3.
 */
#ifndef ITRACE_TOPA_H
#define ITRACE_TOPA_H

#include "source.h"

struct itrace_region {
	uint64_t pa;
	uint64_t len;
	uint64_t offset;   /* of its first byte in the ring */
	uint64_t table_pa; /* the table that names it, ... */
	uint32_t index;	   /* ... and its entry there */
};

struct itrace_topa {
	struct itrace_region *region; /* in ring order */
	uint32_t nr;
	uint64_t size; /* sum of all */
};

/*
 * Read the tables from @pa on, through END entries, until they come back to @pa. At most
 * @max_size bytes of ring. Returns 0 (freed by itrace_topa_deinit); ITRACE_E_CORRUPT for an entry
 * that hardware would refuse, for tables without end or rings above @max_size;
 * ITRACE_E_FILTERED or another status of the source; ITRACE_E_NOMEM.
 */
int itrace_topa_init(struct itrace_topa *topa, const struct itrace_source *source, uint64_t pa,
		     uint64_t max_size);
void itrace_topa_deinit(struct itrace_topa *topa);

/* The offset in the ring of output registers (table base, entry, offset). CORRUPT if none. */
int itrace_topa_offset(const struct itrace_topa *topa, uint64_t table_pa, uint32_t index,
		       uint64_t offset, uint64_t *ret);

#endif
