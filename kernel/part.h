/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing a part of the record in place, so that a reader, or a crash in the middle of it, can
 * tell: the sequence number is odd from itrace_part_begin() to itrace_part_end().
 *
 * A part has one writer at a time; who that is, is the caller's business.
 */
#ifndef ITRACE_PART_H
#define ITRACE_PART_H

#include "crc32.h"

/* x86-64 orders stores; the compiler must not move them (SDM 3A 9.2.2). */
#define ITRACE_BARRIER() __asm__ __volatile__("" : : : "memory")

/* CRC of a part as it stands: bytes 8 to len - 1. @len is the caller's own, not read back. */
static inline itrace_u32 itrace_part_crc(const struct itrace_part *part, itrace_u32 len)
{
	return itrace_crc32(0, (const itrace_u8 *)part + 8, len - 8);
}

static inline void itrace_part_begin(struct itrace_part *part)
{
	*(volatile itrace_u32 *)&part->seq = part->seq | 1;
	ITRACE_BARRIER();
}

/*
 * @type and @len go into the part, and the CRC of all its bytes behind crc and seq.
 */
static inline void itrace_part_end(struct itrace_part *part, itrace_u32 type, itrace_u32 len)
{
	part->type = type;
	part->len = len;
	ITRACE_BARRIER();
	part->crc = itrace_part_crc(part, len);
	ITRACE_BARRIER();
	*(volatile itrace_u32 *)&part->seq = (part->seq | 1) + 1;
}

#endif
