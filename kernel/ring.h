/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pages that one CPU's trace goes to.
 *
 * They are single pages after split_page(), never compound: makedumpfile loses parts of compound
 * ones on 7.1 and later. The first page of each contiguous piece carries PagePrivate and the
 * piece's order, which is how the driver learns it (arch/x86/events/intel/pt.c,
 * topa_insert_pages()).
 */
#ifndef ITRACE_RING_H
#define ITRACE_RING_H

#include <linux/types.h>

struct itrace_extent;

struct itrace_ring {
	void **pages;	       /* nr_pages addresses, ring order */
	unsigned int nr_pages; /* a power of two, 2 or more */
};

static inline u64 itrace_ring_bytes(const struct itrace_ring *ring)
{
	return (u64)ring->nr_pages << 12;
}

/*
 * Allocates @bytes (a power of two, 8 KiB or more) of zeroed memory, on @node where it has some,
 * in the largest pieces to be had. @whole: in one piece (CPUs whose ToPA has a single entry).
 *
 * Returns 0, or
 * -ENOMEM: nothing is left allocated
 */
int itrace_ring_init(struct itrace_ring *ring, u64 bytes, int node, bool whole);

/* Frees it; a ring that was never initialised, or is all zero, is fine. */
void itrace_ring_deinit(struct itrace_ring *ring);

void itrace_ring_zero(struct itrace_ring *ring);

/*
 * The physically contiguous pieces of the ring, neighbours joined, in ring order: writes up to
 * @max of them to @extent, which may be NULL, and returns how many there are.
 */
unsigned int itrace_ring_extents(const struct itrace_ring *ring, struct itrace_extent *extent,
				 unsigned int max);

#endif
