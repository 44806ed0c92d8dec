/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own notifiers of a crash: for the two exceptions that they tell of long before any
 * function that can be hooked, for the one log line, and, where nothing could be hooked, for the
 * freeze itself.
 *
 * They are called with the crash well under way: an oops has printed its registers (DIE_OOPS),
 * a panic without kdump has stopped the other CPUs.
 */
#ifndef ITRACE_NOTIFY_H
#define ITRACE_NOTIFY_H

/* Returns 0 or a negative errno, nothing then left registered. */
int itrace_notify_register(void);

/* None of them runs any more once this returned; fine where none was registered. */
void itrace_notify_unregister(void);

#endif
