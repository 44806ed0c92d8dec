// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/core/record.c crash-ext/core/record_check.c crash-ext/core/record_part.c crash-ext/core/record_lists.c crash-ext/core/record_info.c crash-ext/core/vmcoreinfo.c crash-ext/core/problem.c crash-ext/core/status.c */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "record_fixture.h"
#include "record_part.h"
#include "vmcoreinfo.h"

static const struct itrace_source source = {.read_phys = read_phys};

static int init(struct itrace_record *record)
{
	return itrace_record_init(record, &source, HEADER, &problems);
}

/* Exactly one line, and it says so. */
static void one_line(const char *expected)
{
	assert_int_equal(nr_lines, 1);
	assert_string_equal(lines[0], expected);
}

static void whole(void **state)
{
	struct itrace_record r;

	(void)state;
	assert_int_equal(init(&r), 0);
	assert_int_equal(nr_lines, 0);
	assert_true(r.machine_ok && r.event_ok);
	assert_string_equal(r.machine.release, "6.12.0-test");
	assert_int_equal(r.event.reason, ITRACE_REASON_OOPS);
	assert_int_equal(r.event.hook, 1);
	assert_int_equal(r.nr_cpus, 2);
	assert_true(r.cpu[0].slot_ok && r.cpu[1].slot_ok);
	assert_int_equal(r.cpu[1].slot.pid, 101);
	assert_string_equal(r.cpu[1].slot.comm, "demo-writer?[2J");
	assert_int_equal(r.cpu[1].nr_extents, 2);
	assert_int_equal(r.cpu[1].extent[1].pa, RINGS + 0xa000);
	assert_int_equal(r.cpu[1].ring_size, 0x4000);
	assert_int_equal(r.nr_modules, 2);
	assert_string_equal(r.module[1].name, "itrace");
	assert_int_equal(r.nr_patches, 4);
	assert_int_equal(r.patch[0].tsc, 2);
	assert_int_equal(r.patch[3].tsc, 5);
	assert_int_equal(r.patches_lost, 3);
	itrace_record_deinit(&r);
}

/* A later minor version: parts have grown, an unknown section is there. An earlier: shorter. */
static void other_minor(void **state)
{
	struct itrace_header *header = at(HEADER);
	struct itrace_event *event = at(EVENT);
	struct itrace_cpu *slot = at(SLOTS);
	struct itrace_record r;

	(void)state;
	header->minor = 77;
	memset(header + 1, 0xaa, 64);
	seal(&header->part, ITRACE_PART_HEADER, sizeof(*header) - 16 + 64);
	memset(slot + 1, 0xbb, 128);
	seal(&slot->part, ITRACE_PART_CPU, sizeof(*slot) + 128);
	memset(&event->local_ns, 0xcc, 8);
	seal(&event->part, ITRACE_PART_EVENT, offsetof(struct itrace_event, local_ns));
	assert_int_equal(init(&r), 0);
	assert_int_equal(nr_lines, 0);
	assert_true(r.event_ok && r.cpu[0].slot_ok);
	assert_int_equal(r.cpu[0].slot.pid, 100);
	assert_int_equal(r.event.reason, ITRACE_REASON_OOPS);
	assert_int_equal(r.event.local_ns, 0);
	itrace_record_deinit(&r);
}

static void bad_header(void **state)
{
	struct itrace_header *header = at(HEADER);
	struct itrace_record r;
	uint32_t crc = header->part.crc;
	char expected[128];

	(void)state;
	header->boot_id[3] ^= 1;
	assert_int_equal(init(&r), ITRACE_E_CORRUPT);
	snprintf(expected, sizeof(expected),
		 "corrupt: record at 0x10000 has CRC %08x, computed %08x", crc,
		 (uint32_t)crc32(0, (uint8_t *)&header->part + 8, sizeof(*header) - 24));
	one_line(expected);

	nr_lines = 0;
	header->major = 2;
	seal_header();
	assert_int_equal(init(&r), ITRACE_E_UNSUPPORTED);
	one_line("unsupported: record version 2.0, this itrace reads 1.x");

	nr_lines = 0;
	header->major = 1;
	header->pa = 0x20000;
	seal_header();
	assert_int_equal(init(&r), ITRACE_E_CORRUPT);
	one_line("corrupt: record at 0x10000 says that it is at 0x20000");

	nr_lines = 0;
	header->pa = HEADER;
	header->nr_cpus = ITRACE_MAX_CPUS + 1;
	seal_header();
	assert_int_equal(init(&r), ITRACE_E_CORRUPT);
	one_line("corrupt: record at 0x10000 has 8193 CPUs");

	nr_lines = 0;
	filtered = HEADER;
	assert_int_equal(init(&r), ITRACE_E_FILTERED);
	one_line("filtered out of the dump: record at 0x10000");

	nr_lines = 0;
	filtered = 0;
	header->magic[15] = 'x';
	assert_int_equal(init(&r), ITRACE_E_NOTFOUND);
	one_line("not found: no record at 0x10000");
	assert_int_equal(itrace_record_init(&r, &source, HEADER + 8, NULL), ITRACE_E_NOTFOUND);
	assert_int_equal(itrace_record_init(&r, &source, 0, NULL), ITRACE_E_NOTFOUND);
	assert_int_equal(itrace_record_init(&r, &source, ~0xfffull, NULL), ITRACE_E_NOTFOUND);
	assert_int_equal(itrace_record_init(&r, &source, MEM, NULL), ITRACE_E_NOTFOUND);
}

