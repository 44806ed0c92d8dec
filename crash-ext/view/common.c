// SPDX-License-Identifier: GPL-2.0-or-later
#include "view.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "status.h"

struct itrace_window itrace_window(const struct itrace_view_out *view, uint64_t n)
{
	uint64_t mark = view->story.mark;

	if (!view->options->extra)
		return (struct itrace_window){.end = mark, .n = n};
	return (struct itrace_window){.end = 0, .n = n > ITRACE_ALL - mark ? ITRACE_ALL : n + mark};
}

bool itrace_view_stopped(const struct itrace_view_out *view)
{
	return (view->stop && *view->stop) || ferror(view->out);
}

void itrace_view_folded(const struct itrace_view_out *view, const char *indent)
{
	static const char *const path[] = {
		[ITRACE_MARK_END] = "crash path",
		[ITRACE_MARK_FAULT] = "crash path",
		[ITRACE_MARK_NMI] = "freeze",
		[ITRACE_MARK_CALL] = "crash path",
	};

	if (view->story.mark && !view->options->extra)
		fprintf(view->out, "%s(then %" PRIu64 " instruction%s of the %s: -x)\n", indent,
			view->story.mark, view->story.mark == 1 ? "" : "s", path[view->story.kind]);
}

const char *itrace_view_time(int64_t ticks, uint64_t khz, char *buf, size_t size)
{
	static const struct {
		double limit, unit;
		const char *name;
	} scale[] = {{1e3, 1, "us"}, {1e6, 1e3, "ms"}, {1e300, 1e6, "s"}};
	double us = (double)ticks * 1e3 / khz;
	int i = 0;

	while (us >= scale[i].limit || us <= -scale[i].limit)
		i++;
	us /= scale[i].unit;
	snprintf(buf, size, "%.*f %s",
		 us > -10 && us < 10	 ? 2
		 : us > -100 && us < 100 ? 1
					 : 0,
		 us, scale[i].name);
	return buf;
}

const char *itrace_view_count(uint64_t count, char *buf, size_t size)
{
	if (count < 10000)
		snprintf(buf, size, "%" PRIu64, count);
	else if (count < 1000000)
		snprintf(buf, size, "%" PRIu64 " k", (count + 500) / 1000);
	else
		snprintf(buf, size, "%.1f M", count / 1e6);
	return buf;
}

static void event_interrupt(struct itrace_view_out *view, const struct itrace_step *step, char *buf,
			    size_t size)
{
	uint32_t vector = itrace_idt_vector(&view->session->idt, step->to);
	char name[64], at[320];

	itrace_names_format(view->session->names, step->from, at, sizeof(at));
	snprintf(buf, size, "%s %s %s", itrace_idt_name(vector, name, sizeof(name)),
		 itrace_idt_exception(vector) ? "at" : "before", at);
}

static void event_at(struct itrace_view_out *view, const char *what, uint64_t ip, char *buf,
		     size_t size)
{
	char at[320] = "";

	if (ip)
		itrace_names_format(view->session->names, ip, at, sizeof(at));
	snprintf(buf, size, "%s%s%s", what, ip ? " at " : "", at);
}

/* Only the kernel is traced: a far return out of the trace is one to user mode. */
static void event_disabled(struct itrace_view_out *view, const struct itrace_step *step,
			   const struct itrace_view_past *past, char *buf, size_t size)
{
	if (!view->session->raw && past->insn_class == ITRACE_INSN_FAR)
		snprintf(buf, size, "to user mode");
	else
		event_at(view, "tracing stops", step->to ? step->to : step->from, buf, size);
}

static void event_enabled(struct itrace_view_out *view, const struct itrace_step *step, char *buf,
			  size_t size)
{
	uint32_t vector = itrace_idt_vector(&view->session->idt, step->to);
	char name[64];

	if (step->to && step->to == view->session->record.machine.lstar)
		snprintf(buf, size, "system call from user mode");
	else if (vector != ITRACE_NO_VECTOR)
		snprintf(buf, size, "%s from user mode",
			 itrace_idt_name(vector, name, sizeof(name)));
	else
		event_at(view, "tracing goes on", step->to, buf, size);
}

static void event_overflow(struct itrace_view_out *view, const struct itrace_step *step,
			   uint64_t last_tsc, char *buf, size_t size)
{
	uint64_t khz = view->session->record.machine.tsc_khz;
	char lost[64] = "", at[320] = "outside of the kernel", what[448];

	if (khz && last_tsc && step->tsc > last_tsc) {
		char span[40];

		snprintf(lost, sizeof(lost), " for up to %s",
			 itrace_view_time(step->tsc - last_tsc, khz, span, sizeof(span)));
	}
	if (step->to)
		itrace_names_format(view->session->names, step->to, at, sizeof(at));
	snprintf(what, sizeof(what), "overflow: trace lost%s, resumes at %s", lost, at);
	/* The decoder may have had its own line: this one says more. */
	itrace_collect_take(&view->session->collect, view->history->cpu, step->offset);
	itrace_collect_format(buf, size, view->history->cpu, step->offset, what);
}

static void event_gap(struct itrace_view_out *view, const struct itrace_step *step, char *buf,
		      size_t size)
{
	const char *text =
		itrace_collect_take(&view->session->collect, view->history->cpu, step->offset);
	char what[448], at[320] = "";

	if (!text) {
		if (step->from)
			itrace_names_format(view->session->names, step->from, at, sizeof(at));
		snprintf(what, sizeof(what), "gap: %s%s%s: goes on with the next sync point",
			 itrace_status_str(step->status), *at ? " at " : "", at);
		text = what;
	}
	itrace_collect_format(buf, size, view->history->cpu, step->offset, text);
}

void itrace_view_pass(struct itrace_view_past *past, const struct itrace_step *step)
{
	if (step->tsc)
		past->tsc = step->tsc;
	if (step->type == ITRACE_STEP_RUN && step->nr)
		past->insn_class = step->insn[step->nr - 1].insn_class;
	else if (step->type != ITRACE_STEP_CR3)
		past->insn_class = ITRACE_INSN_OTHER;
}

bool itrace_view_event(struct itrace_view_out *view, const struct itrace_step *step,
		       const struct itrace_view_past *past, char *buf, size_t size)
{
	switch (step->type) {
	case ITRACE_STEP_INTERRUPT:
		event_interrupt(view, step, buf, size);
		return true;
	case ITRACE_STEP_ENABLED:
		event_enabled(view, step, buf, size);
		return true;
	case ITRACE_STEP_DISABLED:
		event_disabled(view, step, past, buf, size);
		return true;
	case ITRACE_STEP_OVERFLOW:
		event_overflow(view, step, past->tsc, buf, size);
		return true;
	case ITRACE_STEP_GAP:
		event_gap(view, step, buf, size);
		return true;
	case ITRACE_STEP_STOP:
		snprintf(buf, size, "TraceStop: nothing more was recorded");
		return true;
	case ITRACE_STEP_RUN:
	case ITRACE_STEP_CR3:
		break;
	}
	return false;
}

void itrace_progress(struct itrace_view_out *view, const char *what, uint64_t count)
{
	static time_t last;
	time_t now;
	char buf[32];

	if (!view->progress)
		return;
	now = time(NULL);
	if (now == last)
		return;
	last = now;
	fprintf(view->progress, "\r%s: %s\033[K", what, itrace_view_count(count, buf, sizeof(buf)));
	fflush(view->progress);
}

void itrace_progress_end(struct itrace_view_out *view)
{
	if (!view->progress)
		return;
	fputs("\r\033[K", view->progress);
	fflush(view->progress);
}
