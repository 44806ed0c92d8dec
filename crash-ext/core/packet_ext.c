/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "packet_ext.h"

#define OPC_EXT	 0x02
#define OPC_MODE 0x99
#define OPC_TRIG 0xd9

#define EXT_CFE	   0x13
#define EXT_EVD	   0x53
#define EXT_BBP	   0x63
#define EXT_BEP	   0x33
#define EXT_BEP_IP 0xb3

static uint64_t load(const uint8_t *bytes, unsigned int len)
{
	uint64_t ret = 0;

	while (len--)
		ret = ret << 8 | bytes[len];
	return ret;
}

/* Bytes of the packet that @bytes begin with; 0: none of these; more than @left: it is cut. */
static unsigned int size_of(const uint8_t *bytes, uint64_t left)
{
	if (bytes[0] == OPC_TRIG) {
		if (left < 2)
			return 3;
		return bytes[1] & 0x40 ? 5 : 3;
	}
	if (bytes[0] != OPC_EXT || left < 2)
		return 0;
	switch (bytes[1]) {
	case EXT_CFE:
		return 4;
	case EXT_EVD:
		return 11;
	case EXT_BBP:
		return 3;
	case EXT_BEP:
	case EXT_BEP_IP:
		return 2;
	default:
		return 0;
	}
}

int itrace_packet_ext_callback(struct pt_packet_unknown *unknown, const struct pt_config *config,
			       const uint8_t *pos, void *context)
{
	uint64_t left = (uint64_t)(config->end - pos);
	unsigned int size = size_of(pos, left);

	(void)context;
	unknown->packet = pos;
	unknown->priv = NULL;
	if (!size)
		return -pte_bad_opc;
	return size > left ? -pte_eos : (int)size;
}

static void fill_ext(struct itrace_packet *packet, const uint8_t *bytes)
{
	switch (bytes[1]) {
	case EXT_CFE:
		packet->ext = ITRACE_EXT_CFE;
		packet->ext_type = bytes[2] & 0x1f;
		packet->ext_ip = bytes[2] & 0x80;
		packet->ext_vector = bytes[3];
		break;
	case EXT_EVD:
		packet->ext = ITRACE_EXT_EVD;
		packet->ext_type = bytes[2] & 0x3f;
		packet->ext_value = load(bytes + 3, 8);
		break;
	case EXT_BBP:
		packet->ext = ITRACE_EXT_BBP;
		packet->ext_type = bytes[2] & 0x1f;
		/* SZ: items of 4 bytes instead of 8; with their header byte. */
		packet->ext_vector = bytes[2] & 0x80 ? 5 : 9;
		break;
	case EXT_BEP:
	case EXT_BEP_IP:
		packet->ext = ITRACE_EXT_BEP;
		packet->ext_ip = bytes[1] == EXT_BEP_IP;
		break;
	}
}

void itrace_packet_ext_fill(struct itrace_packet *packet, const uint8_t *bytes)
{
	packet->ext_type = 0;
	packet->ext_vector = 0;
	packet->ext_ip = false;
	packet->ext_value = 0;
	if (bytes[0] == OPC_EXT) {
		fill_ext(packet, bytes);
	} else if (bytes[0] == OPC_TRIG) {
		packet->ext = ITRACE_EXT_TRIG;
		packet->ext_ip = bytes[1] & 0x80;
		packet->ext_value = bytes[2];
	}
}

void itrace_packet_ext_bip(struct itrace_packet *packet, const uint8_t *bytes, uint8_t size)
{
	packet->pt.size = size;
	packet->ext = ITRACE_EXT_BIP;
	packet->ext_type = bytes[0] >> 3;
	packet->ext_vector = 0;
	packet->ext_ip = false;
	packet->ext_value = load(bytes + 1, size - 1u);
}

bool itrace_packet_ext_mode(struct itrace_packet *packet, const uint8_t *bytes, uint64_t left)
{
	if (left < 2 || bytes[0] != OPC_MODE)
		return false;
	packet->pt.size = 2;
	packet->ext = ITRACE_EXT_MODE;
	packet->ext_type = bytes[1] >> 5;
	packet->ext_vector = 0;
	packet->ext_ip = false;
	packet->ext_value = bytes[1] & 0x1f;
	return true;
}
