/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "packet.h"
#include "ring.h"
#include "seam.h"
#include "status.h"
#include "topa.h"

#define PAGE 4096u

/* A ring as it lies in memory. */
struct raw_ring {
	uint8_t *bytes;
	uint64_t size;
	uint64_t start;
	int8_t *status;		      /* of each page; 0: it was read */
	struct itrace_extent *extent; /* what bytes were read from */
	uint32_t nr_extents;
	bool own_extents;
	uint64_t lost; /* pages */
};

static void raw_deinit(struct raw_ring *ring)
{
	if (ring->own_extents)
		free(ring->extent);
	free(ring->bytes);
	free(ring->status);
}

/* Without extents that can be trusted, the ToPA table itself says where the ring is. */
static int extents_by_table(struct raw_ring *ring, const struct itrace_cpu *slot,
			    const struct itrace_source *source)
{
	struct itrace_topa topa;
	uint32_t i;
	int status;

	if (!(slot->valid & ITRACE_V_RING))
		return ITRACE_E_NODATA;
	status = itrace_topa_init(&topa, source, slot->topa_pa, slot->ring_size);
	if (status)
		return status;
	ring->extent = calloc(topa.nr, sizeof(*ring->extent));
	ring->own_extents = true;
	if (ring->extent) {
		for (i = 0; i < topa.nr; i++) {
			ring->extent[i].pa = topa.region[i].pa;
			ring->extent[i].len = topa.region[i].len;
		}
		ring->nr_extents = topa.nr;
		ring->size = topa.size;
	}
	itrace_topa_deinit(&topa);
	return ring->extent ? 0 : ITRACE_E_NOMEM;
}

static void read_extent(struct raw_ring *ring, const struct itrace_extent *extent, uint64_t offset,
			const struct itrace_source *source)
{
	uint64_t i;
	int status;

	if (!source->read_phys(source->priv, extent->pa, ring->bytes + offset, extent->len))
		return;
	for (i = 0; i < extent->len; i += PAGE) {
		status = source->read_phys(source->priv, extent->pa + i, ring->bytes + offset + i,
					   PAGE);
		if (!status)
			continue;
		memset(ring->bytes + offset + i, 0, PAGE);
		ring->status[(offset + i) / PAGE] = (int8_t)status;
		ring->lost++;
	}
}

static int raw_init(struct raw_ring *ring, const struct itrace_record_cpu *cpu,
		    const struct itrace_source *source)
{
	uint64_t offset = 0;
	uint32_t i;
	int status = 0;

	memset(ring, 0, sizeof(*ring));
	ring->extent = cpu->extent;
	ring->nr_extents = cpu->nr_extents;
	ring->size = cpu->ring_size;
	if (!cpu->nr_extents)
		status = extents_by_table(ring, &cpu->slot, source);
	if (!status && (!ring->size || ring->size % PAGE || ring->size > SIZE_MAX / 4))
		status = ITRACE_E_CORRUPT;
	if (status)
		return status;
	ring->start = cpu->slot.start_offset < ring->size ? cpu->slot.start_offset : 0;
	ring->bytes = calloc(1, ring->size);
	ring->status = calloc(1, ring->size / PAGE);
	if (!ring->bytes || !ring->status)
		return ITRACE_E_NOMEM;
	for (i = 0; i < ring->nr_extents; i++) {
		read_extent(ring, &ring->extent[i], offset, source);
		offset += ring->extent[i].len;
	}
	return ring->lost == ring->size / PAGE ? ring->status[0] : 0;
}

/*
 * A page that is missing may be one that was all zero: makedumpfile drops those. An arming begins
 * with a PSB; if that is still there, nothing has been overwritten, and missing is never written.
 */
static void settle_missing(struct raw_ring *ring)
{
	uint64_t i;

	if (!ring->lost || itrace_psb_find(ring->bytes, ring->size, ring->start) == ring->start)
		return;
	for (i = 0; i < ring->size / PAGE; i++)
		if (ring->status[i])
			memset(ring->bytes + i * PAGE, 0xff, PAGE);
}

static uint64_t pa_of(const struct raw_ring *ring, uint64_t offset)
{
	uint32_t i;

	for (i = 0; i < ring->nr_extents; i++) {
		if (offset < ring->extent[i].len)
			return ring->extent[i].pa + offset;
		offset -= ring->extent[i].len;
	}
	return 0;
}

static int add_hole(struct itrace_stream *stream, uint64_t start, uint64_t len, uint64_t pa,
		    int status)
{
	struct itrace_hole *hole;

	if (stream->nr_holes) {
		hole = &stream->hole[stream->nr_holes - 1];
		if (hole->start + hole->len == start && hole->status == status) {
			hole->len += len;
			return 0;
		}
	}
	hole = realloc(stream->hole, (stream->nr_holes + 1) * sizeof(*hole));
	if (!hole)
		return ITRACE_E_NOMEM;
	stream->hole = hole;
	hole += stream->nr_holes++;
	hole->start = start;
	hole->len = len;
	hole->pa = pa;
	hole->status = status;
	return 0;
}

