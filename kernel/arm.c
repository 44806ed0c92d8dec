// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "arm.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>

#include "freeze.h"
#include "hook.h"
#include "notify.h"
#include "patchlog.h"
#include "record.h"
#include "sampler.h"

#define RING_KIB_MIN 8
#define RING_KIB_MAX (1 << 20)

static DEFINE_MUTEX(lock);
static enum itrace_mode mode = ITRACE_MODE_OFF; /* never FROZEN: that is itrace_frozen()'s */
static unsigned int ring_kib;
static bool use_hooks;
static struct itrace_rec rec;
static struct itrace_pmu pmu;
static u64 generation;
static int online_state; /* of the CPU hotplug callbacks */
static bool arming;	 /* a CPU that fails then fails the arming, else only itself */
static DEFINE_PER_CPU(struct itrace_sampler, samplers);

static void set_slot(unsigned int cpu, enum itrace_state state, struct itrace_sampler *s)
{
	itrace_rec_cpu(&rec, cpu, state, s);
	itrace_freeze_cpu(cpu, itrace_rec_slot(&rec, cpu), s);
}

/* On the CPU itself, in its hotplug thread: at arm for each CPU, later when it comes. */
static int cpu_online_callback(unsigned int cpu)
{
	struct itrace_sampler *s = per_cpu_ptr(&samplers, cpu);
	int err;

	err = itrace_sampler_init(s, cpu, &pmu, (u64)ring_kib << 10);
	if (err)
		return arming ? err : 0;
	set_slot(cpu, ITRACE_STATE_ARMED, s);
	return 0;
}

static int cpu_offline_callback(unsigned int cpu)
{
	/* The slot first: nothing may refer to the ring once it is freed. */
	set_slot(cpu, ITRACE_STATE_OFFLINE, NULL);
	itrace_sampler_fini(per_cpu_ptr(&samplers, cpu));
	return 0;
}

static int start_cpus(void)
{
	int state;

	arming = true;
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "itrace:online", cpu_online_callback,
				  cpu_offline_callback);
	arming = false;
	if (state < 0)
		return state;
	online_state = state;
	return 0;
}

static void set_all_slots(enum itrace_state state)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		set_slot(cpu, state, NULL);
}

static void log_armed(void)
{
	pr_info("record v%u pa=0x%llx len=%llu boot=%s\n", ITRACE_MAJOR, rec.header->pa,
		rec.header->len, itrace_boot_id_text());
}

static int register_hooks(void)
{
	itrace_hook_register(); /* where that fails, and says so, the notifiers remain */
	return itrace_notify_register();
}

static void unregister_hooks(void)
{
	itrace_notify_unregister();
	itrace_hook_unregister();
}

static int arm_from_off(void)
{
	int err;

	err = itrace_pmu_init(&pmu, (u64)ring_kib << 10);
	if (err)
		return err;
	err = itrace_rec_init(&rec);
	if (err)
		return err;
	itrace_patchlog_start(&rec.patches);
	err = use_hooks ? register_hooks() : 0;
	if (err)
		goto err_patchlog;
	itrace_rec_arm(&rec, ++generation);
	set_all_slots(ITRACE_STATE_OFFLINE);
	itrace_freeze_arm(rec.event);
	err = start_cpus();
	if (!err)
		return 0;

	unregister_hooks();
	itrace_freeze_disarm();
err_patchlog:
	itrace_patchlog_stop();
	itrace_rec_deinit(&rec);
	return err;
}

static int arm_from_yielded(void)
{
	int err;

	itrace_rec_arm(&rec, ++generation);
	set_all_slots(ITRACE_STATE_OFFLINE);
	itrace_freeze_arm(rec.event);
	err = start_cpus();
	if (err)
		set_all_slots(ITRACE_STATE_YIELDED);
	return err;
}

