// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "status.h"

#define CRC_FROM 8 /* struct itrace_part: crc and seq are not covered */

static int check_head(const struct itrace_part *head, uint32_t type, uint32_t min, uint32_t max,
		      char *why)
{
	if (!head->crc && !head->seq && !head->type && !head->len) {
		snprintf(why, ITRACE_WHY_LEN, "never written");
		return ITRACE_E_NODATA;
	}
	if (head->type != type) {
		snprintf(why, ITRACE_WHY_LEN, "type %08x, not %08x", head->type, type);
		return ITRACE_E_CORRUPT;
	}
	if (head->seq & 1) {
		snprintf(why, ITRACE_WHY_LEN,
			 "sequence number %u: being written when the dump was made", head->seq);
		return ITRACE_E_CORRUPT;
	}
	if (head->len < min || head->len > max) {
		snprintf(why, ITRACE_WHY_LEN, "length %u, not %u to %u", head->len, min, max);
		return ITRACE_E_CORRUPT;
	}
	return 0;
}

int itrace_part_read(const struct itrace_source *source, uint64_t pa, uint32_t type, uint32_t min,
		     uint32_t max, uint8_t **part, uint32_t *len, char *why)
{
	struct itrace_part head;
	uint8_t *bytes;
	uint32_t crc;
	int status;

	snprintf(why, ITRACE_WHY_LEN, "at 0x%llx", (unsigned long long)pa);
	if (!pa || pa % 8 || pa >= ITRACE_PA_LIMIT) {
		snprintf(why, ITRACE_WHY_LEN, "impossible address 0x%llx", (unsigned long long)pa);
		return ITRACE_E_CORRUPT;
	}
	status = source->read_phys(source->priv, pa, &head, sizeof(head));
	if (!status)
		status = check_head(&head, type, min, max, why);
	if (status)
		return status;
	bytes = malloc(head.len);
	if (!bytes)
		return ITRACE_E_NOMEM;
	status = source->read_phys(source->priv, pa, bytes, head.len);
	if (status) {
		free(bytes);
		return status;
	}
	crc = (uint32_t)crc32(0, bytes + CRC_FROM, head.len - CRC_FROM);
	if (crc != head.crc) {
		snprintf(why, ITRACE_WHY_LEN, "CRC %08x, computed %08x", head.crc, crc);
		free(bytes);
		return ITRACE_E_CORRUPT;
	}
	*part = bytes;
	*len = head.len;
	return 0;
}

void itrace_part_copy(void *to, uint32_t known, const uint8_t *part, uint32_t len)
{
	uint32_t n = len < known ? len : known;

	memcpy(to, part, n);
	memset((uint8_t *)to + n, 0, known - n);
}

void itrace_part_string(char *text, uint32_t size)
{
	uint32_t i;

	text[size - 1] = '\0';
	for (i = 0; text[i]; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			text[i] = '?';
}
