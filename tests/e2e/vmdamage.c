// SPDX-License-Identifier: GPL-2.0-or-later
/* links: tests/e2e/lib/kdump_edit.c crash-ext/source/kdump.c crash-ext/source/kdump_check.c crash-ext/source/flat.c crash-ext/source/prb.c crash-ext/core/record.c crash-ext/core/record_check.c crash-ext/core/record_find.c crash-ext/core/record_info.c crash-ext/core/record_lists.c crash-ext/core/record_part.c crash-ext/core/vmcoreinfo.c crash-ext/core/pagetable.c crash-ext/core/problem.c crash-ext/core/status.c */
/*
 * Damage a dump on purpose, and say where its record lies so that a test can aim.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "flat.h"
#include "kdump.h"
#include "lib/kdump_edit.h"
#include "pagetable.h"
#include "record.h"
#include "status.h"

#define MAX_PAGES 4096

struct page {
	uint64_t pa;
	uint8_t bytes[PAGE_SIZE];
};

struct damage {
	struct itrace_kdump *kdump;
	const struct itrace_source *source;
	struct page *page[MAX_PAGES]; /* changed so far */
	unsigned int nr_pages;
	uint64_t exclude[MAX_PAGES];
	unsigned int nr_excluded;
	bool drop_vmcoreinfo;
};

static const char usage[] =
	"usage: vmdamage VMCORE OUT DAMAGE...   writes a damaged dump, not flattened\n"
	"       vmdamage VMCORE --record        where the record and the rings lie\n"
	"       vmdamage VMCORE --translate 0xVA  by the page table of the CPU that froze first\n"
	"DAMAGE, in the order given (pages that are excluded last):\n"
	"  exclude-page=0xPA      take the page out of the dump\n"
	"  poke=0xPA:HEXBYTES     change these bytes\n"
	"  flip=0xPA              invert one byte\n"
	"  zero-range=0xPA:LEN    as if nothing had ever been written there\n"
	"  seal=0xPA              correct the CRC of the record's part there\n"
	"  no-vmcoreinfo          take out what the kernel says of itself\n"
	"Exit code: 0 done, 1 no such page or record, 2 usage, 99 the dump can't be read.\n";

static void __attribute__((noreturn)) fail(int code, const char *what, const char *arg)
{
	fprintf(stderr, "vmdamage: %s%s\n", what, arg);
	exit(code);
}

static struct page *page_at(struct damage *damage, uint64_t pa)
{
	struct page *page;
	unsigned int i;
	int status;

	pa &= ~(uint64_t)(PAGE_SIZE - 1);
	for (i = 0; i < damage->nr_pages; i++)
		if (damage->page[i]->pa == pa)
			return damage->page[i];
	page = malloc(sizeof(*page));
	if (!page || damage->nr_pages == MAX_PAGES)
		fail(99, "too many pages", "");
	status = damage->source->read_phys(damage->source->priv, pa, page->bytes, PAGE_SIZE);
	if (status)
		fail(1, "page: ", itrace_status_str(status));
	page->pa = pa;
	damage->page[damage->nr_pages++] = page;
	return page;
}

static uint8_t *byte_at(struct damage *damage, uint64_t pa)
{
	return &page_at(damage, pa)->bytes[pa % PAGE_SIZE];
}

static void zero(struct damage *damage, uint64_t pa, uint64_t len)
{
	uint64_t n;

	for (; len; pa += n, len -= n) {
		n = PAGE_SIZE - pa % PAGE_SIZE;
		n = n < len ? n : len;
		memset(byte_at(damage, pa), 0, n);
	}
}

static void poke(struct damage *damage, uint64_t pa, const char *hex)
{
	unsigned int byte;

	if (!*hex || strlen(hex) % 2 || strspn(hex, "0123456789abcdefABCDEF") != strlen(hex))
		fail(2, "not hexadecimal bytes: ", hex);
	for (; *hex; hex += 2, pa++) {
		sscanf(hex, "%2x", &byte);
		*byte_at(damage, pa) = (uint8_t)byte;
	}
}

