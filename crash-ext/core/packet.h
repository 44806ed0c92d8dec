/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of a stream: libipt's packet layer with bounds, resync and plain words for errors.
 */
#ifndef ITRACE_PACKET_H
#define ITRACE_PACKET_H

#include <stdbool.h>
#include <stdint.h>
#include <intel-pt.h>

struct itrace_packets {
	struct pt_packet_decoder *decoder;
	const uint8_t *bytes;
	uint64_t len;
	uint64_t offset; /* of the next packet */
	uint64_t last_ip; /* IP decompression state, SDM 3C 33.4.2.2 */
};

struct itrace_packet {
	struct pt_packet pt; /* type, size, payload as libipt has them */
	uint64_t offset;
	bool has_ip; /* FUP, TIP, PGE, PGD with a payload ... */
	uint64_t ip; /* ... and the whole address */
};

/* Returns 0 or ITRACE_E_NOMEM. @bytes stays the caller's, and must outlive the decoder. */
int itrace_packets_init(struct itrace_packets *packets, const uint8_t *bytes, uint64_t len);
void itrace_packets_deinit(struct itrace_packets *packets);

/*
 * The next packet. Returns 0; ITRACE_E_NODATA at the end; ITRACE_E_CORRUPT for bytes that are no
 * packet, ITRACE_E_UNSUPPORTED if the last packet is cut off by the end (packet->offset is set in
 * both cases, packet->pt.size is what is left). It does not advance then: resync.
 */
int itrace_packets_next(struct itrace_packets *packets, struct itrace_packet *packet);

/*
 * Move to the first PSB at or behind @from, at any alignment.
 * Returns 0 or ITRACE_E_NODATA if there is none.
 */
int itrace_packets_sync(struct itrace_packets *packets, uint64_t from);

#endif