static void header_lengths(void **state)
{
	struct itrace_header *header = at(HEADER);
	static const uint32_t bad[] = {0, 8, 15, 31, 479, 4081, 0x7fffffff, 0xffffffff};
	struct itrace_record r;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		header->part.len = bad[i];
		if (bad[i] >= 16 && bad[i] < 4096)
			seal(&header->part, ITRACE_PART_HEADER, bad[i]);
		assert_int_equal(init(&r), ITRACE_E_CORRUPT);
	}
	assert_int_equal(nr_lines, sizeof(bad) / sizeof(bad[0]));
	nr_lines = 0;
	memset(&header->part, 0, 16);
	assert_int_equal(init(&r), ITRACE_E_CORRUPT);
	one_line("corrupt: record at 0x10000 has an empty header");
	nr_lines = 0;
	seal_header();
	header->part.seq = 5;
	assert_int_equal(init(&r), ITRACE_E_CORRUPT);
	one_line("corrupt: record at 0x10000 has sequence number 5: "
		 "being written when the dump was made");
}

/* One page missing at a time: each costs its own part and one line. */
static void filtered_parts(void **state)
{
	static const struct {
		uint64_t page;
		unsigned int lines;
		const char *line;
	} row[] = {
		{MACHINE, 1,
		 "filtered out of the dump: machine part: at 0x11000: "
		 "kernel release, hooks and CPU model unknown"},
		{SLOTS, 2,
		 "[cpu 0] filtered out of the dump: slot: at 0x12000: "
		 "registers unknown, ring not found"},
		{EVENT, 1,
		 "filtered out of the dump: event part: at 0x13000: "
		 "only the CPUs tell what stopped the machine"},
		{MODULES, 1,
		 "filtered out of the dump: list of modules: at 0x14000: "
		 "module names left out"},
		{PATCHES, 1,
		 "filtered out of the dump: log of patched code: at 0x15000: "
		 "code is taken as it is in the dump"},
		{EXTENTS + 4096, 1,
		 "[cpu 1] filtered out of the dump: extents of the ring: "
		 "at 0x17000: ToPA table used"},
	};
	struct itrace_record r;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		nr_lines = 0;
		filtered = row[i].page;
		assert_int_equal(init(&r), 0);
		assert_int_equal(nr_lines, row[i].lines);
		assert_string_equal(lines[0], row[i].line);
		assert_int_equal(r.machine_ok, filtered != MACHINE);
		assert_int_equal(r.event_ok, filtered != EVENT);
		assert_int_equal(r.cpu[0].slot_ok, filtered != SLOTS);
		assert_int_equal(r.nr_modules, filtered == MODULES ? 0 : 2);
		assert_int_equal(r.nr_patches, filtered == PATCHES ? 0 : 4);
		assert_int_equal(r.cpu[0].nr_extents, filtered == SLOTS ? 0 : 2);
		assert_int_equal(r.cpu[1].nr_extents,
				 filtered >= EXTENTS || filtered == SLOTS ? 0 : 2);
		itrace_record_deinit(&r);
	}
}

