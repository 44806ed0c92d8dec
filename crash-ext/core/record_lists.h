/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of the record that are lists: modules, patched code, a ring's extents. For record.c.
 *
 * Each reports its own problems; what can't be trusted is left empty.
 */
#ifndef ITRACE_RECORD_LISTS_H
#define ITRACE_RECORD_LISTS_H

#include "record.h"

/* All return 0 or ITRACE_E_NOMEM. @section may be NULL: there is none in this record. */
int itrace_record_read_modules(struct itrace_record *record, const struct itrace_source *source,
			       const struct itrace_section *section,
			       const struct itrace_problems *problems);
int itrace_record_read_patches(struct itrace_record *record, const struct itrace_source *source,
			       const struct itrace_section *section,
			       const struct itrace_problems *problems);

/* The extents that @cpu's slot at @slot_ok or its remains point to; @slot is as found. */
int itrace_record_read_extents(struct itrace_record_cpu *cpu, uint32_t index,
			       const struct itrace_cpu *slot, const struct itrace_source *source,
			       const struct itrace_problems *problems);

#endif
