/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a ring ends whose write position nobody saved: the machine was still tracing.
 *
 * The newest bytes belong to the PSB with the newest TSC (SDM 3C 33.3.7: TSC is in each PSB+).
 * From there the packets that carry time are followed for as long as they are newer. Behind the
 * last of them newer and older packets can't be told apart, so it is the end: the newest few
 * packets, without MTC up to a PSB period, are given up rather than something wrong be shown.
 */
#ifndef ITRACE_SEAM_H
#define ITRACE_SEAM_H

#include <stdint.h>

/*
 * Pure. @ring has @size bytes, tracing began at @start. Sets *@pos at or before the write position.
 * Returns 0; ITRACE_E_NODATA if there is no PSB; ITRACE_E_UNSUPPORTED if it wrapped and no PSB
 * has a TSC; ITRACE_E_INVALID; ITRACE_E_NOMEM.
 */
int itrace_seam_find(const uint8_t *ring, uint64_t size, uint64_t start, uint64_t *pos);

#endif
