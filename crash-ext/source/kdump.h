/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vmcore file as a source, through libkdumpfile: kdump-compressed (makedumpfile), flattened,
 * ELF (QEMU's dump-guest-memory, /proc/vmcore).
 *
 * Names of symbols need vmlinux and are not known here: source->symbol and source->lookup are
 * NULL.
 */
#ifndef ITRACE_KDUMP_H
#define ITRACE_KDUMP_H

#include "source.h"

struct itrace_kdump;

/*
 * Open the dump at @path. Returns 0 and sets *@ret (closed by itrace_kdump_close), or
 * ITRACE_E_SYSTEM (not readable, no room for the temporary file), ITRACE_E_CORRUPT (a dump that
 * ends too early or contradicts itself), ITRACE_E_UNSUPPORTED (no dump that this library knows, or
 * not of an x86-64), ITRACE_E_NOMEM. On failure @error (of @size bytes) holds the rest of a line:
 * "PATH: what".
 */
int itrace_kdump_open(const char *path, struct itrace_kdump **ret, char *error, size_t size);

/* Lives as long as @kdump. */
const struct itrace_source *itrace_kdump_source(const struct itrace_kdump *kdump);

/* NULL is allowed. */
void itrace_kdump_close(struct itrace_kdump *kdump);

#endif
