/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flow: packets of one PSB segment and the code image in, executed instructions out.
 *
 * Rests on SDM 3C chapter 33: PSB+ resets last IP, TNT and the return stack, so a segment is
 * decoded without the ones before it. The walk runs over linked blocks; every loop is guarded
 * against no progress.
 */
#ifndef ITRACE_FLOW_H
#define ITRACE_FLOW_H

#include "block.h"
#include "packet.h"
#include "problem.h"
#include "ring.h"

enum itrace_step_type {
	ITRACE_STEP_RUN,       /* insn[0..nr) completed, one after the other */
	ITRACE_STEP_INTERRUPT, /* asynchronous or fault, INT n: at `from` (not completed if it
				* faulted), goes on at `to` */
	ITRACE_STEP_ENABLED,   /* tracing goes on at `to`: from user mode, a filter, WRMSR */
	ITRACE_STEP_DISABLED,  /* tracing pauses; `from`: the address if known, else 0;
				* `to`: where execution went if known, else 0 */
	ITRACE_STEP_CR3,      /* address space changed: `to` is the new CR3, `nr` 1 if guest (NR) */
	ITRACE_STEP_OVERFLOW, /* the CPU lost packets; goes on at `to` (0: not in traced code) */
	ITRACE_STEP_GAP,      /* the decoder lost the flow at `from`: `status` says why; the problem
			       * line has been reported; goes on at a later step, see
			       * itrace_flow_segment */
	ITRACE_STEP_STOP,     /* TraceStop: nothing more was recorded */
};

struct itrace_step {
	enum itrace_step_type type;
	int status;
	uint64_t offset;		/* of the packet behind it, in the stream */
	uint64_t tsc;			/* newest time known here; 0: none yet */
	const struct itrace_insn *insn; /* RUN; lives as long as the block table */
	uint32_t nr;
	uint64_t from;
	uint64_t to;
};

struct itrace_flow_config {
	const struct itrace_stream *stream;
	struct itrace_blocks *blocks;
	uint32_t cpu;				/* for problem lines */
	const struct itrace_problems *problems; /* may be NULL */
	uint32_t family, model, stepping;	/* 0: no errata applied */
	uint8_t mtc_freq;			/* RTIT_CTL.MTCFreq */
	uint32_t tsc_ctc_num, tsc_ctc_den;	/* CPUID 15h EBX, EAX; 0: MTC gives no time */
	bool no_retc; /* DisRETC was set: a RET is never a TNT bit. false: it may be one */
};

/*
 * Walk the segment that begins with the PSB at @psb and ends where the next PSB+ says that
 * execution had come to (@next: that PSB's offset, or the stream's length). Each step goes to
 * @step (NULL: only counted), which returns 0 to go on or a negative status to stop.
 * *@count: completed instructions. Returns 0, also after gaps; the callback's status; or
 * ITRACE_E_NOMEM.
 *
 * Where the flow is lost it is taken up again at the next packet of the segment that tells a
 * whole position whatever came before (PGE, FUP with TIP, FUP after OVF), else with the next PSB.
 */
int itrace_flow_segment(const struct itrace_flow_config *config, uint64_t psb, uint64_t next,
			int (*step)(void *priv, const struct itrace_step *step), void *priv,
			uint64_t *count);

struct itrace_flow_stats {
	uint64_t instructions;
	uint64_t gaps; /* GAP steps */
	uint64_t overflows;
	uint64_t first_tsc, last_tsc; /* 0: none */
};

/* The same, with more to know afterwards. */
int itrace_flow_segment_stats(const struct itrace_flow_config *config, uint64_t psb, uint64_t next,
			      int (*step)(void *priv, const struct itrace_step *step), void *priv,
			      struct itrace_flow_stats *stats);

#endif
