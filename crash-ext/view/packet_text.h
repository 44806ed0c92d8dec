/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One packet as one line, with the names and the columns of libipt's ptdump:
 * "000000000000001b  fup        3: ffffffff81000000       ip   ffffffff81000000".
 */
#ifndef ITRACE_PACKET_TEXT_H
#define ITRACE_PACKET_TEXT_H

#include <stddef.h>

#include "packet.h"

/* Into @buf, no newline. Returns @buf. */
const char *itrace_packet_text(const struct itrace_packet *packet, char *buf, size_t size);

#endif
