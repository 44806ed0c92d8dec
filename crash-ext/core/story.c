// SPDX-License-Identifier: GPL-2.0-or-later
#include "story.h"

#include <string.h>

#include "status.h"

struct search {
	const struct itrace_idt *idt;
	uint64_t ip;	 /* 0: any */
	uint32_t vector; /* ITRACE_NO_VECTOR: any exception */
};

#define VECTOR_INT1 1
#define VECTOR_NMI  2
#define VECTOR_INT3 3

static int match_fault(void *priv, const struct itrace_step *step)
{
	const struct search *search = priv;
	uint32_t vector;

	if (step->type != ITRACE_STEP_INTERRUPT || (search->ip && step->from != search->ip))
		return 0;
	/* Without the table the address has to be enough. */
	if (!search->idt->known)
		return search->ip != 0;
	vector = itrace_idt_vector(search->idt, step->to);
	if (search->vector != ITRACE_NO_VECTOR)
		return vector == search->vector;
	return itrace_idt_exception(vector);
}

/* In the kernel the NMI interrupts the trace; in user mode it is what makes it go on. */
static int match_nmi(void *priv, const struct itrace_step *step)
{
	const struct search *search = priv;

	if (step->type != ITRACE_STEP_INTERRUPT && step->type != ITRACE_STEP_ENABLED)
		return 0;
	if (!search->idt->known)
		return search->ip && step->from == search->ip;
	return itrace_idt_vector(search->idt, step->to) == VECTOR_NMI;
}

static int match_call(void *priv, const struct itrace_step *step)
{
	const struct search *search = priv;

	if (step->type != ITRACE_STEP_RUN)
		return 0;
	for (uint32_t i = step->nr; i > 0; i--)
		if (step->insn[i - 1].ip == search->ip)
			return i;
	return 0;
}

bool itrace_story_is_fault(const struct itrace_cpu *slot)
{
	switch (slot->reason) {
	case ITRACE_REASON_OOPS:
	case ITRACE_REASON_DIE:
	case ITRACE_REASON_GPF:
		return true;
	case ITRACE_REASON_NMI:
		return false;
	default:
		/* A notifier or the panic of an oops may have added what the exception was. */
		return (slot->valid & ITRACE_V_REGS) && (slot->valid & ITRACE_V_VECTOR) &&
		       itrace_idt_exception(slot->vector);
	}
}

static int find(struct itrace_story *story, struct itrace_history *history,
		int (*match)(void *priv, const struct itrace_step *step), struct search *search,
		enum itrace_mark kind)
{
	struct itrace_step step = {0};
	uint64_t mark = 0;
	int err =
		itrace_trace_find(history->trace, ITRACE_STORY_LIMIT, match, search, &mark, &step);

	if (err)
		return err;
	story->kind = kind;
	story->mark = mark;
	story->ip = step.from;
	story->vector =
		search->idt->known ? itrace_idt_vector(search->idt, step.to) : ITRACE_NO_VECTOR;
	story->tsc = step.tsc;
	return 0;
}

static int find_fault(struct itrace_story *story, struct itrace_history *history,
		      const struct itrace_cpu *slot, struct search *search)
{
	int err;

	search->vector = ITRACE_NO_VECTOR;
	if (slot->valid & ITRACE_V_VECTOR)
		search->vector = slot->vector;
	if (slot->valid & ITRACE_V_REGS) {
		search->ip = slot->regs.ip;
		err = find(story, history, match_fault, search, ITRACE_MARK_FAULT);
		/* INT3 and INT1 are traps: the recorded IP lies behind them, the trace has theirs.
		 */
		if (err != ITRACE_E_NOTFOUND ||
		    (search->vector != VECTOR_INT1 && search->vector != VECTOR_INT3))
			return err;
	}
	search->ip = 0;
	return find(story, history, match_fault, search, ITRACE_MARK_FAULT);
}

static int find_call(struct itrace_story *story, struct itrace_history *history,
		     const struct itrace_cpu *slot, struct search *search)
{
	int err;

	if (!(slot->valid & ITRACE_V_HOOK) || !slot->hook_ip)
		return ITRACE_E_NOTFOUND;
	search->ip = slot->hook_ip;
	err = find(story, history, match_call, search, ITRACE_MARK_CALL);
	if (err)
		return err;
	story->mark++; /* the hooked function's first instruction is the crash path's, too */
	story->ip = slot->hook_ip;
	story->vector = ITRACE_NO_VECTOR;
	return 0;
}

int itrace_story_init(struct itrace_story *story, struct itrace_session *session,
		      struct itrace_history *history)
{
	const struct itrace_cpu *slot = itrace_session_slot(session, history->cpu);
	struct search search = {.idt = &session->idt};
	int err = ITRACE_E_NOTFOUND;

	*story = (struct itrace_story){.kind = ITRACE_MARK_END, .vector = ITRACE_NO_VECTOR};
	if (!slot || !history->trace || slot->state != ITRACE_STATE_FROZEN)
		return 0;
	if (itrace_story_is_fault(slot)) {
		err = find_fault(story, history, slot, &search);
	} else if (slot->reason == ITRACE_REASON_NMI) {
		if (slot->valid & ITRACE_V_REGS)
			search.ip = slot->regs.ip;
		err = find(story, history, match_nmi, &search, ITRACE_MARK_NMI);
	}
	if (!err && story->vector == ITRACE_NO_VECTOR && slot->valid & ITRACE_V_VECTOR)
		story->vector = slot->vector;
	if (err == ITRACE_E_NOTFOUND && slot->reason != ITRACE_REASON_NMI)
		err = find_call(story, history, slot, &search);
	if (err == ITRACE_E_NOTFOUND) {
		story->expected = slot->reason != ITRACE_REASON_NONE;
		err = 0;
	}
	return err;
}
