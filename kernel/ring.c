// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "ring.h"

#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "compat/mm.h"

static struct page *alloc_piece(int node, unsigned int *order, bool whole)
{
	gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN;
	struct page *page;

	for (;;) {
		page = alloc_pages_node(node, *order ? gfp | __GFP_NORETRY : gfp, *order);
		if (page || !*order || whole)
			break;
		(*order)--;
	}
	if (!page)
		return NULL;
	split_page(page, *order);
	if (*order) {
		SetPagePrivate(page);
		set_page_private(page, *order);
	}
	return page;
}

static void free_page_of_ring(void *addr)
{
	struct page *page = virt_to_page(addr);

	ClearPagePrivate(page);
	set_page_private(page, 0);
	__free_page(page);
}

int itrace_ring_init(struct itrace_ring *ring, u64 bytes, int node, bool whole)
{
	unsigned int nr = bytes >> PAGE_SHIFT, order, i;

	ring->pages = kvcalloc(nr, sizeof(*ring->pages), GFP_KERNEL);
	if (!ring->pages)
		return -ENOMEM;
	ring->nr_pages = 0;

	order = min_t(unsigned int, ilog2(nr), ITRACE_MAX_ORDER);
	if (whole && order < ilog2(nr))
		goto err_deinit;
	while (ring->nr_pages < nr) {
		struct page *page = alloc_piece(node, &order, whole);

		if (!page)
			goto err_deinit;
		for (i = 0; i < 1u << order; i++)
			ring->pages[ring->nr_pages++] = page_address(page + i);
	}
	return 0;

err_deinit:
	itrace_ring_deinit(ring);
	return -ENOMEM;
}

void itrace_ring_deinit(struct itrace_ring *ring)
{
	unsigned int i;

	for (i = 0; i < ring->nr_pages; i++)
		free_page_of_ring(ring->pages[i]);
	kvfree(ring->pages);
	ring->pages = NULL;
	ring->nr_pages = 0;
}

void itrace_ring_zero(struct itrace_ring *ring)
{
	unsigned int i;

	for (i = 0; i < ring->nr_pages; i++)
		clear_page(ring->pages[i]);
}

unsigned int itrace_ring_extents(const struct itrace_ring *ring, struct itrace_extent *extent,
				 unsigned int max)
{
	unsigned int i, nr = 0;
	u64 end = 0;

	for (i = 0; i < ring->nr_pages; i++) {
		u64 pa = virt_to_phys(ring->pages[i]);

		if (!nr || pa != end) {
			if (extent && nr < max) {
				extent[nr].pa = pa;
				extent[nr].len = 0;
			}
			nr++;
		}
		if (extent && nr <= max)
			extent[nr - 1].len += PAGE_SIZE;
		end = pa + PAGE_SIZE;
	}
	return nr;
}
