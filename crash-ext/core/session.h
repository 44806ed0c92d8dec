/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One dump (or one raw trace) being looked at: the record, and each CPU's history when asked for.
 *
 * Knows no files and prints nothing: problems are collected.
 */
#ifndef ITRACE_SESSION_H
#define ITRACE_SESSION_H

#include "block.h"
#include "collect.h"
#include "idt.h"
#include "image.h"
#include "names.h"
#include "record.h"
#include "ring.h"
#include "source.h"
#include "trace.h"

/* One CPU's history. Without a trace, @status says why and everything else is empty. */
struct itrace_history {
	uint32_t cpu;
	bool opened;
	int status;
	bool has_stream; /* true: @stream can be shown as packets, even without a @trace */
	struct itrace_stream stream;
	struct itrace_image *image; /* of the code it ran */
	struct itrace_blocks *blocks;
	struct itrace_trace *trace;
};

struct itrace_session {
	const struct itrace_source *source; /* NULL for a raw trace */
	struct itrace_record record;	    /* zero for a raw trace */
	bool has_record;
	bool raw;
	uint64_t scanned; /* bytes looked at for the record's magic */
	struct itrace_history *history;
	uint32_t nr_cpus;
	struct itrace_image *raw_image;
	uint32_t family, model, stepping;
	struct itrace_idt idt;
	struct itrace_names *names;
	struct itrace_collect collect;
};

/*
 * Open the dump behind @source (which must outlive the session). Returns 0; ITRACE_E_NOTFOUND if
 * there is no record in it; ITRACE_E_CORRUPT, _FILTERED, _UNSUPPORTED if there is one that can't
 * be used; ITRACE_E_NOMEM. Whatever it returns, the problems found are in session->collect, and
 * itrace_session_deinit() frees.
 */
int itrace_session_init(struct itrace_session *session, const struct itrace_source *source);

/*
 * Open a trace without a dump: CPU 0's, of @len bytes (copied), whose code is @image (becomes the
 * session's, also on failure). @family, @model, @stepping: of the CPU, 0 if not known.
 * Returns 0 or ITRACE_E_NOMEM; itrace_session_deinit() frees in any case.
 */
int itrace_session_init_raw(struct itrace_session *session, const void *bytes, uint64_t len,
			    struct itrace_image *image, uint32_t family, uint32_t model,
			    uint32_t stepping);
void itrace_session_deinit(struct itrace_session *session);

/*
 * The history of @cpu, which must be below nr_cpus: decodable if the result's trace is not NULL.
 * Never NULL. Opened at the first call.
 */
struct itrace_history *itrace_session_history(struct itrace_session *session, uint32_t cpu);

/* Give @cpu's memory back; the next itrace_session_history() opens it again. */
void itrace_session_release(struct itrace_session *session, uint32_t cpu);

/* The CPU that stopped the machine, or the best guess where the record does not say. */
uint32_t itrace_session_first_cpu(const struct itrace_session *session);

/* The slot of @cpu; NULL for a raw trace, or if the slot is damaged. */
const struct itrace_cpu *itrace_session_slot(const struct itrace_session *session, uint32_t cpu);

#endif
