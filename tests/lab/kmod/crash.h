/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The crashes that the lab can ask for, by name. Each happens in the caller's
 * context, on the caller's CPU, and does not return on a machine that panics on
 * an oops.
 */
#ifndef ITRACE_LAB_CRASH_H
#define ITRACE_LAB_CRASH_H

/* -ENOENT if there is no crash of that @name. */
int crash_by_name(const char *name);

#endif
