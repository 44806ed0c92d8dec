/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine goes on after an oops: two seconds after the crashed CPU takes interrupts again,
 * and if no panic has begun, all CPUs are armed anew. What was frozen is given up.
 */
#ifndef ITRACE_SURVIVE_H
#define ITRACE_SURVIVE_H

/* From the crash path: look again later whether the machine lives. */
void itrace_survive_kick(void);

/* Waits for a look that is under way; none comes after. Not under arm.c's lock. */
void itrace_survive_deinit(void);

#endif
