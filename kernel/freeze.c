// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "freeze.h"

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <asm/nmi.h>
#include <asm/traps.h>
#include <asm/tsc.h>

#include "compat/apic.h"
#include "hook.h"
#include "msr.h"
#include "part.h"
#include "sampler.h"
#include "slot.h"
#include "survive.h"

#define NOBODY	     (-1)
#define NMI_CLAIM_MS 1000

struct freeze_cpu {
	struct itrace_cpu *slot;
	struct itrace_sampler *sampler;
	u32 crc_no_answer;
	unsigned long stopped; /* has written its slot since the last arming */
};

static DEFINE_PER_CPU(struct freeze_cpu, freeze_cpu);
static struct itrace_event *event; /* NULL: not armed */
static atomic_t frozen_by = ATOMIC_INIT(NOBODY);
static atomic_t reported;
static bool panicking;

static unsigned long frozen_caller; /* for the log */

/* The other CPUs, asked by NMI, and when. */
static struct cpumask asked;
static u64 asked_tsc;
static bool asked_any;

/* Writes this CPU's slot, the first time. Interrupts are off. */
static void stop_here(struct itrace_stop *stop)
{
	struct freeze_cpu *f = this_cpu_ptr(&freeze_cpu);
	u64 ctl;

	/* Before interrupts were off the task may have moved here: idempotent where it has not. */
	ctl = itrace_stop();
	if (ctl & ITRACE_CTL_TRACEEN)
		stop->ctl = ctl;
	if (!f->slot)
		return;
	if (xchg(&f->stopped, 1)) {
		/* A general protection fault is told of twice: to the die notifiers, to die_addr().
		 */
		if (stop->reason == ITRACE_REASON_GPF && f->slot->reason == ITRACE_REASON_GPF)
			itrace_slot_complete(f->slot, stop);
		return;
	}
	if (f->slot->state == ITRACE_STATE_YIELDED && !(stop->ctl & ITRACE_CTL_TRACEEN))
		return; /* whoever PT was given to does not use it here */
	if (f->sampler)
		itrace_sampler_kill(f->sampler);
	itrace_slot_freeze(f->slot, stop);
}
NOKPROBE_SYMBOL(stop_here);

static void write_event(struct itrace_event *e, const struct itrace_stop *stop)
{
	const struct itrace_cpu *slot = this_cpu_ptr(&freeze_cpu)->slot;

	itrace_part_begin(&e->part);
	e->kind = ITRACE_KIND_FATAL;
	e->first_cpu = raw_smp_processor_id();
	e->reason = stop->reason;
	e->hook = stop->hook;
	e->tsc = rdtsc();
	frozen_caller = stop->caller_ip;
	if (slot && slot->state == ITRACE_STATE_FROZEN) {
		/* What stopped this CPU may have come earlier than what confirmed it. */
		e->reason = slot->reason;
		e->tsc = slot->tsc;
		e->real_ns = slot->real_ns;
		e->mono_ns = slot->mono_ns;
		e->local_ns = slot->local_ns;
		if (slot->valid & ITRACE_V_HOOK) {
			e->hook = slot->hook;
			frozen_caller = slot->caller_ip;
		}
	}
	itrace_part_end(&e->part, ITRACE_PART_EVENT, sizeof(*e));
}
NOKPROBE_SYMBOL(write_event);

static void stop_others(void)
{
	unsigned int cpu, here = raw_smp_processor_id();

	cpumask_copy(&asked, cpu_online_mask);
	cpumask_clear_cpu(here, &asked);
	if (cpumask_empty(&asked))
		return;
	for_each_cpu(cpu, &asked) {
		struct freeze_cpu *f = per_cpu_ptr(&freeze_cpu, cpu);

		if (f->slot)
			itrace_slot_no_answer(f->slot, f->crc_no_answer);
	}
	asked_tsc = rdtsc();
	smp_store_release(&asked_any, true);
	itrace_send_nmi(&asked);
}
NOKPROBE_SYMBOL(stop_others);

