/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arming and disarming the whole machine, and CPUs that come and go meanwhile.
 *
 * All functions take the module's one lock; process context.
 */
#ifndef ITRACE_ARM_H
#define ITRACE_ARM_H

#include "pmu.h"

enum itrace_mode {
	ITRACE_MODE_OFF,
	ITRACE_MODE_ARMED,
	ITRACE_MODE_FROZEN,  /* armed, and then a crash that has not ended the machine yet */
	ITRACE_MODE_YIELDED, /* PT is free for others; a crash still freezes what they record */
};

/* @hooks false: no hooks and no notifiers; the kernel's own kdump path stops PT, late. */
int itrace_arm_init(bool hooks);
void itrace_arm_deinit(void);

/*
 * Arms every CPU that is online; from frozen: anew; armed already: does nothing.
 *
 * Returns 0, or, with one line in the log and the mode unchanged,
 * -EBUSY: PT belongs to another perf user, or a panic is going on
 * or what itrace_pmu_init(), itrace_rec_init() and itrace_sampler_init() return
 */
int itrace_arm(void);

/* Gives everything back; fine when off. */
int itrace_disarm(void);

/*
 * Gives PT and the rings back, but keeps record and hooks.
 *
 * Returns 0, or
 * -EINVAL: not armed
 */
int itrace_yield(void);

/*
 * After a crash that the machine survived: arms what is frozen anew.
 *
 * Returns 0, or
 * -EAGAIN: the lock is taken; try later
 */
int itrace_arm_again(void);

enum itrace_mode itrace_mode(void);

/* The record's physical address and length, 0 and 0 while there is none. */
void itrace_arm_record(u64 *pa, u64 *len);

unsigned int itrace_ring_kib(void);

/*
 * Sets the ring's size for the next arming.
 *
 * Returns 0, or
 * -EINVAL: no power of two from 8 to 1048576
 * -EBUSY: not off
 */
int itrace_set_ring_kib(unsigned int kib);

#endif
