// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampler's four functions on the running CPU: make ITRACE_SELFTEST=1 builds this as a module
 * of its own, itrace_selftest.ko, from the sources that itrace.ko is made of. Loading it runs the
 * test, while itrace.ko is not armed: one line per check that fails, one at the end; insmod fails
 * with ENOTRECOVERABLE when one did.
 */
#include "itrace.h"

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "layout.h"
#include "msr.h"
#include "sampler.h"

#define RING_BYTES  (128 << 10)
#define ROUNDS	    20
#define PSB_PATTERN "\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82"

static unsigned int checks, failures;

#define CHECK(cpu, cond)                                                       \
	do {                                                                   \
		checks++;                                                      \
		if (!(cond)) {                                                 \
			failures++;                                            \
			pr_err("selftest: [cpu %u] not so: %s\n", cpu, #cond); \
		}                                                              \
	} while (0)

static void read_ctl(void *ctl)
{
	*(u64 *)ctl = itrace_rdmsr(ITRACE_MSR_RTIT_CTL);
}

static bool traces(unsigned int cpu)
{
	u64 ctl = 0;

	smp_call_function_single(cpu, read_ctl, &ctl, 1);
	return ctl & ITRACE_CTL_TRACEEN;
}

static u8 ring_byte(const struct itrace_sampler *s, u64 at)
{
	at %= RING_BYTES;
	return ((u8 *)s->ring.pages[at / PAGE_SIZE])[at % PAGE_SIZE];
}

static bool has_psb(const u8 *data, size_t len)
{
	size_t i;

	for (i = 0; i + 16 <= len; i++) {
		if (!memcmp(data + i, PSB_PATTERN, 16))
			return true;
	}
	return false;
}

/* Stops, compares the copy with the ring byte by byte, and goes on. */
static void one_window(struct itrace_sampler *s, size_t size, u8 *buf)
{
	size_t want = ALIGN(min_t(size_t, size, RING_BYTES), 8), n, i, wrong = 0;
	u64 from;

	n = itrace_sampler_trace(s, size);
	CHECK(s->cpu, n == want);
	CHECK(s->cpu, !traces(s->cpu));
	from = s->window.to + RING_BYTES - s->window.size;
	/* The copy first, by hand: output starts the trace, which writes on. */
	for (i = 0; i < s->window.size; i++)
		buf[RING_BYTES + i] = ring_byte(s, from + i);
	CHECK(s->cpu, itrace_sampler_output(s, buf, RING_BYTES) == n);
	CHECK(s->cpu, traces(s->cpu));
	for (i = 0; i < s->window.size; i++)
		wrong += buf[i] != buf[RING_BYTES + i];
	CHECK(s->cpu, !wrong);
	if (size >= 16 << 10)
		CHECK(s->cpu, has_psb(buf, n));
}

static void rounds(struct itrace_sampler *s, u8 *buf)
{
	static const size_t sizes[] = {4096, 13, 1, 16 << 10, 64 << 10, RING_BYTES, ~0ul};
	u64 before;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		msleep(20);
		before = s->rb->aux_head;
		one_window(s, sizes[i % ARRAY_SIZE(sizes)], buf);
		CHECK(s->cpu, s->rb->aux_head != before || i == 0);
	}
	/* Too small a buffer: nothing is copied, the trace goes on all the same. */
	CHECK(s->cpu, itrace_sampler_trace(s, 4096) == 4096);
	CHECK(s->cpu, itrace_sampler_output(s, buf, 4095) == 0);
	CHECK(s->cpu, traces(s->cpu));
}

static int one_cpu(unsigned int cpu, const struct itrace_pmu *pmu, u8 *buf)
{
	struct itrace_sampler s = {.cpu = cpu};
	int err;

	itrace_sampler_fini(&s); /* never armed: nothing happens */
	CHECK(cpu, itrace_sampler_trace(&s, 4096) == 0);
	err = itrace_sampler_init(&s, cpu, pmu, RING_BYTES);
	if (err)
		return err;
	rounds(&s, buf);
	itrace_sampler_kill(&s);
	CHECK(cpu, itrace_sampler_trace(&s, 4096) == 0); /* frozen: left alone */
	CHECK(cpu, itrace_sampler_restart(&s) == 0);
	CHECK(cpu, itrace_sampler_trace(&s, 4096) == 4096);
	itrace_sampler_fini(&s);
	CHECK(cpu, !traces(cpu));
	CHECK(cpu, !s.rb && !s.ring.pages);
	itrace_sampler_fini(&s);
	return 0;
}

static int __init selftest_init(void)
{
	struct itrace_pmu pmu;
	unsigned int cpu;
	u8 *buf;
	int err;

	err = itrace_pmu_init(&pmu, RING_BYTES);
	if (!err)
		err = itrace_layout_check();
	if (err)
		return err;
	buf = vmalloc(2 * RING_BYTES);
	if (!buf)
		return -ENOMEM;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		err = one_cpu(cpu, &pmu, buf);
		if (err)
			break;
	}
	cpus_read_unlock();
	vfree(buf);
	pr_info("selftest: %u checks, %u failed\n", checks, failures);
	return err ? err : failures ? -ENOTRECOVERABLE : 0;
}

static void __exit selftest_exit(void)
{
}

module_init(selftest_init);
module_exit(selftest_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("itrace: test of the sampler");
