/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vcpu.h - one QEMU vCPU: its registers, its callbacks' conditions, and the instructions whose
 * results the plugin changes.
 */
#ifndef ITRACE_LAB_VCPU_H
#define ITRACE_LAB_VCPU_H

#include "cpu.h"
#include "plugin_api.h"

enum reg {
	REG_RAX,
	REG_RBX,
	REG_RCX,
	REG_RDX,
	REG_RIP,
	REG_CS,
	REG_CR0,
	REG_CR3,
	REG_EFER,
	REG_COUNT
};

/* Cells that QEMU looks at, or writes, without calling us. */
struct gates {
	uint64_t kernel; /* blocks of ring 0 are reported */
	uint64_t user;	 /* of ring 3 */
	uint64_t last;	 /* the last instruction of the block was started */
};

enum post { POST_NONE, POST_CPUID, POST_RDMSR, POST_WRMSR, POST_RDTSC, POST_GP };

struct vcpu {
	struct lab_cpu pt; /* first: pt_host's functions get here by a cast */
	GByteArray *bytes;
	bool sync;	/* QEMU raised an exception that is not delivered yet */
	enum post post; /* what to do when the instruction at post_addr has completed */
	uint64_t post_addr;
	uint32_t number; /* MSR, or CPUID leaf */
	uint32_t subleaf;
	uint64_t value; /* WRMSR's */
	uint64_t saved_rcx;
	uint64_t shift; /* user code mapped elsewhere than where it was translated */
};

/* max: vCPUs that there may be. */
void vcpu_init(unsigned int max, const struct pt_options *opt);
/* The vCPU of a callback; starts its files' owner on first use. */
struct vcpu *vcpu_get(unsigned int index);
/* Looks the registers up; in a vCPU's context. */
void vcpu_find_registers(void);
struct plugin_u64 vcpu_gate(size_t offset);
/* A block starts: its last instruction was not started yet. */
void vcpu_block_starts(struct vcpu *v);
extern const struct pt_host vcpu_host;
extern const struct pt_out_mem vcpu_mem;

/* 0 where QEMU can't tell. Only in callbacks that asked for registers. */
uint64_t reg_read(GByteArray *buf, enum reg reg);
void reg_write(GByteArray *buf, enum reg reg, uint64_t val);

/* Before CPUID, RDMSR, WRMSR or RDTSC at addr. */
void special_before(struct vcpu *v, const struct insn *i, uint64_t addr);
/* After it: the next instruction is at nlip. */
void special_after(struct vcpu *v, uint64_t nlip);
/* It raised an exception instead. */
void special_faulted(struct vcpu *v);

#endif
