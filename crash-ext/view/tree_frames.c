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

uint64_t itrace_tree_end(const struct itrace_tree *tree)
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
	if (!line->count)
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
	itrace_tree_forget(&tree->root);
	tree->root.depth = tree->frame[0].depth - 1;
}

static int push(struct itrace_tree *tree, enum itrace_tree_kind kind, uint64_t ret)
{
	struct itrace_frame *frame;

	if (!tree->frame)
		tree->frame = calloc(MAX_FRAMES, sizeof(*tree->frame));
	if (!tree->frame)
		return ITRACE_E_NOMEM;
	if (tree->nr_frames == MAX_FRAMES)
		forget_outermost(tree);
	frame = &tree->frame[tree->nr_frames];
	frame->kind = kind;
	frame->depth = parent_of(tree, tree->nr_frames)->depth + 1;
	frame->ret = ret;
	frame->start = itrace_tree_end(tree);
	frame->bare = false;
	itrace_tree_forget(frame);
	tree->nr_frames++;
	return 0;
}

int itrace_tree_push(struct itrace_tree *tree, enum itrace_tree_kind kind, uint64_t ip,
		     uint64_t ret, const struct itrace_step *step)
{
	struct itrace_tree_line line = {.kind = kind, .ip = ip, .tsc = tree->tsc};
	int err = push(tree, kind, ret);

	if (err)
		return err;
	line.depth = itrace_tree_top(tree)->depth;
	if (step)
		line.step = *step;
	err = itrace_tree_add(tree, &line);
	if (err)
		tree->nr_frames--;
	return err;
}

int itrace_tree_push_bare(struct itrace_tree *tree, uint64_t ret)
{
	int err = push(tree, ITRACE_TREE_CALL, ret);

	if (!err)
		itrace_tree_top(tree)->bare = true;
	return err;
}

int itrace_tree_settle(struct itrace_tree *tree, uint64_t ip)
{
	struct itrace_frame *top = itrace_tree_top(tree);
	struct itrace_tree_line line = {
		.kind = ITRACE_TREE_CALL, .depth = top->depth, .ip = ip, .tsc = tree->tsc};

	top->bare = false;
	return itrace_tree_add(tree, &line);
}

void itrace_tree_pop(struct itrace_tree *tree, size_t keep)
{
	while (tree->nr_frames > keep) {
		size_t last = --tree->nr_frames;

		if (!tree->frame[last].bare)
			itrace_tree_fold(tree, parent_of(tree, last), tree->frame[last].start);
	}
}

int32_t itrace_tree_normalize(struct itrace_tree *tree, const struct itrace_tree_line **line,
			      uint64_t *nr)
{
	uint64_t first = tree->nr_lines - itrace_tree_lines(tree), end;
	int32_t last_depth = tree->nr_frames ? itrace_tree_top(tree)->depth : 0;

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
