/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "packet.h"
#include "packet_ext.h"
#include "status.h"

static const uint8_t psb_pattern[ITRACE_PSB_SIZE] = {
	0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
	0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
};

int itrace_packets_init(struct itrace_packets *packets, const uint8_t *bytes, uint64_t len)
{
	struct pt_config config;

	memset(packets, 0, sizeof(*packets));
	packets->bytes = bytes;
	packets->len = len;
	packets->last_psb = UINT64_MAX;
	if (!len) /* libipt refuses an empty buffer */
		return 0;
	pt_config_init(&config);
	/* It is only read. */
	config.begin = (uint8_t *)(uintptr_t)bytes;
	config.end = config.begin + len;
	config.decode.callback = itrace_packet_ext_callback;
	packets->decoder = pt_pkt_alloc_decoder(&config);
	if (!packets->decoder)
		return ITRACE_E_NOMEM;
	itrace_packets_seek(packets, 0);
	return 0;
}

void itrace_packets_deinit(struct itrace_packets *packets)
{
	if (packets->decoder)
		pt_pkt_free_decoder(packets->decoder);
	packets->decoder = NULL;
}

void itrace_packets_seek(struct itrace_packets *packets, uint64_t offset)
{
	if (offset > packets->len)
		offset = packets->len;
	packets->offset = offset;
	packets->last_ip = 0;
	packets->bip_size = 0;
	if (packets->decoder)
		pt_pkt_sync_set(packets->decoder, offset);
}

/* SDM 3C 33.4.2.2: a suppressed IP leaves last IP alone. */
static void expand_ip(struct itrace_packets *packets, struct itrace_packet *packet)
{
	uint64_t payload = packet->pt.payload.ip.ip, ip = packets->last_ip;

	switch (packet->pt.payload.ip.ipc) {
	case pt_ipc_suppressed:
		return;
	case pt_ipc_update_16:
		ip = (ip & ~0xffffull) | (payload & 0xffff);
		break;
	case pt_ipc_update_32:
		ip = (ip & ~0xffffffffull) | (payload & 0xffffffff);
		break;
	case pt_ipc_update_48:
		ip = (ip & ~0xffffffffffffull) | (payload & 0xffffffffffffull);
		break;
	case pt_ipc_sext_48:
		ip = (uint64_t)((int64_t)(payload << 16) >> 16);
		break;
	default:
		ip = payload;
		break;
	}
	packets->last_ip = ip;
	packet->ip = ip;
	packet->has_ip = true;
}

static int refuse(const struct itrace_packets *packets, struct itrace_packet *packet, int status)
{
	uint64_t left = packets->len - packets->offset;

	packet->pt.type = ppt_invalid;
	packet->pt.size = left > 255 ? 255 : (uint8_t)left;
	return status;
}

static int advance_ext(struct itrace_packets *packets, struct itrace_packet *packet)
{
	packet->pt.type = ppt_unknown;
	packets->offset += packet->pt.size;
	pt_pkt_sync_set(packets->decoder, packets->offset);
	return 0;
}

/* What libipt makes of the bytes at the offset, or a kind that it lacks. */
static int read_packet(struct itrace_packets *packets, struct itrace_packet *packet)
{
	const uint8_t *bytes = packets->bytes + packets->offset;
	uint64_t left = packets->len - packets->offset;
	int size;

	/* Block items are only told from short TNTs by where they stand. */
	if (packets->bip_size && (bytes[0] & 7) == 4) {
		if (left < packets->bip_size)
			return refuse(packets, packet, ITRACE_E_UNSUPPORTED);
		itrace_packet_ext_bip(packet, bytes, packets->bip_size);
		return advance_ext(packets, packet);
	}
	size = pt_pkt_next(packets->decoder, &packet->pt, sizeof(packet->pt));
	if (size >= 0) {
		packets->offset += (uint64_t)size;
		return 0;
	}
	if (size == -pte_eos)
		return refuse(packets, packet, ITRACE_E_UNSUPPORTED);
	if (itrace_packet_ext_mode(packet, bytes, left))
		return advance_ext(packets, packet);
	return refuse(packets, packet, ITRACE_E_CORRUPT);
}

int itrace_packets_next(struct itrace_packets *packets, struct itrace_packet *packet)
{
	int status;

	packet->offset = packets->offset;
	packet->has_ip = false;
	packet->ext = ITRACE_EXT_NONE;
	if (packets->offset >= packets->len)
		return ITRACE_E_NODATA;
	status = read_packet(packets, packet);
	if (status)
		return status;

	switch ((int)packet->pt.type) {
	case ppt_fup:
	case ppt_tip:
	case ppt_tip_pge:
	case ppt_tip_pgd:
		expand_ip(packets, packet);
		break;
	case ppt_psb:
		packets->last_ip = 0;
		packets->last_psb = packet->offset;
		packets->bip_size = 0;
		break;
	case ppt_ovf:
		packets->bip_size = 0;
		break;
	case ppt_tnt_8:
	case ppt_tnt_64:
	case ppt_pad:
		break;
	default:
		if (packet->ext == ITRACE_EXT_NONE)
			itrace_packet_ext_fill(packet, packets->bytes + packet->offset);
		if (packet->ext == ITRACE_EXT_BBP)
			packets->bip_size = packet->ext_vector;
		else if (packet->ext == ITRACE_EXT_BEP)
			packets->bip_size = 0;
		break;
	}
	return 0;
}

/*
 * Where the pattern goes on for longer than one PSB, its beginning belongs to something else (a
 * cut packet, the seam of a ring): the PSB is what the packets behind it follow on.
 */
uint64_t itrace_psb_find(const uint8_t *bytes, uint64_t len, uint64_t from)
{
	const uint8_t *hit;
	uint64_t at;

	if (from >= len)
		return UINT64_MAX;
	hit = memmem(bytes + from, len - from, psb_pattern, sizeof(psb_pattern));
	if (!hit)
		return UINT64_MAX;
	at = (uint64_t)(hit - bytes);
	while (at + ITRACE_PSB_SIZE + 2 <= len && bytes[at + ITRACE_PSB_SIZE] == 0x02 &&
	       bytes[at + ITRACE_PSB_SIZE + 1] == 0x82)
		at += 2;
	return at;
}

int itrace_packets_sync(struct itrace_packets *packets, uint64_t from)
{
	uint64_t at;

	if (packets->last_psb != UINT64_MAX) {
		from = from < ITRACE_PSB_SIZE - 1 ? 0 : from - (ITRACE_PSB_SIZE - 1);
		if (from <= packets->last_psb)
			from = packets->last_psb + 1;
	}
	at = itrace_psb_find(packets->bytes, packets->len, from);
	if (at == UINT64_MAX)
		return ITRACE_E_NODATA;
	itrace_packets_seek(packets, at);
	return 0;
}

void itrace_packets_skip_pad(struct itrace_packets *packets)
{
	uint64_t at = packets->offset;

	while (at < packets->len && !packets->bytes[at])
		at++;
	if (at == packets->offset)
		return;
	packets->offset = at;
	pt_pkt_sync_set(packets->decoder, at);
}
