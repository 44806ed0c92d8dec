// SPDX-License-Identifier: GPL-2.0-or-later
/* arm.c - trace.h's part about TraceEn: on, off, reset, and what RDMSR shows meanwhile. */
#include "trace.h"

#include <stdio.h>

#include "emit.h"
#include "packet_en.h"

void trace_enable(struct lab_cpu *c, uint64_t nlip)
{
	bool now, stop;

	c->n.enables++;
	c->pend = NULL;
	c->expect = nlip;
	c->user = false;
	c->mode64 = true;
	c->cr3 = c->host->cr3(c);
	c->enc.tnt = 0;
	c->enc.ntnt = 0;
	c->enc.full_next = true;
	c->ret.depth = 0;
	c->mute = 0;
	c->skid_left = 0;
	c->ovf_at = c->drained + c->opt->ovf;
	set_packet_en(c, false);
	pt_out_start(&c->out, c->rtit.ctl & CTL_TOPA, c->rtit.base, c->rtit.mask);
	if (c->out.error || c->opt->error)
		c->rtit.status |= STATUS_ERROR;
	/* Without configurable PSB there is no PacketByteCnt: "a PSB is always generated". */
	if (c->opt->model.psb_fixed)
		c->byte_cnt = 0;
	/* Rows 2a-2e: PSB+ only if PacketByteCnt is 0, and always before PacketEn is 1. */
	if (cpu_tracing(c)) {
		if (c->byte_cnt == 0)
			emit_psb_plus(c, nlip, context_en(c));
		else
			emit_time(c);
		stop = tracestop_at(c, nlip);
		now = !stop && packet_en_at(c, nlip);
		if (now)
			emit_pge(c, nlip);
		set_packet_en(c, now);
		if (stop)
			tracestop(c);
	}
	emit_drain(c);
	c->host->gates(c);
	trace_stats(c);
}

void trace_disable(struct lab_cpu *c, uint64_t clip)
{
	trace_settle_stop(c, clip);
	c->leave = false;
	c->expect = 0;
	if (c->mute)
		emit_ovf_end(c, clip);
	/* Row 3b: FUP(CLIP), TIP.PGD without IP; nothing without PacketEn. */
	if (c->packet_en) {
		emit_fup(c, clip);
		emit_pgd_noip(c);
	}
	set_packet_en(c, false);
	emit_flush(c);
	c->rtit.base = pt_out_base(&c->out);
	c->rtit.mask = pt_out_mask(&c->out);
	c->host->gates(c);
	trace_stats(c);
}

void trace_reset(struct lab_cpu *c)
{
	c->rtit.vmx = false;
	if (!(c->rtit.ctl & CTL_TRACEEN))
		return;
	pt_out_drop(&c->out);
	c->enc.len = 0;
	c->rtit.ctl &= ~CTL_TRACEEN;
	c->rtit.base = pt_out_base(&c->out);
	c->rtit.mask = pt_out_mask(&c->out);
	/* 36.3.1, EBX[2]: only a part with IP filtering keeps the MSRs. */
	if (!c->opt->model.filters)
		c->rtit = (struct rtit){0};
	c->pend = NULL;
	c->leave = false;
	c->mute = 0;
	c->n.resets++;
	set_packet_en(c, false);
	c->host->gates(c);
	trace_stats(c);
}

uint64_t trace_rdmsr(const struct lab_cpu *c, uint32_t msr)
{
	bool on = c->rtit.ctl & CTL_TRACEEN;
	uint64_t val = rtit_read(&c->rtit, msr);

	/* 36.2.8.3: TriggerEn, ContextEn and FilterEn are live, the byte count runs. */
	if (msr == MSR_RTIT_STATUS) {
		if (!c->opt->model.psb_fixed)
			val |= (c->byte_cnt << 32) & STATUS_BYTECNT;
		if (cpu_tracing(c))
			val |= STATUS_TRIGGEREN;
		if (on && context_en(c))
			val |= STATUS_CONTEXTEN;
		if (on && c->packet_en)
			val |= STATUS_FILTEREN;
	} else if (on && msr == MSR_RTIT_OUTPUT_BASE) {
		val = pt_out_base(&c->out);
	} else if (on && msr == MSR_RTIT_OUTPUT_MASK) {
		val = pt_out_mask(&c->out);
	}
	return val;
}

void trace_stats(struct lab_cpu *c)
{
	const struct pt_counts *n = &c->n;
	char text[TRUTH_STATS_SIZE];
	unsigned int i = c->index;
	int at;

	at = snprintf(text, sizeof(text),
		      "cpu%u anomalies %lu\ncpu%u instructions %lu\ncpu%u packets %lu\n"
		      "cpu%u bytes %lu\ncpu%u psb %lu\ncpu%u ovf %lu\ncpu%u events %lu\n"
		      "cpu%u jcc_to_fallthrough %lu\ncpu%u jcc_guessed %lu\ncpu%u restarts %lu\n"
		      "cpu%u enables %lu\ncpu%u tracestops %lu\ncpu%u resets %lu\n"
		      "cpu%u gp_faults %lu\ncpu%u wraps %lu\ncpu%u pmi_unsupported %lu\n"
		      "cpu%u defects %lu\ncpu%u ctl 0x%lx\ncpu%u status 0x%lx\n",
		      i, n->anomalies, i, c->truth.insns.count, i, c->enc.packets, i, c->out.total,
		      i, n->psbs, i, n->ovfs, i, n->discons, i, n->jcc_same, i, n->jcc_guessed, i,
		      n->restarts, i, n->enables, i, n->stops, i, n->resets, i, n->gps, i,
		      c->out.wraps, i, c->out.pmis, i, n->defects, i, c->rtit.ctl, i,
		      trace_rdmsr(c, MSR_RTIT_STATUS));
	for (unsigned int k = 0; k < 4 && k < n->anomalies; k++)
		at += snprintf(text + at, sizeof(text) - (size_t)at,
			       "cpu%u anomaly%u class %u from %lx to %lx\n", i, k, n->bad_cls[k],
			       n->bad_from[k], n->bad_to[k]);
	truth_stats(&c->truth, text);
}
