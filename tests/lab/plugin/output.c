// SPDX-License-Identifier: GPL-2.0-or-later
/* output.c - see output.h. */
#include "output.h"

#include <string.h>

/* 36.2.6.2, table "ToPA Table Entry Fields" */
#define TOPA_END      (1ull << 0)
#define TOPA_INT      (1ull << 2)
#define TOPA_STOP     (1ull << 4)
#define TOPA_RESERVED (1ull << 1 | 1ull << 3 | 1ull << 5 | 3ull << 10)
#define TOPA_SIZE(e)  (4096ull << ((e) >> 6 & 15))
#define TOPA_ADDR(e)  ((e) & ~0xfffull)

static bool bad_address(const struct pt_out *o, uint64_t pa)
{
	return pa >> o->maxphyaddr;
}

/*
 * 36.2.6.2: each region starts at a multiple of its size; END points to a table, may not be the
 * first entry and excludes INT and STOP; the same checks at start and at each step.
 */
static bool load_entry(struct pt_out *o)
{
	uint64_t entry;

	for (;;) {
		if (!o->mem.read(o->mem.owner, o->base + 8 * o->index, &entry, sizeof(entry)) ||
		    (entry & TOPA_RESERVED) || bad_address(o, TOPA_ADDR(entry)))
			return false;
		if (!(entry & TOPA_END))
			break;
		if (o->index == 0 || (entry & (TOPA_INT | TOPA_STOP)))
			return false;
		o->base = TOPA_ADDR(entry);
		o->index = 0;
		o->wraps++;
	}
	if (!o->multi && o->index)
		return false;
	o->region = TOPA_ADDR(entry);
	o->region_size = TOPA_SIZE(entry);
	o->region_stop = entry & TOPA_STOP;
	o->region_int = entry & TOPA_INT;
	return !(o->region & (o->region_size - 1));
}

void pt_out_start(struct pt_out *o, bool topa, uint64_t base, uint64_t mask)
{
	o->topa = topa;
	o->base = base;
	o->off = mask >> 32;
	o->fill = 0;
	o->error = false;
	o->stopped = false;
	if (topa) {
		o->index = (mask & 0xffffffff) >> 7;
		o->error = (base & 0xfff) || bad_address(o, base) || !load_entry(o) ||
			   o->off >= o->region_size;
	} else {
		/* 36.2.6.1: the mask is contiguous ones, the base a multiple of mask + 1. */
		o->range_mask = mask & 0xffffffff;
		o->error = (o->range_mask & (o->range_mask + 1)) || (base & o->range_mask) ||
			   o->off > o->range_mask || bad_address(o, base);
	}
}

uint64_t pt_out_base(const struct pt_out *o)
{
	return o->base;
}

uint64_t pt_out_mask(const struct pt_out *o)
{
	return o->off << 32 | (o->topa ? o->index << 7 | 0x7f : o->range_mask);
}

/* A full region: 36.2.6.2 names the order STOP, INT, next entry. */
static void next_region(struct pt_out *o)
{
	if (o->region_int)
		o->pmis++;
	o->index++;
	o->off = 0;
	if (o->region_stop) {
		o->stopped = true;
		return;
	}
	if (!load_entry(o))
		o->error = true;
}

static void flush_topa(struct pt_out *o)
{
	unsigned int done = 0;

	while (done < o->fill && !o->error && !o->stopped) {
		uint64_t room = o->region_size - o->off;
		unsigned int n = o->fill - done;

		if (n > room)
			n = (unsigned int)room;
		if (!o->mem.write(o->mem.owner, o->region + o->off, o->buf + done, n)) {
			o->error = true;
			return;
		}
		done += n;
		o->total += n;
		o->off += n;
		if (o->off == o->region_size)
			next_region(o);
	}
}

static void flush_range(struct pt_out *o)
{
	unsigned int done = 0;

	while (done < o->fill && !o->error) {
		uint64_t room = o->range_mask + 1 - o->off;
		unsigned int n = o->fill - done;

		if (n > room)
			n = (unsigned int)room;
		if (!o->mem.write(o->mem.owner, o->base + o->off, o->buf + done, n)) {
			o->error = true;
			return;
		}
		done += n;
		o->total += n;
		o->off = (o->off + n) & o->range_mask;
		if (!o->off)
			o->wraps++;
	}
}

void pt_out_flush(struct pt_out *o)
{
	if (o->topa)
		flush_topa(o);
	else
		flush_range(o);
	o->fill = 0;
}

void pt_out_write(struct pt_out *o, const uint8_t *bytes, size_t n)
{
	while (n && !o->error && !o->stopped) {
		size_t part = sizeof(o->buf) - o->fill;

		if (part > n)
			part = n;
		memcpy(o->buf + o->fill, bytes, part);
		o->fill += (unsigned int)part;
		bytes += part;
		n -= part;
		if (o->fill == sizeof(o->buf))
			pt_out_flush(o);
	}
}

void pt_out_drop(struct pt_out *o)
{
	o->fill = 0;
}
