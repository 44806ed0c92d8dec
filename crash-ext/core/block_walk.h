/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of a block: for block.c, which makes them, and the flow, which walks them.
 */
#ifndef ITRACE_BLOCK_WALK_H
#define ITRACE_BLOCK_WALK_H

#include "block.h"

/* Longest run in one block; a longer one goes on in another (END_ON). */
#define ITRACE_BLOCK_MAX 64

enum itrace_block_end {
	ITRACE_END_COND, /* one TNT bit */
	ITRACE_END_RET,	 /* TIP, or a TNT bit if compressed */
	ITRACE_END_TIP,	 /* indirect jump or call, far transfer, VM entry */
	ITRACE_END_ON,	 /* goes on at `taken`, without the trace's help */
	ITRACE_END_NONE, /* what comes next never completes (no code, UD2): `status` says why */
};

/* A direct call inside of a block, for the return stack; zero-length ones are none. */
struct itrace_block_call {
	uint64_t ret; /* where it returns to */
	uint32_t nr;  /* instructions of the block up to and including it */
};

struct itrace_block {
	uint64_t ip;
	const struct itrace_insn *insn;
	const struct itrace_block_call *call;
	struct itrace_block *taken; /* NULL: not looked up yet; TIP: the last target met */
	struct itrace_block *fall;
	uint64_t taken_ip; /* COND, ON */
	uint64_t fall_ip;  /* behind the last instruction; NONE: of what can't be executed */
	uint32_t nr;	   /* 0 only with END_NONE */
	uint16_t nr_calls;
	uint8_t end;   /* enum itrace_block_end */
	int8_t status; /* END_NONE */
};

/* The block at @ip, found or made. NULL when out of memory, and only then. */
struct itrace_block *itrace_blocks_get(struct itrace_blocks *blocks, uint64_t ip);

/* The successors, looked up once. NULL when out of memory. */
static inline struct itrace_block *itrace_block_taken(struct itrace_blocks *blocks,
						      struct itrace_block *block)
{
	if (!block->taken)
		block->taken = itrace_blocks_get(blocks, block->taken_ip);
	return block->taken;
}

static inline struct itrace_block *itrace_block_fall(struct itrace_blocks *blocks,
						     struct itrace_block *block)
{
	if (!block->fall)
		block->fall = itrace_blocks_get(blocks, block->fall_ip);
	return block->fall;
}

/* The successor of an indirect branch to @ip. NULL when out of memory. */
static inline struct itrace_block *itrace_block_target(struct itrace_blocks *blocks,
						       struct itrace_block *block, uint64_t ip)
{
	if (!block->taken || block->taken->ip != ip)
		block->taken = itrace_blocks_get(blocks, ip);
	return block->taken;
}

#endif
