/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "trace.h"

struct segment {
	uint64_t psb;
	bool counted; /* and its problems have been reported */
	struct itrace_flow_stats stats;
};

struct itrace_trace {
	struct itrace_flow_config config;
	struct segment *segment;
	size_t nr;
};

static int add_segment(struct itrace_trace *trace, size_t *max, uint64_t psb)
{
	struct segment *segment;

	if (trace->nr == *max) {
		*max = *max ? *max * 2 : 64;
		segment = realloc(trace->segment, *max * sizeof(*segment));
		if (!segment)
			return ITRACE_E_NOMEM;
		trace->segment = segment;
	}
	segment = &trace->segment[trace->nr++];
	memset(segment, 0, sizeof(*segment));
	segment->psb = psb;
	return 0;
}

int itrace_trace_create(const struct itrace_flow_config *config, struct itrace_trace **ret)
{
	const struct itrace_stream *stream = config->stream;
	struct itrace_trace *trace = calloc(1, sizeof(*trace));
	uint64_t psb, from = 0;
	size_t max = 0;
	int status = 0;

	if (!trace)
		return ITRACE_E_NOMEM;
	trace->config = *config;
	while (!status) {
		psb = itrace_psb_find(stream->bytes, stream->len, from);
		if (psb == UINT64_MAX)
			break;
		status = add_segment(trace, &max, psb);
		from = psb + ITRACE_PSB_SIZE;
	}
	if (!status && !trace->nr)
		status = ITRACE_E_NODATA;
	if (status) {
		itrace_trace_destroy(trace);
		return status;
	}
	*ret = trace;
	return 0;
}

void itrace_trace_destroy(struct itrace_trace *trace)
{
	if (!trace)
		return;
	free(trace->segment);
	free(trace);
}

static uint64_t end_of(const struct itrace_trace *trace, size_t i)
{
	return i + 1 < trace->nr ? trace->segment[i + 1].psb : trace->config.stream->len;
}

/*
 * Decode segment @i. Its problems are reported the first time only; so that none are missed, a
 * first time goes through to its end, whatever the callback says then.
 */
static int decode(struct itrace_trace *trace, size_t i,
		  int (*step)(void *priv, const struct itrace_step *step), void *priv)
{
	struct segment *segment = &trace->segment[i];
	struct itrace_flow_config config = trace->config;
	struct itrace_flow_stats stats;
	int status;

	if (!segment->counted) {
		status = itrace_flow_segment_stats(&config, segment->psb, end_of(trace, i), NULL,
						   NULL, &segment->stats);
		if (status)
			return status;
		segment->counted = true;
	}
	if (!step)
		return 0;
	config.problems = NULL;
	return itrace_flow_segment_stats(&config, segment->psb, end_of(trace, i), step, priv,
					 &stats);
}

/*
 * Instructions of the newest segments, back to one that makes them more than @wanted: steps at the
 * window's very edge may be at the end of that one.
 */
static int count_back(struct itrace_trace *trace, uint64_t wanted, size_t *first, uint64_t *total)
{
	size_t i = trace->nr;
	int status;

	*total = 0;
	while (i > 0 && *total <= wanted) {
		status = decode(trace, --i, NULL, NULL);
		if (status)
			return status;
		*total += trace->segment[i].stats.instructions;
	}
	*first = i;
	return 0;
}

/* Cuts the steps of segments to the window [lo, hi) of instructions. */
struct window {
	uint64_t lo, hi;
	uint64_t at;	 /* the next instruction */
	bool from_start; /* nothing is older than lo */
	bool over;	 /* the window has been given: the rest of the segment is not wanted */
	uint64_t given;
	int (*step)(void *priv, const struct itrace_step *step);
	void *priv;
};

static int cut_run(struct window *window, const struct itrace_step *step)
{
	uint64_t from = window->at, to = window->at + step->nr;
	struct itrace_step cut = *step;

	window->at = to;
	if (from < window->lo)
		from = window->lo;
	if (to > window->hi)
		to = window->hi;
	if (from >= to)
		return 0;
	cut.insn += from - (window->at - step->nr);
	cut.nr = (uint32_t)(to - from);
	window->given += cut.nr;
	return window->step(window->priv, &cut);
}

