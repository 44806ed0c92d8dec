// SPDX-License-Identifier: GPL-2.0-only
/*
 * Crashes in other contexts than the caller's: while a soft or hard interrupt
 * is served on the caller's CPU, on CPU 0 as well, or in the next NMI.
 */
#include <linux/atomic.h>
#include <linux/bottom_half.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/panic.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <asm/nmi.h>

#include "crash.h"

static atomic_t meeting;
static bool nmi_registered;

static void lab_tasklet_panic(struct tasklet_struct *tasklet)
{
	panic("itrace_lab: asked for in a soft interrupt");
}

static DECLARE_TASKLET(lab_tasklet, lab_tasklet_panic);

static void crash_panic_softirq(void)
{
	/* It is served where bottom halves are enabled again: on this CPU, over this task. */
	local_bh_disable();
	tasklet_schedule(&lab_tasklet);
	local_bh_enable();
}

static void lab_irq_panic(struct irq_work *work)
{
	panic("itrace_lab: asked for in a hard interrupt");
}

static struct irq_work lab_irq_work = IRQ_WORK_INIT_HARD(lab_irq_panic);

static void crash_panic_hardirq(void)
{
	irq_work_queue(&lab_irq_work);
	irq_work_sync(&lab_irq_work);
}

/* Interrupts off: nothing comes between meeting and crashing but an NMI. */
static int lab_meet(void *unused)
{
	unsigned long flags;

	local_irq_save(flags);
	atomic_inc(&meeting);
	while (atomic_read(&meeting) < 2)
		cpu_relax();
	crash_null_deref();
	local_irq_restore(flags);
	return 0;
}

static void crash_two_oopses(void)
{
	struct task_struct *task = kthread_create_on_cpu(lab_meet, NULL, 0, "itrace_meet/%u");

	if (IS_ERR(task))
		return;
	wake_up_process(task);
	lab_meet(NULL);
}

static int lab_nmi(unsigned int type, struct pt_regs *regs)
{
	crash_null_deref();
	return NMI_HANDLED;
}

static void crash_nmi_oops(void)
{
	if (!nmi_registered)
		nmi_registered = !register_nmi_handler(NMI_LOCAL, lab_nmi, 0, "itrace_lab");
}

void crash_exit(void)
{
	if (nmi_registered)
		unregister_nmi_handler(NMI_LOCAL, "itrace_lab");
}

const struct crash crash_contexts[] = {
	{"panic-softirq", crash_panic_softirq},
	{"panic-hardirq", crash_panic_hardirq},
	{"two-oopses", crash_two_oopses},
	{"nmi-oops", crash_nmi_oops},
	{},
};
