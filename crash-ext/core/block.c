/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "block_walk.h"
#include "insn.h"
#include "status.h"

#define SLAB_SIZE   (256u * 1024)
#define FIRST_SLOTS 4096u

struct slab {
	struct slab *next;
	size_t used;
	_Alignas(16) uint8_t bytes[SLAB_SIZE];
};

struct itrace_blocks {
	struct itrace_image *image;
	struct itrace_insn_decoder *decoder;
	struct itrace_block **slot; /* open addressing; a power of two of them */
	size_t nr_slots;
	size_t nr;
	struct slab *slab;
	/* The bytes that the last instruction came from. */
	uint64_t span_ip;
	const uint8_t *span;
	uint64_t span_len;
};

/* What is being made: copied into the slabs when its length is known. */
struct draft {
	struct itrace_block block;
	struct itrace_insn insn[ITRACE_BLOCK_MAX];
	struct itrace_block_call call[ITRACE_BLOCK_MAX];
};

struct itrace_blocks *itrace_blocks_create(struct itrace_image *image)
{
	struct itrace_blocks *blocks = calloc(1, sizeof(*blocks));

	if (!blocks)
		return NULL;
	blocks->image = image;
	blocks->nr_slots = FIRST_SLOTS;
	blocks->slot = calloc(blocks->nr_slots, sizeof(struct itrace_block *));
	blocks->decoder = itrace_insn_decoder_create();
	if (!blocks->slot || !blocks->decoder) {
		itrace_blocks_destroy(blocks);
		return NULL;
	}
	return blocks;
}

void itrace_blocks_destroy(struct itrace_blocks *blocks)
{
	struct slab *slab, *next;

	if (!blocks)
		return;
	for (slab = blocks->slab; slab; slab = next) {
		next = slab->next;
		free(slab);
	}
	itrace_insn_decoder_destroy(blocks->decoder);
	free(blocks->slot);
	free(blocks);
}

/* @size is far below SLAB_SIZE. */
static void *slab_alloc(struct itrace_blocks *blocks, size_t size)
{
	struct slab *slab = blocks->slab;
	void *ret;

	size = (size + 15) & ~(size_t)15;
	if (!slab || SLAB_SIZE - slab->used < size) {
		slab = malloc(sizeof(*slab));
		if (!slab)
			return NULL;
		slab->next = blocks->slab;
		slab->used = 0;
		blocks->slab = slab;
	}
	ret = slab->bytes + slab->used;
	slab->used += size;
	return ret;
}

static size_t hash(const struct itrace_blocks *blocks, uint64_t ip)
{
	return (size_t)((ip * 0x9e3779b97f4a7c15ull) >> 20) & (blocks->nr_slots - 1);
}

static struct itrace_block **find_slot(const struct itrace_blocks *blocks, uint64_t ip)
{
	size_t i = hash(blocks, ip);

	while (blocks->slot[i] && blocks->slot[i]->ip != ip)
		i = (i + 1) & (blocks->nr_slots - 1);
	return &blocks->slot[i];
}

static int grow(struct itrace_blocks *blocks)
{
	struct itrace_block **old = blocks->slot;
	size_t i, nr_old = blocks->nr_slots;

	blocks->slot = calloc(nr_old * 2, sizeof(struct itrace_block *));
	if (!blocks->slot) {
		blocks->slot = old;
		return ITRACE_E_NOMEM;
	}
	blocks->nr_slots = nr_old * 2;
	for (i = 0; i < nr_old; i++)
		if (old[i])
			*find_slot(blocks, old[i]->ip) = old[i];
	free(old);
	return 0;
}

/* The instruction's tail may be on another page, which may be missing. */
static int decode_across(struct itrace_blocks *blocks, uint64_t ip, struct itrace_insn_info *info)
{
	uint8_t bytes[ITRACE_INSN_MAX];
	const uint8_t *missing;
	int len, status;

	len = itrace_image_read(blocks->image, ip, bytes, sizeof(bytes));
	if (len < 0)
		return len;
	status = itrace_insn_decode(blocks->decoder, ip, bytes, (uint64_t)len, info);
	if (status != ITRACE_E_NODATA)
		return status;
	status = itrace_image_get(blocks->image, ip + (uint64_t)len, &missing);
	return status < 0 ? status : ITRACE_E_CORRUPT;
}

