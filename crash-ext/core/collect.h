/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problems, kept until it is their turn to be shown.
 *
 * The same bytes may be decoded more than once (a search, a count, the window itself), so the
 * same problem may be reported more than once: it is kept once. A gap's problem is shown where
 * the gap is; what no view has shown comes in the order of its report.
 */
#ifndef ITRACE_COLLECT_H
#define ITRACE_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "problem.h"

/* Lines kept; more are only counted. */
#define ITRACE_COLLECT_MAX 512

struct itrace_collected {
	uint32_t cpu;
	uint64_t offset;
	char *text;
	bool shown;
};

struct itrace_collect {
	struct itrace_problems problems; /* give this to the core; priv is the collection */
	struct itrace_collected *line;
	size_t nr;
	uint64_t lost; /* different ones that did not fit */
};

void itrace_collect_init(struct itrace_collect *collect);
void itrace_collect_deinit(struct itrace_collect *collect);

/*
 * The text of the first problem of @cpu at @offset, marked as shown; NULL without one. Lives as
 * long as the collection.
 */
const char *itrace_collect_take(struct itrace_collect *collect, uint32_t cpu, uint64_t offset);

/* Problems reported so far, of @cpu or (ITRACE_NO_CPU) of all. */
uint64_t itrace_collect_count(const struct itrace_collect *collect, uint32_t cpu);

/*
 * Write what has not been shown to @out, one line each, behind @prefix, and mark it as shown.
 * @out NULL: only mark. Returns the number of lines.
 */
uint64_t itrace_collect_flush(struct itrace_collect *collect, FILE *out, const char *prefix);

/* "[cpu 1 off 0x3f] text", parts left out that are not known. snprintf's return value. */
int itrace_collect_format(char *buf, size_t size, uint32_t cpu, uint64_t offset, const char *text);

#endif
