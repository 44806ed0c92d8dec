// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The extension: `crash> itrace [options]`.
 *
 * Registers first and looks at the dump when asked. Nothing below longjmps while the command holds
 * memory: memory is read with RETURN_ON_ERROR, and an interrupt only sets a flag. What is shown
 * goes to crash's stream `fp`, so that redirection, pipes and the pager work.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <defs.h>

#include "crash.h"
#include "options.h"
#include "session.h"
#include "show.h"
#include "status.h"

static volatile sig_atomic_t stop;

static void on_interrupt(int sig)
{
	(void)sig;
	stop = 1;
}

/* crash leaves the command by longjmp on these. */
struct signals {
	struct sigaction interrupt, pipe;
};

static void signals_hold(struct signals *old)
{
	struct sigaction interrupt = {.sa_handler = on_interrupt};
	struct sigaction pipe = {.sa_handler = SIG_IGN};

	stop = 0;
	sigaction(SIGINT, &interrupt, &old->interrupt);
	sigaction(SIGPIPE, &pipe, &old->pipe);
}

static void signals_release(const struct signals *old)
{
	sigaction(SIGINT, &old->interrupt, NULL);
	sigaction(SIGPIPE, &old->pipe, NULL);
}

static void print_help(void)
{
	const char *const *line = itrace_options_help(ITRACE_FRONT_CRASH);

	fprintf(fp, "usage: itrace %s\n\n", itrace_options_synopsis(ITRACE_FRONT_CRASH));
	for (; *line; line++)
		fprintf(fp, "%s\n", *line);
}

static enum itrace_exit show(const struct itrace_options *options)
{
	struct itrace_session session;
	struct itrace_source source;
	struct itrace_view_out view = {
		.session = &session,
		.options = options,
		.out = fp,
		.messages = options->quiet ? NULL : fp,
		.command = "itrace",
		.stop = &stop,
	};
	enum itrace_exit status;
	int err;

	if (ACTIVE()) {
		fprintf(fp, "itrace: unsupported: a running machine: its trace goes on while it is "
			    "read\n");
		return ITRACE_EXIT_CORRUPT;
	}
	itrace_crash_source(&source);
	err = itrace_session_init(&session, &source);
	status = itrace_show(&view, err);
	itrace_session_deinit(&session);
	return status;
}

static enum itrace_exit run(void)
{
	struct itrace_options options;
	enum itrace_exit status = ITRACE_EXIT_SHOWN;
	char why[256];
	int err = itrace_options_init(&options, ITRACE_FRONT_CRASH, argcnt, args, why, sizeof(why));

	if (err) {
		fprintf(fp, "itrace: %s (`help itrace` says more)\n",
			err == ITRACE_E_INVALID ? why : itrace_status_str(err));
		status = itrace_exit_status(err);
	} else if (options.help) {
		print_help();
	} else {
		status = show(&options);
	}
	itrace_options_deinit(&options);
	return status;
}

static void cmd_itrace(void)
{
	struct signals old;
	enum itrace_exit status;

	signals_hold(&old);
	status = run();
	if (status != ITRACE_EXIT_SHOWN)
		fprintf(fp, "itrace: status %d\n", status);
	fflush(fp);
	signals_release(&old);
}

#define HELP_MAX   64
#define HELP_WIDTH 96

static char *help_itrace[HELP_MAX];
static char help_line[HELP_MAX][HELP_WIDTH];

static struct command_table_entry command_table[] = {
	{"itrace", cmd_itrace, help_itrace, 0},
	{NULL, NULL, NULL, 0},
};

/* crash wants its texts indented, but for the headings. */
static void fill_help(void)
{
	const char *const *line = itrace_options_help(ITRACE_FRONT_CRASH);
	int nr = 0;

	help_itrace[nr++] = "itrace";
	help_itrace[nr++] = "the instructions before the crash";
	help_itrace[nr++] = (char *)itrace_options_synopsis(ITRACE_FRONT_CRASH);
	for (; *line && nr < HELP_MAX - 1; line++, nr++) {
		snprintf(help_line[nr], HELP_WIDTH, "%s%s",
			 **line && strcmp(*line, "EXAMPLES") ? "  " : "", *line);
		help_itrace[nr] = help_line[nr];
	}
	help_itrace[nr] = NULL;
}

static void __attribute__((constructor)) itrace_register(void)
{
	fill_help();
	register_extension(command_table);
}
