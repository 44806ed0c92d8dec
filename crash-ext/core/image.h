/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code image: the bytes that the traced CPU executed, by virtual address.
 *
 * Two makers: pages taken from a dump by the page table of a frozen CPU (itrace_image_paged), and
 * files mapped at an address (itrace_image_add). Bytes are cached by page for the image's life,
 * so pointers into it stay valid until itrace_image_destroy().
 */
#ifndef ITRACE_IMAGE_H
#define ITRACE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "source.h"

struct itrace_image;

/* How to walk the tables: from the record's slot and machine part. */
struct itrace_paging {
	uint64_t cr3;		  /* physical address of the top table; low 12 bits ignored */
	int levels;		  /* 4 or 5 */
	uint64_t encryption_mask; /* to clear in entries; 0 if none */
	uint32_t phys_bits;	  /* MAXPHYADDR: entries with bits above it are corrupt; 0: 52 */
};

/* An empty image, or NULL when out of memory. */
struct itrace_image *itrace_image_create(void);

/* NULL is allowed. */
void itrace_image_destroy(struct itrace_image *image);

/*
 * From now on, addresses that no added file covers are translated by @paging and read from
 * @source, both of which must outlive the image. Only pages that the kernel may execute (present,
 * not NX at any level) are given. SDM 3A 4.5.
 */
void itrace_image_set_paged(struct itrace_image *image, const struct itrace_source *source,
			    const struct itrace_paging *paging);

/*
 * Map @len bytes at @bytes (kept by the caller until the image is destroyed) to @va. Later
 * mappings win over earlier ones. Returns 0, ITRACE_E_INVALID if it wraps, ITRACE_E_NOMEM.
 */
int itrace_image_add(struct itrace_image *image, uint64_t va, const void *bytes, size_t len);

/*
 * The bytes from @va to the end of its page or mapping: sets *@bytes and returns how many, at
 * least 1 and at most 4096. Else a negative status: ITRACE_E_NOTFOUND if nothing is mapped there,
 * ITRACE_E_FILTERED if the page (or a table of the walk) is not in the dump, ITRACE_E_CORRUPT if
 * a table entry is malformed. The answer for an address never changes.
 */
int itrace_image_get(struct itrace_image *image, uint64_t va, const uint8_t **bytes);

/*
 * Copy up to @len bytes from @va, across pages. Returns how many were there (less than @len at
 * the end of what is mapped), or the negative status of the first byte.
 */
int itrace_image_read(struct itrace_image *image, uint64_t va, void *buf, size_t len);

/* Pages that were wanted and not in the dump, each counted once. */
uint64_t itrace_image_missing(const struct itrace_image *image);

#endif
