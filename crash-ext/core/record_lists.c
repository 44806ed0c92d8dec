// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_part.h"
#include "status.h"

#define MAX_MODULES_LEN	       (4u << 20) /* 43,000 modules */
#define MAX_EXTENTS_LEN	       (8u << 20) /* 2 GiB in single pages */
#define MAX_PATCHES	       (1u << 20)
#define ITRACE_RECORD_MAX_RING (1ull << 32) /* bytes of one CPU's ring */
#define PAGE_SIZE	       4096u

int itrace_record_read_modules(struct itrace_record *record, const struct itrace_source *source,
			       const struct itrace_section *section,
			       const struct itrace_problems *problems)
{
	uint32_t max, len, nr, i;
	char why[ITRACE_WHY_LEN];
	uint8_t *part;
	int status;

	if (!section)
		return 0;
	max = section->stride < MAX_MODULES_LEN ? section->stride : MAX_MODULES_LEN;
	status = itrace_part_read(source, section->pa, ITRACE_PART_MODULES,
				  sizeof(struct itrace_modules), max, &part, &len, why);
	if (status == ITRACE_E_NOMEM)
		return status;
	if (status) {
		itrace_problem(problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
			       "%s: list of modules: %s: module names left out",
			       itrace_status_str(status), why);
		return 0;
	}
	nr = ((const struct itrace_modules *)part)->nr;
	max = (len - sizeof(struct itrace_modules)) / sizeof(struct itrace_module);
	if (nr > max) {
		itrace_problem(problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
			       "corrupt: list of modules: %u in %u bytes: first %u used", nr, len,
			       max);
		nr = max;
	}
	record->module = calloc(nr ? nr : 1, sizeof(*record->module));
	if (!record->module) {
		free(part);
		return ITRACE_E_NOMEM;
	}
	record->nr_modules = nr;
	memcpy(record->module, part + sizeof(struct itrace_modules), nr * sizeof(*record->module));
	free(part);
	for (i = 0; i < nr; i++) {
		struct itrace_module *module = &record->module[i];

		itrace_part_string(module->name, sizeof(module->name));
		if (module->build_id_len > sizeof(module->build_id))
			module->build_id_len = 0;
		if (module->base + module->size < module->base)
			module->size = 0;
	}
	return 0;
}

/* Entries in the order they were logged; those that can't be are left out. */
static int read_patch_entries(struct itrace_record *record, const struct itrace_source *source,
			      uint64_t pa, const struct itrace_patches *head,
			      const struct itrace_problems *problems)
{
	uint64_t nr = head->count < head->capacity ? head->count : head->capacity;
	uint64_t i, slot;
	uint64_t unread = 0;
	int status;

	record->patch = calloc(nr ? nr : 1, sizeof(*record->patch));
	if (!record->patch)
		return ITRACE_E_NOMEM;
	for (i = 0; i < nr; i++) {
		struct itrace_patch *patch = &record->patch[record->nr_patches];

		slot = (head->count - nr + i) % head->capacity;
		status = source->read_phys(source->priv, pa + slot * head->stride, patch,
					   sizeof(*patch));
		if (status || !patch->len || patch->len > sizeof(patch->before))
			unread++;
		else
			record->nr_patches++;
	}
	if (unread)
		itrace_problem(problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
			       "corrupt: log of patched code: %llu of %llu entries: left out",
			       (unsigned long long)unread, (unsigned long long)nr);
	record->patches_lost = head->lost + (head->count - nr) + unread;
	return 0;
}

int itrace_record_read_patches(struct itrace_record *record, const struct itrace_source *source,
			       const struct itrace_section *section,
			       const struct itrace_problems *problems)
{
	struct itrace_patches head;
	char why[ITRACE_WHY_LEN];
	uint32_t len = 0;
	uint8_t *part;
	uint64_t room;
	int status;

	if (!section)
		return 0;
	/* The part is the head alone: entries follow it, and have no CRC of their own. */
	status = itrace_part_read(source, section->pa, ITRACE_PART_PATCHES, sizeof(head), PAGE_SIZE,
				  &part, &len, why);
	if (status == ITRACE_E_NOMEM)
		return status;
	if (!status) {
		itrace_part_copy(&head, sizeof(head), part, len);
		free(part);
		room = section->stride > len ? section->stride - len : 0;
		if (!head.capacity || head.capacity > MAX_PATCHES ||
		    head.stride < sizeof(struct itrace_patch) ||
		    (uint64_t)head.capacity * head.stride > room) {
			status = ITRACE_E_CORRUPT;
			snprintf(why, sizeof(why), "%u entries of %u bytes in %llu", head.capacity,
				 head.stride, (unsigned long long)room);
		}
	}
	if (status) {
		itrace_problem(problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
			       "%s: log of patched code: %s: code is taken as it is in the dump",
			       itrace_status_str(status), why);
		return 0;
	}
	return read_patch_entries(record, source, section->pa + len, &head, problems);
}

