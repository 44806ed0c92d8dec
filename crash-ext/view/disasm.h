/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One instruction as text: AT&T syntax by Zydis, as crash and objdump show it, with the names of
 * the addresses in it.
 */
#ifndef ITRACE_DISASM_H
#define ITRACE_DISASM_H

#include <stddef.h>
#include <stdint.h>

#include "image.h"
#include "names.h"

struct itrace_disasm;

/* Both must outlive the result. NULL when out of memory. */
struct itrace_disasm *itrace_disasm_create(struct itrace_image *image, struct itrace_names *names);
void itrace_disasm_destroy(struct itrace_disasm *disasm);

/*
 * "mov    0x10(%rax), %rdx"; "(filtered out of the dump)" where the bytes can't be had,
 * "(bad)" where they are no instruction. Into @buf. Returns @buf.
 */
const char *itrace_disasm_format(struct itrace_disasm *disasm, uint64_t ip, char *buf, size_t size);

/*
 * The names and values of the general registers that the instruction's memory operands and its
 * indirect target use, as "rax=0000000000000000 rcx=...", by the values in @gpr (rax, rcx, rdx,
 * rbx, rsp, rbp, rsi, rdi, r8 to r15). Empty if it uses none. Returns @buf.
 */
const char *itrace_disasm_registers(struct itrace_disasm *disasm, uint64_t ip,
				    const uint64_t gpr[16], char *buf, size_t size);

#endif