/* Every single bit of every part matters: one flipped is one part lost, never silence. */
static void flipped_bits(void **state)
{
	static const struct {
		uint64_t pa;
		uint32_t len;
	} part[] = {
		{MACHINE, sizeof(struct itrace_machine)},
		{SLOTS, sizeof(struct itrace_cpu)},
		{EVENT, sizeof(struct itrace_event)},
		{MODULES, sizeof(struct itrace_modules) + 2 * 96},
		{PATCHES, sizeof(struct itrace_patches)},
		{EXTENTS, sizeof(struct itrace_extents) + 2 * 16},
	};
	struct itrace_record r;
	unsigned int i;
	uint32_t bit;

	(void)state;
	for (i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		for (bit = 0; bit < part[i].len * 8; bit++) {
			if (bit > 32 && bit < 64)
				continue; /* seq, not covered: only its lowest bit means a thing */
			nr_lines = 0;
			mem[part[i].pa + bit / 8] ^= 1u << (bit % 8);
			assert_int_equal(init(&r), 0);
			assert_int_equal(nr_lines, 1);
			itrace_record_deinit(&r);
			mem[part[i].pa + bit / 8] ^= 1u << (bit % 8);
		}
	}
}

static void slots(void **state)
{
	struct itrace_cpu *slot = at(SLOTS);
	struct itrace_extents *extents = at(EXTENTS);
	struct itrace_record r;

	(void)state;
	slot->part.seq = 3;
	assert_int_equal(init(&r), 0);
	one_line("[cpu 0] corrupt: slot: sequence number 3: being written when the dump was made: "
		 "registers unknown, end of the ring searched");
	assert_false(r.cpu[0].slot_ok);
	assert_int_equal(r.cpu[0].slot.pid, 0);
	assert_int_equal(r.cpu[0].nr_extents, 2);
	assert_true(r.cpu[1].slot_ok);
	itrace_record_deinit(&r);

	/* Damaged, and what it says of the ring is not whole either. */
	nr_lines = 0;
	extents->extent[0].pa ^= 0x1000;
	assert_int_equal(init(&r), 0);
	one_line("[cpu 0] corrupt: slot: sequence number 3: being written when the dump was made: "
		 "registers unknown, ring not found");
	assert_int_equal(r.cpu[0].nr_extents, 0);
	itrace_record_deinit(&r);

	nr_lines = 0;
	slot->part.seq = 4;
	slot->cpu = 1;
	seal_slot(0);
	assert_int_equal(init(&r), 0);
	one_line("[cpu 0] corrupt: slot says CPU 1: left out");
	itrace_record_deinit(&r);

	nr_lines = 0;
	memset(slot, 0, sizeof(*slot));
	assert_int_equal(init(&r), 0);
	one_line("[cpu 0] no data: slot: never written: registers unknown, ring not found");
	itrace_record_deinit(&r);

	nr_lines = 0;
	slot->ring_size = (1ull << 32) + 4096;
	slot->valid = ITRACE_V_RING;
	seal_slot(0);
	assert_int_equal(init(&r), 0);
	one_line("[cpu 0] corrupt: slot says ring of 4294971392 bytes: ring not read");
	assert_int_equal(r.cpu[0].slot.valid, 0);
	assert_int_equal(r.cpu[0].slot.ring_size, 0);
	itrace_record_deinit(&r);

	/* Never armed: no ring, and nothing to complain of. */
	nr_lines = 0;
	slot->ring_size = 0;
	slot->valid = 0;
	slot->hook = 99;
	seal_slot(0);
	assert_int_equal(init(&r), 0);
	assert_int_equal(nr_lines, 0);
	assert_int_equal(r.cpu[0].nr_extents, 0);
	assert_int_equal(r.cpu[0].slot.hook, ~0u);
	itrace_record_deinit(&r);
}

static void hostile_sections(void **state)
{
	static const struct itrace_section bad[] = {
		{ITRACE_PART_CPU, 3, SLOTS, 1024, 0},
		{ITRACE_PART_CPU, 0, SLOTS, 1024, 0},
		{ITRACE_PART_CPU, 2, SLOTS, 536, 0},
		{ITRACE_PART_CPU, 2, SLOTS, 1023, 0},
		{ITRACE_PART_CPU, 2, SLOTS + 4, 1024, 0},
		{ITRACE_PART_CPU, 2, 0, 1024, 0},
		{ITRACE_PART_CPU, 2, ~0ull << 12, 0xfffffff8, 0},
		{ITRACE_PART_CPU, 2, (1ull << 52) - 1024, 1024, 0},
		{ITRACE_PART_NONE, 2, SLOTS, 1024, 0},
	};
	struct itrace_header *header = at(HEADER);
	struct itrace_record r;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		nr_lines = 0;
		header->section[1] = bad[i];
		seal_header();
		assert_int_equal(init(&r), 0);
		assert_true(nr_lines > 0);
		assert_string_equal(lines[bad[i].type == ITRACE_PART_CPU],
				    "corrupt: record without usable CPU slots: "
				    "no trace can be found");
		assert_int_equal(r.nr_cpus, 0);
		assert_false(r.event_ok); /* it names a CPU that is not there */
		itrace_record_deinit(&r);
	}
}

