/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions in, an indented list of functions out.
 *
 * A frame is opened by a call or an interrupt and closed by the return to behind it. Where the
 * history does not fit a stack (it starts inside of a callee, another task's stack comes in,
 * a return is used as a jump), the rules are:
 *   - a return to an address that a frame waits for closes that frame and all inside of it;
 *   - a return to the start of a function is a jump (retpolines);
 *   - any other return closes one frame, and the function it comes to takes the place of the
 *     frame below, or opens one further out;
 *   - a jump to another function replaces the frame's function;
 *   - user mode, a gap and an overflow close everything.
 *   - thunks, by which a return or an indirect jump makes a detour, are not seen.
 * Equal calls one after the other become one line with a count; equal groups of calls are shown
 * once, with a line below them that says how often.
 */
#ifndef ITRACE_TREE_H
#define ITRACE_TREE_H

#include <stdint.h>

#include "flow.h"
#include "idt.h"
#include "names.h"

enum itrace_tree_kind {
	ITRACE_TREE_START, /* already in the function when the history (goes on) here */
	ITRACE_TREE_CALL,
	ITRACE_TREE_JUMP,      /* in place of the one above */
	ITRACE_TREE_RETURN,    /* back in a function whose call was not seen */
	ITRACE_TREE_INTERRUPT, /* step holds it */
	ITRACE_TREE_ENTRY,     /* from user mode: step holds it */
	ITRACE_TREE_REPEAT,    /* `lines` lines above came `count` times */
	ITRACE_TREE_EVENT,     /* a gap, an overflow, a pause: step holds it */
};

struct itrace_tree_line {
	enum itrace_tree_kind kind;
	int32_t depth; /* relative to the other lines of the same part; 0 or more after _finish */
	uint32_t count;
	uint32_t lines;	     /* for REPEAT */
	uint32_t part;	     /* counts parts: from one closing of everything to the next */
	uint64_t ip;	     /* first instruction there */
	uint64_t tsc;	     /* 0: not known */
	uint64_t before_tsc; /* newest time before the step, for events */
	struct itrace_step step;
};

struct itrace_tree;

/*
 * @max_lines: the last so many lines are kept; 0 for all. @lstar: the entry of system calls, 0 if
 * not known. @names and @idt must outlive the tree. NULL when out of memory.
 */
struct itrace_tree *itrace_tree_create(struct itrace_names *names, const struct itrace_idt *idt,
				       uint64_t lstar, uint64_t max_lines);
void itrace_tree_destroy(struct itrace_tree *tree);

/* Take the next step, oldest first. Returns 0 or ITRACE_E_NOMEM. */
int itrace_tree_step(struct itrace_tree *tree, const struct itrace_step *step);

/*
 * After the last step: execution was about to go on at @ip (0: not known). Sets *@line and *@nr
 * to the lines, which live as long as the tree. To be called once. Returns the depth of the frame
 * that was open last.
 */
int32_t itrace_tree_finish(struct itrace_tree *tree, uint64_t ip,
			   const struct itrace_tree_line **line, uint64_t *nr);

/*
 * The functions that are still open at the end and whose own lines come before those that _finish
 * gives: the innermost @max of them, innermost first. Returns how many.
 */
size_t itrace_tree_enclosing(const struct itrace_tree *tree, const struct itrace_name **name,
			     size_t max);

/* Lines that _finish would give. */
uint64_t itrace_tree_lines(const struct itrace_tree *tree);

/* Newest time that a step had; 0 if none. */
uint64_t itrace_tree_tsc(const struct itrace_tree *tree);

#endif
