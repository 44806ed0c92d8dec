/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record, read and checked: kernel/include/itrace_abi.h in a dump, made safe to use.
 *
 * Every number that is used as a size, an index or a count has been bounded here. A damaged part
 * is reported through the problem callback, one line each, and left zero; the others are given.
 */
#ifndef ITRACE_RECORD_H
#define ITRACE_RECORD_H

#include "image.h"
#include "itrace_abi.h"
#include "problem.h"
#include "source.h"

struct itrace_record_cpu {
	struct itrace_cpu slot; /* zero if !slot_ok */
	bool slot_ok;
	struct itrace_extent *extent; /* owned by the record; sorted in ring order */
	uint32_t nr_extents; /* 0 if they can't be trusted */
	uint64_t ring_size; /* sum of the extents; 0 without them */
};

struct itrace_record {
	uint64_t pa;
	struct itrace_header header;
	struct itrace_machine machine;
	bool machine_ok;
	struct itrace_event event;
	bool event_ok; /* false too if no freeze has happened */
	struct itrace_module *module;
	uint32_t nr_modules;
	struct itrace_patch *patch; /* oldest first */
	uint32_t nr_patches;
	uint64_t patches_lost;
	struct itrace_record_cpu *cpu;
	uint32_t nr_cpus;
};

/*
 * Read the record at @pa. Strings in it are NUL-terminated afterwards.
 * Returns 0 if at least the header is whole (look at the _ok fields for the rest);
 * ITRACE_E_NOTFOUND if there is no magic; ITRACE_E_CORRUPT if its CRC or self address is wrong;
 * ITRACE_E_UNSUPPORTED for another major version; ITRACE_E_FILTERED; ITRACE_E_NOMEM.
 * On failure nothing is left to free; on success itrace_record_deinit() frees.
 */
int itrace_record_init(struct itrace_record *record, const struct itrace_source *source,
		       uint64_t pa, const struct itrace_problems *problems);
void itrace_record_deinit(struct itrace_record *record);

/* How to walk the page tables of @cpu's last moment. Returns 0, ITRACE_E_NODATA without CR3. */
int itrace_record_paging(const struct itrace_record *record, uint32_t cpu,
			 struct itrace_paging *ret);

/* Static names; never NULL ("state 77" style numbers are the caller's business). */
const char *itrace_state_str(uint32_t state);
const char *itrace_reason_str(uint32_t reason);

/*
 * Find the record and read it: by symbol `itrace_record` (it holds the record's physical address
 * in its first 8 bytes), by the newest log line "itrace: record v1 pa=0x... len=... boot=...", by
 * the magic at the start of a page of the dump. Each place that fails is one problem line with
 * what is tried next. Returns as itrace_record_init, or ITRACE_E_NOTFOUND after all three.
 * *@scanned is the number of bytes that the scan looked at.
 */
int itrace_record_find(struct itrace_record *record, const struct itrace_source *source,
		       const struct itrace_problems *problems, uint64_t *scanned);

#endif
