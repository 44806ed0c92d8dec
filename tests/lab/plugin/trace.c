// SPDX-License-Identifier: GPL-2.0-or-later
/* trace.c - see trace.h. */
#include "trace.h"

#include "complete.h"
#include "emit.h"
#include "packet_en.h"

/* How many blocks an injected overflow swallows. */
#define OVF_LENGTH 40

/*
 * The machine starts an instruction anew when it could not do it the quick way (atomics, writes to
 * code, REP). A branch to itself looks the same and is none of that.
 */
static bool restarts(const struct insn *i)
{
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

/* The output ended by itself (ToPA STOP or error), or TraceStop did: no callbacks any more. */
static void check_alive(struct lab_cpu *c)
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

/* The first n instructions of the block completed; none of them is a branch. */
static void straight(struct lab_cpu *c, const struct block *b, unsigned int n, uint64_t addr)
{
	bool ranges = c->rtit.ctl >> 32;

	if (!ranges && !c->packet_en)
		return;
	for (unsigned int k = 0; k < n; addr += b->len[k++]) {
		struct insn i = {.addr = addr, .len = b->len[k], .cls = CLS_OTHER};

		if (!ranges)
			truth_insn(&c->truth, addr);
		else if (cpu_tracing(c))
			complete(c, &i, 0, addr + i.len, c->user);
	}
}

/* How many instructions before the block's last one end at or before address to; -1: none fits. */
static int count_to(const struct block *b, uint64_t addr, uint64_t to)
{
	for (unsigned int k = 0; k < b->n; addr += b->len[k++])
		if (addr == to)
			return (int)k;
	return -1;
}

/*
 * The CPU got to address to: settles what of the pending block completed. Whether its last
 * instruction was started is known; if not, the block was left at the instruction at to. sync: an
 * instruction raised an exception, so one at to did not complete.
 */
static void settle(struct lab_cpu *c, uint64_t to, bool user, bool sync)
{
	const struct block *b = c->pend;
	uint64_t last = b->last.addr + c->shift, start = b->start + c->shift;
	bool started = c->host->last_started(c);
	bool whole = started && (to != last || (!sync && !restarts(&b->last)));
	int n = (int)b->n - 1;

	c->n.restarts += !sync && !whole && b->last.cls != CLS_REP;
	c->pend = NULL;
	if (!started)
		n = count_to(b, start, to);
	if (n < 0) {
		anomaly(c, start, to, 254);
		return;
	}
	straight(c, b, (unsigned int)n, start);
	if (whole && cpu_tracing(c))
		complete(c, &b->last, c->shift, to, user);
}

void trace_settle_stop(struct lab_cpu *c, uint64_t clip)
{
	const struct block *b = c->pend;

	c->pend = NULL;
	if (!b)
		return;
	/* WRMSR ends a block, so this is the pending block's last instruction. */
	if (b->last.addr + c->shift == clip)
		straight(c, b, b->n - 1, b->start + c->shift);
	else
		anomaly(c, b->last.addr + c->shift, clip, b->last.cls);
}

/* The CPU gets to an instruction with nothing pending: from an untraced ring. */
static void arrive(struct lab_cpu *c, uint64_t addr, bool user)
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

static void set_leave(struct lab_cpu *c, bool leave)
{
	if (c->leave == leave)
		return;
	c->leave = leave;
	c->host->gates(c);
}

/* 36.5, where IA32_VMX_MISC[14] is 0: VMXON clears TraceEn. */
static void vmxon(struct lab_cpu *c, uint64_t addr)
{
	trace_disable(c, addr);
	c->rtit.ctl &= ~CTL_TRACEEN;
	c->rtit.vmx = true;
	c->host->gates(c);
	trace_stats(c);
}

/* What may happen between two instructions, whatever they are. */
static void boundary(struct lab_cpu *c, uint64_t addr)
{
	if (c->opt->vmxon && c->drained >= c->opt->vmxon && c->packet_en && !c->mute) {
		vmxon(c, addr);
		return;
	}
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

void trace_block(struct lab_cpu *c, const struct block *b, uint64_t addr)
{
	bool user = b->last.user;

	c->mode64 = b->last.mode64;
	if (c->pend)
		settle(c, addr, user, false);
	else if (!c->packet_en)
		arrive(c, addr, user);
	else if (c->expect && c->expect != addr)
		anomaly(c, c->expect, addr, 255);
	c->expect = 0;
	if (cpu_tracing(c))
		boundary(c, addr);
	emit_drain(c);
	if (!cpu_tracing(c)) {
		check_alive(c);
		return;
	}
	c->pend = b;
	c->shift = addr - b->start;
	set_leave(c, is_far(&b->last));
}

void trace_leave(struct lab_cpu *c, uint64_t addr, bool user)
{
	if (!cpu_tracing(c))
		return;
	if (c->pend)
		settle(c, addr, user, false);
	c->user = user;
	emit_drain(c);
	set_leave(c, false);
	check_alive(c);
}

static void emit_event(struct lab_cpu *c, uint64_t from, uint64_t to, bool was, bool now)
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

/*
 * Settles the pending block for an event. INT n and faults report their own address, as does an
 * interrupted REP; INT1 reports the next one without being synchronous. Returns the FUP's address.
 */
static uint64_t settle_event(struct lab_cpu *c, uint64_t from, bool sync)
{
	const struct insn *i = &c->pend->last;
	bool started = c->host->last_started(c);

	if (started && i->cls == CLS_ICEBP && from == i->addr + c->shift + i->len) {
		from = i->addr + c->shift;
		sync = true;
	}
	settle(c, from, started && is_far(i) ? !(from >> 63) : c->user, sync);
	return from;
}

void trace_event(struct lab_cpu *c, uint64_t from, uint64_t to, bool sync, bool to_user)
{
	bool was, now, stop, woken = c->pend && c->pend->last.cls == CLS_HALT;

	if (!cpu_tracing(c)) {
		c->pend = NULL;
		return;
	}
	if (c->pend)
		from = settle_event(c, from, sync);
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
