/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet_en.h - PacketEn and its parts, as of an instruction boundary.
 *
 * Rests on SDM Vol. 3C, 36.2.5 (PacketEn = TriggerEn, ContextEn, FilterEn and BranchEn) and
 * 36.2.4.3 (address ranges).
 */
#ifndef ITRACE_LAB_PACKET_EN_H
#define ITRACE_LAB_PACKET_EN_H

#include "cpu.h"

/* ContextEn: the ring and the CR3 match. */
bool context_en(const struct lab_cpu *c);
/* PacketEn with next instruction ip. */
bool packet_en_at(const struct lab_cpu *c, uint64_t ip);
/*
 * Whether TraceStop acts at the boundary before ip: ip lies in such a range, and the skid, counted
 * down here once a boundary, is over.
 */
bool tracestop_at(struct lab_cpu *c, uint64_t ip);
/* Carries a TraceStop out: its packet, STATUS.Stopped. */
void tracestop(struct lab_cpu *c);
/* PacketEn becomes on; the return stack doesn't outlive it. */
void set_packet_en(struct lab_cpu *c, bool on);

#endif
