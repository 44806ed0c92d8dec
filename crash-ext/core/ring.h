/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a ring in the dump to a linear stream: oldest byte first.
 *
 * SDM 3C 33.2.7.2 (ToPA), reference in docs/format.md. The window arithmetic is that of the
 * sampler: the oldest byte of a ring that wrapped is the one at the write position.
 */
#ifndef ITRACE_RING_H
#define ITRACE_RING_H

#include "problem.h"
#include "record.h"
#include "source.h"

/* Bytes of the stream that could not be read; they are zero in it. */
struct itrace_hole {
	uint64_t start; /* offset in the stream */
	uint64_t len;
	uint64_t pa; /* of its first byte */
	int status;  /* why: ITRACE_E_FILTERED ... */
};

struct itrace_stream {
	uint8_t *bytes; /* oldest first */
	uint64_t len;
	bool wrapped;		  /* older bytes were overwritten */
	bool seam_searched;	  /* the machine was still tracing: the end is a guess */
	struct itrace_hole *hole; /* ascending, none overlap */
	uint32_t nr_holes;
};

/*
 * Linear order of a ring, pure: @ring has @size bytes and the hardware would write at @pos next,
 * tracing began at @start. Has wrapped unless all of [pos, start) (cyclic) is zero. Writes the
 * stream to @out (at least @size bytes), sets *@wrapped.
 * Returns its length, or ITRACE_E_INVALID if @pos or @start is not below @size (or @pos == @size,
 * which means 0: the hardware leaves it so at a full region), or @size is 0.
 */
int64_t itrace_ring_unwrap(const uint8_t *ring, uint64_t size, uint64_t pos, uint64_t start,
			   uint8_t *out, bool *wrapped);

/*
 * The write position (byte offset in the ring) that @cpu's frozen output registers mean: through
 * the ToPA table in the dump, checked against the extents.
 * Returns 0, ITRACE_E_NODATA if the slot has no valid position, ITRACE_E_CORRUPT if registers,
 * table and extents contradict each other, ITRACE_E_FILTERED if the table is not in the dump and
 * the extents alone leave it open.
 */
int itrace_ring_position(const struct itrace_record_cpu *cpu, const struct itrace_source *source,
			 uint64_t *pos);

/*
 * Read and unwrap the ring of CPU @index. A CPU still armed gets its seam searched. Problems are
 * reported as lines. Returns 0 with @stream filled (freed by itrace_stream_deinit), or
 * ITRACE_E_NODATA (never traced, or the ring is all zero), ITRACE_E_FILTERED (not one page is in
 * the dump), ITRACE_E_CORRUPT, ITRACE_E_NOMEM.
 */
int itrace_stream_init(struct itrace_stream *stream, const struct itrace_record *record,
		       uint32_t index, const struct itrace_source *source,
		       const struct itrace_problems *problems);

/* A stream from a copy of @len raw bytes, oldest first. Returns 0 or ITRACE_E_NOMEM. */
int itrace_stream_init_raw(struct itrace_stream *stream, const void *bytes, uint64_t len);
void itrace_stream_deinit(struct itrace_stream *stream);

#endif
