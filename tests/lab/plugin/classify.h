/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * classify.h - what an x86 instruction means for a branch trace.
 *
 * Looks at prefixes, opcode and ModRM only: the length comes from the caller. Pure.
 */
#ifndef ITRACE_LAB_CLASSIFY_H
#define ITRACE_LAB_CLASSIFY_H

#include <stdbool.h>
#include <stdint.h>

enum insn_class {
	CLS_OTHER,    /* next is the following instruction */
	CLS_REP,      /* string instruction with a REP prefix: may come again at its own address */
	CLS_HALT,     /* HLT, MWAIT: next after a wake-up */
	CLS_JCC,      /* Jcc, JCXZ, LOOP: target or following */
	CLS_JMP,      /* near direct */
	CLS_CALL,     /* near direct */
	CLS_JMP_IND,  /* near indirect */
	CLS_CALL_IND, /* near indirect */
	CLS_RET,      /* near */
	CLS_FAR,      /* far branch, IRET, SYSCALL, SYSENTER */
	CLS_FAR_RET,  /* IRET, SYSRET, SYSEXIT: the ways from ring 0 to ring 3 */
	CLS_SOFTINT,  /* INT n, INT3, INTO */
	CLS_ICEBP,    /* INT1: like INT3, but QEMU reports it after the instruction */
	CLS_MOV_CR3,  /* to CR3 */
	CLS_WRMSR,
	CLS_RDMSR,
	CLS_CPUID,
	CLS_RDTSC, /* RDTSC, RDTSCP */
};

struct insn {
	uint64_t addr;
	uint64_t target; /* of CLS_JCC, CLS_JMP, CLS_CALL */
	uint8_t len;	 /* bytes, 1..15 */
	uint8_t cls;	 /* enum insn_class */
	uint8_t cond;	 /* CLS_JCC: the opcode's last byte (7xh, 8xh or E0h..E3h) */
	bool user;	 /* runs at CPL 3 */
	bool mode64;	 /* 64-bit code */
};

/* Fills target, cls and cond of *i from its bytes; addr, len and mode64 must be set. */
void classify(struct insn *i, const uint8_t *bytes);

/*
 * Whether a conditional branch to its own following instruction is taken, where the next address
 * doesn't tell. rcx: after it. *known: false where it hangs on arithmetic flags, which QEMU doesn't
 * show (its eflags register leaves them out); a decoder gets to the same place either way.
 */
bool jcc_to_following(const struct insn *i, uint64_t rcx, bool *known);

#endif
