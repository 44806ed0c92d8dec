// SPDX-License-Identifier: GPL-2.0-or-later
#include "kdump_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Offsets in the header (struct disk_dump_header of x86-64) and in the sub header. */
#define HEADER_SIGNATURE     "KDUMP   "
#define HEADER_VERSION	     8
#define HEADER_BLOCK_SIZE    428
#define HEADER_SUB_BLOCKS    432
#define HEADER_BITMAP_BLOCKS 436
#define HEADER_MAX_MAPNR     440
#define SUB_VMCOREINFO	     32 /* offset, then size */
#define SUB_MAX_MAPNR_64     96

struct desc {
	uint64_t offset;
	uint32_t size;
	uint32_t flags; /* 0: not compressed */
	uint64_t page_flags;
};

static int wrong(const char *what, uint64_t at)
{
	fprintf(stderr, "vmdamage: %s (0x%llx)\n", what, (unsigned long long)at);
	return -1;
}

static int get(const struct kdump_edit *edit, uint64_t at, void *buf, size_t len)
{
	if (pread(edit->fd, buf, len, (off_t)at) != (ssize_t)len)
		return wrong("cannot read the dump", at);
	return 0;
}

static int put(const struct kdump_edit *edit, uint64_t at, const void *buf, size_t len)
{
	if (pwrite(edit->fd, buf, len, (off_t)at) != (ssize_t)len)
		return wrong("cannot write the dump", at);
	return 0;
}

int kdump_edit_init(struct kdump_edit *edit, int fd)
{
	uint32_t version, block, sub, bitmaps, max;
	uint8_t header[512];

	edit->fd = fd;
	if (get(edit, 0, header, sizeof(header)))
		return -1;
	if (memcmp(header, HEADER_SIGNATURE, 8))
		return wrong("not a kdump-compressed dump", 0);
	memcpy(&version, header + HEADER_VERSION, 4);
	memcpy(&block, header + HEADER_BLOCK_SIZE, 4);
	memcpy(&sub, header + HEADER_SUB_BLOCKS, 4);
	memcpy(&bitmaps, header + HEADER_BITMAP_BLOCKS, 4);
	memcpy(&max, header + HEADER_MAX_MAPNR, 4);
	if (block != PAGE_SIZE)
		return wrong("block size is not the page size", block);
	edit->bitmap = (uint64_t)block * (1 + sub + bitmaps / 2);
	edit->descs = (uint64_t)block * (1 + sub + bitmaps);
	edit->max_pfn = max;
	if (version >= 6 && get(edit, block + SUB_MAX_MAPNR_64, &edit->max_pfn, 8))
		return -1;
	if (edit->max_pfn > (uint64_t)bitmaps / 2 * block * 8)
		return wrong("bitmap too small", edit->max_pfn);
	return 0;
}

static unsigned int bits(const uint8_t *bytes, size_t len)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < len; i++)
		n += (unsigned int)__builtin_popcount(bytes[i]);
	return n;
}

/* The index of @pfn's descriptor among all: one for each bit before it. */
static int desc_index(const struct kdump_edit *edit, uint64_t pfn, uint64_t *index)
{
	uint8_t bytes[PAGE_SIZE];
	uint64_t at = 0;
	size_t n;

	if (pfn >= edit->max_pfn)
		return wrong("no such page", pfn * PAGE_SIZE);
	*index = 0;
	for (; pfn / 8 - at >= sizeof(bytes); at += sizeof(bytes)) {
		if (get(edit, edit->bitmap + at, bytes, sizeof(bytes)))
			return -1;
		*index += bits(bytes, sizeof(bytes));
	}
	n = (size_t)(pfn / 8 - at) + 1;
	if (get(edit, edit->bitmap + at, bytes, n))
		return -1;
	if (!(bytes[n - 1] & (1u << (pfn % 8))))
		return wrong("page is not in the dump", pfn * PAGE_SIZE);
	bytes[n - 1] &= (uint8_t)((1u << (pfn % 8)) - 1);
	*index += bits(bytes, n);
	return 0;
}

int kdump_edit_set(struct kdump_edit *edit, uint64_t pa, const uint8_t *bytes)
{
	off_t end = lseek(edit->fd, 0, SEEK_END);
	struct desc desc = {.offset = (uint64_t)end, .size = PAGE_SIZE};
	uint64_t index;

	if (end < 0 || desc_index(edit, pa / PAGE_SIZE, &index) ||
	    put(edit, desc.offset, bytes, PAGE_SIZE))
		return -1;
	return put(edit, edit->descs + index * sizeof(desc), &desc, sizeof(desc));
}

int kdump_edit_exclude(struct kdump_edit *edit, uint64_t pa)
{
	uint64_t index, last, at, len;
	uint8_t byte;
	void *rest;
	int ret;

	/* The page behind the last one has no descriptor: where they end is the number of bits. */
	if (desc_index(edit, pa / PAGE_SIZE, &index))
		return -1;
	for (last = edit->max_pfn - 1, at = 0;; last--) {
		if (get(edit, edit->bitmap + last / 8, &byte, 1))
			return -1;
		if (byte & (1u << (last % 8)))
			break;
	}
	if (desc_index(edit, last, &last))
		return -1;
	len = (last - index) * sizeof(struct desc);
	rest = malloc(len + 1);
	at = edit->descs + index * sizeof(struct desc);
	ret = !rest || get(edit, at + sizeof(struct desc), rest, len) || put(edit, at, rest, len);
	free(rest);
	at = edit->bitmap + pa / PAGE_SIZE / 8;
	if (ret || get(edit, at, &byte, 1))
		return -1;
	byte &= (uint8_t)~(1u << (pa / PAGE_SIZE % 8));
	return put(edit, at, &byte, 1);
}

int kdump_edit_drop_vmcoreinfo(struct kdump_edit *edit)
{
	uint8_t none[32] = {0};

	return put(edit, PAGE_SIZE + SUB_VMCOREINFO, none, sizeof(none));
}
