// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "survive.h"

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/printk.h>
#include <linux/workqueue.h>

#include "arm.h"
#include "freeze.h"

#define SURVIVED_AFTER (2 * HZ)

static void look(struct work_struct *work);
static DECLARE_DELAYED_WORK(look_work, look);

static void look(struct work_struct *work)
{
	if (itrace_panicking())
		return;
	itrace_freeze_report();
	/* An oops that still prints holds its CPU: not over yet. */
	if (oops_in_progress || itrace_arm_again() == -EAGAIN)
		schedule_delayed_work(&look_work, SURVIVED_AFTER);
}

/*
 * Interrupt context, on the CPU that froze, once it takes interrupts: a fatal oops goes to kdump,
 * or dies, with interrupts off and never gets here.
 */
static void on_irq_work(struct irq_work *work)
{
	schedule_delayed_work(&look_work, SURVIVED_AFTER);
}

static struct irq_work kick = IRQ_WORK_INIT_HARD(on_irq_work);

void itrace_survive_kick(void)
{
	irq_work_queue(&kick);
}
NOKPROBE_SYMBOL(itrace_survive_kick);

void itrace_survive_deinit(void)
{
	irq_work_sync(&kick);
	cancel_delayed_work_sync(&look_work);
}
