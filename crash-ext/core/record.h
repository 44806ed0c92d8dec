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

/* Bytes of one CPU's ring; a slot that says more is damaged. */
#define ITRACE_RECORD_MAX_RING (1ull << 32)

struct itrace_record_cpu {
	struct itrace_cpu slot; /* zero if !slot_ok; ring_size is bounded */
	bool slot_ok;
	/* The ring may be known even if !slot_ok: then there is no position in it. */
	struct itrace_extent *extent; /* owned by the record; sorted in ring order */
	uint32_t nr_extents;	      /* 0 if they can't be trusted */
	uint64_t ring_size;	      /* sum of the extents; 0 without them */
};

struct itrace_record {
	uint64_t pa;
	struct itrace_header header;
	struct itrace_machine machine; /* phys_bits is 32 to 52, or 0: not known */
	bool machine_ok;
	struct itrace_event event;
	bool event_ok; /* false too if no freeze has happened; first_cpu < nr_cpus */
	struct itrace_module *module;
	uint32_t nr_modules;
	struct itrace_patch *patch; /* oldest first; len is 1 to 16 */
	uint32_t nr_patches;
	uint64_t patches_lost;
	struct itrace_record_cpu *cpu;
	uint32_t nr_cpus; /* 0 if the slots can't be found */
};

#define ITRACE_RECORD_WHY 256

/*
 * Is there a record at @pa? Reads and checks its header only. Returns 0 with @header filled, or as
 * itrace_record_init with @why (ITRACE_RECORD_WHY bytes) as the line that says so:
 * "corrupt: record at 0x20b3000 has CRC 1f2e3d4c, computed 9a8b7c6d".
 */
int itrace_record_check(const struct itrace_source *source, uint64_t pa,
			struct itrace_header *header, char *why);

/*
 * Read the record at @pa. Strings in it are NUL-terminated and printable afterwards.
 * Returns 0 if at least the header is whole (look at the _ok fields for the rest);
 * ITRACE_E_NOTFOUND if there is no magic; ITRACE_E_CORRUPT if its CRC or self address is wrong;
 * ITRACE_E_UNSUPPORTED for another major version; ITRACE_E_FILTERED; ITRACE_E_NOMEM.
 * On failure nothing is left to free; on success itrace_record_deinit() frees.
 */
int itrace_record_init(struct itrace_record *record, const struct itrace_source *source,
		       uint64_t pa, const struct itrace_problems *problems);
void itrace_record_deinit(struct itrace_record *record);

/*
 * How to walk the page tables of @cpu's last moment: its own CR3, else that of another CPU that
 * froze (the kernel's half is the same in all), else, with a @source (NULL is allowed), the
 * kernel's first page table by vmcoreinfo. Returns 0, ITRACE_E_NODATA if there is none of these.
 */
int itrace_record_paging(const struct itrace_record *record, uint32_t cpu,
			 struct itrace_paging *ret);
int itrace_record_paging_from(const struct itrace_record *record, uint32_t cpu,
			      const struct itrace_source *source, struct itrace_paging *ret);

/* Static names; never NULL ("state 77" style numbers are the caller's business). */
const char *itrace_state_str(uint32_t state);
const char *itrace_reason_str(uint32_t reason);

/*
 * Find the record and read it: by symbol `itrace_record` (it holds the record's physical address
 * in its first 8 bytes), by the newest log line "itrace: record v1 pa=0x... len=... boot=...", by
 * the magic at the start of a page of the dump (of several the newest). Each place that fails is
 * one problem line with what is tried next. Returns as itrace_record_init for the first place that
 * was wrong, or ITRACE_E_NOTFOUND if no place names one. A place that
 * names one which memory no longer has is ITRACE_E_NODATA: it was there once.
 * *@scanned is the number of bytes that the scan looked at; 0 if it was not needed.
 */
int itrace_record_find(struct itrace_record *record, const struct itrace_source *source,
		       const struct itrace_problems *problems, uint64_t *scanned);

#endif
