/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets that are more than a branch's. The order of packets: SDM 3C 33.7, tables of flows. */
#include "flow_walk.h"
#include "status.h"

static int lose_off(struct itrace_flow *flow, const char *name)
{
	if (flow->state == ITRACE_FLOW_LOST)
		return 0;
	return itrace_flow_lose(flow, ITRACE_E_CORRUPT, "%s while tracing was off", name);
}

/* FUP, PGD and PSB come when every bit and every TIP before them has been sent (33.4.2.3). */
static int expect_no_bits(struct itrace_flow *flow, const char *name)
{
	if (flow->state != ITRACE_FLOW_ON || !flow->nr_bits)
		return 0;
	return itrace_flow_lose(flow, ITRACE_E_CORRUPT, "%u TNT bits too many before %s",
				flow->nr_bits, name);
}

static int on_tip(struct itrace_flow *flow, const struct itrace_packet *packet)
{
	uint64_t from = flow->fup_ip;
	int status;

	if (flow->fup == ITRACE_FUP_NONE) {
		if (flow->state != ITRACE_FLOW_ON)
			return lose_off(flow, "TIP");
		return itrace_flow_branch(flow, packet->has_ip, packet->ip);
	}
	flow->fup = ITRACE_FUP_NONE;
	if (!packet->has_ip)
		return itrace_flow_lose(flow, ITRACE_E_CORRUPT, "TIP without an address");
	status = itrace_flow_step(flow, ITRACE_STEP_INTERRUPT, from, packet->ip);
	return status ? status : itrace_flow_locate(flow, packet->ip);
}

static int on_pge(struct itrace_flow *flow, const struct itrace_packet *packet)
{
	int status = 0;

	/* A PSB+ that was made while tracing began has the address, too: seen on real CPUs. */
	if (flow->state == ITRACE_FLOW_ON && (flow->nr_bits || itrace_flow_ip(flow) != packet->ip))
		status = itrace_flow_lose(flow, ITRACE_E_CORRUPT, "TIP.PGE while tracing was on");
	else if (flow->state == ITRACE_FLOW_OVERFLOW)
		status = itrace_flow_step(flow, ITRACE_STEP_OVERFLOW, 0, 0);
	if (status)
		return status;
	itrace_flow_forget(flow);
	flow->state = ITRACE_FLOW_OFF;
	if (!packet->has_ip)
		return itrace_flow_lose(flow, ITRACE_E_CORRUPT, "TIP.PGE without an address");
	status = itrace_flow_step(flow, ITRACE_STEP_ENABLED, 0, packet->ip);
	return status ? status : itrace_flow_locate(flow, packet->ip);
}

/* A branch led out of what is traced: which one, is to be found. */
static int left_by_branch(struct itrace_flow *flow, const struct itrace_packet *packet,
			  uint64_t *from)
{
	int status;

	status = expect_no_bits(flow, "TIP.PGD");
	if (status || flow->state != ITRACE_FLOW_ON)
		return status;
	status = itrace_flow_walk_out(flow, packet->has_ip, packet->ip, from);
	if (status || *from)
		return status;
	return itrace_flow_lose(flow, ITRACE_E_CORRUPT, "no branch that can have ended tracing");
}

static int on_pgd(struct itrace_flow *flow, const struct itrace_packet *packet)
{
	uint64_t from = 0;
	int status = 0;

	if (flow->state == ITRACE_FLOW_OFF)
		return lose_off(flow, "TIP.PGD");
	if (flow->state == ITRACE_FLOW_OVERFLOW)
		status = itrace_flow_step(flow, ITRACE_STEP_OVERFLOW, 0, 0);
	else if (flow->fup == ITRACE_FUP_EVENT)
		from = flow->fup_ip;
	else
		status = left_by_branch(flow, packet, &from);
	if (!status)
		status = itrace_flow_step(flow, ITRACE_STEP_DISABLED, from,
					  packet->has_ip ? packet->ip : 0);
	itrace_flow_forget(flow);
	flow->state = ITRACE_FLOW_OFF;
	return status;
}

static int on_fup(struct itrace_flow *flow, const struct itrace_packet *packet)
{
	bool found, alone = flow->fup_alone;
	int status;

	flow->fup_alone = false;
	flow->fup = ITRACE_FUP_NONE;
	if (!packet->has_ip)
		return 0;
	if (flow->state == ITRACE_FLOW_OFF)
		return lose_off(flow, "FUP");
	if (flow->state == ITRACE_FLOW_OVERFLOW) {
		status = itrace_flow_step(flow, ITRACE_STEP_OVERFLOW, 0, packet->ip);
		return status ? status : itrace_flow_locate(flow, packet->ip);
	}
	status = expect_no_bits(flow, "FUP");
	if (status)
		return status;
	if (flow->state == ITRACE_FLOW_ON) {
		status = itrace_flow_walk_to(flow, packet->ip, &found);
		if (!status && !found)
			status = itrace_flow_lose(flow, ITRACE_E_CORRUPT,
						  "no way to the FUP's address %llx",
						  (unsigned long long)packet->ip);
		if (status)
			return status;
	} else if (alone) {
		return itrace_flow_locate(flow, packet->ip);
	}
	if (!alone) {
		flow->fup = ITRACE_FUP_EVENT;
		flow->fup_ip = packet->ip;
	}
	return 0;
}

