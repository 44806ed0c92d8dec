/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * truth.h - what the CPU really did, in files mapped shared: killing QEMU loses nothing.
 *
 * truth.cpuN: 64-byte header {"ITRUTH01", u64 capacity, u64 count, 40 zero bytes}, then a ring of
 * capacity u64, the address of each instruction that completed with PacketEn 1 before and after
 * (and IRET, SYSRET, SYSEXIT that leave to user mode).
 * psb.cpuN: 64-byte header {"ITRPSB01", u64 count, u64 packet bytes that reached memory, 40 zero
 * bytes}, then per PSB {u64 offset of its first byte, u64 index of the next truth entry}.
 * ovf.cpuN: 64-byte header {"ITROVF01", u64 count, 48 zero bytes}, then per injected overflow
 * {u64 offset of the OVF packet, u64 index of the first truth entry that may be missing from the
 * packets, u64 index of the first that is in them again}.
 * raw.cpuN (on request): every packet byte, in order, in a plain file.
 */
#ifndef ITRACE_LAB_TRUTH_H
#define ITRACE_LAB_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

struct mapped {
	uint64_t *base;	   /* NULL: no file */
	uint64_t capacity; /* records */
	uint64_t count;	   /* records ever written */
};

struct truth {
	struct mapped insns;
	struct mapped psbs;
	struct mapped ovfs;
	char *stats; /* TRUTH_STATS_SIZE bytes, blanks and newlines where unused */
	int raw;     /* file descriptor, -1: none */
};

#define TRUTH_STATS_SIZE 2048

/*
 * Creates the files of one CPU in dir, replacing old ones. capacity: truth entries, 1 or more.
 * Returns 0, or -errno with a line on stderr.
 */
int truth_init(struct truth *t, const char *dir, unsigned int cpu, uint64_t capacity, bool raw);

static inline void truth_insn(struct truth *t, uint64_t addr)
{
	struct mapped *m = &t->insns;

	m->base[8 + m->count % m->capacity] = addr;
	m->base[2] = ++m->count;
}

void truth_psb(struct truth *t, uint64_t offset);
void truth_ovf(struct truth *t, uint64_t offset, uint64_t lost_from);
/* bytes: packet bytes that reached memory so far. */
void truth_bytes(struct truth *t, uint64_t bytes);
/* Appends packet bytes to the raw file, if there is one. */
void truth_raw(struct truth *t, const uint8_t *bytes, unsigned int n);
/* Replaces this CPU's part of pt-stats.txt: whole lines, at most TRUTH_STATS_SIZE bytes. */
void truth_stats(struct truth *t, const char *text);

#endif