static void seal(struct damage *damage, uint64_t pa)
{
	struct itrace_part part;
	uLong crc = crc32(0, NULL, 0);
	uint32_t i;

	for (i = 0; i < sizeof(part); i++)
		((uint8_t *)&part)[i] = *byte_at(damage, pa + i);
	if (part.len < sizeof(part) || part.len > 1u << 20)
		fail(1, "no part of a record there", "");
	for (i = 8; i < part.len; i++)
		crc = crc32(crc, byte_at(damage, pa + i), 1);
	for (i = 0; i < 4; i++)
		*byte_at(damage, pa + i) = (uint8_t)(crc >> (8 * i));
}

static uint64_t number(const char *text, const char **rest)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || (*end && *end != ':') || (*end && !rest))
		fail(2, "not a number: ", text);
	if (rest) {
		if (*end != ':')
			fail(2, "two values wanted: ", text);
		*rest = end + 1;
	}
	return value;
}

static const char *value_of(const char *arg, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(arg, name, len) && arg[len] == '=' ? arg + len + 1 : NULL;
}

static void take(struct damage *damage, const char *arg)
{
	const char *value, *rest;
	uint64_t pa;

	if (!strcmp(arg, "no-vmcoreinfo")) {
		damage->drop_vmcoreinfo = true;
	} else if ((value = value_of(arg, "exclude-page"))) {
		if (damage->nr_excluded == MAX_PAGES)
			fail(2, "too many pages", "");
		damage->exclude[damage->nr_excluded++] = number(value, NULL);
	} else if ((value = value_of(arg, "poke"))) {
		pa = number(value, &rest);
		poke(damage, pa, rest);
	} else if ((value = value_of(arg, "flip"))) {
		*byte_at(damage, number(value, NULL)) ^= 0xff;
	} else if ((value = value_of(arg, "zero-range"))) {
		pa = number(value, &rest);
		zero(damage, pa, number(rest, NULL));
	} else if ((value = value_of(arg, "seal"))) {
		seal(damage, number(value, NULL));
	} else {
		fail(2, "unknown damage: ", arg);
	}
}

/* Copy the dump, put in order, to @path. Gives its descriptor. */
static int copy(const char *from, const char *path)
{
	int in = open(from, O_RDONLY);
	int out = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	static char buffer[1 << 20];
	char why[256];
	int ordered;
	ssize_t got;

	if (in < 0 || out < 0)
		fail(99, strerror(errno), "");
	if (itrace_flat_is(in)) {
		if (itrace_flat_order(in, &ordered, why, sizeof(why)))
			fail(99, why, "");
		close(in);
		in = ordered;
		lseek(in, 0, SEEK_SET);
	}
	while ((got = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, (size_t)got) != got)
			fail(99, "cannot write ", path);
	if (got < 0)
		fail(99, "cannot read ", from);
	close(in);
	return out;
}

static void write_damaged(struct damage *damage, const char *from, const char *to)
{
	struct kdump_edit edit;
	unsigned int i;
	int fd = copy(from, to);
	int bad = kdump_edit_init(&edit, fd);

	for (i = 0; !bad && i < damage->nr_pages; i++)
		bad = kdump_edit_set(&edit, damage->page[i]->pa, damage->page[i]->bytes);
	for (i = 0; !bad && i < damage->nr_excluded; i++)
		bad = kdump_edit_exclude(&edit, damage->exclude[i]);
	if (!bad && damage->drop_vmcoreinfo)
		bad = kdump_edit_drop_vmcoreinfo(&edit);
	if (close(fd))
		fail(99, "cannot write ", to);
	if (bad) {
		unlink(to);
		exit(1);
	}
}

static void report(void *priv, uint32_t cpu, uint64_t offset, const char *text)
{
	(void)priv;
	(void)cpu;
	(void)offset;
	fprintf(stderr, "vmdamage: %s\n", text);
}

static void find(struct damage *damage, struct itrace_record *record)
{
	const struct itrace_problems problems = {.report = report};
	uint64_t scanned;
	int status = itrace_record_find(record, damage->source, &problems, &scanned);

	if (status)
		fail(1, "record: ", itrace_status_str(status));
}

#define LL(n) ((unsigned long long)(n))

