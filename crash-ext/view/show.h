/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One command, from an opened session to its exit status: what both front ends share.
 */
#ifndef ITRACE_SHOW_H
#define ITRACE_SHOW_H

#include "view.h"

/* Exit statuses; the numbers are fixed (docs/itrace.8). */
enum itrace_exit {
	ITRACE_EXIT_SHOWN = 0,
	ITRACE_EXIT_NOTHING = 1,
	ITRACE_EXIT_USAGE = 2,
	ITRACE_EXIT_CORRUPT = 3,
	ITRACE_EXIT_SYSTEM = 4,
};

enum itrace_exit itrace_exit_status(int status);

/*
 * Show what @view->options ask for. @opened: what itrace_session_init() returned. @view has
 * session, options, out, messages, command, and if wanted progress and stop; the rest is filled
 * here. Failures are lines on @view->messages.
 */
enum itrace_exit itrace_show(struct itrace_view_out *view, int opened);

#endif
