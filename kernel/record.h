/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record in memory: include/itrace_abi.h, docs/format.md.
 *
 * Made at arm, freed at disarm. All here runs in process context, one caller at a time (arm.c's
 * lock); only the slots and the event are written by others, in freeze.c.
 */
#ifndef ITRACE_RECORD_H
#define ITRACE_RECORD_H

#include "itrace.h"
#include "piece.h"

struct itrace_sampler;

struct itrace_rec {
	struct itrace_piece head; /* header, machine, event */
	struct itrace_piece slots;
	struct itrace_piece modules;
	struct itrace_piece patches;
	struct itrace_piece *extents; /* one per possible CPU */
	struct itrace_header *header;
	struct itrace_machine *machine;
	struct itrace_event *event;
	unsigned int nr_cpus;
};

/*
 * Allocates all sections but the extents and fills what does not depend on an arming.
 *
 * Returns 0, or
 * -ENOMEM: with one line in the log, nothing is left allocated
 */
int itrace_rec_init(struct itrace_rec *rec);
void itrace_rec_deinit(struct itrace_rec *rec);

/*
 * Writes the header for arming number @generation, and an empty event. The record counts from
 * here on: itrace_record is set.
 */
void itrace_rec_arm(struct itrace_rec *rec, u64 generation);

static inline struct itrace_cpu *itrace_rec_slot(const struct itrace_rec *rec, unsigned int cpu)
{
	return rec->slots.va + (size_t)cpu * ITRACE_CPU_STRIDE;
}

/*
 * Writes @cpu's slot for a CPU that @s traces (NULL: one that is not traced) in @state, and its
 * extents.
 *
 * Returns 0, or
 * -ENOMEM: no room for the extents; the slot says so by having none
 */
int itrace_rec_cpu(struct itrace_rec *rec, unsigned int cpu, enum itrace_state state,
		   const struct itrace_sampler *s);

/* Writes the list of modules as they are now. Also safe while a crash is going on. */
void itrace_rec_modules(struct itrace_rec *rec);

/* machine.c: fills @m, all but its hooks. */
void itrace_machine_fill(struct itrace_machine *m);

/* modules.c: fills @list, room for @max, as the kernel's list is now. */
void itrace_modules_fill(struct itrace_modules *list, unsigned int max);
unsigned int itrace_modules_count(void);

/* The boot's id as text, 36 characters; empty when procfs does not tell. */
const char *itrace_boot_id_text(void);

#endif
