// SPDX-License-Identifier: GPL-2.0-or-later
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "pagetable.h"
#include "status.h"

#define PAGE_SIZE 4096ull
#define PAGE_MASK (~(PAGE_SIZE - 1))

/*
 * A damaged trace can ask for any address: what is kept has an end. A kernel's text with all of
 * its modules is a tenth of this.
 */
#define MAX_PAGES   (1u << 17) /* 512 MiB of code */
#define MAX_ENTRIES (1u << 22) /* answers remembered, refusals included */

struct page {
	uint64_t va;	/* page aligned; the slot is unused if !used */
	uint8_t *bytes; /* NULL: status says why */
	int status;
	bool used;
};

struct mapping {
	uint64_t va;
	uint64_t last; /* inclusive, so that a mapping may reach the top of the address space */
	const uint8_t *bytes;
};

struct itrace_image {
	const struct itrace_source *source; /* NULL: files only */
	struct itrace_paging paging;
	struct mapping *mapping; /* the later, the stronger */
	size_t nr_mappings;
	struct page *page;   /* open addressing, linear probing, never more than half full */
	uint32_t page_slots; /* power of two */
	uint32_t nr_entries;
	uint32_t nr_pages;
	uint64_t missing;
};

struct itrace_image *itrace_image_create(void)
{
	struct itrace_image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->page_slots = 1024;
	image->page = calloc(image->page_slots, sizeof(*image->page));
	if (!image->page) {
		free(image);
		return NULL;
	}
	return image;
}

void itrace_image_destroy(struct itrace_image *image)
{
	uint32_t i;

	if (!image)
		return;
	for (i = 0; i < image->page_slots; i++)
		free(image->page[i].bytes);
	free(image->page);
	free(image->mapping);
	free(image);
}

void itrace_image_set_paged(struct itrace_image *image, const struct itrace_source *source,
			    const struct itrace_paging *paging)
{
	image->source = source;
	image->paging = *paging;
}

int itrace_image_add(struct itrace_image *image, uint64_t va, const void *bytes, size_t len)
{
	struct mapping *mapping;

	if (!len || va + (len - 1) < va)
		return ITRACE_E_INVALID;
	mapping = reallocarray(image->mapping, image->nr_mappings + 1, sizeof(*mapping));
	if (!mapping)
		return ITRACE_E_NOMEM;
	image->mapping = mapping;
	mapping += image->nr_mappings++;
	mapping->va = va;
	mapping->last = va + (len - 1);
	mapping->bytes = bytes;
	return 0;
}

/* The slot of @va: the entry itself, or the free one where it belongs. */
static struct page *page_slot(struct page *page, uint32_t slots, uint64_t va)
{
	uint32_t i = (uint32_t)(((va >> 12) * 0x9e3779b97f4a7c15ull) >> 32) & (slots - 1);

	while (page[i].used && page[i].va != va)
		i = (i + 1) & (slots - 1);
	return &page[i];
}

static int grow(struct itrace_image *image)
{
	uint32_t slots = image->page_slots * 2;
	struct page *page = calloc(slots, sizeof(*page));
	uint32_t i;

	if (!page)
		return ITRACE_E_NOMEM;
	for (i = 0; i < image->page_slots; i++)
		if (image->page[i].used)
			*page_slot(page, slots, image->page[i].va) = image->page[i];
	free(image->page);
	image->page = page;
	image->page_slots = slots;
	return 0;
}

static int read_page(const struct itrace_image *image, uint64_t va, uint8_t *bytes)
{
	struct itrace_translation translation;
	int status = itrace_translate(image->source, &image->paging, va, &translation);

	if (status)
		return status == ITRACE_E_INVALID ? ITRACE_E_NOTFOUND : status;
	if (!translation.executable)
		return ITRACE_E_NOTFOUND;
	return image->source->read_phys(image->source->priv, translation.pa, bytes, PAGE_SIZE);
}

/* Fill @page, a free slot, with the answer for @va. */
static int fill(struct itrace_image *image, struct page *page, uint64_t va)
{
	uint8_t *bytes;
	int status;

	if (image->nr_pages >= MAX_PAGES || image->nr_entries >= MAX_ENTRIES)
		return ITRACE_E_NOMEM;
	bytes = malloc(PAGE_SIZE);
	if (!bytes)
		return ITRACE_E_NOMEM;
	status = read_page(image, va, bytes);
	if (status) {
		free(bytes);
		bytes = NULL;
	} else {
		image->nr_pages++;
	}
	if (status == ITRACE_E_FILTERED)
		image->missing++;
	page->va = va;
	page->bytes = bytes;
	page->status = status;
	page->used = true;
	image->nr_entries++;
	return 0;
}

/* Sets *@bytes to the whole page at @va (aligned). Returns 0 or the status for all of it. */
static int get_page(struct itrace_image *image, uint64_t va, const uint8_t **bytes)
{
	struct page *page;
	int status;

	if (!image->source)
		return ITRACE_E_NOTFOUND;
	page = page_slot(image->page, image->page_slots, va);
	if (!page->used) {
		if (image->nr_entries >= image->page_slots / 2) {
			status = grow(image);
			if (status)
				return status;
			page = page_slot(image->page, image->page_slots, va);
		}
		status = fill(image, page, va);
		if (status)
			return status;
	}
	*bytes = page->bytes;
	return page->status;
}

int itrace_image_get(struct itrace_image *image, uint64_t va, const uint8_t **bytes)
{
	uint64_t last = va | ~PAGE_MASK; /* of what one answer may cover */
	const uint8_t *page;
	size_t i = image->nr_mappings;
	int status;

	while (i-- > 0) {
		const struct mapping *mapping = &image->mapping[i];

		if (va >= mapping->va && va <= mapping->last) {
			if (mapping->last < last)
				last = mapping->last;
			*bytes = mapping->bytes + (va - mapping->va);
			return (int)(last - va + 1);
		}
		/* A stronger mapping that begins further on ends this answer. */
		if (mapping->va > va && mapping->va - 1 < last)
			last = mapping->va - 1;
	}
	status = get_page(image, va & PAGE_MASK, &page);
	if (status)
		return status;
	*bytes = page + (va & ~PAGE_MASK);
	return (int)(last - va + 1);
}

int itrace_image_read(struct itrace_image *image, uint64_t va, void *buf, size_t len)
{
	const uint8_t *bytes;
	size_t done = 0;
	size_t n;
	int got;

	if (len > INT32_MAX)
		len = INT32_MAX;
	while (done < len && va + done >= va) {
		got = itrace_image_get(image, va + done, &bytes);
		if (got < 0)
			return done ? (int)done : got;
		n = (size_t)got < len - done ? (size_t)got : len - done;
		memcpy((uint8_t *)buf + done, bytes, n);
		done += n;
	}
	return (int)done;
}

uint64_t itrace_image_missing(const struct itrace_image *image)
{
	return image->missing;
}
