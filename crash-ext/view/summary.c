// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first screen: what stopped the machine, every CPU's state, the last functions.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "summary.h"
#include "view.h"

#define LAST_FUNCTIONS 14

/* A CPU's line of the table. */
struct row {
	struct itrace_trace_stats stats;
	struct itrace_story story;
	int status;
	bool wrapped;
	uint64_t lost_bytes; /* ring pages that are not in the dump */
	uint64_t lost_code;  /* code pages that are not */
	char last[256];
};

struct last {
	uint64_t ip;
	uint8_t insn_class;
	bool user; /* went to user mode after it */
};

static int last_step(void *priv, const struct itrace_step *step)
{
	struct last *last = priv;

	if (step->type == ITRACE_STEP_RUN && step->nr) {
		last->ip = step->insn[step->nr - 1].ip;
		last->insn_class = step->insn[step->nr - 1].insn_class;
		last->user = false;
	} else if (step->type == ITRACE_STEP_DISABLED) {
		last->user = last->insn_class == ITRACE_INSN_FAR;
	}
	return 0;
}

/* The function that the CPU was in when it was stopped. */
static void name_last(struct itrace_view_out *view, struct itrace_history *history, struct row *row)
{
	const struct itrace_cpu *slot = itrace_session_slot(view->session, history->cpu);
	struct last last = {0};
	char text[256], *plus;
	uint64_t given;

	itrace_trace_last(history->trace, row->story.mark, 1, last_step, &last, &given);
	if (row->story.kind == ITRACE_MARK_FAULT || row->story.ip)
		last.ip = row->story.kind == ITRACE_MARK_CALL ? last.ip : row->story.ip;
	if (row->story.kind == ITRACE_MARK_NMI && !row->story.ip)
		last.user = true;
	if (last.user || !last.ip) {
		snprintf(row->last, sizeof(row->last), "%s", last.user ? "(user mode)" : "");
		return;
	}
	itrace_names_format(view->session->names, last.ip, text, sizeof(text));
	/* The function, not the place in it. */
	plus = strstr(text, "+0x");
	if (plus && plus != text && text[0] != '[')
		memmove(plus, plus + strcspn(plus, " "), strlen(plus + strcspn(plus, " ")) + 1);
	snprintf(row->last, sizeof(row->last), "%.200s%s", text,
		 slot && slot->valid & ITRACE_V_TASK && !slot->pid ? " (idle)" : "");
}

static int fill_row(struct itrace_view_out *view, uint32_t cpu, struct row *row)
{
	struct itrace_history *history = itrace_session_history(view->session, cpu);
	int err;

	row->status = history->status;
	if (history->has_stream) {
		row->wrapped = history->stream.wrapped;
		for (uint32_t i = 0; i < history->stream.nr_holes; i++)
			row->lost_bytes += history->stream.hole[i].len;
	}
	if (!history->trace)
		return row->status == ITRACE_E_NOMEM ? ITRACE_E_NOMEM : 0;
	err = itrace_trace_stats(history->trace, &row->stats);
	if (!err)
		err = itrace_story_init(&row->story, view->session, history);
	if (err)
		return err;
	name_last(view, history, row);
	if (history->image)
		row->lost_code = itrace_image_missing(history->image);
	return 0;
}

static void print_quality(struct itrace_view_out *view, const struct row *row, uint32_t nr)
{
	const struct row *first = &row[itrace_session_first_cpu(view->session)];
	uint64_t gaps = 0, bytes = 0, code = 0;
	FILE *out = view->out;

	for (uint32_t i = 0; i < nr; i++) {
		gaps += row[i].stats.gaps + row[i].stats.overflows;
		bytes += row[i].lost_bytes;
		code += row[i].lost_code;
	}
	fputs("  Quality      ", out);
	switch (first->story.kind) {
	case ITRACE_MARK_FAULT:
		fprintf(out, "frozen %" PRIu64 " instructions after the fault; ",
			first->story.mark);
		break;
	case ITRACE_MARK_CALL:
		fprintf(out, "frozen %" PRIu64 " instructions after the crash began; ",
			first->story.mark);
		break;
	case ITRACE_MARK_NMI:
		fprintf(out, "frozen %" PRIu64 " instructions after the NMI; ", first->story.mark);
		break;
	case ITRACE_MARK_END:
		if (first->story.expected)
			fputs("what stopped it is not in the trace; ", out);
		break;
	}
	if (gaps)
		fprintf(out, "%" PRIu64 " gap%s; ", gaps, gaps == 1 ? "" : "s");
	else
		fputs("no gaps; ", out);
	if (view->session->raw)
		fprintf(out, "%" PRIu64 " pages of code missing\n", code);
	else if (bytes || code)
		fprintf(out,
			"not in the dump: %" PRIu64 " KiB of trace, %" PRIu64 " pages of code\n",
			(bytes + 1023) >> 10, code);
	else
		fputs("all pages in the dump\n", out);
}

