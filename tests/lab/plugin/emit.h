/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emit.h - packets with what has to stand before them: pending TNT bits, timing, MODE.Exec.
 *
 * Between trace.h (which packet an event needs) and packet.h (its bytes). In an overflow
 * (cpu.h, mute) all of these do nothing.
 */
#ifndef ITRACE_LAB_EMIT_H
#define ITRACE_LAB_EMIT_H

#include "cpu.h"

void emit_tnt(struct lab_cpu *c, bool taken);
void emit_tip(struct lab_cpu *c, uint64_t ip);
void emit_fup(struct lab_cpu *c, uint64_t ip);
void emit_pge(struct lab_cpu *c, uint64_t ip);
void emit_pgd(struct lab_cpu *c, uint64_t ip);
void emit_pgd_noip(struct lab_cpu *c);
void emit_pip(struct lab_cpu *c);
/* MODE.Exec if none went since the last PSB or the mode changed. */
void emit_mode(struct lab_cpu *c);
void emit_tracestop(struct lab_cpu *c);
/* TSC, TMA, CBR as enabled: after a wake-up, an overflow, an arming that goes on. */
void emit_time(struct lab_cpu *c);
/* PSB+ for an instruction boundary with next instruction ip; context_en: 36.2.5.3. */
void emit_psb_plus(struct lab_cpu *c, uint64_t ip, bool context_en);
/* Starts an overflow of n blocks, and ends it with OVF at next instruction ip. */
void emit_ovf_begin(struct lab_cpu *c, unsigned int n);
void emit_ovf_end(struct lab_cpu *c, uint64_t ip);
/* Hands what was encoded to the output; sets STATUS where the output stopped or failed. */
void emit_drain(struct lab_cpu *c);
/* The same down to memory. */
void emit_flush(struct lab_cpu *c);

#endif
