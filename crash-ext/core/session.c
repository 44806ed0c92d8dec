// SPDX-License-Identifier: GPL-2.0-or-later
#include "session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

/* IA32_RTIT_CTL.MTCFreq, SDM 3C 33.2.8.2. */
#define CTL_DISRETC_SHIFT  11
#define CTL_MTC_FREQ_SHIFT 14
#define CTL_MTC_FREQ_MASK  0xf

static int alloc_histories(struct itrace_session *session, uint32_t nr_cpus)
{
	session->history = calloc(nr_cpus ? nr_cpus : 1, sizeof(*session->history));
	session->names = itrace_names_create(session->source, &session->record);
	if (!session->history || !session->names)
		return ITRACE_E_NOMEM;
	session->nr_cpus = nr_cpus;
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
		session->history[cpu].cpu = cpu;
	return 0;
}

/* The processor signature in CPUID.1:EAX, SDM 2A figure 3-6. */
static void read_signature(struct itrace_session *session, uint32_t eax)
{
	uint32_t family = eax >> 8 & 0xf;

	session->model = eax >> 4 & 0xf;
	if (family == 6 || family == 15)
		session->model |= eax >> 12 & 0xf0;
	session->family = family == 15 ? family + (eax >> 20 & 0xff) : family;
	session->stepping = eax & 0xf;
}

static const struct itrace_cpuid *find_cpuid(const struct itrace_session *session, uint32_t leaf)
{
	const struct itrace_machine *machine = &session->record.machine;

	if (!session->record.machine_ok)
		return NULL;
	for (uint32_t i = 0; i < machine->nr_cpuid && i < ITRACE_NR_CPUID; i++)
		if (machine->cpuid[i].leaf == leaf && !machine->cpuid[i].subleaf)
			return &machine->cpuid[i];
	return NULL;
}

static void read_machine(struct itrace_session *session)
{
	const struct itrace_machine *machine = &session->record.machine;
	const struct itrace_cpuid *cpuid = find_cpuid(session, 1);
	struct itrace_paging paging;
	int err;

	if (cpuid)
		read_signature(session, cpuid->eax);
	if (!session->record.machine_ok || machine->fred || !machine->idt_base ||
	    itrace_record_paging_from(&session->record, itrace_session_first_cpu(session),
				      session->source, &paging))
		return;
	err = itrace_idt_init(&session->idt, session->source, &paging, machine->idt_base,
			      machine->idt_limit);
	if (err && err != ITRACE_E_NODATA)
		itrace_problem(&session->collect.problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
			       "%s: interrupt table at 0x%" PRIx64
			       ": interrupts and faults are shown without their kind",
			       itrace_status_str(err), machine->idt_base);
}

int itrace_session_init(struct itrace_session *session, const struct itrace_source *source)
{
	int err;

	memset(session, 0, sizeof(*session));
	session->source = source;
	itrace_collect_init(&session->collect);
	err = itrace_record_find(&session->record, source, &session->collect.problems,
				 &session->scanned);
	if (err) {
		memset(&session->record, 0, sizeof(session->record));
		return err;
	}
	session->has_record = true;
	err = alloc_histories(session, session->record.nr_cpus);
	if (!err)
		read_machine(session);
	return err;
}

int itrace_session_init_raw(struct itrace_session *session, const void *bytes, uint64_t len,
			    struct itrace_image *image, uint32_t family, uint32_t model,
			    uint32_t stepping)
{
	struct itrace_history *history;
	int err;

	memset(session, 0, sizeof(*session));
	itrace_collect_init(&session->collect);
	session->raw = true;
	session->raw_image = image;
	session->family = family;
	session->model = model;
	session->stepping = stepping;
	err = alloc_histories(session, 1);
	if (err)
		return err;
	history = session->history;
	err = itrace_stream_init_raw(&history->stream, bytes, len);
	history->has_stream = !err;
	return err;
}

void itrace_session_deinit(struct itrace_session *session)
{
	for (uint32_t cpu = 0; cpu < session->nr_cpus; cpu++) {
		itrace_session_release(session, cpu);
		if (session->raw && session->history[cpu].has_stream)
			itrace_stream_deinit(&session->history[cpu].stream);
	}
	free(session->history);
	itrace_names_destroy(session->names);
	itrace_image_destroy(session->raw_image);
	if (session->has_record)
		itrace_record_deinit(&session->record);
	itrace_collect_deinit(&session->collect);
	memset(session, 0, sizeof(*session));
}

/* The code that @history's CPU ran. Returns its image, or NULL with @err set. */
static struct itrace_image *open_image(struct itrace_session *session,
				       struct itrace_history *history, int *err)
{
	struct itrace_paging paging;

	if (session->raw) {
		history->image = session->raw_image;
		return history->image;
	}
	if (itrace_record_paging_from(&session->record, history->cpu, session->source, &paging)) {
		itrace_problem(&session->collect.problems, history->cpu, ITRACE_NO_OFFSET,
			       "no data: page table of this CPU: the code it ran can't be found");
		*err = ITRACE_E_NODATA;
		return NULL;
	}
	history->image = itrace_image_create();
	if (history->image)
		itrace_image_set_paged(history->image, session->source, &paging);
	else
		*err = ITRACE_E_NOMEM;
	return history->image;
}

static void fill_config(struct itrace_session *session, struct itrace_history *history,
			struct itrace_flow_config *config)
{
	const struct itrace_cpu *slot = itrace_session_slot(session, history->cpu);
	const struct itrace_cpuid *ratio = find_cpuid(session, 0x15);

