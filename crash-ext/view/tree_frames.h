/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree's frames and lines: pushing, popping, folding. Private to tree*.c.
 *
 * Lines have a number that counts all lines ever added; the oldest may have been dropped.
 */
#ifndef ITRACE_TREE_FRAMES_H
#define ITRACE_TREE_FRAMES_H

#include "tree.h"

#define ITRACE_MAX_GROUP    8
#define ITRACE_MAX_SIBLINGS (2 * ITRACE_MAX_GROUP)

struct itrace_frame {
	enum itrace_tree_kind kind;
	int32_t depth;
	uint64_t ret;			/* where it returns to; 0 if not known */
	const struct itrace_name *name; /* never NULL */
	uint64_t start;			/* its first line */
	bool bare; /* called through a thunk: no line before it is known what */
	/* First lines of the frames closed last inside of this one, without other lines between. */
	uint64_t sibling[ITRACE_MAX_SIBLINGS];
	uint32_t nr_siblings;
	uint64_t siblings_end; /* the line behind the last of them */
	/* A group that came more than once ends where the siblings begin; 0 lines: none. */
	uint64_t group_start;
	uint64_t group_lines;
	uint32_t group_siblings;
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
	struct itrace_frame root; /* around the outermost; only depth and siblings are used */

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

/* Open a frame whose line comes later, by itrace_tree_settle(). */
int itrace_tree_push_bare(struct itrace_tree *tree, uint64_t ret);
int itrace_tree_settle(struct itrace_tree *tree, uint64_t ip);

/* A frame inside of @parent has been closed, whose lines are those from @start on. */
void itrace_tree_fold(struct itrace_tree *tree, struct itrace_frame *parent, uint64_t start);

/* The number behind the last line. */
uint64_t itrace_tree_end(const struct itrace_tree *tree);

/* What is closed from here on has nothing to do with what was before. */
void itrace_tree_forget(struct itrace_frame *frame);

/* Close frames until @keep are open, folding each that equals the one before it. */
void itrace_tree_pop(struct itrace_tree *tree, size_t keep);

/* Add a line (part and count are set here). Returns 0 or ITRACE_E_NOMEM. */
int itrace_tree_add(struct itrace_tree *tree, const struct itrace_tree_line *line);

/* Make each part's least depth 0. As itrace_tree_finish() for the rest. */
int32_t itrace_tree_normalize(struct itrace_tree *tree, const struct itrace_tree_line **line,
			      uint64_t *nr);

#endif