static int cut_step(void *priv, const struct itrace_step *step)
{
	struct window *window = priv;

	if (step->type == ITRACE_STEP_RUN) {
		window->over = window->at >= window->hi;
		return window->over ? ITRACE_E_STOP : cut_run(window, step);
	}
	if (window->at < window->lo)
		return 0;
	if (window->at > window->hi) {
		window->over = true;
		return ITRACE_E_STOP;
	}
	if (window->at == window->lo && window->lo != window->hi && !window->from_start)
		return 0;
	return window->step(window->priv, step);
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

int itrace_trace_last(struct itrace_trace *trace, uint64_t end, uint64_t n,
		      int (*step)(void *priv, const struct itrace_step *step), void *priv,
		      uint64_t *given)
{
	struct window window = {.step = step, .priv = priv};
	uint64_t total, wanted = add_saturated(end, n);
	size_t i;
	int status;

	*given = 0;
	status = count_back(trace, wanted, &i, &total);
	if (status)
		return status;
	window.hi = end < total ? total - end : 0;
	window.lo = wanted < total ? total - wanted : 0;
	window.from_start = !i && !window.lo;
	for (; !status && i < trace->nr; i++) {
		/* Older segments than the window's newest edge are skipped whole. */
		if (window.at + trace->segment[i].stats.instructions < window.lo) {
			window.at += trace->segment[i].stats.instructions;
			continue;
		}
		status = decode(trace, i, cut_step, &window);
	}
	*given = window.given;
	return window.over ? 0 : status;
}

struct search {
	uint64_t at;	 /* instructions of the segment before this step */
	uint64_t oldest; /* matches before this one don't count */
	int (*match)(void *priv, const struct itrace_step *step);
	void *priv;
	bool found;
	uint64_t found_at;
	struct itrace_step step;
};

static int search_step(void *priv, const struct itrace_step *step)
{
	struct search *search = priv;
	uint64_t at = search->at;
	int hit = search->match(search->priv, step);

	if (step->type == ITRACE_STEP_RUN) {
		search->at += step->nr;
		at += hit > 0 && (uint32_t)hit <= step->nr ? (uint64_t)hit : 0;
	}
	if (hit && at >= search->oldest) {
		search->found = true;
		search->found_at = at;
		search->step = *step;
	}
	return 0;
}

int itrace_trace_find(struct itrace_trace *trace, uint64_t limit,
		      int (*match)(void *priv, const struct itrace_step *step), void *priv,
		      uint64_t *mark, struct itrace_step *found)
{
	struct search search = {.match = match, .priv = priv};
	uint64_t behind = 0, here;
	size_t i = trace->nr;
	int status;

	while (i > 0 && behind <= limit) {
		status = decode(trace, --i, NULL, NULL);
		if (status)
			return status;
		here = trace->segment[i].stats.instructions;
		search.at = 0;
		search.oldest = here > limit - behind ? here - (limit - behind) : 0;
		status = decode(trace, i, search_step, &search);
		if (status)
			return status;
		if (search.found) {
			*mark = behind + here - search.found_at;
			*found = search.step;
			return 0;
		}
		behind += here;
	}
	return ITRACE_E_NOTFOUND;
}

int itrace_trace_stats(struct itrace_trace *trace, struct itrace_trace_stats *ret)
{
	const struct itrace_flow_stats *stats;
	size_t i;
	int status;

	memset(ret, 0, sizeof(*ret));
	ret->segments = trace->nr;
	ret->head_lost = trace->segment[0].psb;
	for (i = trace->nr; i-- > 0;) {
		status = decode(trace, i, NULL, NULL);
		if (status)
			return status;
		stats = &trace->segment[i].stats;
		ret->instructions += stats->instructions;
		ret->gaps += stats->gaps;
		ret->overflows += stats->overflows;
		if (stats->first_tsc)
			ret->first_tsc = stats->first_tsc;
		if (!ret->last_tsc)
			ret->last_tsc = stats->last_tsc;
	}
	return 0;
}
