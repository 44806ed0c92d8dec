// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "record.h"

#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <asm/tsc.h>

#include "compat/headers.h"
#include "fileio.h"
#include "freeze.h"
#include "hook.h"
#include "msr.h"
#include "part.h"
#include "patchlog.h"
#include "sampler.h"

u64 itrace_record;

#define BOOT_ID_PATH  "/proc/sys/kernel/random/boot_id"
#define MODULES_SLACK 64 /* more than at arm time: what is loaded later */

/* Offsets in the record's first page. */
#define MACHINE_AT 512
#define EVENT_AT   2048

static_assert(sizeof(struct itrace_header) <= MACHINE_AT);
static_assert(MACHINE_AT + sizeof(struct itrace_machine) <= EVENT_AT);
static_assert(EVENT_AT + sizeof(struct itrace_event) <= 4096);
static_assert(sizeof(struct itrace_cpu) <= ITRACE_CPU_STRIDE);

static char boot_id[37];

const char *itrace_boot_id_text(void)
{
	if (!boot_id[0] && itrace_file_read(BOOT_ID_PATH, boot_id, 36) != 36)
		boot_id[0] = '\0';
	return boot_id;
}

static void boot_id_bytes(u8 id[16])
{
	const char *text = itrace_boot_id_text();
	unsigned int n = 0;

	while (text[0] && text[1] && n < 16) {
		if (*text == '-') {
			text++;
			continue;
		}
		if (hex2bin(&id[n++], text, 1))
			break;
		text += 2;
	}
}

static void add_section(struct itrace_header *h, unsigned int i, u32 type, u32 nr, u64 pa,
			u32 stride)
{
	h->section[i].type = type;
	h->section[i].nr = nr;
	h->section[i].pa = pa;
	h->section[i].stride = stride;
}

static void fill_header(struct itrace_rec *rec)
{
	struct itrace_header *h = rec->header;

	memcpy(h->magic, ITRACE_MAGIC, ITRACE_MAGIC_LEN);
	h->major = ITRACE_MAJOR;
	h->minor = ITRACE_MINOR;
	h->nr_cpus = rec->nr_cpus;
	h->flags = ITRACE_F_OWN | ITRACE_F_NO_RETC;
	h->pa = rec->head.pa;
	h->len = rec->head.len;
	boot_id_bytes(h->boot_id);
	add_section(h, 0, ITRACE_PART_MACHINE, 1, rec->head.pa + MACHINE_AT,
		    sizeof(struct itrace_machine));
	add_section(h, 1, ITRACE_PART_EVENT, 1, rec->head.pa + EVENT_AT,
		    sizeof(struct itrace_event));
	add_section(h, 2, ITRACE_PART_CPU, rec->nr_cpus, rec->slots.pa, ITRACE_CPU_STRIDE);
	add_section(h, 3, ITRACE_PART_MODULES, 1, rec->modules.pa, rec->modules.len);
	if (itrace_patchlog_active()) {
		h->flags |= ITRACE_F_PATCH_LOG;
		add_section(h, 4, ITRACE_PART_PATCHES, 1, rec->patches.pa, rec->patches.len);
	}
}

int itrace_rec_init(struct itrace_rec *rec)
{
	size_t modules = sizeof(struct itrace_modules) +
			 (itrace_modules_count() + MODULES_SLACK) * sizeof(struct itrace_module);

	rec->nr_cpus = nr_cpu_ids;
	rec->extents = kvcalloc(rec->nr_cpus, sizeof(*rec->extents), GFP_KERNEL);
	if (!rec->extents || itrace_piece_create(&rec->head, PAGE_SIZE, NUMA_NO_NODE) ||
	    itrace_piece_create(&rec->slots, (size_t)rec->nr_cpus * ITRACE_CPU_STRIDE,
				NUMA_NO_NODE) ||
	    itrace_piece_create(&rec->modules, modules, NUMA_NO_NODE) ||
	    itrace_piece_create(&rec->patches, ITRACE_PATCHLOG_BYTES, NUMA_NO_NODE)) {
		pr_err("no memory for the record: %u slots of %u bytes\n", rec->nr_cpus,
		       ITRACE_CPU_STRIDE);
		itrace_rec_deinit(rec);
		return -ENOMEM;
	}
	rec->header = rec->head.va;
	rec->machine = rec->head.va + MACHINE_AT;
	rec->event = rec->head.va + EVENT_AT;
	return 0;
}

