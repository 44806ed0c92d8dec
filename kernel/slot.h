/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing a CPU's slot at the freeze, on that CPU, interrupts off, its trace stopped.
 */
#ifndef ITRACE_SLOT_H
#define ITRACE_SLOT_H

#include "freeze.h"

/* Learns, once, which MSRs this machine has. */
void itrace_slot_init(const struct itrace_ptcap *cap);

/* Fills @slot for this CPU; it becomes ITRACE_STATE_FROZEN. */
void itrace_slot_freeze(struct itrace_cpu *slot, const struct itrace_stop *stop);

/* Adds what @stop knows of the exception and the slot does not. */
void itrace_slot_complete(struct itrace_cpu *slot, const struct itrace_stop *stop);

/* The CRC that @slot will have in ITRACE_STATE_NO_ANSWER. In process context. */
u32 itrace_slot_crc_no_answer(const struct itrace_cpu *slot);

/*
 * Turns the slot of another CPU from armed to "no answer", unless that CPU writes it by now: in
 * two steps that only succeed on a slot that nobody has touched. @crc is from the function above.
 */
void itrace_slot_no_answer(struct itrace_cpu *slot, u32 crc);

#endif
