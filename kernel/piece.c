// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "piece.h"

#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/mm.h>

#include "compat/mm.h"

int itrace_piece_create(struct itrace_piece *piece, size_t len, int node)
{
	gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL;
	unsigned int order = get_order(len), i;
	struct page *page;

	if (order > ITRACE_MAX_ORDER)
		return -ENOMEM;
	page = alloc_pages_node(node, gfp, order);
	if (!page)
		return -ENOMEM;
	split_page(page, order);
	piece->va = page_address(page);
	piece->pa = page_to_phys(page);
	piece->len = PAGE_ALIGN(len);
	for (i = piece->len >> PAGE_SHIFT; i < 1u << order; i++)
		__free_page(page + i);
	return 0;
}

void itrace_piece_destroy(struct itrace_piece *piece)
{
	size_t at;

	if (!piece->va)
		return;
	for (at = 0; at < piece->len; at += PAGE_SIZE)
		__free_page(virt_to_page(piece->va + at));
	piece->va = NULL;
	piece->len = 0;
}
