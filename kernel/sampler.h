/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One CPU's trace: a kernel counter of the intel_pt PMU with a ring of our own.
 *
 * The four functions and their meaning are those of the 2014 perf itrace patch: init, fini,
 * trace (stop, and say which window of the ring to take), output (take it, and go on).
 *
 * The counter gets a perf_buffer that this module filled (layout.h), with no data pages and
 * permanently paused, so that perf only ever touches its AUX part. perf's references to it come
 * and go with the counter's start and stop; the base references are ours and are never dropped,
 * so perf never frees our memory.
 */
#ifndef ITRACE_SAMPLER_H
#define ITRACE_SAMPLER_H

#include "pmu.h"
#include "ring.h"
#include "window.h"

struct itrace_perf_buffer;
struct perf_event;

struct itrace_sampler {
	int cpu;
	struct itrace_ring ring;
	struct perf_event *event; /* NULL: not armed */
	struct itrace_perf_buffer *rb;
	u64 ctl_start;	  /* IA32_RTIT_CTL once started */
	u64 status_start; /* IA32_RTIT_STATUS then */
	u64 base_start;	  /* IA32_RTIT_OUTPUT_BASE then: the first ToPA table */
	u64 mask_start;
	u64 cr4_start;
	struct itrace_ptcap cap;
	struct itrace_window window; /* what trace found for output */
};

/*
 * Arms @cpu, which is online, with a ring of @ring_bytes. In process context; @s is all zero.
 *
 * Returns 0, or, with one line in the log and nothing left behind,
 * -ENOMEM: the ring
 * -EBUSY: PT belongs to another perf user
 * -EIO: the CPU did not start (RTIT_STATUS.Error, VMX operation)
 * or the errno of perf_event_create_kernel_counter()
 */
int itrace_sampler_init(struct itrace_sampler *s, int cpu, const struct itrace_pmu *pmu,
			u64 ring_bytes);

/*
 * Disarms and frees everything; fine on one that was never armed. What perf still refers to,
 * which would be a bug, is leaked with one line rather than freed.
 */
void itrace_sampler_fini(struct itrace_sampler *s);

/* Starts again, from a zeroed ring, after a freeze. Process context; errors as for init. */
int itrace_sampler_restart(struct itrace_sampler *s);

/*
 * Stops the trace and finds the window of the newest @size bytes.
 *
 * Returns the bytes that itrace_sampler_output() will write, 0 when the counter is not active: it
 * was then not stopped. Process context, the CPU online.
 */
size_t itrace_sampler_trace(struct itrace_sampler *s, size_t size);

/*
 * Copies the window, oldest byte first, padded to u64, to @dst, and starts the trace again, at
 * the place where it stopped. Only after itrace_sampler_trace() returned more than 0.
 *
 * Returns the bytes written, 0 when @len is too small: the trace goes on all the same.
 */
size_t itrace_sampler_output(struct itrace_sampler *s, void *dst, size_t len);

/*
 * After a freeze: whatever perf does to the counter from now on, it does not start PT over the
 * frozen ring. Plain stores, from any context.
 */
void itrace_sampler_kill(struct itrace_sampler *s);

#endif
