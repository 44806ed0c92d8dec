/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine of 1 MiB with a whole record of two CPUs in it, for unit tests of its readers. Written
 * from kernel/include/itrace_abi.h alone. Include once per test, after cmocka.h.
 */
#ifndef ITRACE_RECORD_FIXTURE_H
#define ITRACE_RECORD_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "problem.h"
#include "record.h"
#include "status.h"

#define MEM	0x100000u
#define HEADER	0x10000u
#define MACHINE 0x11000u
#define SLOTS	0x12000u
#define EVENT	0x13000u
#define MODULES 0x14000u
#define PATCHES 0x15000u
#define EXTENTS 0x16000u /* one page per CPU */
#define RINGS	0x80000u

static uint8_t *mem;
static uint64_t filtered;   /* this page is not in the dump */
static char lines[64][256]; /* what was reported: "[cpu N] text" */
static unsigned int nr_lines;

static void *at(uint64_t pa)
{
	return mem + pa;
}

static int read_phys(void *priv, uint64_t pa, void *buf, size_t len)
{
	(void)priv;
	if (pa >= MEM || len > MEM - pa)
		return ITRACE_E_NOTFOUND;
	if (filtered && pa < filtered + 4096 && pa + len > filtered)
		return ITRACE_E_FILTERED;
	memcpy(buf, mem + pa, len);
	return 0;
}

static void report(void *priv, uint32_t cpu, uint64_t offset, const char *text)
{
	(void)priv;
	assert_true(offset == ITRACE_NO_OFFSET);
	assert_true(nr_lines < 64);
	if (cpu == ITRACE_NO_CPU)
		snprintf(lines[nr_lines++], sizeof(lines[0]), "%s", text);
	else
		snprintf(lines[nr_lines++], sizeof(lines[0]), "[cpu %u] %s", cpu, text);
}

static const struct itrace_problems problems = {.report = report};

static void seal(struct itrace_part *part, uint32_t type, uint32_t len)
{
	part->type = type;
	part->len = len;
	part->crc = (uint32_t)crc32(0, (uint8_t *)part + 8, len - 8);
}

static void seal_header(void)
{
	struct itrace_header *header = at(HEADER);

	seal(&header->part, ITRACE_PART_HEADER,
	     sizeof(*header) - offsetof(struct itrace_header, part));
}

static void seal_slot(uint32_t i)
{
	struct itrace_cpu *slot = at(SLOTS + i * ITRACE_CPU_STRIDE);

	seal(&slot->part, ITRACE_PART_CPU, sizeof(*slot));
}

static void section(unsigned int i, uint32_t type, uint32_t nr, uint64_t pa, uint32_t stride)
{
	struct itrace_header *header = at(HEADER);

	header->section[i] = (struct itrace_section){.type = type, .nr = nr, .pa = pa};
	header->section[i].stride = stride;
}

static void make_cpu(uint32_t i)
{
	struct itrace_cpu *slot = at(SLOTS + i * ITRACE_CPU_STRIDE);
	struct itrace_extents *extents = at(EXTENTS + i * 4096);

	slot->cpu = i;
	slot->state = ITRACE_STATE_FROZEN;
	slot->reason = i ? ITRACE_REASON_NMI : ITRACE_REASON_OOPS;
	slot->valid = ITRACE_V_RING | ITRACE_V_CR | ITRACE_V_TASK;
	slot->ring_size = 0x4000;
	slot->extents_pa = EXTENTS + i * 4096;
	slot->extents_len = 4096;
	slot->extents_nr = 2;
	slot->cr3 = 0x2000 + i * 0x1000;
	slot->cr4 = i ? 1ull << 12 : 0;
	slot->pid = 100 + i;
	memcpy(slot->comm, "demo-writer\033[2J", 16);
	slot->hook = i ? ~0u : 1;
	seal_slot(i);
	extents->cpu = i;
	extents->nr = 2;
	extents->extent[0] = (struct itrace_extent){RINGS + i * 0x8000, 0x1000};
	extents->extent[1] = (struct itrace_extent){RINGS + i * 0x8000 + 0x2000, 0x3000};
	seal(&extents->part, ITRACE_PART_EXTENTS, sizeof(*extents) + 2 * 16);
}

static void make_machine(void)
{
	struct itrace_machine *machine = at(MACHINE);

	strcpy(machine->release, "6.12.0-test");
	strcpy(machine->nodename, "node");
	machine->nr_cpuid = 3;
	machine->nr_hooks = 2;
	machine->phys_bits = 40;
	machine->encryption_mask = 1ull << 47;
	strcpy(machine->hook[1].name, "oops_enter");
	seal(&machine->part, ITRACE_PART_MACHINE, sizeof(*machine));
}

static void make_lists(void)
{
	struct itrace_modules *modules = at(MODULES);
	struct itrace_patches *patches = at(PATCHES);
	unsigned int i;

	modules->nr = 2;
	strcpy(modules->module[0].name, "vmlinux");
	strcpy(modules->module[1].name, "itrace");
	modules->module[1].base = 0xffffffffc0000000;
	modules->module[1].size = 0x5000;
	seal(&modules->part, ITRACE_PART_MODULES, sizeof(*modules) + 2 * 96);
	patches->capacity = 4;
	patches->stride = sizeof(struct itrace_patch);
	patches->count = 6;
	patches->lost = 1;
	for (i = 0; i < 6; i++) { /* 0 and 1 are overwritten by 4 and 5 */
		patches->patch[i % 4].tsc = i;
		patches->patch[i % 4].len = 5;
	}
	seal(&patches->part, ITRACE_PART_PATCHES, sizeof(*patches));
}

static int make_record(void **state)
{
	struct itrace_header *header;
	struct itrace_event *event;

	(void)state;
	mem = calloc(1, MEM);
	assert_non_null(mem);
	filtered = 0;
	nr_lines = 0;
	header = at(HEADER);
	memcpy(header->magic, ITRACE_MAGIC, ITRACE_MAGIC_LEN);
	header->major = ITRACE_MAJOR;
	header->nr_cpus = 2;
	header->pa = HEADER;
	header->len = 4096;
	header->generation = 1;
	header->arm_real_ns = 1000;
	section(0, ITRACE_PART_MACHINE, 1, MACHINE, 4096);
	section(1, ITRACE_PART_CPU, 2, SLOTS, ITRACE_CPU_STRIDE);
	section(2, ITRACE_PART_EVENT, 1, EVENT, 4096);
	section(3, ITRACE_PART_MODULES, 1, MODULES, 4096);
	section(4, ITRACE_PART_PATCHES, 1, PATCHES, 4096);
	section(5, 0x12345678, 1, 0x1, 3); /* of a later minor version */
	seal_header();
	make_machine();
	make_cpu(0);
	make_cpu(1);
	make_lists();
	event = at(EVENT);
	event->kind = ITRACE_KIND_FATAL;
	event->reason = ITRACE_REASON_OOPS;
	event->first_cpu = 0;
	event->hook = 1;
	seal(&event->part, ITRACE_PART_EVENT, sizeof(*event));
	return 0;
}

static int free_record(void **state)
{
	(void)state;
	free(mem);
	return 0;
}

#endif
