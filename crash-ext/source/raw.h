/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole files in memory, for --raw and --image. Read, not mapped: a file that shrinks while it is
 * read must be an error, not a SIGBUS.
 */
#ifndef ITRACE_RAW_H
#define ITRACE_RAW_H

#include <stddef.h>
#include <stdint.h>

struct itrace_raw {
	uint8_t *bytes; /* NULL only if len is 0 */
	size_t len;
};

/*
 * Read the file at @path. Returns 0 (freed by itrace_raw_deinit), ITRACE_E_SYSTEM with errno, or
 * ITRACE_E_NOMEM.
 */
int itrace_raw_init(struct itrace_raw *raw, const char *path);
void itrace_raw_deinit(struct itrace_raw *raw);

#endif
