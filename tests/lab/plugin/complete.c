// SPDX-License-Identifier: GPL-2.0-or-later
/* complete.c - see complete.h. */
#include "complete.h"

#include "emit.h"
#include "packet_en.h"
#include "trace.h"

void anomaly(struct lab_cpu *c, uint64_t from, uint64_t to, uint8_t cls)
{
	if (c->n.anomalies < 4) {
		c->n.bad_from[c->n.anomalies] = from;
		c->n.bad_to[c->n.anomalies] = to;
		c->n.bad_cls[c->n.anomalies] = cls;
	}
	c->n.anomalies++;
	emit_ovf_begin(c, 1);
	trace_stats(c);
}

/* Whether an instruction may be followed by the one at to. */
static bool legal_next(const struct insn *i, uint64_t shift, uint64_t to)
{
	uint64_t following = i->addr + shift + i->len, target = i->target + shift;

	switch (i->cls) {
	case CLS_JCC:
		return to == following || to == target;
	case CLS_JMP:
	case CLS_CALL:
		return to == target;
	case CLS_JMP_IND:
	case CLS_CALL_IND:
	case CLS_RET:
	case CLS_FAR:
	case CLS_FAR_RET:
		return true;
	case CLS_SOFTINT:
	case CLS_ICEBP:
		return false;
	default:
		return to == following;
	}
}

static void push_ret(struct lab_cpu *c, uint64_t addr)
{
	struct ret_stack *s = &c->ret;

	if (c->rtit.ctl & CTL_DISRETC)
		return;
	s->top = (s->top + 1) % 64;
	s->entry[s->top] = addr;
	if (s->depth < 64)
		s->depth++;
}

static bool pop_ret(struct lab_cpu *c, uint64_t to)
{
	struct ret_stack *s = &c->ret;
	bool same;

	if ((c->rtit.ctl & CTL_DISRETC) || !s->depth)
		return false;
	same = s->entry[s->top] == to;
	s->top = (s->top + 63) % 64;
	s->depth--;
	return same;
}

static bool was_taken(struct lab_cpu *c, const struct insn *i, uint64_t following, uint64_t target,
		      uint64_t to)
{
	bool taken, known;

	if (target != following)
		return to == target;
	c->n.jcc_same++;
	taken = jcc_to_following(i, c->host->rcx(c), &known);
	c->n.jcc_guessed += !known;
	return taken;
}

/* Table 36-50 for PacketEn 1 before: now is PacketEn after, at the next instruction to. */
static void emit_completed(struct lab_cpu *c, const struct insn *i, uint64_t shift, uint64_t to,
			   bool now)
{
	uint64_t following = i->addr + shift + i->len;
	bool ctx = context_en(c);

	if (i->cls == CLS_MOV_CR3 && ctx && (c->rtit.ctl & CTL_OS))
		emit_pip(c);
	if (i->cls == CLS_CALL_IND || (i->cls == CLS_CALL && i->target + shift != following))
		push_ret(c, following);
	if (!now) {
		/*
		 * With an IP where FilterEn or TriggerEn ended it, without where ContextEn did. The
		 * packet stands for a conditional branch's TNT bit too: libipt's block decoder
		 * binds it to "any branch that would have required trace" [MEM checked there].
		 */
		if (ctx)
			emit_pgd(c, to);
		else
			emit_pgd_noip(c);
		return;
	}
	switch (i->cls) {
	case CLS_JCC:
		emit_tnt(c, was_taken(c, i, following, i->target + shift, to));
		break;
	case CLS_RET:
		if (pop_ret(c, to))
			emit_tnt(c, true);
		else
			emit_tip(c, to);
		break;
	case CLS_FAR:
	case CLS_FAR_RET:
		emit_mode(c);
		emit_tip(c, to);
		break;
	case CLS_JMP_IND:
	case CLS_CALL_IND:
		emit_tip(c, to);
		break;
	default:
		break;
	}
}

void complete(struct lab_cpu *c, const struct insn *i, uint64_t shift, uint64_t to, bool user)
{
	bool was = c->packet_en, now, stop;

	if (i->cls == CLS_MOV_CR3)
		c->cr3 = c->host->cr3(c);
	if (!legal_next(i, shift, to) || (user != c->user && !is_far(i)))
		anomaly(c, i->addr + shift, to, i->cls);
	c->user = user;
	stop = tracestop_at(c, to);
	now = !stop && packet_en_at(c, to);
	if (was) {
		emit_completed(c, i, shift, to, now);
	} else {
		if (i->cls == CLS_MOV_CR3 && context_en(c) && (c->rtit.ctl & CTL_OS))
			emit_pip(c);
		if (now)
			emit_pge(c, to);
	}
	set_packet_en(c, now);
	if (was && (now || (i->cls == CLS_FAR_RET && user)))
		truth_insn(&c->truth, i->addr + shift);
	if (stop)
		tracestop(c);
}