/* SDM 3C 33.4.2.10: a MOV CR3's, or part of an event or far transfer whose TIP comes behind. */
static int on_pip(struct itrace_flow *flow, const struct itrace_packet *packet)
{
	struct itrace_step step = {
		.type = ITRACE_STEP_CR3,
		.offset = flow->offset,
		.to = packet->pt.payload.pip.cr3,
		.nr = packet->pt.payload.pip.nr,
	};
	bool found;
	int status;

	if (flow->state == ITRACE_FLOW_ON && flow->fup == ITRACE_FUP_NONE && !flow->nr_bits) {
		status = itrace_flow_walk_cr3(flow, &found);
		if (status)
			return status;
	}
	step.tsc = flow->time.tsc;
	return flow->step ? flow->step(flow->priv, &step) : 0;
}

static void on_mode(struct itrace_flow *flow, const struct itrace_packet *packet)
{
	const struct pt_packet_mode *mode = &packet->pt.payload.mode;

	if (mode->leaf == pt_mol_exec)
		flow->not_64bit = !mode->bits.exec.csl;
	else if (mode->leaf == pt_mol_tsx && !flow->in_psb)
		flow->fup_alone = !mode->bits.tsx.abrt;
}

/* Whether the FUP that a packet announces stands for itself, or for the TIP that follows it. */
static void on_ext(struct itrace_flow *flow, const struct itrace_packet *packet)
{
	if (packet->ext == ITRACE_EXT_MODE) {
		if (packet->ext_type == 0)
			flow->not_64bit = !(packet->ext_value & 1);
		return;
	}
	if (!packet->ext_ip)
		return;
	if (packet->ext != ITRACE_EXT_CFE) {
		flow->fup_alone = true;
		return;
	}
	switch (packet->ext_type) {
	case ITRACE_CFE_INTR:
	case ITRACE_CFE_SMI:
	case ITRACE_CFE_VMEXIT:
	case ITRACE_CFE_VMEXIT_INTR:
	case ITRACE_CFE_UINTR:
	case ITRACE_CFE_SWINTR:
		break;
	default:
		flow->fup_alone = true;
	}
}

static int on_ovf(struct itrace_flow *flow)
{
	itrace_flow_forget(flow);
	flow->state = ITRACE_FLOW_OVERFLOW;
	return 0;
}

static int on_psb(struct itrace_flow *flow)
{
	flow->in_psb = true;
	flow->psb_has_ip = false;
	flow->fup = ITRACE_FUP_NONE;
	flow->fup_alone = false;
	return expect_no_bits(flow, "PSB");
}

int itrace_flow_psb_done(struct itrace_flow *flow, bool cut)
{
	bool found, has_ip = flow->psb_has_ip && !cut;
	int status = 0;

	flow->in_psb = false;
	if (flow->state == ITRACE_FLOW_OVERFLOW) {
		status = itrace_flow_step(flow, ITRACE_STEP_OVERFLOW, 0, has_ip ? flow->psb_ip : 0);
	} else if (flow->state == ITRACE_FLOW_ON && has_ip) {
		status = itrace_flow_walk_to(flow, flow->psb_ip, &found);
		if (!status && !found)
			status = itrace_flow_lose(flow, ITRACE_E_CORRUPT,
						  "no way to the PSB+'s address %llx",
						  (unsigned long long)flow->psb_ip);
	}
	if (status || flow->closing)
		return status;
	itrace_flow_forget(flow);
	flow->state = ITRACE_FLOW_OFF;
	return has_ip ? itrace_flow_locate(flow, flow->psb_ip) : 0;
}

/* Between PSB and PSBEND packets tell a state; sets *@done if this one was that. */
static int in_psb(struct itrace_flow *flow, const struct itrace_packet *packet, bool *done)
{
	*done = true;
	switch ((int)packet->pt.type) {
	case ppt_psbend:
		return itrace_flow_psb_done(flow, false);
	case ppt_fup:
		flow->psb_has_ip = packet->has_ip;
		flow->psb_ip = packet->ip;
		return 0;
	case ppt_mode:
		on_mode(flow, packet);
		return 0;
	case ppt_ovf:
	case ppt_tip:
	case ppt_tip_pge:
	case ppt_tip_pgd:
	case ppt_psb:
		*done = false;
		return itrace_flow_psb_done(flow, true);
	case ppt_unknown:
		if (packet->ext == ITRACE_EXT_MODE)
			on_ext(flow, packet);
		return 0;
	default:
		return 0;
	}
}

int itrace_flow_event(struct itrace_flow *flow, const struct itrace_packet *packet)
{
	bool done;
	int status;

	if (flow->in_psb) {
		status = in_psb(flow, packet, &done);
		if (status || done || flow->closing)
			return status;
	}
	switch ((int)packet->pt.type) {
	case ppt_tip:
		return on_tip(flow, packet);
	case ppt_tip_pge:
		return on_pge(flow, packet);
	case ppt_tip_pgd:
		return on_pgd(flow, packet);
	case ppt_fup:
		return on_fup(flow, packet);
	case ppt_pip:
		return on_pip(flow, packet);
	case ppt_mode:
		on_mode(flow, packet);
		return 0;
	case ppt_ovf:
		return on_ovf(flow);
	case ppt_psb:
		return on_psb(flow);
	case ppt_stop:
		itrace_flow_forget(flow);
		flow->state = ITRACE_FLOW_OFF;
		return itrace_flow_step(flow, ITRACE_STEP_STOP, 0, 0);
	case ppt_ptw:
		flow->fup_alone = packet->pt.payload.ptw.ip;
		return 0;
	case ppt_exstop:
		flow->fup_alone = packet->pt.payload.exstop.ip;
		return 0;
	default:
		on_ext(flow, packet);
		return 0;
	}
}
