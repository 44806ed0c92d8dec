/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One instruction as the walk sees it: how long it is, and whether the trace decides where it
 * goes. Zydis decodes; the classes are those of SDM 3C 33.4.2 (COFI: direct, conditional, near
 * indirect, near return, far transfer). 64-bit code only.
 */
#ifndef ITRACE_INSN_H
#define ITRACE_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "block.h"

#define ITRACE_INSN_MAX 15 /* bytes, SDM 2 2.3.11 */

struct itrace_insn_info {
	struct itrace_insn insn;
	uint64_t target; /* JUMP, CALL, COND: where it goes if taken */
	bool stuck;	 /* UD0, UD1, UD2: nothing ever goes on behind it */
};

struct itrace_insn_decoder;

/* NULL when out of memory. */
struct itrace_insn_decoder *itrace_insn_decoder_create(void);
void itrace_insn_decoder_destroy(struct itrace_insn_decoder *decoder);

/*
 * Decode what stands at @bytes, of which @len (1 to 15 are looked at) are there, as code at @ip.
 * Returns 0; ITRACE_E_NODATA if @len bytes are not a whole instruction; ITRACE_E_UNSUPPORTED for
 * encodings that this build's Zydis is too old for; ITRACE_E_CORRUPT for what is no instruction.
 */
int itrace_insn_decode(const struct itrace_insn_decoder *decoder, uint64_t ip, const uint8_t *bytes,
		       uint64_t len, struct itrace_insn_info *info);

/* True if the trace says where it goes (then it is the last of its block). */
bool itrace_insn_ends_block(enum itrace_insn_class insn_class);

#endif
