/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "seam.h"

#include <stdlib.h>
#include <string.h>

#include "packet.h"
#include "status.h"

/* A run of zeros that no CPU leaves between packets: nothing was ever written there. */
#define UNWRITTEN 256u

/* TSC ticks, some minutes, that a CPU may sleep between two time packets. Older is less than 0. */
#define MAX_PAUSE (1ull << 40)

/*
 * TSC of the PSB+ at @psb; 0 if it has none, or is not whole: behind a PSB that was being written
 * there are older bytes, which may look like a TSC.
 */
static uint64_t tsc_of(struct itrace_packets *packets, uint64_t psb)
{
	struct itrace_packet packet;
	uint64_t tsc = 0;

	itrace_packets_seek(packets, psb);
	while (!itrace_packets_next(packets, &packet)) {
		switch ((int)packet.pt.type) {
		case ppt_psb:
			if (packet.offset != psb)
				return 0;
			break;
		case ppt_tsc:
			tsc = packet.pt.payload.tsc.tsc;
			break;
		case ppt_psbend:
			return tsc;
		case ppt_tip:
		case ppt_tip_pge:
		case ppt_tip_pgd:
		case ppt_tnt_8:
		case ppt_tnt_64:
		case ppt_ovf:
			return 0;
		}
	}
	return 0;
}

/* Newest PSB that begins below @size in the doubled ring. */
static int newest_psb(struct itrace_packets *packets, uint64_t size, uint64_t *psb, uint64_t *tsc)
{
	uint64_t at = 0, here;
	int status = ITRACE_E_NODATA;

	*tsc = 0;
	for (;;) {
		at = itrace_psb_find(packets->bytes, packets->len, at);
		if (at >= size)
			return status;
		if (status)
			status = ITRACE_E_UNSUPPORTED;
		here = tsc_of(packets, at);
		if (here > *tsc) {
			status = 0;
			*tsc = here;
			*psb = at;
		}
		at += ITRACE_PSB_SIZE;
	}
}

/*
 * MTC counts by ones (SDM 3C 33.4.2.15); one may have been dropped. An older one, from one round
 * of the ring before, is as likely to be any other number.
 */
static bool follows(uint8_t before, uint8_t mtc)
{
	uint8_t delta = (uint8_t)(mtc - before);

	return delta == 1 || delta == 2;
}

/*
 * The offset behind the last packet from @psb on that its time proves to be newer than it: what
 * comes between that and the first misfit may be of either round of the ring. The next PSB is
 * older; @size bytes are all there are.
 */
static uint64_t proven_end(struct itrace_packets *packets, uint64_t psb, uint64_t tsc,
			   uint64_t size)
{
	uint64_t limit = itrace_psb_find(packets->bytes, packets->len, psb + ITRACE_PSB_SIZE);
	struct itrace_packet packet;
	uint64_t last = psb, end = psb;
	bool header = true;
	int mtc = -1;

	itrace_packets_seek(packets, psb);
	if (limit > psb + size)
		limit = psb + size;
	while (!itrace_packets_next(packets, &packet) && packets->offset <= limit) {
		if (packet.pt.type == ppt_pad)
			continue;
		if (packet.offset - last > UNWRITTEN)
			break;
		last = packets->offset;
		if (packet.pt.type == ppt_tsc) {
			if (packet.pt.payload.tsc.tsc - tsc > MAX_PAUSE)
				break;
			tsc = packet.pt.payload.tsc.tsc;
			mtc = -1;
		} else if (packet.pt.type == ppt_mtc) {
			if (mtc >= 0 && !follows((uint8_t)mtc, packet.pt.payload.mtc.ctc))
				break;
			/* The first one has nothing to follow. */
			if (mtc < 0) {
				mtc = packet.pt.payload.mtc.ctc;
				continue;
			}
			mtc = packet.pt.payload.mtc.ctc;
		} else if (packet.pt.type == ppt_psbend && header) {
			header = false; /* another one would be the rest of an older PSB+ */
		} else {
			continue;
		}
		end = packets->offset;
	}
	return end;
}

/* True if the bytes before @start were never written; sets *@pos behind the last that was. */
static bool not_wrapped(const uint8_t *ring, uint64_t size, uint64_t start, uint64_t *pos)
{
	uint64_t zeros = 0;

	while (zeros < size && !ring[(start + size - 1 - zeros) % size])
		zeros++;
	*pos = (start + size - zeros) % size;
	return zeros >= UNWRITTEN;
}

int itrace_seam_find(const uint8_t *ring, uint64_t size, uint64_t start, uint64_t *pos)
{
	struct itrace_packets packets;
	uint64_t psb = 0, tsc;
	uint8_t *twice;
	int status;

	if (!size || start >= size)
		return ITRACE_E_INVALID;
	if (not_wrapped(ring, size, start, pos))
		return 0;
	/* Doubled, so that what crosses the end of the ring is in one piece. */
	twice = malloc(size * 2);
	if (!twice)
		return ITRACE_E_NOMEM;
	memcpy(twice, ring, size);
	memcpy(twice + size, ring, size);
	status = itrace_packets_init(&packets, twice, size * 2);
	if (!status) {
		status = newest_psb(&packets, size, &psb, &tsc);
		if (!status)
			*pos = proven_end(&packets, psb, tsc, size) % size;
		itrace_packets_deinit(&packets);
	}
	free(twice);
	return status;
}
