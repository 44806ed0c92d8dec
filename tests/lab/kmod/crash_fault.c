// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/panic.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "crash.h"

/* Bits 63 to 47 are not all alike: not an address at all. */
static unsigned long lab_wild = 0xdead4ead00000010;
static unsigned int lab_zero;
static u8 lab_data[16] = {0x90, 0x90, 0xc3}; /* would return, could it be executed */
static unsigned int lab_overrun = 40;

static void crash_gpf(void)
{
	const unsigned long *wild = (const unsigned long *)READ_ONCE(lab_wild);

	pr_info("itrace_lab: survived a wild pointer: %lu\n", READ_ONCE(*wild));
}

static void crash_bug(void)
{
	BUG_ON(!READ_ONCE(lab_zero));
}

static void crash_divide(void)
{
	unsigned int low = 100, high = 0;

	/* By hand: a compiler may turn a division by 0 into anything. */
	asm volatile("divl %2" : "+a"(low), "+d"(high) : "r"(READ_ONCE(lab_zero)) : "cc");
	pr_info("itrace_lab: survived a division: %u\n", low);
}

static void crash_int3(void)
{
	asm volatile("int3");
}

static noinline unsigned int lab_recurse(unsigned int depth)
{
	volatile u8 frame[256];

	frame[depth % sizeof(frame)] = depth;
	if (!depth)
		return 0;
	return lab_recurse(depth - 1) + frame[depth % sizeof(frame)];
}

static void crash_stack_overflow(void)
{
	pr_info("itrace_lab: survived recursion: %u\n", lab_recurse(~READ_ONCE(lab_zero)));
}

static void crash_nx_jump(void)
{
	void (*function)(void) = (void (*)(void))lab_data;

	OPTIMIZER_HIDE_VAR(function);
	function();
}

/* The array's end and, behind it, the stack protector's word. */
static noinline void lab_smash(unsigned int n)
{
	u8 frame[32];
	volatile u8 *byte = frame;
	unsigned int i;

	for (i = 0; i < n; i++)
		byte[i] = 0x5a;
}

static void crash_stack_smash(void)
{
	lab_smash(READ_ONCE(lab_overrun));
}

static void crash_panic(void)
{
	panic("itrace_lab: asked for in a process");
}

static void crash_warn(void)
{
	WARN_ON(!READ_ONCE(lab_zero));
}

static void crash_soft_lockup(void)
{
	preempt_disable();
	while (!READ_ONCE(lab_zero))
		cpu_relax();
	preempt_enable();
}

static void crash_hung_task(void)
{
	while (!READ_ONCE(lab_zero)) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule();
	}
}

const struct crash crash_faults[] = {
	{"null-deref", crash_null_deref},
	{"gpf", crash_gpf},
	{"bug", crash_bug},
	{"divide", crash_divide},
	{"int3", crash_int3},
	{"stack-overflow", crash_stack_overflow},
	{"nx-jump", crash_nx_jump},
	{"stack-smash", crash_stack_smash},
	{"panic", crash_panic},
	{"warn", crash_warn},
	{"soft-lockup", crash_soft_lockup},
	{"hung-task", crash_hung_task},
	{},
};