static int decode_at(struct itrace_blocks *blocks, uint64_t ip, struct itrace_insn_info *info)
{
	uint64_t offset = ip - blocks->span_ip;
	int status;

	if (offset >= blocks->span_len) {
		blocks->span_len = 0;
		status = itrace_image_get(blocks->image, ip, &blocks->span);
		if (status < 0)
			return status;
		blocks->span_ip = ip;
		blocks->span_len = (uint64_t)status;
		offset = 0;
	}
	status = itrace_insn_decode(blocks->decoder, ip, blocks->span + offset,
				    blocks->span_len - offset, info);
	/* A cut instruction may look like a bad one, too. */
	if (status && blocks->span_len - offset < ITRACE_INSN_MAX)
		return decode_across(blocks, ip, info);
	return status;
}

static uint8_t end_of(enum itrace_insn_class insn_class)
{
	switch (insn_class) {
	case ITRACE_INSN_COND:
		return ITRACE_END_COND;
	case ITRACE_INSN_RET:
		return ITRACE_END_RET;
	default:
		return ITRACE_END_TIP;
	}
}

static void draft_call(struct draft *draft, uint64_t target)
{
	struct itrace_block *block = &draft->block;

	/* SDM 3C 33.4.2.2: calls with a displacement of zero leave the return stack alone. */
	if (target == block->fall_ip)
		return;
	draft->call[block->nr_calls].ret = block->fall_ip;
	draft->call[block->nr_calls].nr = block->nr;
	block->nr_calls++;
}

static void draft_fill(struct itrace_blocks *blocks, struct draft *draft)
{
	struct itrace_block *block = &draft->block;
	struct itrace_insn_info info;
	uint64_t ip = block->ip;
	int status;

	while (block->nr < ITRACE_BLOCK_MAX) {
		status = decode_at(blocks, ip, &info);
		if (!status && info.stuck)
			status = ITRACE_E_CORRUPT;
		if (status) {
			block->end = ITRACE_END_NONE;
			block->status = (int8_t)status;
			block->fall_ip = ip;
			return;
		}
		draft->insn[block->nr++] = info.insn;
		ip += info.insn.size;
		block->fall_ip = ip;
		if (itrace_insn_ends_block(info.insn.insn_class)) {
			block->end = end_of(info.insn.insn_class);
			block->taken_ip = info.target;
			return;
		}
		if (info.insn.insn_class == ITRACE_INSN_CALL)
			draft_call(draft, info.target);
		if (info.insn.insn_class == ITRACE_INSN_CALL ||
		    info.insn.insn_class == ITRACE_INSN_JUMP)
			ip = info.target;
	}
	block->end = ITRACE_END_ON;
	block->taken_ip = ip;
}

static struct itrace_block *make(struct itrace_blocks *blocks, uint64_t ip)
{
	struct itrace_block_call *call;
	struct itrace_insn *insn;
	struct itrace_block *block;
	struct draft draft;

	memset(&draft.block, 0, sizeof(draft.block));
	draft.block.ip = ip;
	draft_fill(blocks, &draft);

	block = slab_alloc(blocks, sizeof(*block));
	insn = slab_alloc(blocks, draft.block.nr * sizeof(*insn));
	call = slab_alloc(blocks, draft.block.nr_calls * sizeof(*call));
	if (!block || !insn || !call)
		return NULL;
	*block = draft.block;
	block->insn = memcpy(insn, draft.insn, block->nr * sizeof(*insn));
	block->call = memcpy(call, draft.call, block->nr_calls * sizeof(*call));
	return block;
}

struct itrace_block *itrace_blocks_get(struct itrace_blocks *blocks, uint64_t ip)
{
	struct itrace_block **slot = find_slot(blocks, ip);
	struct itrace_block *block = *slot;

	if (block)
		return block;
	if (blocks->nr * 2 >= blocks->nr_slots) {
		if (grow(blocks))
			return NULL;
		slot = find_slot(blocks, ip);
	}
	block = make(blocks, ip);
	if (!block)
		return NULL;
	*slot = block;
	blocks->nr++;
	return block;
}
