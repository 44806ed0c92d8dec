/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPU's Intel PT and the kernel's intel_pt PMU.
 */
#ifndef ITRACE_PMU_H
#define ITRACE_PMU_H

#include <linux/perf_event.h>

#include "ptcap.h"

struct itrace_pmu {
	struct itrace_ptcap cap;
	u32 type;   /* perf_event_attr.type */
	u64 config; /* perf_event_attr.config */
};

/*
 * Looks for PT and its PMU, and chooses what to record for rings of @ring_bytes.
 *
 * Returns 0, or, with one line in the log,
 * -ENODEV: the CPU has no PT, or the kernel no intel_pt PMU
 * -EINVAL: the ring is too small for this CPU's synchronization points, or too large for its output
 */
int itrace_pmu_init(struct itrace_pmu *pmu, u64 ring_bytes);

/* Fills @attr for one kernel counter per CPU. */
void itrace_pmu_attr(const struct itrace_pmu *pmu, struct perf_event_attr *attr);

#endif
