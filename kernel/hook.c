// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "hook.h"

#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/traps.h>

#include "compat/ftrace.h"
#include "freeze.h"
#include "msr.h"
#include "symbol.h"

/* How a function's arguments tell about the exception (arch/x86/mm/fault.c, kernel/dumpstack.c) */
enum args {
	ARGS_NONE,
	ARGS_PAGE_FAULT, /* regs, error code, address */
	ARGS_DIE,	 /* text, regs, error code */
	ARGS_DIE_ADDR,	 /* text, regs, error code, address or 0 */
};

enum need {
	NEED_OOPS = 1,
	NEED_PANIC = 2,
};

/*
 * page_fault_oops() may still return, for EFI, KFENCE and BPF arenas: it stops this CPU only, and
 * oops_enter(), which it calls otherwise, the rest.
 */
static struct hook {
	const char *name;
	enum itrace_reason reason;
	enum args args;
	u8 need; /* at least one hook of each need must be there */
	bool confirmed;
	bool fatal;
	bool hooked;
	unsigned long addr;
} hooks[] = {
	{"page_fault_oops", ITRACE_REASON_OOPS, ARGS_PAGE_FAULT, 0, false, false},
	{"oops_enter", ITRACE_REASON_OOPS, ARGS_NONE, NEED_OOPS, true, false},
	{"die", ITRACE_REASON_DIE, ARGS_DIE, NEED_OOPS, true, false},
	{"die_addr", ITRACE_REASON_GPF, ARGS_DIE_ADDR, 0, true, false},
	{"vpanic", ITRACE_REASON_PANIC, ARGS_NONE, NEED_PANIC, true, true},
	{"panic", ITRACE_REASON_PANIC, ARGS_NONE, NEED_PANIC, true, true},
	{"nmi_panic", ITRACE_REASON_NMI_PANIC, ARGS_NONE, 0, true, true},
};

static_assert(ARRAY_SIZE(hooks) <= ITRACE_NR_HOOKS);

/* Registered as a direct caller, or, where that fails, as an ordinary one. */
static struct ftrace_ops direct_ops;
static struct ftrace_ops call_ops;
static struct ftrace_ops *registered;

static unsigned int hook_by_ip(unsigned long ip)
{
	unsigned int i;

	/* The call that ftrace patches in may lie behind an ENDBR64. */
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (hooks[i].addr && ip - hooks[i].addr <= 4)
			return i;
	}
	return ~0u;
}

/* The registers that an exception handler was given lie further up on the stack it runs on. */
static const struct pt_regs *sane_regs(unsigned long regs, unsigned long sp)
{
	bool sane = !(regs & 7) && regs > sp && regs - sp < THREAD_SIZE;

	return sane ? (const struct pt_regs *)regs : NULL;
}

static void read_args(struct itrace_stop *stop, enum args args, const unsigned long arg[4],
		      unsigned long sp)
{
	switch (args) {
	case ARGS_NONE:
		break;
	case ARGS_PAGE_FAULT:
		stop->regs = sane_regs(arg[0], sp);
		stop->error_code = arg[1];
		stop->fault_addr = arg[2];
		stop->vector = X86_TRAP_PF;
		stop->valid = ITRACE_V_ERROR | ITRACE_V_FAULT_ADDR | ITRACE_V_VECTOR;
		break;
	case ARGS_DIE:
	case ARGS_DIE_ADDR:
		stop->regs = sane_regs(arg[1], sp);
		stop->error_code = arg[2];
		stop->vector = current->thread.trap_nr; /* set by all callers in traps.c */
		stop->valid = ITRACE_V_ERROR | ITRACE_V_VECTOR;
		if (args == ARGS_DIE_ADDR && arg[3]) {
			stop->fault_addr = arg[3];
			stop->valid |= ITRACE_V_FAULT_ADDR;
		}
		break;
	}
}