/* The missing pages of @ring in the order of @stream, whose first byte is the ring's at @first. */
static int find_holes(struct itrace_stream *stream, const struct raw_ring *ring, uint64_t first)
{
	uint64_t offset = 0, at, len;
	int status = 0;

	while (!status && offset < stream->len) {
		at = (first + offset) % ring->size;
		len = PAGE - at % PAGE;
		if (len > stream->len - offset)
			len = stream->len - offset;
		if (ring->status[at / PAGE]) {
			memset(stream->bytes + offset, 0, len);
			status = add_hole(stream, offset, len, pa_of(ring, at),
					  ring->status[at / PAGE]);
		}
		offset += len;
	}
	return status;
}

static int find_position(struct itrace_stream *stream, const struct raw_ring *ring,
			 const struct itrace_record_cpu *cpu, uint32_t index,
			 const struct itrace_source *source, const struct itrace_problems *problems,
			 uint64_t *pos)
{
	int why = itrace_ring_position(cpu, source, pos);
	int status;

	if (!why && *pos <= ring->size)
		return 0;
	status = itrace_seam_find(ring->bytes, ring->size, ring->start, pos);
	if (status == ITRACE_E_NODATA || status == ITRACE_E_NOMEM)
		return status;
	if (status) {
		itrace_problem(
			problems, index, ITRACE_NO_OFFSET,
			"write position %s, and no time in the trace: its end can't be found",
			why == ITRACE_E_NODATA ? "not saved" : itrace_status_str(why));
		return ITRACE_E_CORRUPT;
	}
	stream->seam_searched = true;
	itrace_problem(problems, index, ITRACE_NO_OFFSET,
		       "write position %s: the end of the trace has been searched, and is a guess",
		       why == ITRACE_E_NODATA ? "not saved"
		       : why		      ? itrace_status_str(why)
					      : "outside of the ring");
	return 0;
}

static int linearize(struct itrace_stream *stream, struct raw_ring *ring,
		     const struct itrace_record_cpu *cpu, uint32_t index,
		     const struct itrace_source *source, const struct itrace_problems *problems)
{
	uint64_t pos;
	int64_t len;
	int status;

	settle_missing(ring);
	status = find_position(stream, ring, cpu, index, source, problems, &pos);
	if (status)
		return status;
	stream->bytes = malloc(ring->size);
	if (!stream->bytes)
		return ITRACE_E_NOMEM;
	len = itrace_ring_unwrap(ring->bytes, ring->size, pos, ring->start, stream->bytes,
				 &stream->wrapped);
	if (len < 0)
		return (int)len;
	if (!len)
		return ITRACE_E_NODATA;
	stream->len = (uint64_t)len;
	return find_holes(stream, ring, stream->wrapped ? pos % ring->size : ring->start);
}

int itrace_stream_init(struct itrace_stream *stream, const struct itrace_record *record,
		       uint32_t index, const struct itrace_source *source,
		       const struct itrace_problems *problems)
{
	const struct itrace_record_cpu *cpu;
	struct raw_ring ring;
	int status;

	memset(stream, 0, sizeof(*stream));
	if (index >= record->nr_cpus)
		return ITRACE_E_INVALID;
	cpu = &record->cpu[index];
	if (cpu->slot_ok && cpu->slot.state == ITRACE_STATE_OFF)
		return ITRACE_E_NODATA;
	status = raw_init(&ring, cpu, source);
	if (!status)
		status = linearize(stream, &ring, cpu, index, source, problems);
	if (status)
		itrace_stream_deinit(stream);
	else if (ring.lost)
		itrace_problem(problems, index, ITRACE_NO_OFFSET,
			       "%llu of %llu pages of the ring %s: decoded around them",
			       (unsigned long long)ring.lost,
			       (unsigned long long)(ring.size / PAGE),
			       stream->nr_holes ? itrace_status_str(stream->hole[0].status)
						: "not in the dump, and never written");
	raw_deinit(&ring);
	return status;
}

int itrace_stream_init_raw(struct itrace_stream *stream, const void *bytes, uint64_t len)
{
	memset(stream, 0, sizeof(*stream));
	stream->bytes = malloc(len ? len : 1);
	if (!stream->bytes)
		return ITRACE_E_NOMEM;
	if (len)
		memcpy(stream->bytes, bytes, len);
	stream->len = len;
	return 0;
}

void itrace_stream_deinit(struct itrace_stream *stream)
{
	free(stream->bytes);
	free(stream->hole);
	memset(stream, 0, sizeof(*stream));
}