static void freeze(struct itrace_stop *stop)
{
	struct itrace_event *e;
	unsigned long flags;

	raw_local_irq_save(flags);
	if (stop->fatal)
		WRITE_ONCE(panicking, true);
	e = READ_ONCE(event);
	if (e) {
		stop_here(stop);
		if (stop->confirmed &&
		    atomic_cmpxchg(&frozen_by, NOBODY, raw_smp_processor_id()) == NOBODY) {
			write_event(e, stop);
			stop_others();
		}
		itrace_survive_kick();
	}
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(freeze);

void itrace_freeze_stopped(const struct itrace_stop *stop)
{
	struct itrace_stop copy = *stop;

	freeze(&copy);
}
NOKPROBE_SYMBOL(itrace_freeze_stopped);

void itrace_freeze_complete(const struct itrace_stop *stop)
{
	struct freeze_cpu *f = raw_cpu_ptr(&freeze_cpu);

	if (f->slot && f->stopped && !(f->slot->valid & ITRACE_V_REGS))
		itrace_slot_complete(f->slot, stop);
}

/*
 * An NMI that comes after a request may have been merged with ours, or ours with it, so that
 * nobody else would know it: claim what comes within a second.
 */
static noinline int nmi_stopped(u64 ctl, struct pt_regs *regs)
{
	struct itrace_stop stop = {
		.ctl = ctl,
		.reason = ITRACE_REASON_NMI,
		.hook = ~0u,
		.regs = regs,
		.valid = ITRACE_V_VECTOR,
		.vector = X86_TRAP_NMI,
	};

	if (!cpumask_test_cpu(raw_smp_processor_id(), &asked))
		return NMI_DONE;
	stop_here(&stop);
	return rdtsc() - READ_ONCE(asked_tsc) < (u64)tsc_khz * NMI_CLAIM_MS ? NMI_HANDLED
									    : NMI_DONE;
}
NOKPROBE_SYMBOL(nmi_stopped);

/* Every NMI of the machine passes here. */
static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (likely(!smp_load_acquire(&asked_any)))
		return NMI_DONE;
	return nmi_stopped(itrace_stop(), regs);
}
NOKPROBE_SYMBOL(on_nmi);

int __init itrace_freeze_init(const struct itrace_ptcap *cap)
{
	itrace_slot_init(cap);
	return register_nmi_handler(NMI_LOCAL, on_nmi, NMI_FLAG_FIRST, "itrace");
}

void itrace_freeze_deinit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "itrace");
}

void itrace_freeze_arm(struct itrace_event *e)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu_ptr(&freeze_cpu, cpu)->stopped, 0);
	WRITE_ONCE(asked_any, false);
	atomic_set(&reported, 0);
	atomic_set(&frozen_by, NOBODY);
	smp_store_release(&event, e);
}

void itrace_freeze_disarm(void)
{
	unsigned int cpu;

	WRITE_ONCE(event, NULL);
	WRITE_ONCE(asked_any, false);
	for_each_possible_cpu(cpu)
		itrace_freeze_cpu(cpu, NULL, NULL);
	/* The freeze runs with interrupts off, or in an NMI: RCU waits for it. */
	synchronize_rcu();
	atomic_set(&frozen_by, NOBODY);
}

void itrace_freeze_cpu(unsigned int cpu, struct itrace_cpu *slot, struct itrace_sampler *s)
{
	struct freeze_cpu *f = per_cpu_ptr(&freeze_cpu, cpu);

	f->crc_no_answer = slot ? itrace_slot_crc_no_answer(slot) : 0;
	WRITE_ONCE(f->sampler, s);
	smp_store_release(&f->slot, slot);
}

bool itrace_frozen(void)
{
	return atomic_read(&frozen_by) != NOBODY;
}

bool itrace_panicking(void)
{
	return READ_ONCE(panicking);
}

bool itrace_frozen_here(unsigned int cpu)
{
	return READ_ONCE(per_cpu_ptr(&freeze_cpu, cpu)->stopped);
}

static const char *reason_name(u32 reason)
{
	static const char *const names[] = {
		[ITRACE_REASON_NONE] = "none",	       [ITRACE_REASON_OOPS] = "oops",
		[ITRACE_REASON_DIE] = "die",	       [ITRACE_REASON_GPF] = "gpf",
		[ITRACE_REASON_PANIC] = "panic",       [ITRACE_REASON_NMI_PANIC] = "nmi_panic",
		[ITRACE_REASON_NMI] = "nmi",	       [ITRACE_REASON_NOTIFIER] = "notifier",
		[ITRACE_REASON_SNAPSHOT] = "snapshot", [ITRACE_REASON_WARN] = "warn",
	};

	return reason < ARRAY_SIZE(names) ? names[reason] : "?";
}

void itrace_freeze_report(void)
{
	int cpu = atomic_read(&frozen_by);
	const struct itrace_event *e = READ_ONCE(event);

	if (cpu == NOBODY || !e || atomic_xchg(&reported, 1))
		return;
	pr_emerg("frozen cpu=%d reason=%s hook=%s caller=%pS generation=%llu\n", cpu,
		 reason_name(e->reason), itrace_hook_name(e->hook), (void *)frozen_caller,
		 e->generation);
}
