/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text views: what one command shows. Each writes to view->out, oldest first.
 *
 * Every view returns 0, or a negative status when not a line of its own could be shown:
 * ITRACE_E_NODATA, _FILTERED, _CORRUPT, _NOMEM, or ITRACE_E_SYSTEM if @out takes no more.
 */
#ifndef ITRACE_VIEW_H
#define ITRACE_VIEW_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"
#include "session.h"
#include "story.h"

struct itrace_view_out {
	struct itrace_session *session;
	struct itrace_history *history;
	struct itrace_story story;
	const struct itrace_options *options;
	FILE *out;		     /* the answer */
	FILE *messages;		     /* problems; NULL: none are shown */
	const char *command;	     /* what the user types before options: "itrace" */
	FILE *progress;		     /* a terminal that likes to hear of long work, or NULL */
	volatile sig_atomic_t *stop; /* non-zero: the user has had enough; may be NULL */
};

/* What the options ask for, in the counts of trace.h: [end + n, end). */
struct itrace_window {
	uint64_t end;
	uint64_t n;
};

/* @n: completed instructions before the mark. */
struct itrace_window itrace_window(const struct itrace_view_out *view, uint64_t n);

int itrace_view_summary(struct itrace_view_out *view);
int itrace_view_insn(struct itrace_view_out *view);
int itrace_view_addresses(struct itrace_view_out *view);
int itrace_view_functions(struct itrace_view_out *view);
int itrace_view_packets(struct itrace_view_out *view);

/* The last functions only, at most @lines of them, each behind two blanks; for the summary. */
int itrace_view_last_functions(struct itrace_view_out *view, uint32_t lines);

/* True when a view should end early: @stop, or @out has failed. */
bool itrace_view_stopped(const struct itrace_view_out *view);

/*
 * "(then 233 instructions of the crash path: -x)" behind @indent, if there are any and they are
 * not shown.
 */
void itrace_view_folded(const struct itrace_view_out *view, const char *indent);

/* What came before a step. */
struct itrace_view_past {
	uint64_t tsc;	    /* newest time, 0 if not known */
	uint8_t insn_class; /* of the last instruction */
};

void itrace_view_pass(struct itrace_view_past *past, const struct itrace_step *step);

/*
 * One line for a step that is no RUN, into @buf: "timer interrupt before x+0x3", a gap's problem
 * ("[cpu 1 off 0x20] ...").
 * Returns false for steps that are not worth a line.
 */
bool itrace_view_event(struct itrace_view_out *view, const struct itrace_step *step,
		       const struct itrace_view_past *past, char *buf, size_t size);

/* The progress line: "what: 12.3 M", at most a few times a second; itrace_progress_end() wipes. */
void itrace_progress(struct itrace_view_out *view, const char *what, uint64_t count);
void itrace_progress_end(struct itrace_view_out *view);

/* "2.1 us", "-11 ms", from TSC ticks at @khz (not 0); into @buf. Returns @buf. */
const char *itrace_view_time(int64_t ticks, uint64_t khz, char *buf, size_t size);

/* "6.9 M", "233"; into @buf. Returns @buf. */
const char *itrace_view_count(uint64_t count, char *buf, size_t size);

#endif
