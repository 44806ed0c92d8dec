/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's log out of a dump: printk's ring buffer of descriptors (Linux 5.10 and later).
 *
 * Rests on Documentation/admin-guide/kdump/vmcoreinfo.rst (the names) and on
 * kernel/printk/printk_ringbuffer.c (states, wrapping data blocks, blocks without data).
 */
#ifndef ITRACE_PRB_H
#define ITRACE_PRB_H

#include "source.h"

/*
 * Read the log through @source's vmcoreinfo, vtop and read_phys. Sets *@log to malloc'ed text
 * (the caller frees): one line per record, "[seconds.micros] text", control characters other than
 * tab and newline made '?'. Records in pages that are not in the dump are left out.
 * Returns 0; ITRACE_E_NOTFOUND without vmcoreinfo of such a ring; ITRACE_E_FILTERED if the ring
 * is not in the dump; ITRACE_E_CORRUPT if its numbers contradict each other; ITRACE_E_NOMEM.
 */
int itrace_prb_read(const struct itrace_source *source, char **log);

#endif