static void hostile_extents(void **state)
{
	static const struct itrace_extent bad[] = {
		{0, 0x1000},
		{RINGS + 8, 0x1000},
		{RINGS, 0},
		{RINGS, 0x1001},
		{1ull << 52, 0x1000},
		{RINGS, (1ull << 32) + 0x1000},
		{RINGS, 0xfffffffffffff000},
		{RINGS, 0x2000},
	};
	struct itrace_extents *extents = at(EXTENTS);
	struct itrace_cpu *slot = at(SLOTS);
	struct itrace_record r;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		nr_lines = 0;
		extents->extent[0] = bad[i];
		seal(&extents->part, ITRACE_PART_EXTENTS, sizeof(*extents) + 32);
		assert_int_equal(init(&r), 0);
		assert_int_equal(nr_lines, 1);
		assert_int_equal(r.cpu[0].nr_extents, 0);
		assert_int_equal(r.cpu[0].ring_size, 0);
		assert_null(r.cpu[0].extent);
		assert_true(r.cpu[0].slot_ok);
		assert_int_equal(r.cpu[1].nr_extents, 2);
		itrace_record_deinit(&r);
	}
	make_cpu(0);
	for (i = 0; i < 2; i++) {
		nr_lines = 0;
		extents->nr = i ? 3 : 0;
		seal(&extents->part, ITRACE_PART_EXTENTS, sizeof(*extents) + 32);
		assert_int_equal(init(&r), 0);
		assert_int_equal(nr_lines, 1);
		itrace_record_deinit(&r);
	}
	make_cpu(0);
	nr_lines = 0;
	slot->extents_pa = EXTENTS + 4096; /* another CPU's */
	seal_slot(0);
	assert_int_equal(init(&r), 0);
	one_line("[cpu 0] corrupt: extents of the ring: belong to CPU 1: ToPA table used");
	itrace_record_deinit(&r);
}

static void hostile_lists(void **state)
{
	struct itrace_modules *modules = at(MODULES);
	struct itrace_patches *patches = at(PATCHES);
	struct itrace_machine *machine = at(MACHINE);
	struct itrace_record r;

	(void)state;
	modules->nr = 0xffffffff;
	seal(&modules->part, ITRACE_PART_MODULES, sizeof(*modules) + 2 * 96);
	patches->capacity = 0x10000;
	seal(&patches->part, ITRACE_PART_PATCHES, sizeof(*patches));
	machine->nr_cpuid = 25;
	machine->build_id_len = 21;
	machine->phys_bits = 99;
	memset(machine->release, 'x', 64);
	seal(&machine->part, ITRACE_PART_MACHINE, sizeof(*machine));
	assert_int_equal(init(&r), 0);
	assert_int_equal(nr_lines, 3);
	assert_int_equal(r.nr_modules, 2);
	assert_int_equal(r.nr_patches, 0);
	assert_int_equal(r.machine.nr_cpuid, 0);
	assert_int_equal(r.machine.build_id_len, 0);
	assert_int_equal(r.machine.phys_bits, 0);
	assert_int_equal(strlen(r.machine.release), 63);
	itrace_record_deinit(&r);

	nr_lines = 0;
	make_machine();
	make_lists();
	patches->patch[3].len = 17;
	patches->count = 0xffffffffffffffff; /* newest in slot 2 */
	seal(&patches->part, ITRACE_PART_PATCHES, sizeof(*patches));
	assert_int_equal(init(&r), 0);
	assert_int_equal(r.nr_patches, 3);
	assert_int_equal(r.patch[0].tsc, 4);
	one_line("corrupt: log of patched code: 1 of 4 entries: left out");
	itrace_record_deinit(&r);

	nr_lines = 0;
	patches->capacity = 0;
	seal(&patches->part, ITRACE_PART_PATCHES, sizeof(*patches));
	assert_int_equal(init(&r), 0);
	assert_int_equal(nr_lines, 1);
	itrace_record_deinit(&r);
}

/* A whole part, but of another kind than its section says. */
static void wrong_type(void **state)
{
	struct itrace_record r;

	(void)state;
	section(2, ITRACE_PART_EVENT, 1, MACHINE, 4096);
	seal_header();
	assert_int_equal(init(&r), 0);
	one_line("corrupt: event part: type 3148434d, not 31545645: "
		 "only the CPUs tell what stopped the machine");
	itrace_record_deinit(&r);
}

