/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>

#include "flow_walk.h"
#include "insn.h"
#include "status.h"

uint64_t itrace_flow_ip(const struct itrace_flow *flow)
{
	if (flow->state != ITRACE_FLOW_ON)
		return 0;
	if (flow->index < flow->block->nr)
		return flow->block->insn[flow->index].ip;
	return flow->block->end == ITRACE_END_ON ? flow->block->taken_ip : flow->block->fall_ip;
}

int itrace_flow_step(struct itrace_flow *flow, enum itrace_step_type type, uint64_t from,
		     uint64_t to)
{
	struct itrace_step step = {
		.type = type,
		.offset = flow->offset,
		.tsc = flow->time.tsc,
		.from = from,
		.to = to,
	};

	if (type == ITRACE_STEP_OVERFLOW)
		flow->stats->overflows++;
	return flow->step ? flow->step(flow->priv, &step) : 0;
}

void itrace_flow_forget(struct itrace_flow *flow)
{
	flow->nr_bits = 0;
	flow->returns.nr = 0;
	flow->fup = ITRACE_FUP_NONE;
	flow->fup_alone = false;
}

int itrace_flow_lose(struct itrace_flow *flow, int status, const char *fmt, ...)
{
	struct itrace_step step = {
		.type = ITRACE_STEP_GAP,
		.status = status,
		.offset = flow->offset,
		.tsc = flow->time.tsc,
		.from = itrace_flow_ip(flow),
	};
	char text[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (step.from)
		itrace_problem(flow->config->problems, flow->config->cpu, flow->offset,
			       "%s at %llx, %s: flow lost up to the next sure position", text,
			       (unsigned long long)step.from, itrace_status_str(status));
	else
		itrace_problem(flow->config->problems, flow->config->cpu, flow->offset,
			       "%s, %s: flow lost up to the next sure position", text,
			       itrace_status_str(status));
	itrace_flow_forget(flow);
	flow->state = ITRACE_FLOW_LOST;
	flow->stats->gaps++;
	return flow->step ? flow->step(flow->priv, &step) : 0;
}

int itrace_flow_locate(struct itrace_flow *flow, uint64_t ip)
{
	if (flow->not_64bit)
		return itrace_flow_lose(flow, ITRACE_E_UNSUPPORTED,
					"code that is not 64-bit (MODE.Exec)");
	flow->block = itrace_blocks_get(flow->blocks, ip);
	if (!flow->block)
		return ITRACE_E_NOMEM;
	flow->index = 0;
	flow->state = ITRACE_FLOW_ON;
	return 0;
}

static void push(struct itrace_returns *returns, uint64_t ip)
{
	returns->ip[returns->top] = ip;
	returns->top = (returns->top + 1) % ITRACE_RETURNS;
	if (returns->nr < ITRACE_RETURNS)
		returns->nr++;
}

/* 0 if it is empty. */
static uint64_t pop(struct itrace_returns *returns)
{
	if (!returns->nr)
		return 0;
	returns->nr--;
	returns->top = (returns->top + ITRACE_RETURNS - 1) % ITRACE_RETURNS;
	return returns->ip[returns->top];
}

/* Instructions [index, end) of the block have completed. */
static int complete(struct itrace_flow *flow, uint32_t end)
{
	const struct itrace_block *block = flow->block;
	uint32_t i, index = flow->index;
	struct itrace_step step;

	for (i = 0; i < block->nr_calls; i++)
		if (block->call[i].nr > index && block->call[i].nr <= end)
			push(&flow->returns, block->call[i].ret);
	flow->stats->instructions += end - index;
	flow->index = end;
	if (!flow->step || index == end)
		return 0;

	step.type = ITRACE_STEP_RUN;
	step.status = 0;
	step.offset = flow->offset;
	step.tsc = flow->time.tsc;
	step.insn = block->insn + index;
	step.nr = end - index;
	step.from = 0;
	step.to = 0;
	return flow->step(flow->priv, &step);
}

/* True if the blocks from here come to an end that is no END_ON, before the guard says stop. */
static bool comes_to_end(struct itrace_flow *flow, const struct itrace_block *block, bool *nomem)
{
	uint32_t walked = 0;

	while (block && block->end == ITRACE_END_ON && walked < ITRACE_WALK_MAX) {
		walked += block->nr;
		block = itrace_block_taken(flow->blocks, (struct itrace_block *)(uintptr_t)block);
	}
	*nomem = !block;
	return block && block->end != ITRACE_END_ON;
}

/*
 * The trace proves that execution went on to the next branch: be in the block that ends with it.
 * Where that can't be (missing page, endless loop), the flow is lost behind what is known.
 */
static int to_branch(struct itrace_flow *flow)
{
	bool nomem;
	int status;

	if (flow->block->end < ITRACE_END_ON)
		return 0;
	if (!comes_to_end(flow, flow->block, &nomem))
		return nomem ? ITRACE_E_NOMEM
			     : itrace_flow_lose(flow, ITRACE_E_CORRUPT,
						"a loop without a branch that the trace needs");
	while (flow->block->end == ITRACE_END_ON) {
		status = complete(flow, flow->block->nr);
		if (status)
			return status;
		flow->block = flow->block->taken;
		flow->index = 0;
	}
	if (flow->block->end != ITRACE_END_NONE)
		return 0;
	status = complete(flow, flow->block->nr);
	if (status)
		return status;
	return itrace_flow_lose(flow, flow->block->status, "no code to follow");
}

static int go(struct itrace_flow *flow, struct itrace_block *block)
{
	if (!block)
		return ITRACE_E_NOMEM;
	flow->block = block;
	flow->index = 0;
	return 0;
}

/*
 * A RET with a TNT bit waiting: compressed, or its TIP is behind the bits? An uncompressed RET
 * forces the bits out before its TIP (SDM 3C 33.4.2.3), so it is compressed wherever it can be.
 */
static bool is_compressed(const struct itrace_flow *flow, bool bit)
{
	const struct itrace_block *block = flow->block;
	bool calls = block->nr_calls && block->call[block->nr_calls - 1].nr > flow->index;

	return bit && (flow->returns.nr || calls) && !flow->config->no_retc;
}

/* SDM 3C 33.4.2.1: 1 is taken; the oldest is the one farthest from the lowest. */
static inline bool oldest_bit(uint64_t bits, uint32_t nr_bits)
{
	return bits >> (nr_bits - 1) & 1;
}

static int use_bit(struct itrace_flow *flow, bool *waits)
{
	struct itrace_block *block = flow->block;
	bool taken = oldest_bit(flow->bits, flow->nr_bits);
	int status;

	*waits = false;
	switch (block->end) {
	case ITRACE_END_COND:
		status = complete(flow, block->nr);
		if (status)
			return status;
		flow->nr_bits--;
		return go(flow, taken ? itrace_block_taken(flow->blocks, block)
				      : itrace_block_fall(flow->blocks, block));
	case ITRACE_END_RET:
		if (!is_compressed(flow, taken))
			break;
		status = complete(flow, block->nr);
		if (status)
			return status;
		flow->nr_bits--;
		return go(flow, itrace_block_target(flow->blocks, block, pop(&flow->returns)));
	case ITRACE_END_ON:
	case ITRACE_END_NONE:
		return to_branch(flow);
	}
	*waits = true;
	return 0;
}

/*
 * The same as use_bit() for as many conditional branches as there are, all of which are nothing but
 * counted: this is where a count of a whole ring spends its time.
 */
static int use_bits_counted(struct itrace_flow *flow)
{
	uint64_t bits = flow->bits, instructions = 0;
	uint32_t nr_bits = flow->nr_bits;
	struct itrace_block *block = flow->block, *next;

	if (flow->index || block->end != ITRACE_END_COND)
		return 0;
	for (; nr_bits && block->end == ITRACE_END_COND; block = next) {
		next = oldest_bit(bits, nr_bits) ? itrace_block_taken(flow->blocks, block)
						 : itrace_block_fall(flow->blocks, block);
		if (!next)
			return ITRACE_E_NOMEM;
		nr_bits--;
		instructions += block->nr;
		for (uint32_t i = 0; i < block->nr_calls; i++)
			push(&flow->returns, block->call[i].ret);
	}
	flow->stats->instructions += instructions;
	flow->nr_bits = nr_bits;
	flow->block = block;
	return 0;
}

int itrace_flow_use_bits(struct itrace_flow *flow)
{
	bool waits = false;
	int status = 0;

	if (!flow->step)
		status = use_bits_counted(flow);
	while (!status && flow->nr_bits && !waits && flow->state == ITRACE_FLOW_ON)
		status = use_bit(flow, &waits);
	return status;
}

int itrace_flow_branch(struct itrace_flow *flow, bool has_ip, uint64_t ip)
{
	struct itrace_block *block;
	enum itrace_insn_class insn_class;
	int status;

	status = to_branch(flow);
	if (status || flow->state != ITRACE_FLOW_ON)
		return status;
	block = flow->block;
	if (block->end == ITRACE_END_COND)
		return itrace_flow_lose(flow, ITRACE_E_CORRUPT, "TIP before a conditional branch");
	status = complete(flow, block->nr);
	if (status)
		return status;
	insn_class = block->insn[block->nr - 1].insn_class;
	/* SDM 3C 33.4.2.2: popped by every near RET, compressed or not. */
	if (insn_class == ITRACE_INSN_RET)
		pop(&flow->returns);
	else if (insn_class == ITRACE_INSN_IND_CALL)
		push(&flow->returns, block->fall_ip);
	if (!has_ip)
		return itrace_flow_lose(flow, ITRACE_E_CORRUPT, "TIP without an address");
	if (flow->not_64bit)
		return itrace_flow_locate(flow, ip);
	status = go(flow, itrace_block_target(flow->blocks, block, ip));
	return status ? status : itrace_flow_use_bits(flow);
}

/*
 * Search without the trace's help from the position on: is_it() says whether instruction @i of
 * @block is it. Then complete up to there, and one more if @and_it.
 */
struct search {
	bool (*is_it)(const struct search *search, const struct itrace_block *block, uint32_t i);
	uint64_t ip;
	bool has_ip;
	bool and_it;
	bool at_none; /* what never completes may be it, too: it faults */
	/* Found: */
	const struct itrace_block *block;
	uint32_t index;
};

static bool search_run(struct itrace_flow *flow, struct search *search, bool *nomem)
{
	struct itrace_block *block = flow->block;
	uint32_t i = flow->index, walked = 0;

	*nomem = false;
	for (;;) {
		walked += block->nr;
		for (; i < block->nr; i++) {
			if (!search->is_it(search, block, i))
				continue;
			search->block = block;
			search->index = i;
			return true;
		}
		if (search->at_none && block->end == ITRACE_END_NONE &&
		    block->fall_ip == search->ip) {
			search->block = block;
			search->index = block->nr;
			return true;
		}
		if (block->end != ITRACE_END_ON || walked > ITRACE_WALK_MAX)
			return false;
		block = itrace_block_taken(flow->blocks, block);
		if (!block) {
			*nomem = true;
			return false;
		}
		i = 0;
	}
}

static int search_and_walk(struct itrace_flow *flow, struct search *search, bool *found)
{
	bool nomem;
	int status;

	*found = search_run(flow, search, &nomem);
	if (!*found)
		return nomem ? ITRACE_E_NOMEM : 0;
	/* A loop of blocks is met in the first round, so the block alone tells when to stop. */
	while (flow->block != search->block || flow->index > search->index) {
		status = complete(flow, flow->block->nr);
		if (status)
			return status;
		flow->block = flow->block->taken;
		flow->index = 0;
	}
	return complete(flow, search->index + (search->and_it ? 1 : 0));
}

static bool is_address(const struct search *search, const struct itrace_block *block, uint32_t i)
{
	return block->insn[i].ip == search->ip;
}

int itrace_flow_walk_to(struct itrace_flow *flow, uint64_t ip, bool *found)
{
	struct search search = {.is_it = is_address, .ip = ip, .at_none = true};

	return search_and_walk(flow, &search, found);
}

static bool is_mov_cr3(const struct search *search, const struct itrace_block *block, uint32_t i)
{
	(void)search;
	return block->insn[i].insn_class == ITRACE_INSN_MOV_CR3;
}

int itrace_flow_walk_cr3(struct itrace_flow *flow, bool *found)
{
	struct search search = {.is_it = is_mov_cr3, .and_it = true};

	return search_and_walk(flow, &search, found);
}

/* Where the direct jump or call at @i of @block went. */
static uint64_t successor(const struct itrace_block *block, uint32_t i)
{
	if (i + 1 < block->nr)
		return block->insn[i + 1].ip;
	/* The target of the last one may be where there is no code. */
	return block->end == ITRACE_END_ON ? block->taken_ip : block->fall_ip;
}

/*
 * SDM 3C 33.2.6.2: PGD has no address if ContextEn or TraceEn went to 0: the former by a far
 * transfer only (PIP comes before). With an address FilterEn went to 0, by any branch.
 */
static bool is_way_out(const struct search *search, const struct itrace_block *block, uint32_t i)
{
	switch (block->insn[i].insn_class) {
	case ITRACE_INSN_FAR:
	case ITRACE_INSN_VMENTRY:
		return true;
	case ITRACE_INSN_IND_JUMP:
	case ITRACE_INSN_IND_CALL:
	case ITRACE_INSN_RET:
		return search->has_ip;
	case ITRACE_INSN_COND:
		return search->has_ip &&
		       (block->taken_ip == search->ip || block->fall_ip == search->ip);
	case ITRACE_INSN_JUMP:
	case ITRACE_INSN_CALL:
		return search->has_ip && successor(block, i) == search->ip;
	default:
		return false;
	}
}

int itrace_flow_walk_out(struct itrace_flow *flow, bool has_ip, uint64_t ip, uint64_t *from)
{
	struct search search = {.is_it = is_way_out, .ip = ip, .has_ip = has_ip, .and_it = true};
	bool found;
	int status;

	*from = 0;
	status = search_and_walk(flow, &search, &found);
	if (!status && found)
		*from = search.block->insn[search.index].ip;
	return status;
}
