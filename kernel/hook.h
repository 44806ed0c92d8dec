/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the crash path enters this module: the functions that a dying kernel calls first.
 *
 * By preference ftrace patches a call to our own entry (hook_entry.S) into them, with nothing
 * between (Documentation/trace/ftrace.rst, "direct" calls): the trace stops seven instructions
 * later. Where that is not to be had - another direct caller, livepatch, an older kernel - an
 * ordinary ftrace_ops does the same some fifty instructions later.
 */
#ifndef ITRACE_HOOK_H
#define ITRACE_HOOK_H

/* What hook_entry.S leaves on the stack; lowest address first. */
struct itrace_hook_frame {
	unsigned long di, si, r8, r9, r10, r11;
	unsigned long ctl_lo, ctl_hi; /* IA32_RTIT_CTL as it was */
	unsigned long dx, cx, ax;
	unsigned long hook_return; /* into the hooked function, behind the call */
	unsigned long caller_ip;   /* the hooked function's own return address */
};

struct itrace_machine;

/*
 * Hooks all functions of the list that this kernel has.
 *
 * Returns 0, or, with one line in the log,
 * -EOPNOTSUPP: not enough of them can be hooked; the notifiers alone remain
 */
int itrace_hook_register(void);

/* No code of this file runs on the crash path any more once this returned. */
void itrace_hook_unregister(void);

/* Fills the hooks of the record's machine part. */
void itrace_hook_fill(struct itrace_machine *m);

/* Name of hook @index, "none" where there is no such. Any context. */
const char *itrace_hook_name(unsigned int index);

/* hook_entry.S, and what it calls. */
void itrace_hook_entry(void);
void itrace_hook_stopped(const struct itrace_hook_frame *frame);

#endif