void itrace_rec_deinit(struct itrace_rec *rec)
{
	unsigned int cpu;

	WRITE_ONCE(itrace_record, 0);
	/* Whoever scans memory for records must not find this one again. */
	if (rec->head.va)
		memset(rec->head.va, 0, rec->head.len);
	for (cpu = 0; rec->extents && cpu < rec->nr_cpus; cpu++)
		itrace_piece_destroy(&rec->extents[cpu]);
	kvfree(rec->extents);
	rec->extents = NULL;
	itrace_piece_destroy(&rec->patches);
	itrace_piece_destroy(&rec->modules);
	itrace_piece_destroy(&rec->slots);
	itrace_piece_destroy(&rec->head);
}

void itrace_rec_arm(struct itrace_rec *rec, u64 generation)
{
	struct itrace_header *h = rec->header;

	itrace_part_begin(&rec->machine->part);
	itrace_machine_fill(rec->machine);
	itrace_hook_fill(rec->machine);
	itrace_part_end(&rec->machine->part, ITRACE_PART_MACHINE, sizeof(*rec->machine));

	itrace_rec_modules(rec);

	itrace_part_begin(&rec->event->part);
	memset_after(rec->event, 0, part);
	rec->event->generation = generation;
	itrace_part_end(&rec->event->part, ITRACE_PART_EVENT, sizeof(*rec->event));

	itrace_part_begin(&h->part);
	fill_header(rec);
	h->generation = generation;
	h->arm_tsc = rdtsc();
	h->arm_mono_ns = ktime_get_ns();
	h->arm_real_ns = ktime_get_real_ns();
	/* The header's CRC lies behind the magic and covers what follows its first 8 bytes. */
	itrace_part_end(&h->part, ITRACE_PART_HEADER,
			sizeof(*h) - offsetof(struct itrace_header, part));
	WRITE_ONCE(itrace_record, rec->head.pa);
}

/* Describes @s's ring; the slot is being written. */
static int fill_ring(struct itrace_rec *rec, struct itrace_cpu *slot,
		     const struct itrace_sampler *s)
{
	struct itrace_piece *piece = &rec->extents[slot->cpu];
	unsigned int nr = itrace_ring_extents(&s->ring, NULL, 0);
	struct itrace_extents *x;
	size_t len = struct_size(x, extent, nr);
	u32 seq = 0;

	if (piece->va && piece->len < len)
		itrace_piece_destroy(piece);
	if (!piece->va && itrace_piece_create(piece, len, cpu_to_node(s->cpu))) {
		pr_err("[cpu %d] no memory for %u extents of the ring\n", s->cpu, nr);
		return -ENOMEM;
	}
	x = piece->va;
	x->part.seq = seq;
	itrace_part_begin(&x->part);
	x->cpu = slot->cpu;
	x->nr = nr;
	itrace_ring_extents(&s->ring, x->extent, nr);
	itrace_part_end(&x->part, ITRACE_PART_EXTENTS, len);

	slot->topa_pa = s->base_start & ~0xfffull;
	slot->ring_size = itrace_ring_bytes(&s->ring);
	slot->start_offset = 0;
	slot->extents_pa = piece->pa;
	slot->extents_len = len;
	slot->extents_nr = nr;
	slot->valid |= ITRACE_V_RING;
	return 0;
}

int itrace_rec_cpu(struct itrace_rec *rec, unsigned int cpu, enum itrace_state state,
		   const struct itrace_sampler *s)
{
	struct itrace_cpu *slot = itrace_rec_slot(rec, cpu);
	int err = 0;

	itrace_part_begin(&slot->part);
	memset_after(slot, 0, part);
	slot->cpu = cpu;
	slot->state = state;
	slot->node = cpu_to_node(cpu);
	slot->generation = rec->header->generation;
	slot->hook = ~0u;
	if (s) {
		slot->ctl_start = s->ctl_start;
		slot->status[0] = s->status_start;
		slot->output_base[0] = s->base_start;
		slot->output_mask[0] = s->mask_start;
		err = fill_ring(rec, slot, s);
	}
	itrace_part_end(&slot->part, ITRACE_PART_CPU, sizeof(*slot));
	return err;
}

void itrace_rec_modules(struct itrace_rec *rec)
{
	struct itrace_modules *list = rec->modules.va;
	unsigned int max = (rec->modules.len - sizeof(*list)) / sizeof(list->module[0]);
	u32 len;

	itrace_part_begin(&list->part);
	itrace_modules_fill(list, max);
	len = struct_size(list, module, list->nr);
	itrace_part_end(&list->part, ITRACE_PART_MODULES, len);
}
