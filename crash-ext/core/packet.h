/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of a stream: libipt's packet layer with bounds, resync, the packets that older libipt
 * versions lack, and plain words for errors.
 *
 * Layouts: SDM 3C 33.4.2. A packet that is well-formed but of a kind or with a field value that
 * nobody here knows is given as such and is not an error.
 */
#ifndef ITRACE_PACKET_H
#define ITRACE_PACKET_H

#include <stdbool.h>
#include <stdint.h>
#include <intel-pt.h>

#define ITRACE_PSB_SIZE 16

struct itrace_packets {
	struct pt_packet_decoder *decoder;
	const uint8_t *bytes;
	uint64_t len;
	uint64_t offset;   /* of the next packet */
	uint64_t last_ip;  /* IP decompression state, SDM 3C 33.4.2.2 */
	uint64_t last_psb; /* offset of the newest PSB given or synced to; UINT64_MAX: none */
	uint8_t bip_size;  /* in a block of BIP packets: their size; else 0 */
};

/* Packets that libipt (all versions, or 2.0 and 2.1) does not read: pt.type is ppt_unknown. */
enum itrace_packet_ext {
	ITRACE_EXT_NONE = 0,
	ITRACE_EXT_CFE,	 /* control flow event: type, vector, ip_bit */
	ITRACE_EXT_EVD,	 /* event data: type, value */
	ITRACE_EXT_TRIG, /* trigger: value is the bit vector, ip_bit */
	ITRACE_EXT_BBP,	 /* block begin: type */
	ITRACE_EXT_BIP,	 /* block item: type is its id, value */
	ITRACE_EXT_BEP,	 /* block end: ip_bit */
	ITRACE_EXT_MODE, /* a MODE packet with a leaf that is not known: type, value */
};

struct itrace_packet {
	struct pt_packet pt; /* type, size, payload as libipt has them */
	uint64_t offset;
	bool has_ip; /* FUP, TIP, PGE, PGD with a payload ... */
	uint64_t ip; /* ... and the whole address */
	uint8_t ext; /* enum itrace_packet_ext; the same with every version of libipt */
	uint8_t ext_type;
	uint8_t ext_vector;
	bool ext_ip; /* its IP bit: a FUP follows */
	uint64_t ext_value;
};

/* CFE types, SDM 3C 33.4.2.28 */
enum itrace_cfe_type {
	ITRACE_CFE_INTR = 1,
	ITRACE_CFE_IRET = 2,
	ITRACE_CFE_SMI = 3,
	ITRACE_CFE_RSM = 4,
	ITRACE_CFE_SIPI = 5,
	ITRACE_CFE_INIT = 6,
	ITRACE_CFE_VMENTRY = 7,
	ITRACE_CFE_VMEXIT = 8,
	ITRACE_CFE_VMEXIT_INTR = 9,
	ITRACE_CFE_SHUTDOWN = 10,
	ITRACE_CFE_UINTR = 12,
	ITRACE_CFE_UIRET = 13,
	ITRACE_CFE_SWINTR = 14,
	ITRACE_CFE_SYSCALL = 15,
};

/* Returns 0 or ITRACE_E_NOMEM. @bytes stays the caller's, and must outlive the decoder. */
int itrace_packets_init(struct itrace_packets *packets, const uint8_t *bytes, uint64_t len);
void itrace_packets_deinit(struct itrace_packets *packets);

/* Go on at @offset (at most len), which must be where a packet begins. Last IP becomes 0. */
void itrace_packets_seek(struct itrace_packets *packets, uint64_t offset);

/*
 * The next packet. Returns 0; ITRACE_E_NODATA at the end; ITRACE_E_CORRUPT for bytes that are no
 * packet, ITRACE_E_UNSUPPORTED if the last packet is cut off by the end (packet->offset is set in
 * both cases, packet->pt.size is what is left, at most 255). It does not advance then: resync.
 */
int itrace_packets_next(struct itrace_packets *packets, struct itrace_packet *packet);

/* Go over PAD packets (33.4.2.1), if there are any at the offset. */
void itrace_packets_skip_pad(struct itrace_packets *packets);

/*
 * Move to the first PSB at or behind @from, at any alignment. Once a PSB has been given, also to
 * one behind that whose first bytes were swallowed by a wrong packet just before @from. Returns 0
 * or ITRACE_E_NODATA if there is none.
 */
int itrace_packets_sync(struct itrace_packets *packets, uint64_t from);

/* Offset of the first PSB at or behind @from in @bytes[0..len), or UINT64_MAX. Pure. */
uint64_t itrace_psb_find(const uint8_t *bytes, uint64_t len, uint64_t from);

#endif
