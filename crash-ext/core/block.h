/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of blocks: code as the walk sees it.
 *
 * A block is a run of instructions from an address up to and including the next one that needs
 * the trace to know where it goes; direct jumps and calls are followed inside. Blocks are found
 * once (Zydis for class and length), linked to their successors, and live as long as the table.
 */
#ifndef ITRACE_BLOCK_H
#define ITRACE_BLOCK_H

#include "image.h"

enum itrace_insn_class {
	ITRACE_INSN_OTHER = 0,
	ITRACE_INSN_JUMP,     /* direct, unconditional */
	ITRACE_INSN_CALL,     /* direct */
	ITRACE_INSN_COND,     /* one TNT bit: Jcc, JCXZ, LOOP */
	ITRACE_INSN_IND_JUMP, /* TIP */
	ITRACE_INSN_IND_CALL, /* TIP */
	ITRACE_INSN_RET,      /* near: TIP or a compressed TNT bit */
	ITRACE_INSN_FAR,     /* IRET, SYSRET, SYSEXIT, SYSCALL, SYSENTER, far jmp/call/ret, ERETS/U,
			      * INT n, INT3, INT1, INTO: TIP, PGD or PGE */
	ITRACE_INSN_MOV_CR3, /* PIP may follow */
	ITRACE_INSN_PTWRITE,
	ITRACE_INSN_WRMSR,
	ITRACE_INSN_VMENTRY,
};

struct itrace_insn {
	uint64_t ip;
	uint8_t size;
	uint8_t insn_class; /* enum itrace_insn_class */
};

struct itrace_block; /* opaque outside of block.c and flow.c */

struct itrace_blocks;

/* @image must outlive the table. NULL when out of memory. */
struct itrace_blocks *itrace_blocks_create(struct itrace_image *image);
void itrace_blocks_destroy(struct itrace_blocks *blocks);

#endif