/* Starts again what stopped: after a confirmed freeze all CPUs, else those that stopped alone. */
static void arm_from_frozen(void)
{
	bool all = itrace_frozen();
	unsigned int cpu;

	cpus_read_lock();
	if (all)
		itrace_rec_arm(&rec, ++generation);
	for_each_online_cpu(cpu) {
		struct itrace_sampler *s = per_cpu_ptr(&samplers, cpu);

		if (!s->event || !(all || itrace_frozen_here(cpu)))
			continue;
		if (itrace_sampler_restart(s))
			set_slot(cpu, ITRACE_STATE_OFF, NULL);
		else
			set_slot(cpu, ITRACE_STATE_ARMED, s);
		if (!all)
			pr_info("[cpu %u] stopped by a page fault that was handled: armed again\n",
				cpu);
	}
	itrace_freeze_arm(rec.event);
	cpus_read_unlock();
	if (all) {
		pr_warn("the machine survived; armed again, what was frozen is given up\n");
		log_armed();
	}
}

int itrace_arm(void)
{
	int err = 0;

	mutex_lock(&lock);
	if (itrace_panicking()) {
		err = -EBUSY;
	} else if (mode == ITRACE_MODE_ARMED) {
		if (itrace_frozen())
			arm_from_frozen();
	} else {
		err = mode == ITRACE_MODE_OFF ? arm_from_off() : arm_from_yielded();
		if (!err) {
			mode = ITRACE_MODE_ARMED;
			log_armed();
		}
	}
	mutex_unlock(&lock);
	return err;
}

int itrace_arm_again(void)
{
	if (!mutex_trylock(&lock))
		return -EAGAIN;
	if (mode == ITRACE_MODE_ARMED) {
		arm_from_frozen();
	} else if (mode == ITRACE_MODE_YIELDED) {
		itrace_rec_arm(&rec, ++generation);
		set_all_slots(ITRACE_STATE_YIELDED);
		itrace_freeze_arm(rec.event);
	}
	mutex_unlock(&lock);
	return 0;
}

int itrace_disarm(void)
{
	mutex_lock(&lock);
	if (mode == ITRACE_MODE_OFF)
		goto out;
	unregister_hooks();
	itrace_freeze_disarm();
	if (mode == ITRACE_MODE_ARMED)
		cpuhp_remove_state(online_state);
	itrace_patchlog_stop();
	itrace_rec_deinit(&rec);
	mode = ITRACE_MODE_OFF;
	pr_info("off\n");
out:
	mutex_unlock(&lock);
	return 0;
}

int itrace_yield(void)
{
	int err = -EINVAL;

	mutex_lock(&lock);
	if (mode == ITRACE_MODE_YIELDED)
		err = 0;
	if (mode != ITRACE_MODE_ARMED)
		goto out;
	cpuhp_remove_state(online_state);
	set_all_slots(ITRACE_STATE_YIELDED);
	mode = ITRACE_MODE_YIELDED;
	pr_info("intel_pt yielded: take it back with: echo arm > /sys/kernel/itrace/state\n");
	err = 0;
out:
	mutex_unlock(&lock);
	return err;
}

enum itrace_mode itrace_mode(void)
{
	return mode == ITRACE_MODE_ARMED && itrace_frozen() ? ITRACE_MODE_FROZEN : mode;
}

void itrace_arm_record(u64 *pa, u64 *len)
{
	mutex_lock(&lock);
	*pa = mode == ITRACE_MODE_OFF ? 0 : rec.header->pa;
	*len = mode == ITRACE_MODE_OFF ? 0 : rec.header->len;
	mutex_unlock(&lock);
}

unsigned int itrace_ring_kib(void)
{
	return ring_kib;
}

int itrace_set_ring_kib(unsigned int kib)
{
	int err = 0;

	if (!is_power_of_2(kib) || kib < RING_KIB_MIN || kib > RING_KIB_MAX)
		return -EINVAL;
	mutex_lock(&lock);
	if (mode == ITRACE_MODE_OFF)
		ring_kib = kib;
	else
		err = -EBUSY;
	mutex_unlock(&lock);
	return err;
}

/* The record's list follows what is loaded and unloaded. */
static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	if (data == THIS_MODULE)
		return NOTIFY_DONE;
	mutex_lock(&lock);
	if (mode != ITRACE_MODE_OFF)
		itrace_rec_modules(&rec);
	mutex_unlock(&lock);
	return NOTIFY_DONE;
}

static struct notifier_block module_block = {
	.notifier_call = on_module,
};

int __init itrace_arm_init(bool hooks)
{
	use_hooks = hooks;
	return register_module_notifier(&module_block);
}

void itrace_arm_deinit(void)
{
	itrace_disarm();
	unregister_module_notifier(&module_block);
}
