/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of a machine with a ring of four regions in it, and streams to write there. Include once,
 * after cmocka.h.
 */
#ifndef ITRACE_RING_FIXTURE_H
#define ITRACE_RING_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"
#include "pt_build.h"
#include "ring.h"
#include "status.h"

#define PAGE   4096u
#define NPAGES 64u

/* What a machine left: pages of memory, some of them not in the dump. */
static uint8_t memory[NPAGES * PAGE];
static bool absent[NPAGES];
static char said[16][256];
static unsigned int nr_said;

static inline int read_phys(void *priv, uint64_t pa, void *buf, size_t len)
{
	uint64_t i;

	(void)priv;
	if (pa >= sizeof(memory) || len > sizeof(memory) - pa)
		return ITRACE_E_NOTFOUND;
	for (i = pa / PAGE; i * PAGE < pa + len; i++)
		if (absent[i])
			return ITRACE_E_FILTERED;
	memcpy(buf, memory + pa, len);
	return 0;
}

static inline void report(void *priv, uint32_t cpu, uint64_t offset, const char *text)
{
	(void)priv;
	(void)cpu;
	(void)offset;
	if (nr_said < 16)
		snprintf(said[nr_said++], sizeof(said[0]), "%s", text);
}

static const struct itrace_source source = {.read_phys = read_phys};
static const struct itrace_problems problems = {.report = report};

static inline int set_up(void **state)
{
	(void)state;
	memset(memory, 0, sizeof(memory));
	memset(absent, 0, sizeof(absent));
	nr_said = 0;
	return 0;
}

static inline void put64(uint64_t pa, uint64_t value)
{
	memcpy(memory + pa, &value, 8);
}

/* A stream with packets of all lengths and a PSB+ about every 200 bytes. */
static inline void make_stream(struct pt_build *b, uint64_t len)
{
	uint64_t i = 0, psb = 0;

	b->len = 0;
	for (; b->len < len; i++) {
		if (!i || b->len - psb > 200) {
			psb = b->len;
			b_psb(b, 1000 + i, 0xffffffff81000000ull + i);
		}
		b_tnt(b, i % 3 ? "TTNT" : "NTTNTTNTTTTTTTNNTTTNTNTTTTNT");
		b_ip(b, i % 5 ? ppt_tip : ppt_fup, 0xffffffff81000000ull + i * 77);
		b_ipc(b, ppt_tip, pt_ipc_update_16, i * 3 & 0xffff);
		if (i % 7 == 0)
			b_pip(b, 0x1000 * i);
		if (i % 4 == 0)
			b_no_ip(b, ppt_tip_pgd);
	}
}

/* What a CPU leaves that writes @len bytes into a zeroed ring of @size, beginning at @start. */
static inline void write_ring(uint8_t *ring, uint64_t size, uint64_t start, const uint8_t *bytes,
			      uint64_t len)
{
	uint64_t i;

	memset(ring, 0, size);
	for (i = 0; i < len; i++)
		ring[(start + i) % size] = bytes[i];
}

static inline bool all_zero(const uint8_t *bytes, uint64_t len)
{
	while (len--)
		if (*bytes++)
			return false;
	return true;
}

/* Four regions (8, 4, 4 and 16 KiB) in two tables, the middle ones side by side in memory. */
#define TABLE_A 0x1000u
#define TABLE_B 0x2000u
#define RING	0x8000u

static const struct {
	uint64_t pa, len, table;
	uint32_t index;
} region[4] = {
	{0x8000, 0x2000, TABLE_A, 0},
	{0xc000, 0x1000, TABLE_A, 1},
	{0xd000, 0x1000, TABLE_B, 0},
	{0x10000, 0x4000, TABLE_B, 1},
};

struct machine {
	struct itrace_record record;
	struct itrace_record_cpu cpu;
	struct itrace_extent extent[3];
};

static inline void make_machine(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	put64(TABLE_A + 0, 0x8000 | 1 << 6);
	put64(TABLE_A + 8, 0xc000);
	put64(TABLE_A + 16, TABLE_B | 1);
	put64(TABLE_B + 0, 0xd000);
	put64(TABLE_B + 8, 0x10000 | 2 << 6);
	put64(TABLE_B + 16, TABLE_A | 1);
	m->extent[0] = (struct itrace_extent){0x8000, 0x2000};
	m->extent[1] = (struct itrace_extent){0xc000, 0x2000};
	m->extent[2] = (struct itrace_extent){0x10000, 0x4000};
	m->cpu.slot_ok = true;
	m->cpu.extent = m->extent;
	m->cpu.nr_extents = 3;
	m->cpu.ring_size = 0x8000;
	m->cpu.slot.state = ITRACE_STATE_FROZEN;
	m->cpu.slot.valid = ITRACE_V_POSITION | ITRACE_V_RING;
	m->cpu.slot.ctl_freeze = 0x2d05;
	m->cpu.slot.topa_pa = TABLE_A;
	m->cpu.slot.ring_size = 0x8000;
	m->cpu.slot.output_base[1] = TABLE_A;
	m->cpu.slot.output_mask[1] = 0x7f;
	m->record.cpu = &m->cpu;
	m->record.nr_cpus = 1;
}

static inline void set_position(struct machine *m, unsigned int i, uint64_t offset)
{
	m->cpu.slot.output_base[1] = region[i].table;
	m->cpu.slot.output_mask[1] = offset << 32 | (uint64_t)region[i].index << 7 | 0x7f;
}

/* Byte @offset of the ring in memory. */
static inline uint8_t *ring_byte(uint64_t offset)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		if (offset < region[i].len)
			return memory + region[i].pa + offset;
		offset -= region[i].len;
	}
	return NULL;
}

/* @len bytes through the regions of the machine, and its registers after them. */
static inline void run_machine(struct machine *m, const struct pt_build *b, uint64_t len)
{
	uint64_t i, offset = len % 0x8000;
	unsigned int r = 0;

	make_machine(m);
	for (i = 0; i < len; i++)
		*ring_byte(i % 0x8000) = b->bytes[i];
	while (offset >= region[r].len)
		offset -= region[r++].len;
	set_position(m, r, offset);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

#endif
