/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time of a trace: TSC packets, and MTC packets between them (SDM 3C 33.8.3).
 */
#ifndef ITRACE_TRACE_TIME_H
#define ITRACE_TRACE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "packet.h"

struct itrace_time {
	/* Set by the user: */
	uint8_t mtc_freq;  /* RTIT_CTL.MTCFreq: an MTC every 2^mtc_freq ticks of the CTC */
	uint32_t num, den; /* TSC ticks per CTC tick, CPUID 15h EBX/EAX; 0: MTC tells nothing */
	/* Result: */
	uint64_t tsc; /* newest time known, TSC ticks modulo 2^56; 0: none yet */
	/* Own: */
	uint64_t base;	  /* TSC where CTC was `ctc` with `elapsed` 0 */
	uint64_t elapsed; /* CTC ticks since base */
	uint32_t ctc;	  /* low bits of the CTC at base + elapsed */
	bool anchored;	  /* a TMA has tied the two together */
};

void itrace_time_init(struct itrace_time *time, uint8_t mtc_freq, uint32_t num, uint32_t den);

/* Take one packet; those that carry no time are ignored. */
void itrace_time_packet(struct itrace_time *time, const struct itrace_packet *packet);

#endif