static void shorter_part(void **state)
{
	uint8_t to[8];

	(void)state;
	memset(to, 0xee, sizeof(to));
	itrace_part_copy(to, 6, (const uint8_t *)"abcdefgh", 4);
	assert_memory_equal(to, "abcd\0\0\xee\xee", 8);
	itrace_part_copy(to, 6, (const uint8_t *)"ABCDEFGH", 8);
	assert_memory_equal(to, "ABCDEF\xee\xee", 8);
}

static void events(void **state)
{
	struct itrace_event *event = at(EVENT);
	struct itrace_record r;

	(void)state;
	event->first_cpu = 2;
	seal(&event->part, ITRACE_PART_EVENT, sizeof(*event));
	assert_int_equal(init(&r), 0);
	one_line("corrupt: event part: CPU 2 of 2: only the CPUs tell what stopped the machine");
	assert_false(r.event_ok);
	itrace_record_deinit(&r);

	/* Nothing has happened yet. */
	nr_lines = 0;
	event->kind = ITRACE_KIND_NONE;
	seal(&event->part, ITRACE_PART_EVENT, sizeof(*event));
	assert_int_equal(init(&r), 0);
	assert_int_equal(nr_lines, 0);
	assert_false(r.event_ok);
	itrace_record_deinit(&r);
	memset(event, 0, sizeof(*event));
	assert_int_equal(init(&r), 0);
	assert_int_equal(nr_lines, 0);
	assert_false(r.event_ok);
	itrace_record_deinit(&r);
}

static int vmcoreinfo(void *priv, const char *key, char *value, size_t size)
{
	static const char text[] = "OSRELEASE=6.12\nSYMBOL(init_top_pgt)=ffffffff82a10000\n"
				   "NUMBER(phys_base)=-16777216\nNUMBER(pgtable_l5_enabled)=1\n";

	(void)priv;
	return itrace_vmcoreinfo_find(text, key, value, size);
}

static void paging(void **state)
{
	struct itrace_source with = {.read_phys = read_phys, .vmcoreinfo = vmcoreinfo};
	struct itrace_machine *machine = at(MACHINE);
	struct itrace_cpu *slot = at(SLOTS);
	struct itrace_paging paging;
	struct itrace_record r;

	(void)state;
	assert_int_equal(init(&r), 0);
	assert_int_equal(itrace_record_paging(&r, 0, &paging), 0);
	assert_int_equal(paging.cr3, 0x2000);
	assert_int_equal(paging.levels, 4);
	assert_int_equal(paging.encryption_mask, 1ull << 47);
	assert_int_equal(paging.phys_bits, 40);
	itrace_record_deinit(&r);

	/* The machine part is lost: CR3 and CR4 still do. This CPU's slot too: the other's. */
	machine->part.crc ^= 1;
	slot->part.crc ^= 1;
	assert_int_equal(init(&r), 0);
	assert_int_equal(itrace_record_paging(&r, 0, &paging), 0);
	assert_int_equal(paging.cr3, 0x3000);
	assert_int_equal(paging.levels, 5);
	assert_int_equal(paging.phys_bits, 0);
	r.cpu[1].slot.valid &= ~ITRACE_V_CR;
	assert_int_equal(itrace_record_paging(&r, 1, &paging), ITRACE_E_NODATA);
	assert_int_equal(itrace_record_paging_from(&r, 1, &source, &paging), ITRACE_E_NODATA);
	assert_int_equal(itrace_record_paging_from(&r, 1, &with, &paging), 0);
	assert_int_equal(paging.cr3, 0x1a10000);
	assert_int_equal(paging.levels, 5);
	itrace_record_deinit(&r);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(itrace_state_str(ITRACE_STATE_NO_ANSWER), "no answer");
	assert_string_equal(itrace_state_str(77), "unknown");
	assert_string_equal(itrace_reason_str(ITRACE_REASON_NMI_PANIC), "nmi_panic");
	assert_string_equal(itrace_reason_str(~0u), "unknown");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_record, free_record)
	const struct CMUnitTest tests[] = {
		TEST(whole),	      TEST(other_minor),      TEST(bad_header),
		TEST(header_lengths), TEST(filtered_parts),   TEST(flipped_bits),
		TEST(slots),	      TEST(hostile_sections), TEST(hostile_extents),
		TEST(hostile_lists),  TEST(events),	      TEST(wrong_type),
		TEST(shorter_part),   TEST(paging),	      TEST(names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
