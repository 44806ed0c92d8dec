// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "slot.h"

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/special_insns.h>
#include <asm/tsc.h>

#include "msr.h"
#include "part.h"

#define MSR_FS_BASE_NR 0xc0000100
#define MSR_GS_BASE_NR 0xc0000101

static struct {
	unsigned int nr_filters;
	bool cr3_filter;
	bool tsc_adjust;
	struct itrace_ptcap cap;
	u64 cr3_mask;
} machine __ro_after_init;

void __init itrace_slot_init(const struct itrace_ptcap *cap)
{
	machine.cap = *cap;
	machine.nr_filters = itrace_ptcap_filters(cap);
	machine.cr3_filter = cap->ebx0 & ITRACE_CAP_CR3;
	machine.tsc_adjust = boot_cpu_has(X86_FEATURE_TSC_ADJUST);
	/* PCID, LAM and no-flush bits go; with PTI bit 12 tells the user's half from the kernel's.
	 */
	machine.cr3_mask = GENMASK_ULL(boot_cpu_data.x86_phys_bits - 1, 12);
	if (boot_cpu_has(X86_FEATURE_PTI))
		machine.cr3_mask &= ~BIT_ULL(12);
}

/* SDM 3C 33.2.7.2: the output MSRs are right once TraceEn is clear. */
static void write_trace(struct itrace_cpu *slot, const struct itrace_stop *stop)
{
	unsigned int i;

	slot->ctl_freeze = stop->ctl;
	slot->status[1] = itrace_rdmsr(ITRACE_MSR_RTIT_STATUS);
	slot->output_base[1] = itrace_rdmsr(ITRACE_MSR_OUTPUT_BASE);
	slot->output_mask[1] = itrace_rdmsr(ITRACE_MSR_OUTPUT_MASK);
	slot->valid |= ITRACE_V_POSITION;
	for (i = 0; i < machine.nr_filters; i++) {
		slot->addr[i][0] = itrace_rdmsr(ITRACE_MSR_ADDR0_A + 2 * i);
		slot->addr[i][1] = itrace_rdmsr(ITRACE_MSR_ADDR0_A + 2 * i + 1);
		slot->valid |= ITRACE_V_FILTERS;
	}
	if (machine.cr3_filter)
		slot->cr3_match = itrace_rdmsr(ITRACE_MSR_CR3_MATCH);
}

static void write_clocks(struct itrace_cpu *slot)
{
	slot->tsc = rdtsc();
	slot->mono_ns = ktime_get_mono_fast_ns();
	slot->real_ns = ktime_get_real_fast_ns();
	slot->local_ns = local_clock();
	if (machine.tsc_adjust)
		slot->tsc_adjust = itrace_rdmsr(ITRACE_MSR_TSC_ADJUST);
	slot->valid |= ITRACE_V_CLOCKS;
}

static void write_task(struct itrace_cpu *slot)
{
	const struct task_struct *task = current;
	unsigned int i;

	slot->pid = task->pid;
	slot->tgid = task->tgid;
	for (i = 0; i < sizeof(slot->comm) - 1; i++)
		slot->comm[i] = task->comm[i];
	slot->comm[i] = '\0';
	slot->preempt_count = preempt_count();
	slot->valid |= ITRACE_V_TASK;
}

static void write_system(struct itrace_cpu *slot)
{
	slot->cr3 = __read_cr3() & machine.cr3_mask;
	slot->cr4 = __read_cr4();
	slot->cr2 = read_cr2();
	slot->vmx = itrace_vmx_flags(&machine.cap, slot->cr4);
	slot->valid |= ITRACE_V_CR | ITRACE_V_CR2 | ITRACE_V_VMX;
}

static void write_regs(struct itrace_cpu *slot, const struct pt_regs *r)
{
	struct itrace_regs *to = &slot->regs;

	to->ax = r->ax;
	to->bx = r->bx;
	to->cx = r->cx;
	to->dx = r->dx;
	to->si = r->si;
	to->di = r->di;
	to->bp = r->bp;
	to->sp = r->sp;
	to->r8 = r->r8;
	to->r9 = r->r9;
	to->r10 = r->r10;
	to->r11 = r->r11;
	to->r12 = r->r12;
	to->r13 = r->r13;
	to->r14 = r->r14;
	to->r15 = r->r15;
	to->ip = r->ip;
	to->flags = r->flags;
	to->cs = r->cs & 0xffff; /* with FRED more than the selector lies there */
	to->ss = r->ss & 0xffff;
	to->fs_base = itrace_rdmsr(MSR_FS_BASE_NR);
	to->gs_base = itrace_rdmsr(MSR_GS_BASE_NR);
	slot->valid |= ITRACE_V_REGS;
}

static void write_exception(struct itrace_cpu *slot, const struct itrace_stop *stop)
{
	u64 want = stop->valid & ~slot->valid;

	if (stop->regs && !(slot->valid & ITRACE_V_REGS))
		write_regs(slot, stop->regs);
	if (want & ITRACE_V_VECTOR)
		slot->vector = stop->vector;
	if (want & ITRACE_V_ERROR)
		slot->error_code = stop->error_code;
	if (want & ITRACE_V_FAULT_ADDR)
		slot->fault_addr = stop->fault_addr;
	slot->valid |= want;
}

static void seal(struct itrace_cpu *slot)
{
	itrace_part_end(&slot->part, ITRACE_PART_CPU, sizeof(*slot));
}

void itrace_slot_freeze(struct itrace_cpu *slot, const struct itrace_stop *stop)
{
	itrace_part_begin(&slot->part);
	write_trace(slot, stop);
	write_clocks(slot);
	slot->state = ITRACE_STATE_FROZEN;
	slot->reason = stop->reason;
	slot->hook = stop->hook;
	if (stop->hook_ip) {
		slot->hook_ip = stop->hook_ip;
		slot->caller_ip = stop->caller_ip;
		slot->valid |= ITRACE_V_HOOK;
	}
	write_system(slot);
	write_task(slot);
	write_exception(slot, stop);
	seal(slot);
}
NOKPROBE_SYMBOL(itrace_slot_freeze);

void itrace_slot_complete(struct itrace_cpu *slot, const struct itrace_stop *stop)
{
	itrace_part_begin(&slot->part);
	write_exception(slot, stop);
	seal(slot);
}
NOKPROBE_SYMBOL(itrace_slot_complete);

u32 itrace_slot_crc_no_answer(const struct itrace_cpu *slot)
{
	struct itrace_cpu copy = *slot;

	copy.state = ITRACE_STATE_NO_ANSWER;
	return itrace_part_crc(&copy.part, sizeof(copy));
}

void itrace_slot_no_answer(struct itrace_cpu *slot, u32 crc)
{
	u64 *crc_and_seq = (u64 *)&slot->part; /* its first two members */
	u64 old = READ_ONCE(*crc_and_seq);

	/* An odd sequence number: the CPU itself is writing. */
	if (READ_ONCE(slot->state) != ITRACE_STATE_ARMED || old >> 32 & 1)
		return;
	if (cmpxchg(crc_and_seq, old, (old & ~0xffffffffull) | crc) != old)
		return;
	cmpxchg(&slot->state, ITRACE_STATE_ARMED, ITRACE_STATE_NO_ANSWER);
}
NOKPROBE_SYMBOL(itrace_slot_no_answer);
