/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ITRACE_COMPAT_MM_H
#define ITRACE_COMPAT_MM_H

#include <linux/mmzone.h>

/*
 * The largest order that the page allocator serves. MAX_ORDER was one more than that, then became
 * that (commit 23baf831a32c "mm, treewide: redefine MAX_ORDER sanely", v6.4), then got its new
 * name (commit 5e0a760b4441 "mm, treewide: rename MAX_ORDER to MAX_PAGE_ORDER", v6.8). One less
 * than the limit does no harm.
 */
#ifdef MAX_PAGE_ORDER
#define ITRACE_MAX_ORDER MAX_PAGE_ORDER
#else
#define ITRACE_MAX_ORDER (MAX_ORDER - 1)
#endif

#endif
