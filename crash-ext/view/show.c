// SPDX-License-Identifier: GPL-2.0-or-later
#include "show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "status.h"

enum itrace_exit itrace_exit_status(int status)
{
	switch (status) {
	case ITRACE_OK:
	case ITRACE_E_STOP:
		return ITRACE_EXIT_SHOWN;
	case ITRACE_E_NODATA:
	case ITRACE_E_FILTERED:
	case ITRACE_E_NOTFOUND:
		return ITRACE_EXIT_NOTHING;
	case ITRACE_E_INVALID:
		return ITRACE_EXIT_USAGE;
	case ITRACE_E_CORRUPT:
	case ITRACE_E_UNSUPPORTED:
		return ITRACE_EXIT_CORRUPT;
	default:
		return ITRACE_EXIT_SYSTEM;
	}
}

__attribute__((format(printf, 2, 3))) static void say(struct itrace_view_out *view, const char *fmt,
						      ...)
{
	va_list ap;

	if (!view->messages)
		return;
	/* Answers and messages may go to the same place: keep their order. */
	fflush(view->out);
	va_start(ap, fmt);
	vfprintf(view->messages, fmt, ap);
	va_end(ap);
}

static void say_problems(struct itrace_view_out *view)
{
	fflush(view->out);
	itrace_collect_flush(&view->session->collect, view->messages, "");
}

static int say_no_record(struct itrace_view_out *view, int status)
{
	const struct itrace_session *session = view->session;

	say_problems(view);
	switch (status) {
	case ITRACE_E_NOTFOUND:
		say(view,
		    "itrace: no record in this dump: the itrace module was not loaded "
		    "(%sno log line, no magic in %" PRIu64 " MiB)\n",
		    session->source->lookup ? "no symbol itrace_record, " : "",
		    session->scanned >> 20);
		break;
	case ITRACE_E_NOMEM:
	case ITRACE_E_SYSTEM:
		say(view, "itrace: %s\n", itrace_status_str(status));
		break;
	default:
		say(view, "itrace: %s: the record: nothing can be shown\n",
		    itrace_status_str(status));
		break;
	}
	return status;
}

/* Which CPU, and is there anything of it? */
static int choose_cpu(struct itrace_view_out *view)
{
	struct itrace_session *session = view->session;
	uint32_t cpu = view->options->cpu;

	if (!session->nr_cpus) {
		say_problems(view);
		say(view, "itrace: corrupt: no CPU in the record: nothing can be shown\n");
		return ITRACE_E_CORRUPT;
	}
	if (cpu == ITRACE_ANY_CPU)
		cpu = itrace_session_first_cpu(session);
	if (cpu >= session->nr_cpus) {
		say(view, "itrace: no CPU %" PRIu32 ": there are CPUs 0 to %" PRIu32 "\n", cpu,
		    session->nr_cpus - 1);
		return ITRACE_E_INVALID;
	}
	view->history = itrace_session_history(session, cpu);
	return 0;
}

static int show_summary(struct itrace_view_out *view)
{
	int err = view->history->status;

	if (view->history->trace)
		err = itrace_story_init(&view->story, view->session, view->history);
	if (err == ITRACE_E_NOMEM)
		return err;
	return itrace_view_summary(view);
}

static int show_one(struct itrace_view_out *view)
{
	struct itrace_history *history = view->history;
	bool packets = view->options->view == ITRACE_VIEW_PACKETS;
	int err;

	say_problems(view);
	if (!history->trace && !(packets && history->has_stream)) {
		say(view, "itrace: %s: CPU %" PRIu32 ": nothing can be shown\n",
		    itrace_status_str(history->status), history->cpu);
		return history->status ? history->status : ITRACE_E_NODATA;
	}
	if (packets)
		return itrace_view_packets(view);
	err = itrace_story_init(&view->story, view->session, history);
	if (err)
		return err;
	if (view->story.expected)
		say(view,
		    "[cpu %" PRIu32 "] no data: what stopped this CPU is not in its trace: "
		    "shown to its end\n",
		    history->cpu);
	if (view->options->quiet)
		return itrace_view_addresses(view);
	if (view->options->view == ITRACE_VIEW_FUNCTIONS)
		return itrace_view_functions(view);
	return itrace_view_insn(view);
}

enum itrace_exit itrace_show(struct itrace_view_out *view, int opened)
{
	bool summary = view->options->view == ITRACE_VIEW_SUMMARY;
	int status = opened ? say_no_record(view, opened) : choose_cpu(view);

	if (!status)
		status = summary ? show_summary(view) : show_one(view);
	if (fflush(view->out) || ferror(view->out)) {
		/* A reader that has seen enough (head, less) is no failure. */
		if (errno == EPIPE)
			return ITRACE_EXIT_SHOWN;
		say(view, "itrace: %s: %s\n", itrace_status_str(ITRACE_E_SYSTEM), strerror(errno));
		return ITRACE_EXIT_SYSTEM;
	}
	say_problems(view);
	if (status == ITRACE_E_NOMEM && !opened)
		say(view, "itrace: %s\n", itrace_status_str(status));
	return itrace_exit_status(status);
}
