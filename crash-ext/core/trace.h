/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One CPU's history, decoded from its end: the last N instructions cost the same whatever the
 * ring's size.
 *
 * Instructions are counted from the end of the trace: 0 is the last one that completed. A mark
 * is such a count: "everything before it".
 */
#ifndef ITRACE_TRACE_H
#define ITRACE_TRACE_H

#include "flow.h"

struct itrace_trace;

/* Indexes the PSBs of config->stream. @config is copied; what it points to must outlive the trace.
 * Sets *@ret. Returns 0, ITRACE_E_NODATA if there is no PSB in the stream, ITRACE_E_NOMEM. */
int itrace_trace_create(const struct itrace_flow_config *config, struct itrace_trace **ret);
void itrace_trace_destroy(struct itrace_trace *trace);

#define ITRACE_ALL UINT64_MAX

/*
 * Give the steps of the instructions [end + n, end) counted from the end, oldest first: the last
 * @n before the mark @end. Steps other than RUN inside of that window, and directly at its
 * newer edge, are given too (so the INTERRUPT of a fault at mark @end is). RUN steps are cut to
 * the window. *@older is the number of completed instructions given.
 * Returns 0, the callback's status, ITRACE_E_NOMEM.
 */
int itrace_trace_last(struct itrace_trace *trace, uint64_t end, uint64_t n,
		      int (*step)(void *priv, const struct itrace_step *step), void *priv,
		      uint64_t *given);

/*
 * Search backwards from the end for the newest step that @match accepts (non-zero), looking at
 * most at @limit instructions. *@mark: completed instructions behind that step (for a RUN step,
 * @match returns 1 + the index of the instruction, and the mark counts from behind that
 * instruction). *@found is the step. Returns 0, ITRACE_E_NOTFOUND, ITRACE_E_NOMEM.
 */
int itrace_trace_find(struct itrace_trace *trace, uint64_t limit,
		      int (*match)(void *priv, const struct itrace_step *step), void *priv,
		      uint64_t *mark, struct itrace_step *found);

struct itrace_trace_stats {
	uint64_t instructions;
	uint64_t segments;
	uint64_t gaps; /* GAP steps */
	uint64_t overflows;
	uint64_t first_tsc, last_tsc; /* 0: no time in the trace */
	uint64_t head_lost;	      /* bytes before the first PSB */
};

/* Decodes everything once (count only), then remembers. Returns 0 or ITRACE_E_NOMEM. */
int itrace_trace_stats(struct itrace_trace *trace, struct itrace_trace_stats *ret);

#endif
