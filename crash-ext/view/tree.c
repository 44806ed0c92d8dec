// SPDX-License-Identifier: GPL-2.0-or-later
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "tree_frames.h"

/* Same function? `x.cold` is the part of `x` that the compiler moved away. */
static bool same_function(const struct itrace_name *a, const struct itrace_name *b)
{
	size_t len;

	if (a->symbol == b->symbol && a->start == b->start)
		return true;
	len = strcspn(a->symbol, ".");
	if (!len || len != strcspn(b->symbol, ".") || strncmp(a->symbol, b->symbol, len))
		return false;
	return !strncmp(a->symbol + len, ".cold", 5) || !strncmp(b->symbol + len, ".cold", 5);
}

#define MAX_OUTWARD 24

static bool is_outer(const struct itrace_frame *frame)
{
	return frame->kind == ITRACE_TREE_INTERRUPT || frame->kind == ITRACE_TREE_ENTRY;
}

struct itrace_tree *itrace_tree_create(struct itrace_names *names, const struct itrace_idt *idt,
				       uint64_t lstar, uint64_t max_lines)
{
	struct itrace_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return NULL;
	tree->names = names;
	tree->idt = idt;
	tree->lstar = lstar;
	tree->max_lines = max_lines;
	tree->root.depth = -1;
	return tree;
}

void itrace_tree_destroy(struct itrace_tree *tree)
{
	if (!tree)
		return;
	free(tree->line);
	free(tree->frame);
	free(tree);
}

static int enter(struct itrace_tree *tree, enum itrace_tree_kind kind, uint64_t ip, uint64_t ret,
		 const struct itrace_step *step)
{
	int err = itrace_tree_push(tree, kind, ip, ret, step);

	if (!err)
		itrace_tree_top(tree)->name = itrace_names_get(tree->names, ip);
	return err;
}

/* The frame's function is now the one at @ip. */
static int replace(struct itrace_tree *tree, enum itrace_tree_kind kind, uint64_t ip)
{
	struct itrace_frame *top = itrace_tree_top(tree);
	const struct itrace_name *name = itrace_names_get(tree->names, ip);
	struct itrace_tree_line line = {
		.kind = kind, .depth = top->depth, .ip = ip, .tsc = tree->tsc};

	/* Entry code is many small labels: they say nothing. */
	if (is_outer(top) || !*name->symbol || same_function(name, top->name))
		return 0;
	top->name = name;
	return itrace_tree_add(tree, &line);
}

static int do_jump(struct itrace_tree *tree, uint64_t ip)
{
	const struct itrace_name *name = itrace_names_get(tree->names, ip);
	struct itrace_frame *top = itrace_tree_top(tree);

	if (name->kind != ITRACE_NAME_PLAIN)
		return 0; /* it shows where that goes */
	if (!top->bare)
		return replace(tree, ITRACE_TREE_JUMP, ip);
	top->name = name;
	return itrace_tree_settle(tree, ip);
}

static int do_call(struct itrace_tree *tree, uint64_t site, uint64_t ip, uint64_t ret)
{
	const struct itrace_name *name = itrace_names_get(tree->names, ip);
	struct itrace_frame *top = itrace_tree_top(tree);
	int err;

	if (ip == ret)
		return 0; /* pushes its own address, and nobody returns to it */
	/* Into the middle of itself: a filler of the return stack. */
	if (*name->symbol && ip != name->start && same_function(name, top->name))
		return 0;
	if (itrace_names_get(tree->names, site)->kind != ITRACE_NAME_PLAIN)
		return 0; /* a thunk's way to have an address on the stack */
	if (name->kind != ITRACE_NAME_INDIRECT_THUNK)
		return enter(tree, ITRACE_TREE_CALL, ip, ret, NULL);
	err = itrace_tree_push_bare(tree, ret);
	if (!err)
		itrace_tree_top(tree)->name = name;
	return err;
}

/* Close everything; what comes next has its own depths. */
static void close_all(struct itrace_tree *tree)
{
	itrace_tree_pop(tree, 0);
	if (tree->root.depth != -1)
		itrace_tree_forget(&tree->root);
	tree->root.depth = -1;
	tree->part++;
	tree->last.size = 0;
}

/* Close the frame that waits for @ip, and all inside of it. False if none does. */
static bool return_to(struct itrace_tree *tree, uint64_t ip)
{
	for (size_t i = tree->nr_frames; i > 0; i--) {
		const struct itrace_frame *frame = &tree->frame[i - 1];

		if (is_outer(frame))
			break;
		if (frame->ret == ip) {
			itrace_tree_pop(tree, i - 1);
			return true;
		}
	}
	return false;
}

static int do_return(struct itrace_tree *tree, uint64_t site, uint64_t ip)
{
	const struct itrace_name *name = itrace_names_get(tree->names, ip);
	int32_t depth;

	if (itrace_names_get(tree->names, site)->kind == ITRACE_NAME_INDIRECT_THUNK)
		return do_jump(tree, ip); /* a retpoline */
	if (return_to(tree, ip))
		return 0;
	if (is_outer(itrace_tree_top(tree)) || (*name->symbol && ip == name->start))
		return do_jump(tree, ip);
	depth = itrace_tree_top(tree)->depth;
	itrace_tree_pop(tree, tree->nr_frames - 1);
	if (tree->nr_frames)
		return replace(tree, ITRACE_TREE_RETURN, ip);
	/* Far out of where this began it is rather a stack that was switched: begin anew. */
	if (depth < -MAX_OUTWARD)
		close_all(tree);
	else
		tree->root.depth = depth - 2;
	return enter(tree, ITRACE_TREE_RETURN, ip, 0, NULL);
}