static void print_cpu(const struct itrace_record *record, uint32_t i)
{
	const struct itrace_record_cpu *cpu = &record->cpu[i];
	uint32_t n;

	printf("cpu cpu=%u ok=%d state=%u valid=0x%llx ring=%llu start=%llu extents=0x%llx "
	       "topa=0x%llx base=0x%llx mask=0x%llx cr3=0x%llx ip=0x%llx\n",
	       i, cpu->slot_ok, cpu->slot.state, LL(cpu->slot.valid), LL(cpu->ring_size),
	       LL(cpu->slot.start_offset), LL(cpu->slot.extents_pa), LL(cpu->slot.topa_pa),
	       LL(cpu->slot.output_base[1]), LL(cpu->slot.output_mask[1]), LL(cpu->slot.cr3),
	       LL(cpu->slot.regs.ip));
	printf("task cpu=%u reason=%s pid=%u comm=%.16s vector=%d\n", i,
	       itrace_reason_str(cpu->slot.reason), cpu->slot.pid, cpu->slot.comm,
	       cpu->slot.valid & ITRACE_V_VECTOR ? (int)cpu->slot.vector : -1);
	/* As the kernel's own report has them. */
	printf("regs cpu=%u sp=%016llx flags=%08llx ax=%016llx bx=%016llx cx=%016llx\n", i,
	       LL(cpu->slot.regs.sp), LL(cpu->slot.regs.flags), LL(cpu->slot.regs.ax),
	       LL(cpu->slot.regs.bx), LL(cpu->slot.regs.cx));
	for (n = 0; n < cpu->nr_extents; n++)
		printf("extent cpu=%u index=%u pa=0x%llx len=%llu\n", i, n, LL(cpu->extent[n].pa),
		       LL(cpu->extent[n].len));
}

static void print_record(struct damage *damage)
{
	struct itrace_record record;
	const struct itrace_section *s;
	uint32_t i;

	find(damage, &record);
	printf("header pa=0x%llx part=0x%llx version=%u.%u cpus=%u generation=%llu\n",
	       LL(record.pa), LL(record.pa + offsetof(struct itrace_header, part)),
	       record.header.major, record.header.minor, record.nr_cpus,
	       LL(record.header.generation));
	for (i = 0; i < ITRACE_NR_SECTIONS; i++) {
		s = &record.header.section[i];
		if (s->type)
			printf("section name=%.4s nr=%u pa=0x%llx stride=%u\n",
			       (const char *)&s->type, s->nr, LL(s->pa), s->stride);
	}
	printf("event ok=%d kind=%u reason=%s first_cpu=%u\n", record.event_ok, record.event.kind,
	       itrace_reason_str(record.event.reason), record.event.first_cpu);
	for (i = 0; i < record.nr_cpus; i++)
		print_cpu(&record, i);
	itrace_record_deinit(&record);
}

static void print_translation(struct damage *damage, uint64_t va)
{
	struct itrace_translation translation;
	struct itrace_record record;
	struct itrace_paging paging;
	int status;

	find(damage, &record);
	status =
		itrace_record_paging_from(&record, record.event.first_cpu, damage->source, &paging);
	if (!status)
		status = itrace_translate(damage->source, &paging, va, &translation);
	if (status)
		fail(1, "translation: ", itrace_status_str(status));
	printf("0x%llx\n", LL(translation.pa));
	itrace_record_deinit(&record);
}

int main(int argc, char **argv)
{
	static struct damage damage;
	char error[512];
	int i;

	if (argc < 3 || (!strcmp(argv[2], "--translate") && argc != 4) ||
	    (!strcmp(argv[2], "--record") && argc != 3) || (argv[2][0] != '-' && argc < 4)) {
		fputs(usage, stderr);
		return 2;
	}
	if (itrace_kdump_open(argv[1], &damage.kdump, error, sizeof(error)))
		fail(99, error, "");
	damage.source = itrace_kdump_source(damage.kdump);
	if (!strcmp(argv[2], "--record")) {
		print_record(&damage);
	} else if (!strcmp(argv[2], "--translate")) {
		print_translation(&damage, number(argv[3], NULL));
	} else {
		for (i = 3; i < argc; i++)
			take(&damage, argv[i]);
		write_damaged(&damage, argv[1], argv[2]);
	}
	for (i = 0; i < (int)damage.nr_pages; i++)
		free(damage.page[i]);
	itrace_kdump_close(damage.kdump);
	return 0;
}
