/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flattened dumps: what `makedumpfile -F` writes to a pipe, and Debian always keeps.
 *
 * A header page with the signature "makedumpfile", then records {offset, size} (big-endian) each
 * followed by size bytes that belong at that offset of the dump proper; a later record may
 * overwrite an earlier one. {-1, -1} ends it. (makedumpfile's own documentation of -F and -R.)
 */
#ifndef ITRACE_FLAT_H
#define ITRACE_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does the file at @fd begin as a flattened dump does? False too if it can't be read. */
bool itrace_flat_is(int fd);

/* What a walk over the records learns of the dump proper. */
struct itrace_flat_info {
	uint8_t *head; /* its first bytes go here, zero where no record has them */
	size_t head_len;
	uint64_t size; /* where its last byte ends */
};

/*
 * Are all records of the flattened dump at @fd there? Reads only their heads, and what @info asks
 * for. Returns as itrace_flat_order().
 */
int itrace_flat_check(int fd, struct itrace_flat_info *info, char *why, size_t size);

/*
 * Put the dump at @fd in order, into an unlinked temporary file in $TMPDIR (or /var/tmp): sets
 * *@ordered to its descriptor, which the caller closes. Bytes behind the end mark are ignored.
 * Returns 0; ITRACE_E_CORRUPT if it ends before its end mark or a record makes no sense;
 * ITRACE_E_UNSUPPORTED for another version of the format; ITRACE_E_SYSTEM (no room ...);
 * ITRACE_E_NOMEM. On failure @why (of @size bytes) says what.
 */
int itrace_flat_order(int fd, int *ordered, char *why, size_t size);

#endif
