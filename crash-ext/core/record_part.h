/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One part of the record, read whole and checked. For record*.c only.
 */
#ifndef ITRACE_RECORD_PART_H
#define ITRACE_RECORD_PART_H

#include "itrace_abi.h"
#include "source.h"

#define ITRACE_WHY_LEN 160

/* Above what MAXPHYADDR can ever be; pa fields beyond are nonsense. */
#define ITRACE_PA_LIMIT (1ull << 52)

/*
 * Read the part at @pa, of which @type is expected and from @min to @max bytes are allowed
 * (@min >= sizeof(struct itrace_part)). Sets *@part to a malloc'ed copy, which the caller frees,
 * and *@len to its bytes. For a part whose crc covers only a head, *@len is that head.
 * Returns 0; ITRACE_E_NODATA if it was never written (all zero); ITRACE_E_CORRUPT for a wrong
 * type, length or CRC, or while it was being written; or what the source says. Then @why (of
 * ITRACE_WHY_LEN bytes) says what is wrong, without the status' own word.
 */
int itrace_part_read(const struct itrace_source *source, uint64_t pa, uint32_t type, uint32_t min,
		     uint32_t max, uint8_t **part, uint32_t *len, char *why);

/* Copy the first @known bytes of a part, zero what a shorter (older) one lacks. */
void itrace_part_copy(void *to, uint32_t known, const uint8_t *part, uint32_t len);

/* Terminate the string in @text[@size] and make it safe to print: control characters to '?'. */
void itrace_part_string(char *text, uint32_t size);

#endif
