// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "notify.h"

#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>

#include "freeze.h"
#include "msr.h"

static bool registered;

static void fill(struct itrace_stop *stop, const struct die_args *args)
{
	stop->hook = ~0u;
	stop->regs = args->regs && !user_mode(args->regs) ? args->regs : NULL;
	stop->error_code = args->err;
	stop->valid = ITRACE_V_ERROR;
	if (args->trapnr) {
		stop->vector = args->trapnr;
		stop->valid |= ITRACE_V_VECTOR;
	}
}

/*
 * A fault of the kernel's own that is about to be looked up in the exception tables (DIE_TRAP), or
 * was not found there (DIE_GPF). die() and die_addr() follow 4,000 to 13,000 instructions later,
 * when texts have been formatted and, after a double fault, printed. Neither is sure: the tables
 * or another notifier may take it. So this CPU alone is stopped. The same for a breakpoint in the
 * kernel that neither text patching nor kprobes know (DIE_INT3): exc_int3() calls die() itself and
 * leaves no trap number in the task.
 */
static noinline void stopped_early(u64 ctl, const struct die_args *args, enum itrace_reason reason)
{
	struct itrace_stop stop = {
		.ctl = ctl,
		.reason = reason,
	};

	fill(&stop, args);
	/* Trap number 0 is a divide error here. */
	stop.vector = args->trapnr;
	stop.valid |= ITRACE_V_VECTOR;
	itrace_freeze_stopped(&stop);
}
NOKPROBE_SYMBOL(stopped_early);

static noinline void oops(const struct die_args *args)
{
	struct itrace_stop stop = {
		.reason = ITRACE_REASON_NOTIFIER,
		.confirmed = true,
	};

	fill(&stop, args);
	if (!itrace_frozen()) {
		stop.ctl = itrace_stop();
		itrace_freeze_stopped(&stop);
	}
	itrace_freeze_complete(&stop);
	itrace_freeze_report();
}

/* Also called for every breakpoint and single step of a debugger. */
static int on_die(struct notifier_block *nb, unsigned long val, void *data)
{
	const struct die_args *args = data;

	if ((val == DIE_GPF || val == DIE_TRAP || val == DIE_INT3) && args->regs &&
	    !user_mode(args->regs))
		stopped_early(itrace_stop(), args,
			      val == DIE_GPF ? ITRACE_REASON_GPF : ITRACE_REASON_DIE);
	else if (val == DIE_OOPS)
		oops(args);
	return NOTIFY_DONE;
}
NOKPROBE_SYMBOL(on_die);

static int on_panic(struct notifier_block *nb, unsigned long val, void *data)
{
	struct itrace_stop stop = {
		.reason = ITRACE_REASON_NOTIFIER,
		.confirmed = true,
		.fatal = true,
		.hook = ~0u,
	};

	if (!itrace_frozen()) {
		stop.ctl = itrace_stop();
		itrace_freeze_stopped(&stop);
	}
	itrace_freeze_report();
	return NOTIFY_DONE;
}

static struct notifier_block die_block = {
	.notifier_call = on_die,
	.priority = INT_MAX,
};

static struct notifier_block panic_block = {
	.notifier_call = on_panic,
	.priority = INT_MAX,
};

int itrace_notify_register(void)
{
	int err;

	err = register_die_notifier(&die_block);
	if (err)
		return err;
	err = atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
	if (err) {
		unregister_die_notifier(&die_block);
		return err;
	}
	registered = true;
	return 0;
}

void itrace_notify_unregister(void)
{
	if (!registered)
		return;
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
	unregister_die_notifier(&die_block);
	registered = false;
}
