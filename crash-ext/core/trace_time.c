/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "trace_time.h"

/* Bits of the CTC that a TMA carries. */
#define TMA_CTC_BITS 16

void itrace_time_init(struct itrace_time *time, uint8_t mtc_freq, uint32_t num, uint32_t den)
{
	memset(time, 0, sizeof(*time));
	time->mtc_freq = mtc_freq & 15;
	time->num = num;
	time->den = den;
}

static void take_tma(struct itrace_time *time, const struct pt_packet_tma *tma)
{
	/* With MTCFreq above 8 the first MTC has bits that the TMA does not tell. */
	if (!time->tsc || time->mtc_freq + 8 > TMA_CTC_BITS)
		return;
	time->base = time->tsc - tma->fc;
	time->elapsed = 0;
	time->ctc = tma->ctc;
	time->anchored = true;
}

static void take_mtc(struct itrace_time *time, uint8_t payload)
{
	uint32_t mask = (1u << (time->mtc_freq + 8)) - 1;
	uint32_t ctc = (uint32_t)payload << time->mtc_freq;
	uint64_t tsc;

	if (!time->anchored || !time->num || !time->den)
		return;
	time->elapsed += (ctc - time->ctc) & mask;
	time->ctc = ctc;
	tsc = time->base + (uint64_t)((unsigned __int128)time->elapsed * time->num / time->den);
	if (tsc > time->tsc)
		time->tsc = tsc;
}

void itrace_time_packet(struct itrace_time *time, const struct itrace_packet *packet)
{
	switch ((int)packet->pt.type) {
	case ppt_tsc:
		time->tsc = packet->pt.payload.tsc.tsc;
		time->anchored = false;
		break;
	case ppt_tma:
		take_tma(time, &packet->pt.payload.tma);
		break;
	case ppt_mtc:
		take_mtc(time, packet->pt.payload.mtc.ctc);
		break;
	default:
		break;
	}
}
