// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folding: a call that equals the one before it becomes that one's count; a group of calls that
 * equals the group before it is shown once, with a line below that says how often.
 */
#include <string.h>

#include "tree_frames.h"

void itrace_tree_forget(struct itrace_frame *frame)
{
	frame->nr_siblings = 0;
	frame->group_lines = 0;
}

static struct itrace_tree_line *line_at(const struct itrace_tree *tree, uint64_t number)
{
	return &tree->line[number - tree->dropped];
}

static bool same_line(const struct itrace_tree_line *a, const struct itrace_tree_line *b)
{
	return a->kind == b->kind && a->depth == b->depth && a->ip == b->ip &&
	       a->lines == b->lines && a->step.to == b->step.to && a->kind != ITRACE_TREE_EVENT;
}

/* Are the lines of [a, a + nr) and [b, b + nr) the same? @but_first: but for the first's count. */
static bool same_lines(const struct itrace_tree *tree, uint64_t a, uint64_t b, uint64_t nr,
		       bool but_first)
{
	const struct itrace_tree_line *x = line_at(tree, a), *y = line_at(tree, b);

	for (uint64_t i = 0; i < nr; i++)
		if (!same_line(&x[i], &y[i]) || (x[i].count != y[i].count && !(but_first && !i)))
			return false;
	return true;
}

static void cut(struct itrace_tree *tree, uint64_t end)
{
	tree->nr_lines = end - tree->dropped;
}

/* The call at @start is the one before it, once more. */
static bool fold_call(struct itrace_tree *tree, struct itrace_frame *parent, uint64_t start)
{
	uint64_t nr = itrace_tree_end(tree) - start, prev;

	if (!parent->nr_siblings)
		return false;
	prev = parent->sibling[parent->nr_siblings - 1];
	if (prev < tree->dropped || start - prev != nr || !same_lines(tree, prev, start, nr, true))
		return false;
	line_at(tree, prev)->count += line_at(tree, start)->count;
	cut(tree, start);
	return true;
}

/* The siblings are the group above them, once more. */
static bool fold_into_group(struct itrace_tree *tree, struct itrace_frame *parent)
{
	uint64_t start = parent->sibling[0], nr = itrace_tree_end(tree) - start;

	if (!parent->group_lines || parent->nr_siblings != parent->group_siblings ||
	    parent->group_start < tree->dropped || parent->group_lines != nr ||
	    !same_lines(tree, parent->group_start, start, nr, false))
		return false;
	cut(tree, start);
	line_at(tree, start - 1)->count++;
	parent->nr_siblings = 0;
	parent->siblings_end = start;
	return true;
}

/* The last siblings are as many before them, once more. */
static void fold_group(struct itrace_tree *tree, struct itrace_frame *parent)
{
	for (uint32_t nr = 2; nr <= ITRACE_MAX_GROUP && 2 * nr <= parent->nr_siblings; nr++) {
		uint64_t first = parent->sibling[parent->nr_siblings - 2 * nr];
		uint64_t second = parent->sibling[parent->nr_siblings - nr];
		struct itrace_tree_line line = {.kind = ITRACE_TREE_REPEAT, .count = 2};

		if (first < tree->dropped || second - first != itrace_tree_end(tree) - second ||
		    !same_lines(tree, first, second, second - first, false))
			continue;
		line.lines = second - first;
		line.depth = line_at(tree, first)->depth;
		cut(tree, second);
		/* There is room: lines have just been cut. */
		itrace_tree_add(tree, &line);
		parent->group_start = first;
		parent->group_lines = second - first;
		parent->group_siblings = nr;
		parent->nr_siblings = 0;
		parent->siblings_end = itrace_tree_end(tree);
		return;
	}
}

static void add_sibling(struct itrace_frame *parent, uint64_t start)
{
	if (parent->nr_siblings == ITRACE_MAX_SIBLINGS) {
		memmove(parent->sibling, parent->sibling + 1,
			(ITRACE_MAX_SIBLINGS - 1) * sizeof(parent->sibling[0]));
		parent->nr_siblings--;
	}
	parent->sibling[parent->nr_siblings++] = start;
}

void itrace_tree_fold(struct itrace_tree *tree, struct itrace_frame *parent, uint64_t start)
{
	/* Something of the parent's own in between, or nothing there yet. */
	if (parent->siblings_end != start)
		itrace_tree_forget(parent);
	if (start < tree->dropped) {
		itrace_tree_forget(parent);
		return;
	}
	if (fold_call(tree, parent, start))
		return;
	add_sibling(parent, start);
	parent->siblings_end = itrace_tree_end(tree);
	if (fold_into_group(tree, parent))
		return;
	if (parent->nr_siblings > parent->group_siblings)
		parent->group_lines = 0;
	fold_group(tree, parent);
}
