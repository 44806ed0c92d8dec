/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - where packet bytes go: ToPA tables or one range, in guest memory.
 *
 * Rests on SDM Vol. 3C, 36.2.6 "Trace Output" (36.2.6.1 single range, 36.2.6.2 ToPA and its
 * errors). Pure: guest memory is reached through two functions of the owner.
 *
 * Bytes gather in a small buffer, as in a CPU, and reach memory when it is full or on a flush; a
 * CPU that never executes the disabling WRMSR leaves its last bytes out of memory.
 */
#ifndef ITRACE_LAB_OUTPUT_H
#define ITRACE_LAB_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PT_OUT_BUF 64

struct pt_out_mem {
	void *owner;
	/* Physical address, bytes; false: not memory. */
	bool (*read)(void *owner, uint64_t pa, void *to, size_t n);
	bool (*write)(void *owner, uint64_t pa, const void *from, size_t n);
};

struct pt_out {
	struct pt_out_mem mem;
	unsigned int maxphyaddr; /* bits */
	bool multi;		 /* model: tables of more than one region (CPUID 14h ECX[1]) */
	bool topa;
	uint64_t base;	      /* IA32_RTIT_OUTPUT_BASE: the current table, or the range */
	uint64_t index;	      /* ToPA: entry in that table */
	uint64_t range_mask;  /* single range: size - 1 */
	uint64_t region;      /* ToPA: physical address of the current region */
	uint64_t region_size; /* bytes */
	bool region_stop;
	bool region_int;
	uint64_t off; /* next byte in the region or the range */
	uint8_t buf[PT_OUT_BUF];
	unsigned int fill;
	uint64_t total; /* bytes that reached memory, ever */
	uint64_t wraps; /* END entries followed to a table already used, or range wraps */
	uint64_t pmis;	/* regions filled that asked for an interrupt, which is unsupported */
	bool error;	/* 36.2.6.2 "ToPA Errors": STATUS.Error, TriggerEn 0 */
	bool stopped;	/* a region with STOP is full: STATUS.Stopped, TriggerEn 0 */
};

/*
 * Takes the output MSRs as TraceEn becomes 1 and reads the first table entry.
 * base, mask: IA32_RTIT_OUTPUT_BASE and IA32_RTIT_OUTPUT_MASK_PTRS. Sets error where they break
 * the rules; nothing is written then.
 */
void pt_out_start(struct pt_out *o, bool topa, uint64_t base, uint64_t mask);
/* The MSRs' values now; exact only after a flush. */
uint64_t pt_out_base(const struct pt_out *o);
uint64_t pt_out_mask(const struct pt_out *o);

void pt_out_write(struct pt_out *o, const uint8_t *bytes, size_t n);
void pt_out_flush(struct pt_out *o);
/* A reset: what had not reached memory is lost. */
void pt_out_drop(struct pt_out *o);

#endif
