// SPDX-License-Identifier: GPL-2.0-or-later
#include "idt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pagetable.h"
#include "status.h"

#define GATE_SIZE      16
#define GATE_PRESENT   0x80
#define GATE_TYPE      0x0f
#define GATE_INTERRUPT 0x0e
#define GATE_TRAP      0x0f

/* SDM 3A figure 6-8: the offset lies in three pieces. */
static uint64_t gate_handler(const uint8_t gate[GATE_SIZE])
{
	uint8_t type = gate[5] & GATE_TYPE;
	uint64_t handler = 0;

	if (!(gate[5] & GATE_PRESENT) || (type != GATE_INTERRUPT && type != GATE_TRAP))
		return 0;
	for (int i = 3; i >= 0; i--)
		handler = handler << 8 | gate[8 + i];
	return handler << 32 | (uint64_t)gate[7] << 24 | (uint64_t)gate[6] << 16 |
	       (uint64_t)gate[1] << 8 | gate[0];
}

int itrace_idt_init(struct itrace_idt *idt, const struct itrace_source *source,
		    const struct itrace_paging *paging, uint64_t base, uint32_t limit)
{
	memset(idt, 0, sizeof(*idt));
	if (!base)
		return ITRACE_E_NODATA;
	for (uint32_t vector = 0; vector < ITRACE_NR_VECTORS; vector++) {
		struct itrace_translation page;
		uint64_t va = base + vector * GATE_SIZE;
		uint8_t gate[GATE_SIZE];
		int err;

		if (vector * GATE_SIZE + GATE_SIZE - 1 > limit)
			break;
		/* The kernel aligns the table to a page: no gate crosses one. */
		if ((va & 0xfff) > 0x1000 - GATE_SIZE)
			return ITRACE_E_CORRUPT;
		err = itrace_translate(source, paging, va, &page);
		if (!err)
			err = source->read_phys(source->priv, page.pa, gate, sizeof(gate));
		if (err)
			return err;
		idt->handler[vector] = gate_handler(gate);
		idt->known = true;
	}
	return 0;
}

uint32_t itrace_idt_vector(const struct itrace_idt *idt, uint64_t addr)
{
	if (!addr)
		return ITRACE_NO_VECTOR;
	for (uint32_t vector = 0; vector < ITRACE_NR_VECTORS; vector++)
		if (idt->handler[vector] == addr)
			return vector;
	return ITRACE_NO_VECTOR;
}

bool itrace_idt_exception(uint32_t vector)
{
	return vector < 32 && vector != 2;
}

static const char *const exception_name[32] = {
	[0] = "divide error",
	[1] = "debug exception",
	[2] = "NMI",
	[3] = "breakpoint",
	[4] = "overflow exception",
	[5] = "bounds exception",
	[6] = "invalid opcode",
	[7] = "device not available",
	[8] = "double fault",
	[10] = "invalid TSS",
	[11] = "segment not present",
	[12] = "stack fault",
	[13] = "general protection fault",
	[14] = "page fault",
	[16] = "floating point error",
	[17] = "alignment check",
	[18] = "machine check",
	[19] = "SIMD error",
	[20] = "virtualization exception",
	[21] = "control protection fault",
	[28] = "hypervisor injection",
	[29] = "VMM communication",
	[30] = "security exception",
};

static const struct {
	uint32_t vector;
	const char *name;
} linux_vector[] = {
	{0xec, "timer interrupt"},	   {0xf6, "irq_work interrupt"},
	{0xf7, "platform interrupt"},	   {0xf8, "reboot interrupt"},
	{0xfa, "thermal interrupt"},	   {0xfb, "function call interrupt"},
	{0xfc, "function call interrupt"}, {0xfd, "reschedule interrupt"},
	{0xfe, "APIC error interrupt"},	   {0xff, "spurious interrupt"},
};

const char *itrace_idt_name(uint32_t vector, char *buf, size_t size)
{
	if (vector < 32 && exception_name[vector]) {
		snprintf(buf, size, "%s", exception_name[vector]);
		return buf;
	}
	if (vector == ITRACE_NO_VECTOR) {
		snprintf(buf, size, "interrupt");
		return buf;
	}
	for (size_t i = 0; i < sizeof(linux_vector) / sizeof(linux_vector[0]); i++) {
		if (linux_vector[i].vector == vector) {
			snprintf(buf, size, "%s", linux_vector[i].name);
			return buf;
		}
	}
	snprintf(buf, size, "%s %" PRIu32, vector < 32 ? "exception" : "interrupt", vector);
	return buf;
}
