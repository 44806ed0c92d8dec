// SPDX-License-Identifier: GPL-2.0-or-later
#include "summary.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* Error code of a page fault, SDM 3A 4.7. */
#define PF_PRESENT (1u << 0)
#define PF_WRITE   (1u << 1)
#define PF_FETCH   (1u << 4)

/* preempt_count, include/linux/preempt.h */
#define COUNT_SOFTIRQ 0x0000ff00
#define COUNT_HARDIRQ 0x000f0000
#define COUNT_NMI     0x00f00000

#define VECTOR_PF     14
#define NS_PER_SECOND UINT64_C(1000000000)

static void print_machine(struct itrace_view_out *view)
{
	const struct itrace_record *record = &view->session->record;
	uint64_t up = record->event.mono_ns / NS_PER_SECOND;
	time_t when = record->event.real_ns / NS_PER_SECOND;
	char text[32] = "";
	struct tm tm;

	fprintf(view->out, "itrace  %s%s%s",
		record->machine_ok ? record->machine.release : "(unknown kernel)",
		*record->machine.nodename ? "  " : "", record->machine.nodename);
	if (record->event_ok && record->event.real_ns && gmtime_r(&when, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		fprintf(view->out, "  %s UTC", text);
	if (record->event_ok && record->event.mono_ns) {
		fputs("  up ", view->out);
		if (up >= 86400)
			fprintf(view->out, "%" PRIu64 " day%s ", up / 86400,
				up / 86400 == 1 ? "" : "s");
		fprintf(view->out, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%03" PRIu64,
			up / 3600 % 24, up / 60 % 60, up % 60,
			record->event.mono_ns % NS_PER_SECOND / 1000000);
	}
	fputs("\n\n", view->out);
}

static void print_access(FILE *out, const struct itrace_cpu *slot)
{
	bool has_addr = slot->valid & (ITRACE_V_FAULT_ADDR | ITRACE_V_CR2);
	uint64_t addr = slot->valid & ITRACE_V_FAULT_ADDR ? slot->fault_addr : slot->cr2;
	uint64_t code = slot->valid & ITRACE_V_ERROR ? slot->error_code : 0;

	if (slot->valid & ITRACE_V_VECTOR && slot->vector != VECTOR_PF) {
		if (slot->valid & ITRACE_V_ERROR && code)
			fprintf(out, ", error code 0x%" PRIx64, code);
		return;
	}
	if (!has_addr || !(slot->valid & ITRACE_V_ERROR))
		return;
	fprintf(out, ", %s %016" PRIx64 "%s",
		code & PF_FETCH	  ? "jump to"
		: code & PF_WRITE ? "write to"
				  : "read of",
		addr, code & PF_PRESENT ? " (mapped, not allowed)" : "");
}

static void print_fault(struct itrace_view_out *view, const struct itrace_cpu *slot,
			const struct itrace_story *story)
{
	uint32_t vector = slot->valid & ITRACE_V_VECTOR ? slot->vector : story->vector;
	char name[64], at[320];

	if (vector == ITRACE_NO_VECTOR)
		snprintf(name, sizeof(name), "oops");
	else
		itrace_idt_name(vector, name, sizeof(name));
	fprintf(view->out, "%s", name);
	if (slot->valid & ITRACE_V_REGS || story->kind == ITRACE_MARK_FAULT) {
		uint64_t ip = slot->valid & ITRACE_V_REGS ? slot->regs.ip : story->ip;

		itrace_names_format(view->session->names, ip, at, sizeof(at));
		fprintf(view->out, " at %s", at);
	}
	print_access(view->out, slot);
}

static void print_call(struct itrace_view_out *view, const struct itrace_cpu *slot)
{
	const struct itrace_machine *machine = &view->session->record.machine;
	bool hook = slot->valid & ITRACE_V_HOOK;
	char at[320];

	if (hook && slot->hook < machine->nr_hooks && slot->hook < ITRACE_NR_HOOKS)
		fprintf(view->out, "%s()", machine->hook[slot->hook].name);
	else
		fputs(itrace_reason_str(slot->reason), view->out);
	if (!hook || !slot->caller_ip)
		return;
	itrace_names_format(view->session->names, slot->caller_ip, at, sizeof(at));
	fprintf(view->out, " called by %s", at);
}

static void print_task(struct itrace_view_out *view, const struct itrace_cpu *slot)
{
	fprintf(view->out, "               CPU %" PRIu32, slot->cpu);
	if (slot->valid & ITRACE_V_TASK) {
		uint32_t count = slot->preempt_count;

		fprintf(view->out, ", pid %" PRIu32 " %s%s", slot->pid, slot->comm,
			count & COUNT_NMI	? ", in an NMI"
			: count & COUNT_HARDIRQ ? ", in an interrupt"
			: count & COUNT_SOFTIRQ ? ", in a softirq (or with softirqs off)"
						: "");
	}
	fputc('\n', view->out);
}

static void print_damaged(struct itrace_view_out *view, uint32_t cpu)
{
	const struct itrace_record *record = &view->session->record;

	if (record->event_ok)
		fprintf(view->out, "%s on CPU %" PRIu32 ", whose part of the record is damaged\n",
			itrace_reason_str(record->event.reason), cpu);
	else
		fprintf(view->out, "not known: the record of CPU %" PRIu32 " is damaged\n", cpu);
}

void itrace_summary_header(struct itrace_view_out *view, const struct itrace_story *story)
{
	const struct itrace_session *session = view->session;
	uint32_t cpu = itrace_session_first_cpu(session);
	const struct itrace_cpu *slot = itrace_session_slot(session, cpu);

	if (session->raw) {
		fprintf(view->out, "itrace  raw trace, %" PRIu64 " bytes\n\n",
			view->history->stream.len);
		return;
	}
	print_machine(view);
	fputs("  Stopped by   ", view->out);
	if (!slot) {
		print_damaged(view, cpu);
	} else if (slot->state == ITRACE_STATE_FROZEN) {
		if (itrace_story_is_fault(slot))
			print_fault(view, slot, story);
		else
			print_call(view, slot);
		fputc('\n', view->out);
		print_task(view, slot);
	} else if (slot->state == ITRACE_STATE_ARMED) {
		fputs("nothing that itrace saw: it was still tracing when the dump was made\n",
		      view->out);
	} else {
		fprintf(view->out, "nothing that itrace saw: CPU %" PRIu32 " is %s\n", cpu,
			itrace_state_str(slot->state));
	}
}
