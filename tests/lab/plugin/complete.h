/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * complete.h - one instruction has completed: its packets, PacketEn after it, its truth entry.
 *
 * Rests on SDM Vol. 3C, table 36-50 "packets per event" and 36.4.2.2 (return compression).
 */
#ifndef ITRACE_LAB_COMPLETE_H
#define ITRACE_LAB_COMPLETE_H

#include "cpu.h"

/* *i completed at i->addr + shift; the next instruction is at to, in ring user. */
void complete(struct lab_cpu *c, const struct insn *i, uint64_t shift, uint64_t to, bool user);
/*
 * What can't be was seen: the CPU went from one address to another that doesn't follow. Counted,
 * and shown to decoders as an overflow, so that they start anew. cls: enum insn_class, or 255.
 */
void anomaly(struct lab_cpu *c, uint64_t from, uint64_t to, uint8_t cls);

static inline bool is_far(const struct insn *i)
{
	return i->cls == CLS_FAR || i->cls == CLS_FAR_RET;
}

#endif
