/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Change pages of a kdump-compressed dump in place, or take them out of it.
 *
 * Rests on makedumpfile's description of the format: a header block, a sub header, two bitmaps
 * (what is memory; what is in the file), then one descriptor of 24 bytes for each page in the file.
 */
#ifndef KDUMP_EDIT_H
#define KDUMP_EDIT_H

#include <stdint.h>

#define PAGE_SIZE 4096u

struct kdump_edit {
	int fd;
	uint64_t bitmap; /* offset of the second bitmap */
	uint64_t descs;	 /* offset of the descriptors */
	uint64_t max_pfn;
};

/* All return 0, or -1 having said on stderr what is wrong. */

/* @fd is a dump proper, not flattened, open for reading and writing; it stays the caller's. */
int kdump_edit_init(struct kdump_edit *edit, int fd);

/* Give the page at @pa this content, uncompressed, behind the end of the file. */
int kdump_edit_set(struct kdump_edit *edit, uint64_t pa, const uint8_t *bytes);

/* As if makedumpfile had filtered the page out. */
int kdump_edit_exclude(struct kdump_edit *edit, uint64_t pa);

/* As if there never was a vmcoreinfo. */
int kdump_edit_drop_vmcoreinfo(struct kdump_edit *edit);

#endif
