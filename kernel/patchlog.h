/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code that the kernel changes while armed: static keys, ftrace, kprobes, static calls. All of
 * them write through __text_poke(), whose entry is traced here; the log lies in the record, so
 * that a reader can undo what came after an instruction ran. A live patch is three writes (an
 * INT3 first, its first byte last), and so three entries.
 *
 * Not seen: text that is filled before it can run (modules, BPF), and what ftrace can't trace
 * while it is off. One write at a time: the kernel holds text_mutex.
 */
#ifndef ITRACE_PATCHLOG_H
#define ITRACE_PATCHLOG_H

#include <linux/types.h>

#include "itrace_abi.h"

struct itrace_piece;

#define ITRACE_PATCHLOG_CAPACITY 1024
#define ITRACE_PATCHLOG_BYTES \
	(sizeof(struct itrace_patches) + ITRACE_PATCHLOG_CAPACITY * sizeof(struct itrace_patch))

/*
 * Starts an empty log in @piece, ITRACE_PATCHLOG_BYTES or more. Failing is not fatal: one line in
 * the log, and itrace_patchlog_active() is false.
 */
void itrace_patchlog_start(struct itrace_piece *piece);
void itrace_patchlog_stop(void);
bool itrace_patchlog_active(void);

#endif