/* The trace of this CPU has stopped: all the rest. @arg NULL: the arguments are not known. */
static noinline void stopped(u64 ctl, unsigned long ip, unsigned long caller_ip,
			     const unsigned long *arg)
{
	struct itrace_stop stop = {
		.ctl = ctl,
		.hook = hook_by_ip(ip),
		.hook_ip = ip,
		.caller_ip = caller_ip,
	};
	const struct hook *hook;

	if (stop.hook == ~0u)
		return;
	hook = &hooks[stop.hook];
	stop.hook_ip = hook->addr;
	stop.reason = hook->reason;
	stop.confirmed = hook->confirmed;
	stop.fatal = hook->fatal;
	if (arg)
		read_args(&stop, hook->args, arg, (unsigned long)__builtin_frame_address(0));
	itrace_freeze_stopped(&stop);
	/*
	 * panic() is about to print and may never come back to a notifier. An oops prints its
	 * registers first; its die notifier reports.
	 */
	if (hook->fatal)
		itrace_freeze_report();
}
NOKPROBE_SYMBOL(stopped);

void itrace_hook_stopped(const struct itrace_hook_frame *f)
{
	const unsigned long arg[4] = {f->di, f->si, f->dx, f->cx};

	stopped((u64)f->ctl_hi << 32 | f->ctl_lo, f->hook_return - MCOUNT_INSN_SIZE, f->caller_ip,
		arg);
}
NOKPROBE_SYMBOL(itrace_hook_stopped);

static void on_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		    struct ftrace_regs *fregs)
{
	stopped(itrace_stop(), ip, parent_ip, NULL);
}
NOKPROBE_SYMBOL(on_call);

/* Sets @ops' filter; names that this kernel can't hook are left out. Returns the needs met. */
static unsigned int set_filter(struct ftrace_ops *ops)
{
	unsigned int i, needs = 0;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		struct hook *hook = &hooks[i];
		if (!hook->addr)
			hook->addr = itrace_symbol(hook->name);
		/* By address: by name ftrace would look up each of its 50,000 places. */
		hook->hooked = hook->addr && !ftrace_set_filter_ip(ops, hook->addr, 0, 0);
		if (hook->hooked)
			needs |= hook->need;
	}
	return needs;
}

int itrace_hook_register(void)
{
	int err = -EOPNOTSUPP;

	itrace_ops_init(&direct_ops, NULL, 0);
	if (set_filter(&direct_ops) != (NEED_OOPS | NEED_PANIC))
		goto err_free_direct;
	err = itrace_register_direct(&direct_ops, (unsigned long)itrace_hook_entry);
	if (!err) {
		registered = &direct_ops;
		return 0;
	}
	ftrace_free_filter(&direct_ops);

	/*
	 * No FTRACE_OPS_FL_RECURSION: ftrace's own guard is some forty instructions ahead of us,
	 * and what we do first may be done any number of times. freeze.c guards the rest.
	 */
	itrace_ops_init(&call_ops, on_call, FTRACE_OPS_FL_PERMANENT);
	set_filter(&call_ops);
	err = register_ftrace_function(&call_ops);
	if (!err) {
		registered = &call_ops;
		return 0;
	}
	ftrace_free_filter(&call_ops);
	goto err_report;

err_free_direct:
	ftrace_free_filter(&direct_ops);
err_report:
	pr_warn("ftrace can't hook the crash path (%d): die and panic notifiers only\n", err);
	return -EOPNOTSUPP;
}

void itrace_hook_unregister(void)
{
	if (registered == &direct_ops) {
		itrace_unregister_direct(&direct_ops, (unsigned long)itrace_hook_entry);
	} else if (registered) {
		unregister_ftrace_function(registered);
		ftrace_free_filter(registered);
	}
	registered = NULL;
}

void itrace_hook_fill(struct itrace_machine *m)
{
	unsigned int i;

	m->nr_hooks = registered ? ARRAY_SIZE(hooks) : 0;
	m->hooks_mode = registered ? ITRACE_HOOKS_FTRACE : ITRACE_HOOKS_NONE;
	for (i = 0; i < m->nr_hooks; i++) {
		m->hook[i].addr = hooks[i].hooked ? hooks[i].addr : 0;
		strscpy(m->hook[i].name, hooks[i].name, sizeof(m->hook[i].name));
	}
}

const char *itrace_hook_name(unsigned int index)
{
	return index < ARRAY_SIZE(hooks) ? hooks[index].name : "none";
}
