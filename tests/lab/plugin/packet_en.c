// SPDX-License-Identifier: GPL-2.0-or-later
/* packet_en.c - see packet_en.h. */
#include "packet_en.h"

#include "emit.h"

bool context_en(const struct lab_cpu *c)
{
	if (!(c->rtit.ctl & (c->user ? CTL_USR : CTL_OS)))
		return false;
	return !(c->rtit.ctl & CTL_CR3FILTER) ||
	       !((c->cr3 ^ c->rtit.cr3_match) & 0xfffffffffffe0ull);
}

/* ADDRn_CFG is cfg and ip within ADDRn_A..ADDRn_B, both inclusive. */
static bool in_range(const struct lab_cpu *c, unsigned int cfg, uint64_t ip, bool *any)
{
	*any = false;
	for (unsigned int n = 0; n < c->opt->model.filters; n++) {
		if (CTL_ADDR_CFG(c->rtit.ctl, n) != cfg)
			continue;
		*any = true;
		if (ip >= c->rtit.addr[2 * n] && ip <= c->rtit.addr[2 * n + 1])
			return true;
	}
	return false;
}

/* 36.2.5.5: without a FilterEn range everything passes. */
static bool filter_en(const struct lab_cpu *c, uint64_t ip)
{
	bool any;

	return in_range(c, 1, ip, &any) || !any;
}

bool packet_en_at(const struct lab_cpu *c, uint64_t ip)
{
	return cpu_tracing(c) && context_en(c) && filter_en(c, ip) && (c->rtit.ctl & CTL_BRANCHEN);
}

bool tracestop_at(struct lab_cpu *c, uint64_t ip)
{
	bool any;

	if (!(c->rtit.ctl >> 32) || !cpu_tracing(c))
		return false;
	if (c->skid_left)
		return --c->skid_left == 0;
	if (!context_en(c) || !in_range(c, 2, ip, &any))
		return false;
	c->skid_left = c->opt->skid;
	return !c->skid_left;
}

/* 36.4.2.10: the TraceStop packet follows the TIP.PGD. */
void tracestop(struct lab_cpu *c)
{
	emit_tracestop(c);
	emit_flush(c);
	c->rtit.status |= STATUS_STOPPED;
	c->n.stops++;
}

void set_packet_en(struct lab_cpu *c, bool on)
{
	c->packet_en = on;
	if (!on)
		c->ret.depth = 0;
}
