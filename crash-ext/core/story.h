/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stopped a CPU, and where in its history that was.
 *
 * The mark is a count of completed instructions from the end of the trace (trace.h): what lies
 * behind it was run by the crash path itself. It is, in this order,
 *   fault: the newest INTERRUPT step that came from the recorded IP of the fault into an exception
 *          handler; without that IP, the newest into an exception handler;
 *   NMI:   on a CPU that another one stopped, where the NMI came;
 *   call:  where the hooked function (panic, ...) was entered;
 *   else   the end of the trace.
 */
#ifndef ITRACE_STORY_H
#define ITRACE_STORY_H

#include "session.h"

enum itrace_mark {
	ITRACE_MARK_END,   /* nothing is folded */
	ITRACE_MARK_FAULT, /* an instruction that did not complete */
	ITRACE_MARK_NMI,   /* stopped from outside, between two instructions */
	ITRACE_MARK_CALL,  /* the crash path was called */
};

struct itrace_story {
	enum itrace_mark kind;
	uint64_t mark;	 /* completed instructions of the crash path */
	uint64_t ip;	 /* FAULT: that did not complete; NMI: that would have been next */
	uint32_t vector; /* of the exception, or ITRACE_NO_VECTOR */
	uint64_t tsc;	 /* at the mark, 0 if not known */
	bool expected;	 /* there should have been a mark, and there is none */
};

/* Instructions behind which a mark is not searched: a late stop takes about a million. */
#define ITRACE_STORY_LIMIT (64ull << 20)

/*
 * Find what stopped @history's CPU. Returns 0 (also with ITRACE_MARK_END), or ITRACE_E_NOMEM.
 */
int itrace_story_init(struct itrace_story *story, struct itrace_session *session,
		      struct itrace_history *history);

/* True for reasons that mean: an instruction faulted. */
bool itrace_story_is_fault(const struct itrace_cpu *slot);

#endif