/* IRET and its kin: out of the innermost interrupt, wherever that goes on. */
static int do_far(struct itrace_tree *tree, uint64_t ip)
{
	for (size_t i = tree->nr_frames; i > 0; i--) {
		if (tree->frame[i - 1].kind != ITRACE_TREE_INTERRUPT)
			continue;
		if (i == 1)
			break;
		itrace_tree_pop(tree, i - 1);
		/* Not where it came from: a fixup. */
		return do_jump(tree, ip);
	}
	return do_jump(tree, ip);
}

/* The last instruction is known to have gone to @ip. */
static int resolve(struct itrace_tree *tree, uint64_t ip)
{
	struct itrace_insn last = tree->last;
	uint64_t next = last.ip + last.size;

	tree->last.size = 0;
	if (!tree->nr_frames)
		return enter(tree, ITRACE_TREE_START, ip, 0, NULL);
	if (!last.size)
		return 0;
	switch (last.insn_class) {
	case ITRACE_INSN_CALL:
	case ITRACE_INSN_IND_CALL:
		return do_call(tree, last.ip, ip, next);
	case ITRACE_INSN_RET:
		return do_return(tree, last.ip, ip);
	case ITRACE_INSN_FAR:
		return do_far(tree, ip);
	case ITRACE_INSN_JUMP:
	case ITRACE_INSN_IND_JUMP:
	case ITRACE_INSN_COND:
		return ip == next ? 0 : do_jump(tree, ip);
	}
	return 0;
}

static int do_run(struct itrace_tree *tree, const struct itrace_step *step)
{
	for (uint32_t i = 0; i < step->nr; i++) {
		const struct itrace_insn *insn = &step->insn[i];

		if (!tree->nr_frames || (tree->last.size && tree->last.insn_class)) {
			int err = resolve(tree, insn->ip);

			if (err)
				return err;
		}
		tree->last = *insn;
	}
	return 0;
}

static int do_event(struct itrace_tree *tree, const struct itrace_step *step)
{
	struct itrace_tree_line line = {.kind = ITRACE_TREE_EVENT,
					.ip = step->from,
					.tsc = tree->tsc,
					.before_tsc = tree->before_tsc,
					.step = *step};

	close_all(tree);
	return itrace_tree_add(tree, &line);
}

static int do_enabled(struct itrace_tree *tree, const struct itrace_step *step)
{
	bool entry = step->to && (step->to == tree->lstar ||
				  itrace_idt_vector(tree->idt, step->to) != ITRACE_NO_VECTOR);

	if (entry) {
		close_all(tree);
		return enter(tree, ITRACE_TREE_ENTRY, step->to, 0, step);
	}
	/* What was not traced may have been a call. */
	return_to(tree, step->to);
	tree->last.size = 0;
	return 0;
}

int itrace_tree_step(struct itrace_tree *tree, const struct itrace_step *step)
{
	int err = 0;

	tree->before_tsc = tree->tsc;
	/* What was called before an interrupt was called before its time. */
	if (step->type == ITRACE_STEP_INTERRUPT && step->from)
		err = resolve(tree, step->from);
	if (step->tsc)
		tree->tsc = step->tsc;
	switch (step->type) {
	case ITRACE_STEP_RUN:
		return do_run(tree, step);
	case ITRACE_STEP_INTERRUPT:
		if (!err && tree->nr_frames && itrace_tree_top(tree)->bare)
			err = itrace_tree_settle(tree, step->from);
		tree->last.size = 0;
		return err ? err : enter(tree, ITRACE_TREE_INTERRUPT, step->to, step->from, step);
	case ITRACE_STEP_ENABLED:
		return do_enabled(tree, step);
	case ITRACE_STEP_DISABLED:
		/* To user mode: what comes from there says so. Else tracing was switched off. */
		if (tree->last.size && tree->last.insn_class == ITRACE_INSN_FAR) {
			close_all(tree);
			return 0;
		}
		tree->last.size = 0;
		return 0;
	case ITRACE_STEP_OVERFLOW:
	case ITRACE_STEP_GAP:
	case ITRACE_STEP_STOP:
		return do_event(tree, step);
	case ITRACE_STEP_CR3:
		break;
	}
	return 0;
}

int32_t itrace_tree_finish(struct itrace_tree *tree, uint64_t ip,
			   const struct itrace_tree_line **line, uint64_t *nr)
{
	/* Out of memory here only costs the last line. */
	if (ip)
		resolve(tree, ip);
	return itrace_tree_normalize(tree, line, nr);
}

uint64_t itrace_tree_tsc(const struct itrace_tree *tree)
{
	return tree->tsc;
}

uint64_t itrace_tree_lines(const struct itrace_tree *tree)
{
	return tree->max_lines && tree->nr_lines > tree->max_lines ? tree->max_lines
								   : tree->nr_lines;
}

size_t itrace_tree_enclosing(const struct itrace_tree *tree, const struct itrace_name **name,
			     size_t max)
{
	uint64_t first = itrace_tree_end(tree) - itrace_tree_lines(tree);
	size_t nr = 0;

	for (size_t i = tree->nr_frames; i > 0 && nr < max; i--) {
		const struct itrace_frame *frame = &tree->frame[i - 1];

		if (frame->start < first && !is_outer(frame) && *frame->name->symbol)
			name[nr++] = frame->name;
	}
	return nr;
}
