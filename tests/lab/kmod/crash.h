/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The crashes that the lab can ask for, by name. Each happens on the caller's
 * CPU (crash_context.c says which don't happen in the caller's context as well),
 * and does not return on a machine that panics on an oops.
 */
#ifndef ITRACE_LAB_CRASH_H
#define ITRACE_LAB_CRASH_H

struct crash {
	const char *name;
	void (*crash)(void);
};

/* One in each file: exceptions and panic() in the caller's context, and in others. Ends with {}. */
extern const struct crash crash_faults[];
extern const struct crash crash_contexts[];

/* Reads through a NULL pointer, at address 0x10. */
void crash_null_deref(void);

/* -ENOENT if there is no crash of that @name. */
int crash_by_name(const char *name);

/* Crashes that wait for an event wait no longer. */
void crash_exit(void);

#endif
