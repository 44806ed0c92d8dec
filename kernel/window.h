/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The newest bytes of a ring: where they lie and how they are taken out.
 *
 * The rule is that of the 2014 perf itrace patch, and of today's pt_event_snapshot_aux():
 *	to = pos; from = to < size ? ring + to - size : to - size
 */
#ifndef ITRACE_WINDOW_H
#define ITRACE_WINDOW_H

#include "pure.h"

#define ITRACE_WINDOW_PAGE 4096

struct itrace_window {
	itrace_u64 ring; /* bytes of the ring, a power of two */
	itrace_u64 from; /* offset of the oldest byte, below ring */
	itrace_u64 to;	 /* offset behind the newest byte, below ring */
	itrace_u64 size; /* bytes, 0 to ring */
};

/*
 * Sets *@w to the newest @size bytes (all of the ring where it has fewer) of a ring of @ring
 * bytes, a power of two, whose next byte goes to @pos; @pos may count on past the end.
 *
 * Returns 0, or
 * -EINVAL: @ring is no power of two, or 0
 */
int itrace_window(struct itrace_window *w, itrace_u64 ring, itrace_u64 pos, itrace_u64 size);

/* Bytes that itrace_window_copy() writes: the window padded to a multiple of 8. */
itrace_u64 itrace_window_padded(const struct itrace_window *w);

/*
 * Copies the window out of the ring's pages (ITRACE_WINDOW_PAGE bytes each, ring order), oldest
 * byte first, across the wrap, and pads it with zeros (PAD packets) to a multiple of 8.
 *
 * Returns the bytes written, or
 * 0: @len is less than itrace_window_padded(), nothing was written
 */
size_t itrace_window_copy(void *dst, size_t len, void *const *pages, const struct itrace_window *w);

#endif
