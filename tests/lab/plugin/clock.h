/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - the guest's TSC as a plugin can know it.
 *
 * Under TCG the guest's TSC is the host's plus an offset. The offset is learnt from what the
 * guest's own RDTSC instructions return: a sample is taken a little after the instruction, so each
 * is too small by the delay and the largest is the best.
 */
#ifndef ITRACE_LAB_CLOCK_H
#define ITRACE_LAB_CLOCK_H

#include <stdint.h>

/* guest_tsc: what a RDTSC of the guest returned just now. Any thread. */
void clock_learn(uint64_t guest_tsc);
/* The guest's TSC now; not monotonic by itself. */
uint64_t clock_now(void);
/* Measures the host's TSC for some milliseconds: frequency in units of 100 MHz, 1..255. */
uint8_t clock_bus_ratio(void);

#endif
