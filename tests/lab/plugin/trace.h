/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - from what a CPU executes to the packets that Intel PT sends for it.
 *
 * Rests on SDM Vol. 3C, 36.2.5 (PacketEn and its parts) and 36.7 "Tracing events" with its table of
 * packets per event (table 36-50 here). The machine reports each block, a straight run of
 * instructions, as it starts, and keeps a mark when its last instruction starts. What completed,
 * and where it went, is known when the next block starts or an event is delivered. Truth entries
 * are written at that moment, never from packets.
 */
#ifndef ITRACE_LAB_TRACE_H
#define ITRACE_LAB_TRACE_H

#include "cpu.h"

/* A block in a traced ring is about to start at addr (b->start unless mapped twice). */
void trace_block(struct lab_cpu *c, const struct block *b, uint64_t addr);
/* A block in an untraced ring is about to start: completes what led there. */
void trace_leave(struct lab_cpu *c, uint64_t addr, bool user);
/*
 * An interrupt or exception was delivered. from: the address that was pushed, except for INT n and
 * the like: their own; to: the handler; sync: an instruction raised it; to_user: the handler's
 * ring.
 */
void trace_event(struct lab_cpu *c, uint64_t from, uint64_t to, bool sync, bool to_user);
/* A WRMSR that changed TraceEn completed: clip is its address, nlip the next one. */
void trace_enable(struct lab_cpu *c, uint64_t nlip);
void trace_disable(struct lab_cpu *c, uint64_t clip);
/* Part of it: what ran in the WRMSR's block before it did complete. */
void trace_settle_stop(struct lab_cpu *c, uint64_t clip);
/* Warm reset or INIT: TraceEn becomes 0, buffered bytes are lost. */
void trace_reset(struct lab_cpu *c);
/* RDMSR of IA32_RTIT_*: with the live parts. */
uint64_t trace_rdmsr(const struct lab_cpu *c, uint32_t msr);
/* This CPU's lines of pt-stats.txt. */
void trace_stats(struct lab_cpu *c);

#endif
