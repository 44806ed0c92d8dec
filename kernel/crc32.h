/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CRC-32 (IEEE 802.3, zlib's crc32()) for the crash path: no call, no table outside this header,
 * no kernel library. Four bits a step: about 1,100 steps for a CPU's slot.
 */
#ifndef ITRACE_CRC32_H
#define ITRACE_CRC32_H

#include "pure.h"

/*
 * The CRC of @len bytes at @data; @crc is what came before, 0 at the start. Chains like zlib's.
 */
static inline itrace_u32 itrace_crc32(itrace_u32 crc, const void *data, size_t len)
{
	/* entry n: n shifted out through the reflected polynomial 0xedb88320 */
	static const itrace_u32 nibble[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const itrace_u8 *byte = data;

	crc = ~crc;
	while (len--) {
		crc ^= *byte++;
		crc = (crc >> 4) ^ nibble[crc & 15];
		crc = (crc >> 4) ^ nibble[crc & 15];
	}
	return ~crc;
}

#endif
