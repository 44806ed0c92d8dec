// SPDX-License-Identifier: GPL-2.0-or-later
/* emit.c - see emit.h. */
#include "emit.h"

#include "clock.h"

/* A CPU that was off its host CPU for long: one TSC tells more than hundreds of MTCs. */
#define MTC_BURST 16

static uint64_t now(struct lab_cpu *c)
{
	uint64_t t = clock_now();

	if (t < c->time.last)
		t = c->time.last;
	c->time.last = t;
	return t;
}

/* 36.4.2.11-13: the pair ties TSC to CTC; MTC counts on from there. */
static void tsc_tma(struct lab_cpu *c)
{
	uint32_t ratio = c->opt->model.ctc_ratio;
	uint64_t t, ctc;

	if (!(c->rtit.ctl & CTL_TSCEN))
		return;
	t = now(c);
	pt_enc_tsc(&c->enc, t);
	if (!(c->rtit.ctl & CTL_MTCEN))
		return;
	ctc = t / ratio;
	pt_enc_tma(&c->enc, ctc, (uint32_t)(t % ratio));
	c->time.mtc = ctc >> CTL_MTCFREQ(c->rtit.ctl);
}

static void mtc(struct lab_cpu *c, uint64_t t)
{
	uint64_t n = t / c->opt->model.ctc_ratio >> CTL_MTCFREQ(c->rtit.ctl);

	if (n - c->time.mtc > MTC_BURST) {
		tsc_tma(c);
		c->time.mtc = n;
		return;
	}
	while (c->time.mtc != n)
		pt_enc_mtc(&c->enc, ++c->time.mtc);
}

/*
 * 36.4.2.14: CYC before each CYC-eligible packet; core clock and TSC are one here, as CBR says.
 * Threshold encodings: 0 none, else 2^(encoding - 1) cycles.
 */
static void cyc(struct lab_cpu *c, uint64_t t)
{
	uint64_t cycles = t - c->time.cyc;

	if (cycles < 1ull << CTL_CYCTHRESH(c->rtit.ctl) >> 1)
		return;
	pt_enc_cyc(&c->enc, cycles);
	c->time.cyc = t;
}

static void timing(struct lab_cpu *c)
{
	uint64_t t;

	if (!(c->rtit.ctl & (CTL_MTCEN | CTL_CYCEN)))
		return;
	t = now(c);
	if (c->rtit.ctl & CTL_MTCEN)
		mtc(c, t);
	if (c->rtit.ctl & CTL_CYCEN)
		cyc(c, t);
}

static void flush_tnt(struct lab_cpu *c)
{
	if (!c->enc.ntnt)
		return;
	timing(c);
	pt_enc_tnt_flush(&c->enc);
}

static bool defect_now(struct lab_cpu *c, enum pt_defect kind)
{
	if (c->opt->defect != kind || ++c->defect_seen < c->opt->defect_every)
		return false;
	c->defect_seen = 0;
	c->n.defects++;
	return true;
}

void emit_tnt(struct lab_cpu *c, bool taken)
{
	if (c->mute)
		return;
	if (defect_now(c, DEFECT_DROP_TNT))
		taken = !taken;
	if (pt_enc_tnt(&c->enc, taken))
		flush_tnt(c);
}

/* 36.4.2.1: a packet that needs the decoder's position comes after all TNT bits before it. */
static void ip_packet(struct lab_cpu *c, enum pt_ip_packet type, uint64_t ip)
{
	flush_tnt(c);
	timing(c);
	pt_enc_ip(&c->enc, type, ip);
}

void emit_tip(struct lab_cpu *c, uint64_t ip)
{
	if (c->mute)
		return;
	ip_packet(c, PT_TIP, ip + defect_now(c, DEFECT_WRONG_TIP));
}

void emit_fup(struct lab_cpu *c, uint64_t ip)
{
	if (!c->mute)
		ip_packet(c, PT_FUP, ip);
}

/* 36.4.2.8: "MODE.Exec ... when the mode changed since the last one, or none since PSB". */
void emit_mode(struct lab_cpu *c)
{
	if (c->mute || c->mode_sent == (int)c->mode64)
		return;
	flush_tnt(c);
	pt_enc_mode_exec(&c->enc, c->mode64, !c->mode64);
	c->mode_sent = c->mode64;
}

