/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree's frames and lines: pushing, popping, folding equal neighbours. Private to tree*.c.
 *
 * Lines have a number that counts all lines ever added; the oldest may have been dropped.
 */
#ifndef ITRACE_TREE_FRAMES_H
#define ITRACE_TREE_FRAMES_H

#include "tree.h"

#define ITRACE_NO_LINE UINT64_MAX

struct itrace_frame {
	enum itrace_tree_kind kind;
	int32_t depth;
	uint64_t ret;			/* where it returns to; 0 if not known */
	const struct itrace_name *name; /* never NULL */
	uint64_t start;			/* its first line */
	/* The last closed frame inside: its first line, and the one behind its last. */
	uint64_t prev_start;
	uint64_t prev_end;
};

struct itrace_tree {
	struct itrace_names *names;
	const struct itrace_idt *idt;
	uint64_t lstar;
	uint64_t max_lines;

	struct itrace_tree_line *line; /* of number `dropped` and up */
	uint64_t nr_lines;
	uint64_t line_space;
	uint64_t dropped;

	struct itrace_frame *frame; /* outermost first */
	size_t nr_frames;
	size_t frame_space;
	struct itrace_frame root; /* around the outermost; only depth and prev_* are used */

	uint32_t part;
	uint64_t tsc;
	uint64_t before_tsc;
	struct itrace_insn last; /* size 0: none, or it is known where it went */
};

/* The innermost frame; there must be one. */
struct itrace_frame *itrace_tree_top(struct itrace_tree *tree);

/*
 * Open a frame with a line of its own. @step (for interrupts and entries) may be NULL.
 * Returns 0 or ITRACE_E_NOMEM.
 */
int itrace_tree_push(struct itrace_tree *tree, enum itrace_tree_kind kind, uint64_t ip,
		     uint64_t ret, const struct itrace_step *step);

/* Close frames until @keep are open, folding each that equals the one before it. */
void itrace_tree_pop(struct itrace_tree *tree, size_t keep);

/* Add a line (part and count are set here). Returns 0 or ITRACE_E_NOMEM. */
int itrace_tree_add(struct itrace_tree *tree, const struct itrace_tree_line *line);

/* Make each part's least depth 0. As itrace_tree_finish() for the rest. */
int32_t itrace_tree_normalize(struct itrace_tree *tree, const struct itrace_tree_line **line,
			      uint64_t *nr);

#endif