	*config = (struct itrace_flow_config){
		.stream = &history->stream,
		.blocks = history->blocks,
		.cpu = history->cpu,
		.problems = &session->collect.problems,
		.family = session->family,
		.model = session->model,
		.stepping = session->stepping,
	};
	if (slot) {
		config->mtc_freq = slot->ctl_start >> CTL_MTC_FREQ_SHIFT & CTL_MTC_FREQ_MASK;
		config->no_retc = slot->ctl_start >> CTL_DISRETC_SHIFT & 1;
	}
	if (ratio && ratio->eax && ratio->ebx) {
		config->tsc_ctc_num = ratio->ebx;
		config->tsc_ctc_den = ratio->eax;
	}
}

/* A CPU that did not freeze has an end of its own. */
static void say_state(struct itrace_session *session, uint32_t cpu)
{
	const struct itrace_cpu *slot = itrace_session_slot(session, cpu);
	const char *what = NULL;

	if (slot && slot->state == ITRACE_STATE_ARMED)
		what = "still armed: tracing when the dump was made";
	else if (slot && slot->state == ITRACE_STATE_NO_ANSWER)
		what = "no answer: this CPU never stopped";
	if (what)
		itrace_problem(
			&session->collect.problems, cpu, ITRACE_NO_OFFSET,
			"%s: what it wrote until the dump is shown, its end is not the crash",
			what);
}

/* CPUs before Skylake: KVM's VMXON turns PT off, VMXOFF lets the kernel turn it on again. */
static void say_vmx(struct itrace_session *session, uint32_t cpu)
{
	const struct itrace_cpu *slot = itrace_session_slot(session, cpu);

	if (slot && slot->valid & ITRACE_V_VMX && slot->vmx & ITRACE_VMX_ON &&
	    !(slot->vmx & ITRACE_VMX_PT))
		itrace_problem(&session->collect.problems, cpu, ITRACE_NO_OFFSET,
			       "no data: in VMX operation, where PT of this CPU is off: the trace "
			       "ends before that");
}

static void say_no_sync(struct itrace_session *session, const struct itrace_history *history)
{
	const struct itrace_stream *stream = &history->stream;
	uint64_t zeros = 0;

	while (zeros < stream->len && !stream->bytes[zeros])
		zeros++;
	if (stream->len && zeros == stream->len)
		itrace_problem(&session->collect.problems, history->cpu, ITRACE_NO_OFFSET,
			       "no data: all %" PRIu64 " bytes of the ring are zero: nothing was "
			       "recorded",
			       stream->len);
	else
		itrace_problem(&session->collect.problems, history->cpu, ITRACE_NO_OFFSET,
			       "no data: no PSB in %" PRIu64 " bytes: they can't be decoded",
			       stream->len);
}

static int open_trace(struct itrace_session *session, struct itrace_history *history)
{
	struct itrace_flow_config config;
	struct itrace_image *image;
	int err = 0;

	if (!history->has_stream) {
		err = itrace_stream_init(&history->stream, &session->record, history->cpu,
					 session->source, &session->collect.problems);
		if (err)
			return err;
		history->has_stream = true;
	}
	image = open_image(session, history, &err);
	if (!image)
		return err;
	history->blocks = itrace_blocks_create(image);
	if (!history->blocks)
		return ITRACE_E_NOMEM;
	fill_config(session, history, &config);
	say_state(session, history->cpu);
	say_vmx(session, history->cpu);
	err = itrace_trace_create(&config, &history->trace);
	if (err)
		history->trace = NULL;
	if (err == ITRACE_E_NODATA)
		say_no_sync(session, history);
	return err;
}

struct itrace_history *itrace_session_history(struct itrace_session *session, uint32_t cpu)
{
	struct itrace_history *history = &session->history[cpu];

	if (!history->opened) {
		history->status = open_trace(session, history);
		history->opened = true;
	}
	return history;
}

void itrace_session_release(struct itrace_session *session, uint32_t cpu)
{
	struct itrace_history *history = &session->history[cpu];

	itrace_trace_destroy(history->trace);
	itrace_blocks_destroy(history->blocks);
	if (!session->raw)
		itrace_image_destroy(history->image);
	history->trace = NULL;
	history->blocks = NULL;
	history->image = NULL;
	history->opened = false;
	if (!session->raw && history->has_stream) {
		itrace_stream_deinit(&history->stream);
		history->has_stream = false;
	}
}

const struct itrace_cpu *itrace_session_slot(const struct itrace_session *session, uint32_t cpu)
{
	if (session->raw || cpu >= session->nr_cpus || !session->record.cpu[cpu].slot_ok)
		return NULL;
	return &session->record.cpu[cpu].slot;
}

uint32_t itrace_session_first_cpu(const struct itrace_session *session)
{
	const struct itrace_record *record = &session->record;

	if (session->raw)
		return 0;
	if (record->event_ok && record->event.first_cpu < session->nr_cpus)
		return record->event.first_cpu;
	/* Without the event, one that froze by itself did not do it on another's request. */
	for (uint32_t cpu = 0; cpu < session->nr_cpus; cpu++) {
		const struct itrace_cpu *slot = itrace_session_slot(session, cpu);

		if (slot && slot->state == ITRACE_STATE_FROZEN && slot->reason != ITRACE_REASON_NMI)
			return cpu;
	}
	for (uint32_t cpu = 0; cpu < session->nr_cpus; cpu++)
		if (record->cpu[cpu].ring_size)
			return cpu;
	return 0;
}
