/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work for one CPU of the lab's guest: a thread with branches that depend on
 * data, indirect calls, recursion and sorting, and under it hard and soft
 * interrupts (hrtimers, a tasklet, a work item), so that a trace has all the
 * transitions that a real machine's has.
 *
 * All functions may sleep. Calls are serialised by the caller (main.c).
 */
#ifndef ITRACE_LAB_LOAD_H
#define ITRACE_LAB_LOAD_H

#include <linux/types.h>

/*
 * Starts the load on @cpu: @rounds (1 to 1000000) rounds of work, about 3,300
 * instructions each, at full speed, then light work and the timers until it is
 * stopped. 0, -EINVAL for a CPU that is not online or rounds out of range,
 * -EBUSY if that CPU has a load, or what kthread_create_on_cpu() says.
 */
int load_start(unsigned int cpu, unsigned int rounds);

/*
 * Waits until every load has done its rounds. 0, or -EINTR on a fatal signal.
 */
int load_wait(void);

/* Stops every load and its timers; nothing of it runs afterwards. */
void load_stop(void);

#endif