static void print_row(struct itrace_view_out *view, uint32_t cpu, const struct row *row,
		      uint32_t stopper)
{
	const struct itrace_session *session = view->session;
	const struct itrace_cpu *slot = itrace_session_slot(session, cpu);
	uint64_t khz = session->record.machine.tsc_khz, last = row->story.tsc;
	char history[64], count[32], span[32] = "", gaps[24];

	if (!last)
		last = row->stats.last_tsc;
	if (khz && row->stats.first_tsc && last > row->stats.first_tsc)
		itrace_view_time(last - row->stats.first_tsc, khz, span, sizeof(span));
	fprintf(view->out, "  %c %3" PRIu32 "  %-9s  ", cpu == stopper ? '*' : ' ', cpu,
		session->raw ? "raw"
		: slot	     ? itrace_state_str(slot->state)
			     : "damaged");
	if (row->status) {
		fprintf(view->out, "%s\n", itrace_status_str(row->status));
		return;
	}
	snprintf(history, sizeof(history), "%8s instructions%9s",
		 itrace_view_count(row->stats.instructions - row->story.mark, count, sizeof(count)),
		 span);
	snprintf(gaps, sizeof(gaps), "%" PRIu64, row->stats.gaps + row->stats.overflows);
	fprintf(view->out, "%-30s  %4s  %s\n", history, gaps, row->last);
}

/* What nothing can be shown for most: something wrong before something missing. */
static int worst(const struct row *row, uint32_t nr)
{
	int status = ITRACE_E_NODATA;

	for (uint32_t i = 0; i < nr; i++) {
		if (!row[i].status)
			return 0;
		if (row[i].status == ITRACE_E_CORRUPT || row[i].status == ITRACE_E_UNSUPPORTED)
			status = row[i].status;
		else if (row[i].status == ITRACE_E_FILTERED && status == ITRACE_E_NODATA)
			status = ITRACE_E_FILTERED;
	}
	return status;
}

static void print_all(struct itrace_view_out *view, const struct row *row, uint32_t nr)
{
	uint32_t stopper = itrace_session_first_cpu(view->session);
	const struct itrace_cpu *slot = itrace_session_slot(view->session, stopper);
	bool stopped =
		view->session->record.event_ok || (slot && slot->state == ITRACE_STATE_FROZEN);

	itrace_summary_header(view, &row[stopper].story);
	print_quality(view, row, nr);
	fprintf(view->out, "\n    CPU  %-9s  %-30s  gaps  last function\n", "state",
		"history before the stop");
	for (uint32_t cpu = 0; cpu < nr; cpu++)
		print_row(view, cpu, &row[cpu], stopped ? stopper : ITRACE_NO_CPU);
	fputc('\n', view->out);
	if (itrace_collect_flush(&view->session->collect, view->out, "  "))
		fputc('\n', view->out);
}

static int print_functions(struct itrace_view_out *view, bool is_stopper)
{
	char cpu[24] = "";

	if (!is_stopper)
		snprintf(cpu, sizeof(cpu), " -c %" PRIu32, view->history->cpu);
	fprintf(view->out,
		"  CPU %" PRIu32 ", the last functions (%s%s -f for more, -i for instructions):\n",
		view->history->cpu, view->command, cpu);
	return itrace_view_last_functions(view, LAST_FUNCTIONS);
}

int itrace_view_summary(struct itrace_view_out *view)
{
	struct itrace_session *session = view->session;
	uint32_t nr = session->nr_cpus, shown = view->history->cpu;
	struct row *row = calloc(nr, sizeof(*row));
	int status, err = 0;

	if (!row)
		return ITRACE_E_NOMEM;
	for (uint32_t cpu = 0; !err && cpu < nr; cpu++) {
		itrace_progress(view, "decoding, CPU", cpu);
		err = fill_row(view, cpu, &row[cpu]);
		/* A big machine's histories do not all fit into memory. */
		if (cpu != shown)
			itrace_session_release(session, cpu);
		if (itrace_view_stopped(view))
			err = ITRACE_E_STOP;
	}
	itrace_progress_end(view);
	if (err) {
		free(row);
		return err;
	}
	view->history = itrace_session_history(session, shown);
	print_all(view, row, nr);
	if (view->history->trace)
		err = print_functions(view, shown == itrace_session_first_cpu(session));
	status = worst(row, nr);
	free(row);
	return err ? err : status;
}
