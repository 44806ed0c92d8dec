// SPDX-License-Identifier: GPL-2.0-or-later
/* trace.c - see trace.h. */
#include "trace.h"

#include "emit.h"
#include "packet_en.h"

/* How many instructions an injected overflow swallows. */
#define OVF_LENGTH 200

static void anomaly(struct pt_cpu *c, uint64_t from, uint64_t to, uint8_t cls)
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

static bool is_far(const struct insn *i)
{
	return i->cls == CLS_FAR || i->cls == CLS_FAR_RET;
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

/*
 * The machine starts an instruction anew when it could not do it the quick way (atomics, writes to
 * code, REP). A branch to itself looks the same and is none of that.
 */
static bool is_restart(const struct pt_cpu *c, uint64_t addr)
{
	const struct insn *i = c->pend;

	if (addr != c->pend_addr)
		return false;
	switch (i->cls) {
	case CLS_JCC:
	case CLS_JMP:
	case CLS_CALL:
		return i->target != i->addr;
	case CLS_JMP_IND:
	case CLS_RET:
	case CLS_FAR:
	case CLS_FAR_RET:
		return false;
	default:
		return true;
	}
}

static void push_ret(struct pt_cpu *c, uint64_t addr)
{
	struct ret_stack *s = &c->ret;

	if (c->rtit.ctl & CTL_DISRETC)
		return;
	s->top = (s->top + 1) % 64;
	s->entry[s->top] = addr;
	if (s->depth < 64)
		s->depth++;
}

static bool pop_ret(struct pt_cpu *c, uint64_t to)
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

static bool was_taken(struct pt_cpu *c, const struct insn *i, uint64_t following, uint64_t target,
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
static void emit_completed(struct pt_cpu *c, const struct insn *i, uint64_t shift, uint64_t to,
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

/* The output ended by itself (ToPA STOP or error), or TraceStop did: no callbacks any more. */
static void check_alive(struct pt_cpu *c)
{
	if (cpu_tracing(c))
		return;
	set_packet_en(c, false);
	c->pend = NULL;
	c->leave = false;
	c->skid_left = 0;
	c->host->gates(c);
	trace_stats(c);
}

/* The pending instruction completed; the next is at to in ring user. */
static void complete(struct pt_cpu *c, uint64_t to, bool user)
{
	const struct insn *i = c->pend;
	uint64_t shift = c->pend_addr - i->addr;
	bool was = c->packet_en, now, stop;

	c->pend = NULL;
	if (i->cls == CLS_MOV_CR3)
		c->cr3 = c->host->cr3(c);
	if (!legal_next(i, shift, to) || (user != c->user && !is_far(i)))
		anomaly(c, c->pend_addr, to, i->cls);
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
		truth_insn(&c->truth, c->pend_addr);
	if (stop)
		tracestop(c);
}

/* The CPU gets to an instruction with nothing pending: from an untraced ring. */
static void arrive(struct pt_cpu *c, uint64_t addr, bool user)
{
	bool stop;

	c->user = user;
	stop = tracestop_at(c, addr);
	if (!stop && packet_en_at(c, addr)) {
		emit_pge(c, addr);
		set_packet_en(c, true);
	}
	if (stop)
		tracestop(c);
}

static void set_leave(struct pt_cpu *c, bool leave)
{
	if (c->leave == leave)
		return;
	c->leave = leave;
	c->host->gates(c);
}

/* What may happen between two instructions, whatever they are. */
static void boundary(struct pt_cpu *c, uint64_t addr)
{
	if (c->mute) {
		if (--c->mute == 0)
			emit_ovf_end(c, addr);
		return;
	}
	if (c->byte_cnt >= 2048ull << CTL_PSBFREQ(c->rtit.ctl)) {
		emit_psb_plus(c, addr, context_en(c));
		emit_drain(c);
		trace_stats(c);
	}
	if (c->opt->ovf && c->drained >= c->ovf_at && c->packet_en)
		emit_ovf_begin(c, OVF_LENGTH);
}

void trace_insn(struct pt_cpu *c, const struct insn *i, uint64_t addr)
{
	c->mode64 = i->mode64;
	if (c->pend) {
		if (is_restart(c, addr)) {
			c->n.restarts += c->pend->cls != CLS_REP;
			return;
		}
		complete(c, addr, i->user);
	} else if (!c->packet_en) {
		arrive(c, addr, i->user);
	} else if (c->expect && c->expect != addr) {
		anomaly(c, c->expect, addr, 255);
	}
	c->expect = 0;
	if (cpu_tracing(c))
		boundary(c, addr);
	emit_drain(c);
	if (!cpu_tracing(c)) {
		check_alive(c);
		return;
	}
	c->pend = i;
	c->pend_addr = addr;
	if (c->leave || is_far(i))
		set_leave(c, is_far(i));
}

void trace_leave(struct pt_cpu *c, uint64_t addr, bool user)
{
	if (!cpu_tracing(c))
		return;
	if (c->pend)
		complete(c, addr, user);
	c->user = user;
	emit_drain(c);
	set_leave(c, false);
	check_alive(c);
}

/*
 * Whether the pending instruction had completed when the event came. INT n and faults report their
 * own address; so does an interrupted REP. INT1 reports the next one, without being synchronous.
 */
static bool event_after(const struct pt_cpu *c, uint64_t *from, bool sync)
{
	const struct insn *i = c->pend;

	if (i->cls == CLS_ICEBP && *from == c->pend_addr + i->len) {
		*from = c->pend_addr;
		return false;
	}
	return *from != c->pend_addr || (!sync && !is_restart(c, *from));
}

static void emit_event(struct pt_cpu *c, uint64_t from, uint64_t to, bool was, bool now)
{
	if (was && c->opt->defect == DEFECT_LOSE_FUP && ++c->defect_seen >= c->opt->defect_every) {
		c->defect_seen = 0;
		c->n.defects++;
		return;
	}
	if (!was) {
		if (now)
			emit_pge(c, to);
		return;
	}
	/* Table 36-50: FUP with CLIP for a fault or INT n, NLIP for an interrupt or trap. */
	emit_fup(c, from);
	if (now) {
		emit_mode(c);
		emit_tip(c, to);
	} else if (context_en(c)) {
		emit_pgd(c, to);
	} else {
		emit_pgd_noip(c);
	}
}

void trace_event(struct pt_cpu *c, uint64_t from, uint64_t to, bool sync, bool to_user)
{
	bool was, now, stop, woken = c->pend && c->pend->cls == CLS_HALT;

	if (!cpu_tracing(c)) {
		c->pend = NULL;
		return;
	}
	if (c->pend && event_after(c, &from, sync))
		complete(c, from, is_far(c->pend) ? !(from >> 63) : c->user);
	c->pend = NULL;
	c->n.discons++;
	was = c->packet_en;
	/* 36.4.2.11: TSC after a sleep. */
	if (woken && was)
		emit_time(c);
	c->user = to_user;
	c->mode64 = true;
	stop = tracestop_at(c, to);
	now = !stop && packet_en_at(c, to);
	emit_event(c, from, to, was, now);
	set_packet_en(c, now);
	if (stop)
		tracestop(c);
	c->expect = to;
	emit_drain(c);
	set_leave(c, false);
	check_alive(c);
}
