/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looking at a dump before libkdumpfile does: it takes some header fields on trust (0.5.1 crashes
 * on a header that is cut off), and reads what lies behind the end of an ELF dump as zeros.
 */
#ifndef ITRACE_KDUMP_CHECK_H
#define ITRACE_KDUMP_CHECK_H

#include <stddef.h>
#include <stdint.h>

#define ITRACE_KDUMP_HEAD 8192 /* bytes that itrace_kdump_check() looks at */

/*
 * Are the sizes and places that a kdump-compressed dump's headers name within it? @head has the
 * first @len bytes of the dump, ITRACE_KDUMP_HEAD if it has so many, @file_size is all of it.
 * Returns 0, also for other formats; ITRACE_E_CORRUPT or ITRACE_E_UNSUPPORTED with @why (of @size
 * bytes).
 */
int itrace_kdump_check(const uint8_t *head, size_t len, uint64_t file_size, char *why, size_t size);

/*
 * Do all segments of the 64-bit ELF file at @fd end within it? Returns 0, also if it is none;
 * ITRACE_E_CORRUPT with @why (of @size bytes), ITRACE_E_SYSTEM.
 */
int itrace_kdump_check_elf(int fd, char *why, size_t size);

#endif
