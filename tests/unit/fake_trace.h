/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace made of steps that the test has written down, for units above trace.h.
 */
#ifndef FAKE_TRACE_H
#define FAKE_TRACE_H

#include <string.h>

#include "status.h"
#include "trace.h"

struct itrace_trace {
	const struct itrace_step *step; /* oldest first */
	size_t nr;
};

static uint64_t fake_total(const struct itrace_trace *trace)
{
	uint64_t total = 0;

	for (size_t i = 0; i < trace->nr; i++)
		if (trace->step[i].type == ITRACE_STEP_RUN)
			total += trace->step[i].nr;
	return total;
}

/* One step of trace_last(): its instructions begin at count @at, the window is [first, last). */
static int fake_give(const struct itrace_step *whole, uint64_t at, uint64_t first, uint64_t last,
		     int (*step)(void *priv, const struct itrace_step *step), void *priv,
		     uint64_t *given)
{
	struct itrace_step part = *whole;
	uint64_t start = at < first ? first : at, end = at + whole->nr;

	if (whole->type != ITRACE_STEP_RUN)
		return at > first && at <= last ? step(priv, whole) : 0;
	if (end > last)
		end = last;
	if (start >= end)
		return 0;
	part.insn += start - at;
	part.nr = end - start;
	*given += part.nr;
	return step(priv, &part);
}

int itrace_trace_last(struct itrace_trace *trace, uint64_t end, uint64_t n,
		      int (*step)(void *priv, const struct itrace_step *step), void *priv,
		      uint64_t *given)
{
	uint64_t total = fake_total(trace), at = 0;
	uint64_t last = end > total ? 0 : total - end;
	uint64_t first = n > last ? 0 : last - n;
	int err = 0;

	*given = 0;
	for (size_t i = 0; !err && i < trace->nr; i++) {
		err = fake_give(&trace->step[i], at, first, last, step, priv, given);
		if (trace->step[i].type == ITRACE_STEP_RUN)
			at += trace->step[i].nr;
	}
	return err;
}

int itrace_trace_find(struct itrace_trace *trace, uint64_t limit,
		      int (*match)(void *priv, const struct itrace_step *step), void *priv,
		      uint64_t *mark, struct itrace_step *found)
{
	uint64_t behind = 0;

	for (size_t i = trace->nr; i > 0; i--) {
		const struct itrace_step *step = &trace->step[i - 1];
		int hit = match(priv, step);

		if (hit && step->type == ITRACE_STEP_RUN)
			behind += step->nr - hit;
		if (hit) {
			*mark = behind;
			*found = *step;
			return 0;
		}
		if (step->type == ITRACE_STEP_RUN)
			behind += step->nr;
		if (behind >= limit)
			break;
	}
	return ITRACE_E_NOTFOUND;
}

int itrace_trace_stats(struct itrace_trace *trace, struct itrace_trace_stats *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->instructions = fake_total(trace);
	for (size_t i = 0; i < trace->nr; i++) {
		ret->gaps += trace->step[i].type == ITRACE_STEP_GAP;
		ret->overflows += trace->step[i].type == ITRACE_STEP_OVERFLOW;
		if (!ret->first_tsc)
			ret->first_tsc = trace->step[i].tsc;
		if (trace->step[i].tsc)
			ret->last_tsc = trace->step[i].tsc;
	}
	return 0;
}

#endif
