/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The freeze: stopping every CPU's trace at the first sign of a crash, and writing down where.
 * docs/crash-path.md tells the order of events and why.
 *
 * On the crash path nothing here takes a lock, allocates, prints or waits for another CPU.
 */
#ifndef ITRACE_FREEZE_H
#define ITRACE_FREEZE_H

#include "itrace.h"
#include "ptcap.h"

struct pt_regs;
struct itrace_sampler;

/* What a stopped CPU knows about why. */
struct itrace_stop {
	u64 ctl; /* IA32_RTIT_CTL as it was found */
	enum itrace_reason reason;
	bool confirmed; /* an oops or a panic for sure: stop the other CPUs too */
	bool fatal;	/* a panic: the machine does not go on */
	u32 hook;	/* index in machine.hook[], or ~0 */
	unsigned long hook_ip;
	unsigned long caller_ip;
	/* Of the exception, as far as the hook's arguments tell. */
	const struct pt_regs *regs; /* NULL: not known */
	u64 valid;		    /* ITRACE_V_ERROR, _VECTOR and _FAULT_ADDR, for the following */
	u64 error_code;
	u64 fault_addr;
	u32 vector;
};

/* Registers the NMI handler. Returns 0 or a negative errno. */
int itrace_freeze_init(const struct itrace_ptcap *cap);
void itrace_freeze_deinit(void);

/*
 * From here on freezes are written: to @event, and to the slots that itrace_freeze_cpu() names.
 * Also the way back to armed after a freeze.
 */
void itrace_freeze_arm(struct itrace_event *event);

/* No freeze is written any more once this returned. */
void itrace_freeze_disarm(void);

/* Where @cpu writes its slot, which is whole by now, and what it traces with; both may be NULL. */
void itrace_freeze_cpu(unsigned int cpu, struct itrace_cpu *slot, struct itrace_sampler *s);

/* This CPU's trace has just been stopped by a hook: the rest of the freeze. */
void itrace_freeze_stopped(const struct itrace_stop *stop);

/* What a notifier knows of this CPU's exception and no hook did; nothing if registers are known. */
void itrace_freeze_complete(const struct itrace_stop *stop);

/* One line about the freeze, once per freeze; nothing if there was none. Prints. */
void itrace_freeze_report(void);

bool itrace_frozen(void);    /* a confirmed freeze has happened since the last arming */
bool itrace_panicking(void); /* a panic has begun: nothing may be armed again */
bool itrace_frozen_here(unsigned int cpu); /* @cpu has stopped, confirmed or not */

#endif
