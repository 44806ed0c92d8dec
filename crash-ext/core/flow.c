/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "flow_walk.h"
#include "status.h"

static const struct itrace_hole *hole_behind(const struct itrace_stream *stream, uint64_t offset)
{
	uint32_t i;

	for (i = 0; i < stream->nr_holes; i++)
		if (stream->hole[i].start + stream->hole[i].len > offset)
			return &stream->hole[i];
	return NULL;
}

static int on_tnt(struct itrace_flow *flow, const struct pt_packet_tnt *tnt)
{
	int status;

	if (flow->in_psb) {
		status = itrace_flow_psb_done(flow, true);
		if (status || flow->closing)
			return status;
	}
	flow->fup = ITRACE_FUP_NONE;
	flow->fup_alone = false;
	if (flow->state == ITRACE_FLOW_LOST)
		return 0;
	if (flow->state != ITRACE_FLOW_ON)
		return itrace_flow_lose(flow, ITRACE_E_CORRUPT, "TNT while tracing was off");
	if (flow->nr_bits + tnt->bit_size > 64)
		return itrace_flow_lose(flow, ITRACE_E_CORRUPT, "more TNT bits than branches");
	/* TNT-64 carries 47 at most, so this never shifts by 64. */
	flow->bits = flow->bits << tnt->bit_size | tnt->payload;
	flow->nr_bits += tnt->bit_size;
	return itrace_flow_use_bits(flow);
}

/* The stream has ended, or goes on behind a hole or with the next segment. */
static int at_end(struct itrace_flow *flow, const struct itrace_hole *hole, uint64_t cut)
{
	flow->offset = flow->packets.offset;
	if (flow->closing && flow->in_psb)
		return itrace_flow_psb_done(flow, true);
	if (hole) {
		flow->offset = hole->start;
		return itrace_flow_lose(flow, hole->status, "%llu bytes of the ring are missing",
					(unsigned long long)hole->len);
	}
	if (cut)
		itrace_problem(flow->config->problems, flow->config->cpu, flow->offset,
			       "packet cut off after %llu bytes: the trace ends there",
			       (unsigned long long)cut);
	if (flow->state == ITRACE_FLOW_OVERFLOW)
		return itrace_flow_step(flow, ITRACE_STEP_OVERFLOW, 0, 0);
	return 0;
}

static int bad_packet(struct itrace_flow *flow, const struct itrace_packet *packet)
{
	const uint8_t *bytes = flow->packets.bytes + packet->offset;

	if (flow->closing) /* the next segment will say so */
		return itrace_flow_psb_done(flow, true);
	return itrace_flow_lose(flow, ITRACE_E_CORRUPT, "no packet (%02x%s%02x)", bytes[0],
				packet->pt.size > 1 ? " " : "", packet->pt.size > 1 ? bytes[1] : 0);
}

static void note_time(struct itrace_flow *flow, const struct itrace_packet *packet)
{
	itrace_time_packet(&flow->time, packet);
	if (!flow->stats->first_tsc)
		flow->stats->first_tsc = flow->time.tsc;
	flow->stats->last_tsc = flow->time.tsc;
}

static int one_packet(struct itrace_flow *flow, const struct itrace_packet *packet)
{
	switch ((int)packet->pt.type) {
	case ppt_tnt_8:
	case ppt_tnt_64:
		return on_tnt(flow, &packet->pt.payload.tnt);
	case ppt_pad:
	case ppt_cyc:
	case ppt_cbr:
		return 0;
	case ppt_tsc:
	case ppt_tma:
	case ppt_mtc:
		/* What the next PSB+ says of the time belongs to its segment. */
		if (!flow->closing)
			note_time(flow, packet);
		return 0;
	default:
		return itrace_flow_event(flow, packet);
	}
}

static int walk(struct itrace_flow *flow, uint64_t next, const struct itrace_hole *hole)
{
	struct itrace_packet packet;
	int status;

	for (;;) {
		itrace_packets_skip_pad(&flow->packets);
		status = itrace_packets_next(&flow->packets, &packet);
		flow->offset = packet.offset;
		if (status == ITRACE_E_CORRUPT)
			return bad_packet(flow, &packet);
		if (status)
			return at_end(flow, hole,
				      status == ITRACE_E_UNSUPPORTED ? packet.pt.size : 0);
		if (packet.offset < next && packet.offset + packet.pt.size > next)
			return itrace_flow_lose(flow, ITRACE_E_CORRUPT,
						"packet that runs into the next PSB");
		flow->closing = packet.offset >= next;
		status = one_packet(flow, &packet);
		if (status)
			return status;
		if (flow->closing && !flow->in_psb)
			return 0;
		/* The seam of a ring in use: what follows a misfit there is older. */
		if (flow->state == ITRACE_FLOW_LOST && flow->config->stream->seam_searched &&
		    next == flow->config->stream->len)
			return 0;
	}
}

int itrace_flow_segment_stats(const struct itrace_flow_config *config, uint64_t psb, uint64_t next,
			      int (*step)(void *priv, const struct itrace_step *step), void *priv,
			      struct itrace_flow_stats *stats)
{
	const struct itrace_stream *stream = config->stream;
	const struct itrace_hole *hole = hole_behind(stream, psb);
	uint64_t len = hole ? hole->start : stream->len;
	struct itrace_flow flow = {
		.config = config,
		.blocks = config->blocks,
		.step = step,
		.priv = priv,
		.stats = stats,
		.state = ITRACE_FLOW_OFF,
	};
	int status;

	memset(stats, 0, sizeof(*stats));
	if (psb > len)
		return 0;
	if (hole && next < hole->start)
		hole = NULL;
	itrace_time_init(&flow.time, config->mtc_freq, config->tsc_ctc_num, config->tsc_ctc_den);
	status = itrace_packets_init(&flow.packets, stream->bytes, len);
	if (status)
		return status;
	itrace_packets_seek(&flow.packets, psb);
	status = walk(&flow, next, hole);
	itrace_packets_deinit(&flow.packets);
	return status;
}

int itrace_flow_segment(const struct itrace_flow_config *config, uint64_t psb, uint64_t next,
			int (*step)(void *priv, const struct itrace_step *step), void *priv,
			uint64_t *count)
{
	struct itrace_flow_stats stats;
	int status = itrace_flow_segment_stats(config, psb, next, step, priv, &stats);

	*count = stats.instructions;
	return status;
}
