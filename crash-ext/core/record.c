// SPDX-License-Identifier: GPL-2.0-or-later
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_lists.h"
#include "record_part.h"
#include "status.h"

#define PAGE_SIZE  4096u
#define MAX_STRIDE (1u << 16) /* of one CPU slot */

/*
 * The section of @type, its numbers checked; NULL if there is none, or none that can be used
 * (which is reported).
 */
static const struct itrace_section *section(const struct itrace_record *record, uint32_t type,
					    uint32_t nr, uint32_t min, const char *name,
					    const struct itrace_problems *problems)
{
	const struct itrace_section *s = record->header.section;
	uint32_t i;

	for (i = 0; i < ITRACE_NR_SECTIONS && s->type != type; i++)
		s++;
	if (i == ITRACE_NR_SECTIONS)
		return NULL;
	if (!s->pa || s->pa % 8 || s->nr != nr || s->stride % 8 || s->stride < min ||
	    s->pa >= ITRACE_PA_LIMIT || s->pa + (uint64_t)nr * s->stride > ITRACE_PA_LIMIT) {
		itrace_problem(problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
			       "corrupt: %s: %u of %u bytes at 0x%llx: left out", name, s->nr,
			       s->stride, (unsigned long long)s->pa);
		return NULL;
	}
	return s;
}

static void clean_machine(struct itrace_machine *machine, const struct itrace_problems *problems)
{
	uint32_t i;

	itrace_part_string(machine->release, sizeof(machine->release));
	itrace_part_string(machine->nodename, sizeof(machine->nodename));
	itrace_part_string(machine->anchor_name, sizeof(machine->anchor_name));
	for (i = 0; i < ITRACE_NR_HOOKS; i++)
		itrace_part_string(machine->hook[i].name, sizeof(machine->hook[i].name));
	if (machine->build_id_len > sizeof(machine->build_id))
		machine->build_id_len = 0;
	if (machine->nr_cpuid > ITRACE_NR_CPUID || machine->nr_hooks > ITRACE_NR_HOOKS) {
		itrace_problem(problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
			       "corrupt: machine part: %u CPUID leaves, %u hooks: left out",
			       machine->nr_cpuid, machine->nr_hooks);
		machine->nr_cpuid = 0;
		machine->nr_hooks = 0;
	}
	if (machine->phys_bits < 32 || machine->phys_bits > 52)
		machine->phys_bits = 0;
}

static int read_machine(struct itrace_record *record, const struct itrace_source *source,
			const struct itrace_problems *problems)
{
	const struct itrace_section *s;
	char why[ITRACE_WHY_LEN] = "not in the record";
	int status = ITRACE_E_NODATA;
	uint8_t *part;
	uint32_t len;

	s = section(record, ITRACE_PART_MACHINE, 1, sizeof(struct itrace_part), "machine part",
		    problems);
	if (s)
		status = itrace_part_read(
			source, s->pa, ITRACE_PART_MACHINE, sizeof(struct itrace_part),
			s->stride < MAX_STRIDE ? s->stride : MAX_STRIDE, &part, &len, why);
	if (status == ITRACE_E_NOMEM)
		return status;
	if (status) {
		itrace_problem(problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
			       "%s: machine part: %s: kernel release, hooks and CPU model unknown",
			       itrace_status_str(status), why);
		return 0;
	}
	itrace_part_copy(&record->machine, sizeof(record->machine), part, len);
	free(part);
	clean_machine(&record->machine, problems);
	record->machine_ok = true;
	return 0;
}

static int read_event(struct itrace_record *record, const struct itrace_source *source,
		      const struct itrace_problems *problems)
{
	struct itrace_event *event = &record->event;
	const struct itrace_section *s;
	char why[ITRACE_WHY_LEN];
	uint8_t *part;
	uint32_t len;
	int status;

	s = section(record, ITRACE_PART_EVENT, 1, sizeof(*event), "event part", problems);
	if (!s)
		return 0;
	status =
		itrace_part_read(source, s->pa, ITRACE_PART_EVENT, sizeof(struct itrace_part),
				 s->stride < MAX_STRIDE ? s->stride : MAX_STRIDE, &part, &len, why);
	if (status == ITRACE_E_NOMEM || status == ITRACE_E_NODATA)
		return status == ITRACE_E_NOMEM ? status : 0;
	if (!status) {
		itrace_part_copy(event, sizeof(*event), part, len);
		free(part);
		if (event->kind == ITRACE_KIND_NONE)
			return 0;
		if (event->first_cpu < record->nr_cpus) {
			if (event->hook >= record->machine.nr_hooks)
				event->hook = ~0u;
			record->event_ok = true;
			return 0;
		}
		snprintf(why, sizeof(why), "CPU %u of %u", event->first_cpu, record->nr_cpus);
		status = ITRACE_E_CORRUPT;
		memset(event, 0, sizeof(*event));
	}
	itrace_problem(problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
		       "%s: event part: %s: only the CPUs tell what stopped the machine",
		       itrace_status_str(status), why);
	return 0;
}

