/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session of one CPU whose trace is written down, for units of the views. The code:
 *   alpha  at TEXT:       nop; call beta; nop ...
 *   beta   at TEXT+0x40:  mov 0x10(%rax),%rax (faults)
 * and a page fault at beta, whose handler runs on.
 */
#ifndef FAKE_SESSION_H
#define FAKE_SESSION_H

#include <stdio.h>

#include "fake_trace.h"
#include "options.h"
#include "session.h"
#include "view.h"

#define TEXT	0xffffffff81000000
#define BETA	(TEXT + 0x40)
#define HANDLER (TEXT + 0x80)

static const uint8_t fake_text[0x100] = {
	[0x00] = 0x90,			    /* nop */
	[0x01] = 0xe8, 0x3a, 0,	   0,	 0, /* call beta */
	[0x06] = 0x0f, 0x1f, 0x40, 0x00,    /* nop 0(%rax) */
	[0x40] = 0x48, 0x8b, 0x40, 0x10,    /* mov 0x10(%rax), %rax */
	[0x80] = 0x90, 0x90, 0xf4,	    /* nop; nop; hlt */
};

static const struct itrace_insn fake_insn[] = {
	{TEXT, 1, ITRACE_INSN_OTHER},	     {TEXT + 1, 5, ITRACE_INSN_CALL},
	{HANDLER, 1, ITRACE_INSN_OTHER},     {HANDLER + 1, 1, ITRACE_INSN_OTHER},
	{HANDLER + 2, 1, ITRACE_INSN_OTHER},
};

static const struct itrace_step fake_steps[] = {
	{.type = ITRACE_STEP_RUN, .insn = fake_insn, .nr = 2, .tsc = 1000},
	{.type = ITRACE_STEP_INTERRUPT, .from = BETA, .to = HANDLER, .tsc = 3000},
	{.type = ITRACE_STEP_RUN, .insn = fake_insn + 2, .nr = 3, .tsc = 3000},
	{.type = ITRACE_STEP_DISABLED, .from = HANDLER + 3, .tsc = 3000},
};

static struct itrace_trace fake_trace = {.step = fake_steps, .nr = 4};
static struct itrace_record_cpu fake_cpu;
static struct itrace_history fake_history;
static struct itrace_session fake_session;
static struct itrace_options fake_options;

static int fake_symbol(void *priv, uint64_t addr, char *name, size_t size, char *module,
		       size_t module_size, uint64_t *start)
{
	(void)priv;
	if (addr < TEXT || addr >= TEXT + 0x100)
		return ITRACE_E_NOTFOUND;
	*start = addr & ~0x3full;
	snprintf(name, size, "%s", *start == TEXT ? "alpha" : *start == BETA ? "beta" : "handler");
	snprintf(module, module_size, "%s", *start == BETA ? "demo" : "");
	return 0;
}

static const struct itrace_source fake_source = {.symbol = fake_symbol};

struct itrace_history *itrace_session_history(struct itrace_session *session, uint32_t cpu)
{
	(void)cpu;
	return session->history;
}

void itrace_session_release(struct itrace_session *session, uint32_t cpu)
{
	(void)session;
	(void)cpu;
}

uint32_t itrace_session_first_cpu(const struct itrace_session *session)
{
	(void)session;
	return 0;
}

const struct itrace_cpu *itrace_session_slot(const struct itrace_session *session, uint32_t cpu)
{
	return cpu < session->nr_cpus && session->record.cpu[cpu].slot_ok
		       ? &session->record.cpu[cpu].slot
		       : NULL;
}

static void fake_slot(struct itrace_cpu *slot)
{
	*slot = (struct itrace_cpu){
		.state = ITRACE_STATE_FROZEN,
		.reason = ITRACE_REASON_OOPS,
		.valid = ITRACE_V_REGS | ITRACE_V_VECTOR | ITRACE_V_ERROR | ITRACE_V_FAULT_ADDR |
			 ITRACE_V_TASK,
		.vector = 14,
		.fault_addr = 0x10,
		.pid = 214,
		.comm = "writer",
		.regs.ip = BETA,
	};
}

static int fake_session_setup(void **state)
{
	struct itrace_record *record = &fake_session.record;

	(void)state;
	memset(&fake_session, 0, sizeof(fake_session));
	memset(&fake_history, 0, sizeof(fake_history));
	memset(&fake_options, 0, sizeof(fake_options));
	fake_options.cpu = ITRACE_ANY_CPU;
	fake_slot(&fake_cpu.slot);
	fake_cpu.slot_ok = true;
	itrace_collect_init(&fake_session.collect);
	fake_session.source = &fake_source;
	fake_session.nr_cpus = 1;
	fake_session.history = &fake_history;
	record->cpu = &fake_cpu;
	record->nr_cpus = 1;
	record->machine_ok = record->event_ok = true;
	record->machine.tsc_khz = 1000000;
	strcpy(record->machine.release, "6.12.1-test");
	strcpy(record->machine.nodename, "web-17");
	record->event.real_ns = 1796026674123456789;
	record->event.mono_ns = 94269417000000;
	fake_session.idt.known = true;
	fake_session.idt.handler[14] = HANDLER;
	fake_session.names = itrace_names_create(&fake_source, record);
	fake_history.image = itrace_image_create();
	fake_history.trace = &fake_trace;
	fake_history.opened = true;
	return itrace_image_add(fake_history.image, TEXT, fake_text, sizeof(fake_text));
}

static int fake_session_teardown(void **state)
{
	(void)state;
	itrace_names_destroy(fake_session.names);
	itrace_image_destroy(fake_history.image);
	itrace_collect_deinit(&fake_session.collect);
	return 0;
}

#endif