void emit_pge(struct lab_cpu *c, uint64_t ip)
{
	if (c->mute)
		return;
	emit_mode(c);
	ip_packet(c, PT_TIP_PGE, ip);
}

void emit_pgd(struct lab_cpu *c, uint64_t ip)
{
	if (!c->mute)
		ip_packet(c, PT_TIP_PGD, ip);
}

void emit_pgd_noip(struct lab_cpu *c)
{
	if (c->mute)
		return;
	flush_tnt(c);
	timing(c);
	pt_enc_noip(&c->enc, PT_TIP_PGD);
}

void emit_pip(struct lab_cpu *c)
{
	if (c->mute || !c->opt->pip)
		return;
	flush_tnt(c);
	pt_enc_pip(&c->enc, c->cr3);
}

void emit_tracestop(struct lab_cpu *c)
{
	if (c->mute)
		return;
	flush_tnt(c);
	pt_enc_tracestop(&c->enc);
}

void emit_time(struct lab_cpu *c)
{
	if (c->mute)
		return;
	flush_tnt(c);
	tsc_tma(c);
	pt_enc_cbr(&c->enc, c->opt->model.bus_ratio);
}

/*
 * 36.3.7 and 36.4.2.17: TNT bits go out before; the return stack is cleared; MODE.TSX with
 * ContextEn and BranchEn, MODE.Exec and FUP with PacketEn, PIP with ContextEn and OS. The order is
 * the one that real parts show mid-run (corpus: Ice Lake guest, Skylake-SP).
 */
void emit_psb_plus(struct lab_cpu *c, uint64_t ip, bool context_en)
{
	if (c->mute)
		return;
	flush_tnt(c);
	emit_drain(c);
	truth_psb(&c->truth, c->out.total + c->out.fill);
	c->n.psbs++;
	c->byte_cnt = 0;
	c->ret.depth = 0;
	c->mode_sent = -1;
	pt_enc_psb(&c->enc);
	if (context_en && (c->rtit.ctl & CTL_BRANCHEN))
		pt_enc_mode_tsx(&c->enc);
	if (c->packet_en) {
		emit_mode(c);
		pt_enc_ip(&c->enc, PT_FUP, ip);
	}
	if (context_en && (c->rtit.ctl & CTL_OS))
		emit_pip(c);
	tsc_tma(c);
	pt_enc_cbr(&c->enc, c->opt->model.bus_ratio);
	pt_enc_psbend(&c->enc);
}

void emit_ovf_begin(struct lab_cpu *c, unsigned int n)
{
	if (c->mute)
		return;
	flush_tnt(c);
	emit_drain(c);
	c->mute = n;
	c->lost_from = c->truth.insns.count;
	c->n.ovfs++;
}

/*
 * 36.3.8 and 36.4.2.16: OVF, then a FUP with the next IP if PacketEn, else the next TIP.PGE tells.
 * The return stack is empty and the first IP is sent in full, since LastIP may not be relied on.
 */
void emit_ovf_end(struct lab_cpu *c, uint64_t ip)
{
	c->mute = 0;
	c->ret.depth = 0;
	c->enc.tnt = 0;
	c->enc.ntnt = 0;
	c->enc.full_next = true;
	truth_ovf(&c->truth, c->out.total + c->out.fill, c->lost_from);
	pt_enc_ovf(&c->enc);
	emit_time(c);
	if (c->packet_en)
		emit_fup(c, ip);
	emit_drain(c);
	c->ovf_at = c->drained + c->opt->ovf;
}

static void check_output(struct lab_cpu *c)
{
	truth_bytes(&c->truth, c->out.total);
	if (c->out.error)
		c->rtit.status |= STATUS_ERROR;
	if (c->out.stopped)
		c->rtit.status |= STATUS_STOPPED;
}

void emit_drain(struct lab_cpu *c)
{
	unsigned int n = c->enc.len;

	if (!n)
		return;
	pt_out_write(&c->out, c->enc.buf, n);
	c->enc.len = 0;
	c->drained += n;
	c->byte_cnt += n;
	check_output(c);
}

void emit_flush(struct lab_cpu *c)
{
	emit_drain(c);
	pt_out_flush(&c->out);
	check_output(c);
}