/* Fill @cpu from the entries. Returns 0 or ITRACE_E_CORRUPT with @why. */
static int take_extents(struct itrace_record_cpu *cpu, const struct itrace_extent *extent,
			uint32_t nr, char *why)
{
	uint64_t size = 0;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		if (!extent[i].pa || extent[i].pa % PAGE_SIZE || !extent[i].len ||
		    extent[i].len % PAGE_SIZE || extent[i].pa >= ITRACE_PA_LIMIT ||
		    extent[i].len > ITRACE_RECORD_MAX_RING ||
		    size + extent[i].len > ITRACE_RECORD_MAX_RING) {
			snprintf(why, ITRACE_WHY_LEN, "extent %u of %u: 0x%llx bytes at 0x%llx", i,
				 nr, (unsigned long long)extent[i].len,
				 (unsigned long long)extent[i].pa);
			return ITRACE_E_CORRUPT;
		}
		size += extent[i].len;
	}
	cpu->extent = malloc(nr * sizeof(*cpu->extent));
	if (!cpu->extent)
		return ITRACE_E_NOMEM;
	memcpy(cpu->extent, extent, nr * sizeof(*cpu->extent));
	cpu->nr_extents = nr;
	cpu->ring_size = size;
	return 0;
}

static int check_extents(struct itrace_record_cpu *cpu, uint32_t index,
			 const struct itrace_cpu *slot, const uint8_t *part, uint32_t len,
			 char *why)
{
	const struct itrace_extents *head = (const struct itrace_extents *)part;
	const struct itrace_extent *extent = (const struct itrace_extent *)(part + sizeof(*head));
	int status;

	if (head->cpu != index) {
		snprintf(why, ITRACE_WHY_LEN, "belong to CPU %u", head->cpu);
		return ITRACE_E_CORRUPT;
	}
	if (!head->nr || head->nr > (len - sizeof(*head)) / sizeof(*extent)) {
		snprintf(why, ITRACE_WHY_LEN, "%u in %u bytes", head->nr, len);
		return ITRACE_E_CORRUPT;
	}
	status = take_extents(cpu, extent, head->nr, why);
	if (!status && cpu->slot_ok && cpu->ring_size != slot->ring_size) {
		snprintf(why, ITRACE_WHY_LEN, "%llu bytes, not the ring's %llu",
			 (unsigned long long)cpu->ring_size, (unsigned long long)slot->ring_size);
		free(cpu->extent);
		cpu->extent = NULL;
		cpu->nr_extents = 0;
		cpu->ring_size = 0;
		status = ITRACE_E_CORRUPT;
	}
	return status;
}

int itrace_record_read_extents(struct itrace_record_cpu *cpu, uint32_t index,
			       const struct itrace_cpu *slot, const struct itrace_source *source,
			       const struct itrace_problems *problems)
{
	uint32_t max = slot->extents_len < MAX_EXTENTS_LEN ? slot->extents_len : MAX_EXTENTS_LEN;
	char why[ITRACE_WHY_LEN];
	uint8_t *part;
	uint32_t len;
	int status;

	if (!(slot->valid & ITRACE_V_RING))
		return 0;
	status = itrace_part_read(source, slot->extents_pa, ITRACE_PART_EXTENTS,
				  sizeof(struct itrace_extents), max, &part, &len, why);
	if (!status) {
		status = check_extents(cpu, index, slot, part, len, why);
		free(part);
	}
	if (status == ITRACE_E_NOMEM)
		return status;
	/* Where the slot itself is damaged, that line has been said. */
	if (status && cpu->slot_ok)
		itrace_problem(problems, index, ITRACE_NO_OFFSET,
			       "%s: extents of the ring: %s: ToPA table used",
			       itrace_status_str(status), why);
	return 0;
}
