// SPDX-License-Identifier: GPL-2.0-only
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#include "load.h"

#define LOAD_WORDS	32
#define LOAD_MAX_ROUNDS 1000000u

struct load {
	struct task_struct *task;
	struct completion done;
	struct hrtimer hard;
	struct hrtimer soft;
	struct tasklet_struct tasklet;
	struct work_struct work;
	unsigned int rounds;
	u32 seed;
	u32 words[LOAD_WORDS];
	unsigned long ticks;
	u32 sink;
};

static DEFINE_PER_CPU(struct load, loads);

typedef u32 (*load_op)(u32 value, u32 seed);

static noinline u32 op_rotate(u32 value, u32 seed)
{
	return value << (seed & 15) | value >> (32 - (seed & 15) - 1);
}

/* As many turns as the data says: long and short runs of one branch. */
static noinline u32 op_collatz(u32 value, u32 seed)
{
	unsigned int turns = 0;

	for (value &= 0xfff; value > 1 && turns < 40; turns++)
		value = value & 1 ? 3 * value + 1 : value / 2;
	return turns ^ seed;
}

static noinline u32 op_recurse(u32 value, u32 seed)
{
	if (!(seed & 0x1f))
		return value;
	value = op_recurse(value + seed, (seed & 0x1f) - 1);
	return value ^ seed;
}

static noinline u32 op_switch(u32 value, u32 seed)
{
	switch (seed % 7) {
	case 0:
		return value + 1;
	case 1:
		return value * 17;
	case 2:
		return op_rotate(value, seed);
	case 3:
		return value ^ 0x55aa55aa;
	case 4:
		return op_collatz(value, seed);
	case 5:
		return ~value;
	default:
		return value - seed;
	}
}

static const load_op load_ops[] = {op_rotate, op_collatz, op_recurse, op_switch};

static u32 load_random(u32 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static int load_compare(const void *a, const void *b)
{
	const u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static void load_round(struct load *load)
{
	char text[64];
	u32 value = load->sink;
	unsigned int i;

	for (i = 0; i < 16; i++) {
		u32 seed = load_random(&load->seed);

		value = load_ops[seed >> 30](value, seed);
		load->words[i * 2 % LOAD_WORDS] = value;
	}
	if (!(load->seed & 7)) {
		sort(load->words, LOAD_WORDS, sizeof(u32), load_compare, NULL);
		snprintf(text, sizeof(text), "%u %08x %s", value, load->seed, "round");
		value += strlen(text);
	}
	WRITE_ONCE(load->sink, value);
}

static int load_thread(void *arg)
{
	struct load *load = arg;
	unsigned int i;

	for (i = 0; i < load->rounds && !kthread_should_stop(); i++) {
		load_round(load);
		if (!(i & 15))
			cond_resched();
	}
	complete_all(&load->done);
	while (!kthread_should_stop()) {
		load_round(load);
		usleep_range(500, 1500);
	}
	return 0;
}

static void load_work(struct work_struct *work)
{
	struct load *load = container_of(work, struct load, work);

	WRITE_ONCE(load->ticks, load->ticks + 1);
}

static void load_tasklet(struct tasklet_struct *tasklet)
{
	struct load *load = from_tasklet(load, tasklet, tasklet);
	u32 seed = jiffies | 1;

	op_switch(load_random(&seed), seed);
	if (!(load->ticks++ & 15))
		schedule_work_on(smp_processor_id(), &load->work);
}

static enum hrtimer_restart load_hard(struct hrtimer *timer)
{
	struct load *load = container_of(timer, struct load, hard);

	tasklet_schedule(&load->tasklet);
	hrtimer_forward_now(timer, ns_to_ktime(2000 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart load_soft(struct hrtimer *timer)
{
	op_recurse(jiffies, jiffies);
	hrtimer_forward_now(timer, ns_to_ktime(5000 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static void load_timer_init(struct hrtimer *timer, enum hrtimer_restart (*fn)(struct hrtimer *),
			    enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = fn;
#endif
}

/* Pinned timers belong to the CPU that starts them: runs there. */
static long load_start_timers(void *arg)
{
	struct load *load = arg;

	hrtimer_start(&load->hard, ns_to_ktime(2000 * NSEC_PER_USEC), HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&load->soft, ns_to_ktime(5000 * NSEC_PER_USEC), HRTIMER_MODE_REL_PINNED_SOFT);
	return 0;
}

int load_start(unsigned int cpu, unsigned int rounds)
{
	struct task_struct *task;
	struct load *load;

	if (cpu >= nr_cpu_ids || !cpu_online(cpu) || !rounds || rounds > LOAD_MAX_ROUNDS)
		return -EINVAL;
	load = per_cpu_ptr(&loads, cpu);
	if (load->task)
		return -EBUSY;
	memset(load, 0, sizeof(*load));
	load->rounds = rounds;
	load->seed = 0x12345 + cpu;
	init_completion(&load->done);
	tasklet_setup(&load->tasklet, load_tasklet);
	INIT_WORK(&load->work, load_work);
	load_timer_init(&load->hard, load_hard, HRTIMER_MODE_REL_PINNED_HARD);
	load_timer_init(&load->soft, load_soft, HRTIMER_MODE_REL_PINNED_SOFT);
	task = kthread_create_on_cpu(load_thread, load, cpu, "itrace_lab/%u");
	if (IS_ERR(task))
		return PTR_ERR(task);
	load->task = task;
	wake_up_process(task);
	return work_on_cpu(cpu, load_start_timers, load);
}

int load_wait(void)
{
	unsigned int cpu;
	int err;

	for_each_possible_cpu(cpu) {
		struct load *load = per_cpu_ptr(&loads, cpu);

		if (!load->task)
			continue;
		err = wait_for_completion_killable(&load->done);
		if (err)
			return -EINTR;
	}
	return 0;
}

void load_stop(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct load *load = per_cpu_ptr(&loads, cpu);

		if (!load->task)
			continue;
		hrtimer_cancel(&load->hard);
		hrtimer_cancel(&load->soft);
		tasklet_kill(&load->tasklet);
		cancel_work_sync(&load->work);
		kthread_stop(load->task);
		load->task = NULL;
	}
}
