// SPDX-License-Identifier: GPL-2.0-or-later
#include "tree_frames.h"

#include <stdlib.h>
#include <string.h>

#include "status.h"

/* Frames that are never closed (task switches) must not pile up. */
#define MAX_FRAMES 512

struct itrace_frame *itrace_tree_top(struct itrace_tree *tree)
{
	return &tree->frame[tree->nr_frames - 1];
}

static struct itrace_frame *parent_of(struct itrace_tree *tree, size_t frame)
{
	return frame ? &tree->frame[frame - 1] : &tree->root;
}

static uint64_t end_of_lines(const struct itrace_tree *tree)
{
	return tree->dropped + tree->nr_lines;
}

int itrace_tree_add(struct itrace_tree *tree, const struct itrace_tree_line *line)
{
	if (tree->nr_lines == tree->line_space) {
		uint64_t space = tree->line_space ? tree->line_space * 2 : 1024;
		struct itrace_tree_line *grown;

		grown = realloc(tree->line, space * sizeof(*grown));
		if (!grown)
			return ITRACE_E_NOMEM;
		tree->line = grown;
		tree->line_space = space;
	}
	tree->line[tree->nr_lines] = *line;
	tree->line[tree->nr_lines].part = tree->part;
	tree->line[tree->nr_lines].count = 1;
	tree->nr_lines++;
	/* Dropped in big steps: folding can still shorten the list. */
	if (tree->max_lines && tree->nr_lines > 4 * tree->max_lines + 64) {
		uint64_t drop = tree->nr_lines - 2 * tree->max_lines;

		memmove(tree->line, tree->line + drop,
			(tree->nr_lines - drop) * sizeof(*tree->line));
		tree->nr_lines -= drop;
		tree->dropped += drop;
	}
	return 0;
}

static void forget_outermost(struct itrace_tree *tree)
{
	size_t forget = MAX_FRAMES / 2;

	memmove(tree->frame, tree->frame + forget,
		(tree->nr_frames - forget) * sizeof(*tree->frame));
	tree->nr_frames -= forget;
	tree->root.prev_start = ITRACE_NO_LINE;
	tree->root.depth = tree->frame[0].depth - 1;
}

int itrace_tree_push(struct itrace_tree *tree, enum itrace_tree_kind kind, uint64_t ip,
		     uint64_t ret, const struct itrace_step *step)
{
	struct itrace_tree_line line = {.kind = kind, .ip = ip, .tsc = tree->tsc};
	struct itrace_frame *frame;
	int err;

	if (!tree->frame) {
		tree->frame = calloc(MAX_FRAMES, sizeof(*tree->frame));
		if (!tree->frame)
			return ITRACE_E_NOMEM;
		tree->root.depth = -1;
	}
	if (tree->nr_frames == MAX_FRAMES)
		forget_outermost(tree);
	line.depth = parent_of(tree, tree->nr_frames)->depth + 1;
	if (step)
		line.step = *step;
	err = itrace_tree_add(tree, &line);
	if (err)
		return err;
	frame = &tree->frame[tree->nr_frames++];
	*frame = (struct itrace_frame){.kind = kind,
				       .depth = line.depth,
				       .ret = ret,
				       .start = end_of_lines(tree) - 1,
				       .prev_start = ITRACE_NO_LINE};
	return 0;
}

static bool same_line(const struct itrace_tree_line *a, const struct itrace_tree_line *b)
{
	return a->kind == b->kind && a->depth == b->depth && a->ip == b->ip &&
	       a->step.to == b->step.to && a->kind != ITRACE_TREE_EVENT;
}

/* Are the lines of [a, a + nr) and [b, b + nr) the same call, but for how often? */
static bool same_call(const struct itrace_tree *tree, uint64_t a, uint64_t b, uint64_t nr)
{
	const struct itrace_tree_line *x = &tree->line[a - tree->dropped];
	const struct itrace_tree_line *y = &tree->line[b - tree->dropped];

	if (!same_line(x, y))
		return false;
	for (uint64_t i = 1; i < nr; i++)
		if (x[i].count != y[i].count || !same_line(&x[i], &y[i]))
			return false;
	return true;
}

/* @frame, closed, becomes the last one inside of @parent, or one more of that. */
static void fold(struct itrace_tree *tree, struct itrace_frame *parent,
		 const struct itrace_frame *frame)
{
	uint64_t start = frame->start, end = end_of_lines(tree);
	uint64_t prev = parent->prev_start;

	if (start < tree->dropped) {
		parent->prev_start = ITRACE_NO_LINE;
		return;
	}
	if (prev != ITRACE_NO_LINE && prev >= tree->dropped && parent->prev_end == start &&
	    start - prev == end - start && same_call(tree, prev, start, end - start)) {
		tree->line[prev - tree->dropped].count++;
		tree->nr_lines = start - tree->dropped;
		return;
	}
	parent->prev_start = start;
	parent->prev_end = end;
}

void itrace_tree_pop(struct itrace_tree *tree, size_t keep)
{
	while (tree->nr_frames > keep) {
		size_t last = --tree->nr_frames;

		fold(tree, parent_of(tree, last), &tree->frame[last]);
	}
}

int32_t itrace_tree_normalize(struct itrace_tree *tree, const struct itrace_tree_line **line,
			      uint64_t *nr)
{
	uint64_t first = 0, end;
	int32_t last_depth = tree->nr_frames ? itrace_tree_top(tree)->depth : 0;

	if (tree->max_lines && tree->nr_lines > tree->max_lines)
		first = tree->nr_lines - tree->max_lines;
	for (uint64_t i = first; i < tree->nr_lines; i = end) {
		int32_t least = INT32_MAX;

		for (end = i; end < tree->nr_lines && tree->line[end].part == tree->line[i].part;
		     end++)
			if (tree->line[end].depth < least)
				least = tree->line[end].depth;
		/* The frame still open may have lost its own line. */
		if (tree->line[i].part == tree->part && tree->nr_frames) {
			if (last_depth < least)
				least = last_depth;
			last_depth -= least;
		}
		for (uint64_t k = i; k < end; k++)
			tree->line[k].depth -= least;
	}
	*line = tree->line + first;
	*nr = tree->nr_lines - first;
	return last_depth > 0 ? last_depth : 0;
}
