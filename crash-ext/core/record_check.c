// SPDX-License-Identifier: GPL-2.0-or-later
#include "record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_part.h"
#include "status.h"

#define PAGE_SIZE 4096u

/* Offset of the header's part: what it covers ends where the header does. */
#define HEADER_PART offsetof(struct itrace_header, part)

/* Make @why "status: text" and give @status back. */
static int __attribute__((format(printf, 3, 4))) say(char *why, int status, const char *fmt, ...)
{
	char text[ITRACE_RECORD_WHY - 32];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(why, ITRACE_RECORD_WHY, "%.30s: %s", itrace_status_str(status), text);
	return status;
}

/* Magic, part and version hold for every version; the rest only for ours. */
static int check_header(const struct itrace_header *header, uint64_t pa, uint32_t len, char *why)
{
	unsigned long long at = pa;

	if (header->major != ITRACE_MAJOR)
		return say(why, ITRACE_E_UNSUPPORTED,
			   "record version %u.%u, this itrace reads %u.x", header->major,
			   header->minor, ITRACE_MAJOR);
	if (len < sizeof(*header) - HEADER_PART)
		return say(why, ITRACE_E_CORRUPT, "record at 0x%llx has a header of %u bytes", at,
			   len);
	if (header->pa != pa)
		return say(why, ITRACE_E_CORRUPT, "record at 0x%llx says that it is at 0x%llx", at,
			   (unsigned long long)header->pa);
	if (!header->nr_cpus || header->nr_cpus > ITRACE_MAX_CPUS)
		return say(why, ITRACE_E_CORRUPT, "record at 0x%llx has %u CPUs", at,
			   header->nr_cpus);
	return 0;
}

int itrace_record_check(const struct itrace_source *source, uint64_t pa,
			struct itrace_header *header, char *why)
{
	uint32_t min = offsetof(struct itrace_header, flags) - HEADER_PART;
	unsigned long long at = pa;
	char part_why[ITRACE_WHY_LEN];
	uint8_t magic[ITRACE_MAGIC_LEN];
	uint8_t *part = NULL;
	uint32_t len;
	int status;

	if (!pa || pa % PAGE_SIZE || pa >= ITRACE_PA_LIMIT)
		return say(why, ITRACE_E_NOTFOUND, "no record can be at 0x%llx", at);
	status = source->read_phys(source->priv, pa, magic, sizeof(magic));
	if (status)
		return say(why, status, "record at 0x%llx", at);
	if (memcmp(magic, ITRACE_MAGIC, ITRACE_MAGIC_LEN))
		return say(why, ITRACE_E_NOTFOUND, "no record at 0x%llx", at);
	status = itrace_part_read(source, pa + HEADER_PART, ITRACE_PART_HEADER, min,
				  PAGE_SIZE - HEADER_PART, &part, &len, part_why);
	if (status == ITRACE_E_CORRUPT)
		return say(why, status, "record at 0x%llx has %s", at, part_why);
	/* There is a magic: zeros behind it are no unused record. */
	if (status == ITRACE_E_NODATA)
		return say(why, ITRACE_E_CORRUPT, "record at 0x%llx has an empty header", at);
	if (status)
		return say(why, status, "record at 0x%llx", at);
	memcpy(header->magic, magic, sizeof(magic));
	itrace_part_copy(&header->part, sizeof(*header) - HEADER_PART, part, len);
	free(part);
	return check_header(header, pa, len, why);
}