/*
 * A damaged slot costs the position and the registers; the ring is still found if what the slot
 * says of it leads to extents that are whole.
 */
static int read_damaged_slot(struct itrace_record_cpu *cpu, uint32_t index, uint64_t pa,
			     int why_not, const char *why, const struct itrace_source *source,
			     const struct itrace_problems *problems)
{
	struct itrace_cpu raw;
	int status = 0;

	if (why_not == ITRACE_E_CORRUPT && !source->read_phys(source->priv, pa, &raw, sizeof(raw)))
		status = itrace_record_read_extents(cpu, index, &raw, source, problems);
	if (status)
		return status;
	itrace_problem(problems, index, ITRACE_NO_OFFSET, "%s: slot: %s: registers unknown, %s",
		       itrace_status_str(why_not), why,
		       cpu->nr_extents ? "end of the ring searched" : "ring not found");
	return 0;
}

static int read_slot(struct itrace_record *record, uint32_t index, uint64_t pa, uint32_t stride,
		     const struct itrace_source *source, const struct itrace_problems *problems)
{
	struct itrace_record_cpu *cpu = &record->cpu[index];
	char why[ITRACE_WHY_LEN];
	uint8_t *part;
	uint32_t len;
	int status;

	status = itrace_part_read(source, pa, ITRACE_PART_CPU, sizeof(struct itrace_part), stride,
				  &part, &len, why);
	if (status == ITRACE_E_NOMEM)
		return status;
	if (status)
		return read_damaged_slot(cpu, index, pa, status, why, source, problems);
	itrace_part_copy(&cpu->slot, sizeof(cpu->slot), part, len);
	free(part);
	if (cpu->slot.cpu != index) {
		itrace_problem(problems, index, ITRACE_NO_OFFSET,
			       "corrupt: slot says CPU %u: left out", cpu->slot.cpu);
		memset(&cpu->slot, 0, sizeof(cpu->slot));
		return 0;
	}
	itrace_part_string(cpu->slot.comm, sizeof(cpu->slot.comm));
	if (cpu->slot.hook >= record->machine.nr_hooks)
		cpu->slot.hook = ~0u;
	if (cpu->slot.ring_size > ITRACE_RECORD_MAX_RING || cpu->slot.ring_size % PAGE_SIZE) {
		itrace_problem(problems, index, ITRACE_NO_OFFSET,
			       "corrupt: slot says ring of %llu bytes: ring not read",
			       (unsigned long long)cpu->slot.ring_size);
		cpu->slot.valid &= ~ITRACE_V_RING;
		cpu->slot.ring_size = 0;
	}
	cpu->slot_ok = true;
	return itrace_record_read_extents(cpu, index, &cpu->slot, source, problems);
}

static int read_slots(struct itrace_record *record, const struct itrace_source *source,
		      const struct itrace_problems *problems)
{
	const struct itrace_section *s;
	uint32_t i;
	int status;

	s = section(record, ITRACE_PART_CPU, record->header.nr_cpus, sizeof(struct itrace_cpu),
		    "CPU slots", problems);
	if (!s) {
		itrace_problem(problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
			       "corrupt: record without usable CPU slots: no trace can be found");
		return 0;
	}
	record->cpu = calloc(s->nr, sizeof(*record->cpu));
	if (!record->cpu)
		return ITRACE_E_NOMEM;
	record->nr_cpus = s->nr;
	for (i = 0; i < s->nr; i++) {
		status = read_slot(record, i, s->pa + (uint64_t)i * s->stride,
				   s->stride < MAX_STRIDE ? s->stride : MAX_STRIDE, source,
				   problems);
		if (status)
			return status;
	}
	return 0;
}

int itrace_record_init(struct itrace_record *record, const struct itrace_source *source,
		       uint64_t pa, const struct itrace_problems *problems)
{
	char why[ITRACE_RECORD_WHY];
	int status;

	memset(record, 0, sizeof(*record));
	record->pa = pa;
	status = itrace_record_check(source, pa, &record->header, why);
	if (status) {
		itrace_problem(problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET, "%s", why);
		return status;
	}
	status = read_machine(record, source, problems);
	if (!status)
		status = read_slots(record, source, problems);
	if (!status)
		status = read_event(record, source, problems);
	if (!status)
		status = itrace_record_read_modules(record, source,
						    section(record, ITRACE_PART_MODULES, 1,
							    sizeof(struct itrace_modules),
							    "list of modules", problems),
						    problems);
	if (!status)
		status = itrace_record_read_patches(record, source,
						    section(record, ITRACE_PART_PATCHES, 1,
							    sizeof(struct itrace_patches),
							    "log of patched code", problems),
						    problems);
	if (status)
		itrace_record_deinit(record);
	return status;
}

void itrace_record_deinit(struct itrace_record *record)
{
	uint32_t i;

	for (i = 0; i < record->nr_cpus; i++)
		free(record->cpu[i].extent);
	free(record->cpu);
	free(record->module);
	free(record->patch);
	memset(record, 0, sizeof(*record));
}
