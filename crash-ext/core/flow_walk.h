/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the flow: the state of a segment's walk. flow.c reads packets, flow_event.c acts on
 * those that mean more than a branch, flow_walk.c moves over the blocks.
 *
 * Functions that return int give 0 to go on, else the status that ends the segment (NOMEM, or the
 * callback's). Losing the flow is not such a status: the state says so.
 */
#ifndef ITRACE_FLOW_WALK_H
#define ITRACE_FLOW_WALK_H

#include "block_walk.h"
#include "flow.h"
#include "trace_time.h"

/* SDM 3C 33.4.2.2: the depth of the CPU's return stack; an overflow drops the oldest. */
#define ITRACE_RETURNS 64

/* Instructions walked without any packet before it is taken for a loop that never was. */
#define ITRACE_WALK_MAX 65536

enum itrace_flow_state {
	ITRACE_FLOW_OFF,      /* PacketEn=0 */
	ITRACE_FLOW_ON,	      /* at block->insn[index] */
	ITRACE_FLOW_LOST,     /* PacketEn=1, but we don't know where */
	ITRACE_FLOW_OVERFLOW, /* after an OVF, before the packet that says where it goes on */
};

/* What the FUP before this packet was for. */
enum itrace_fup {
	ITRACE_FUP_NONE,
	ITRACE_FUP_EVENT, /* if TIP or PGD follows, it belongs to that */
};

struct itrace_returns {
	uint64_t ip[ITRACE_RETURNS];
	uint32_t top; /* index of the next to be pushed */
	uint32_t nr;
};

struct itrace_flow {
	const struct itrace_flow_config *config;
	struct itrace_blocks *blocks;
	struct itrace_packets packets;
	int (*step)(void *priv, const struct itrace_step *step);
	void *priv;
	struct itrace_flow_stats *stats;
	struct itrace_time time;
	uint64_t offset; /* of the packet that is being acted on */

	enum itrace_flow_state state;
	struct itrace_block *block; /* ON */
	uint32_t index; /* next instruction to complete, below block->nr unless that is 0 */
	uint64_t bits;	/* TNT bits not used yet, the oldest is bit nr_bits - 1 */
	uint32_t nr_bits;
	struct itrace_returns returns;

	enum itrace_fup fup;
	bool fup_alone; /* the packet before said that a FUP of its own follows */
	uint64_t fup_ip;
	bool not_64bit; /* MODE.Exec */

	bool in_psb;  /* between PSB and PSBEND */
	bool closing; /* it is the next segment's */
	bool psb_has_ip;
	uint64_t psb_ip;
};

/* The address of the next instruction, 0 if it is not known. */
uint64_t itrace_flow_ip(const struct itrace_flow *flow);

/* Give a step other than RUN. */
int itrace_flow_step(struct itrace_flow *flow, enum itrace_step_type type, uint64_t from,
		     uint64_t to);

/* Report, give a GAP, forget the position. @what ends without the "what was done" part. */
int itrace_flow_lose(struct itrace_flow *flow, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Be at @ip. */
int itrace_flow_locate(struct itrace_flow *flow, uint64_t ip);

/* Use the TNT bits up to the first branch that waits for a TIP. */
int itrace_flow_use_bits(struct itrace_flow *flow);

/* A TIP that is a branch's: complete it and go to @ip. Then the bits behind it. */
int itrace_flow_branch(struct itrace_flow *flow, bool has_ip, uint64_t ip);

/*
 * Complete everything before @ip, which must come without help of the trace. *@found tells whether
 * it did; if not, nothing has been completed.
 */
int itrace_flow_walk_to(struct itrace_flow *flow, uint64_t ip, bool *found);

/* The same for the next MOV CR3, and it too. */
int itrace_flow_walk_cr3(struct itrace_flow *flow, bool *found);

/*
 * Complete everything up to and including the branch that left traced code: for @has_ip a branch
 * that may go to @ip, else the next far transfer. *@from is its address, 0 if there was none
 * (then nothing has been completed).
 */
int itrace_flow_walk_out(struct itrace_flow *flow, bool has_ip, uint64_t ip, uint64_t *from);

void itrace_flow_forget(struct itrace_flow *flow);

/* One packet that is no TNT and no PAD. */
int itrace_flow_event(struct itrace_flow *flow, const struct itrace_packet *packet);

/* The end of a PSB+, or an OVF in it. */
int itrace_flow_psb_done(struct itrace_flow *flow, bool cut);

#endif
