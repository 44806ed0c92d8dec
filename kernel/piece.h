/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Physically contiguous memory for a section of the record.
 *
 * Never kmalloc'ed and never compound: makedumpfile keeps such pages at any dump level (they are
 * neither free, nor cache, nor user pages).
 */
#ifndef ITRACE_PIECE_H
#define ITRACE_PIECE_H

#include <linux/types.h>

struct itrace_piece {
	void *va; /* NULL: nothing allocated */
	u64 pa;
	size_t len; /* bytes, whole pages */
};

/*
 * Allocates at least @len zeroed bytes on @node (NUMA_NO_NODE: anywhere), page aligned.
 *
 * Returns 0, or
 * -ENOMEM: also when @len is more than the page allocator serves at once
 */
int itrace_piece_create(struct itrace_piece *piece, size_t len, int node);

/* Frees it; fine on one that has nothing. */
void itrace_piece_destroy(struct itrace_piece *piece);

#endif
