// SPDX-License-Identifier: GPL-2.0-or-later
/* clock.c - see clock.h. */
#include "clock.h"

#include <stdatomic.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* A sample this much below the offset means that the machine was paused, not a slow callback. */
#define PAUSE_TICKS (1ll << 31)

static _Atomic int64_t offset = INT64_MIN;

static uint64_t nanoseconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t host_ticks(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	return nanoseconds();
#endif
}

void clock_learn(uint64_t guest_tsc)
{
	int64_t seen = (int64_t)(guest_tsc - host_ticks());
	int64_t old = atomic_load_explicit(&offset, memory_order_relaxed);

	if (seen > old || seen < old - PAUSE_TICKS)
		atomic_store_explicit(&offset, seen, memory_order_relaxed);
}

uint64_t clock_now(void)
{
	int64_t off = atomic_load_explicit(&offset, memory_order_relaxed);

	return host_ticks() + (off == INT64_MIN ? 0 : (uint64_t)off);
}

uint8_t clock_bus_ratio(void)
{
	uint64_t ns = nanoseconds(), ticks = host_ticks(), took;

	do
		took = nanoseconds() - ns;
	while (took < 5000000);
	ticks = (host_ticks() - ticks) * 10 / took; /* 100 MHz: one tick in 10 ns */
	return (uint8_t)(ticks < 1 ? 1 : ticks > 255 ? 255 : ticks);
}
