/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that libipt 2.0 lacks: for packet.c. Layouts: SDM 3C 33.4.2.22-30.
 */
#ifndef ITRACE_PACKET_EXT_H
#define ITRACE_PACKET_EXT_H

#include "packet.h"

/* For pt_config.decode.callback. Returns the size, -pte_eos or -pte_bad_opc. */
int itrace_packet_ext_callback(struct pt_packet_unknown *unknown, const struct pt_config *config,
			       const uint8_t *pos, void *context);

/* Sets the ext fields from @bytes, where packet->pt.size bytes are there; NONE for other kinds. */
void itrace_packet_ext_fill(struct itrace_packet *packet, const uint8_t *bytes);

/* A BIP of @size bytes. */
void itrace_packet_ext_bip(struct itrace_packet *packet, const uint8_t *bytes, uint8_t size);

/* True if @bytes are a MODE packet with an unknown leaf; sets pt.size and the ext fields. */
bool itrace_packet_ext_mode(struct itrace_packet *packet, const uint8_t *bytes, uint64_t left);

#endif
