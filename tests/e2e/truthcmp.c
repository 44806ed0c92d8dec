// SPDX-License-Identifier: GPL-2.0-or-later
/* links: */
/*
 * Compare a listing of instruction addresses with what the emulated CPU executed.
 *
 * usage: truthcmp compare LISTING TRUTH PSB RING_BYTES   (0 equal, 1 different, 99 set-up)
 *        truthcmp prefix LISTING TRUTH PSB RING_BYTES N   the same, but the last N may miss
 *        truthcmp after TRUTH HEXADDR      completed instructions from the last HEXADDR to the end
 *        truthcmp last TRUTH N             the last N addresses, oldest first
 *        truthcmp figures PSB RING_BYTES   bytes written, PSBs, times that the ring wrapped
 *
 * The right answer for a ring of R bytes is all truth entries from the index of the first PSB
 * that is still whole in it. The files are described in docs/lab.md.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 64, SETUP = 99 };

struct file {
	const uint8_t *bytes;
	uint64_t size;
};

struct truth {
	const uint64_t *entry;
	uint64_t capacity;
	uint64_t count;
};

struct psb {
	const uint64_t *pair; /* offset, truth index */
	uint64_t count;
	uint64_t bytes;
};

static _Noreturn void die(const char *path, const char *what)
{
	fprintf(stderr, "truthcmp: %s: %s\n", path, what);
	exit(SETUP);
}

static struct file map(const char *path)
{
	struct file file = {0};
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		die(path, strerror(errno));
	if (st.st_size) {
		file.size = (uint64_t)st.st_size;
		file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file.bytes == MAP_FAILED)
			die(path, strerror(errno));
	}
	close(fd);
	return file;
}

static uint64_t header_u64(const struct file *file, unsigned int at)
{
	uint64_t value;

	memcpy(&value, file->bytes + at, sizeof(value));
	return value;
}

/* A file with the header that both kinds have: 8 characters of @magic, then numbers. */
static struct file map_as(const char *path, const char *magic, const char *wrong)
{
	struct file file = map(path);

	if (file.size < HEADER || memcmp(file.bytes, magic, 8))
		die(path, wrong);
	return file;
}

static struct truth open_truth(const char *path)
{
	struct file file = map_as(path, "ITRUTH01", "not a truth file");
	struct truth truth;

	truth.capacity = header_u64(&file, 8);
	truth.count = header_u64(&file, 16);
	truth.entry = (const uint64_t *)(file.bytes + HEADER);
	if (!truth.capacity || truth.capacity > (file.size - HEADER) / 8)
		die(path, "capacity is larger than the file");
	return truth;
}

static uint64_t truth_at(const struct truth *truth, uint64_t index)
{
	return truth->entry[index % truth->capacity];
}

static uint64_t truth_oldest(const struct truth *truth)
{
	return truth->count > truth->capacity ? truth->count - truth->capacity : 0;
}

static struct psb open_psb(const char *path)
{
	struct file file = map_as(path, "ITRPSB01", "not a PSB file");
	struct psb psb;

	psb.count = header_u64(&file, 8);
	psb.bytes = header_u64(&file, 16);
	psb.pair = (const uint64_t *)(file.bytes + HEADER);
	if (psb.count > (file.size - HEADER) / 16)
		die(path, "more PSBs than the file holds");
	return psb;
}

/* Index in the truth of the first instruction that a ring of @ring bytes still shows. */
static uint64_t first_index(const struct psb *psb, uint64_t ring, const char *path)
{
	uint64_t oldest = psb->bytes > ring ? psb->bytes - ring : 0;

	for (uint64_t i = 0; i < psb->count; i++)
		if (psb->pair[2 * i] >= oldest)
			return psb->pair[2 * i + 1];
	die(path, "no PSB in the ring");
}

static unsigned int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return 16;
}

/* Next address of the listing. Returns 1, or 0 at its end; a line that is no address is a fault. */
static int next_line(const struct file *file, uint64_t *at, uint64_t *addr)
{
	uint64_t value = 0;
	unsigned int digits = 0;

	if (*at >= file->size)
		return 0;
	while (*at < file->size && file->bytes[*at] != '\n') {
		uint8_t c = file->bytes[(*at)++];
		unsigned int digit = hex_digit(c);

		if (digit > 15 || ++digits > 16) {
			printf("the listing has a line that is no address, at byte %" PRIu64 "\n",
			       *at - 1);
			exit(1);
		}
		value = value << 4 | digit;
	}
	++*at;
	*addr = value;
	if (!digits) {
		printf("the listing has an empty line, at byte %" PRIu64 "\n", *at - 1);
		exit(1);
	}
	return 1;
}

/* @may_miss: entries at the end that the listing need not have. */
static int compare(const char *listing, const char *truth_path, const char *psb_path, uint64_t ring,
		   uint64_t may_miss)
{
	struct file file = map(listing);
	struct truth truth = open_truth(truth_path);
	struct psb psb = open_psb(psb_path);
	uint64_t first = first_index(&psb, ring, psb_path);
	uint64_t index = first, at = 0, addr;
	uint64_t different = 0, extra = 0;

	if (first < truth_oldest(&truth))
		die(truth_path, "the truth was overwritten: its capacity is too small");
	while (next_line(&file, &at, &addr)) {
		if (index >= truth.count) {
			extra++;
			continue;
		}
		if (addr != truth_at(&truth, index) && !different++)
			printf("first difference at truth entry %" PRIu64 ": listed %" PRIx64
			       ", executed %" PRIx64 "\n",
			       index, addr, truth_at(&truth, index));
		index++;
	}
	printf("compared %" PRIu64 " different %" PRIu64 " missing %" PRIu64 " extra %" PRIu64 "\n",
	       index - first, different, truth.count - index, extra);
	return different || extra || truth.count - index > may_miss || index == first;
}

static int after(const char *path, uint64_t addr)
{
	struct truth truth = open_truth(path);

	for (uint64_t i = truth.count; i-- > truth_oldest(&truth);) {
		if (truth_at(&truth, i) == addr) {
			printf("%" PRIu64 "\n", truth.count - i);
			return 0;
		}
	}
	fprintf(stderr, "truthcmp: %" PRIx64 " was never executed\n", addr);
	return 1;
}

static int last(const char *path, uint64_t n)
{
	struct truth truth = open_truth(path);
	uint64_t have = truth.count - truth_oldest(&truth);

	for (uint64_t i = truth.count - (n < have ? n : have); i < truth.count; i++)
		printf("%" PRIx64 "\n", truth_at(&truth, i));
	return 0;
}

static int figures(const char *path, uint64_t ring)
{
	struct psb psb = open_psb(path);

	printf("bytes %" PRIu64 " psbs %" PRIu64 " wraps %" PRIu64 "\n", psb.bytes, psb.count,
	       psb.bytes / ring);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "compare"))
		return compare(argv[2], argv[3], argv[4], strtoull(argv[5], NULL, 0), 0);
	if (argc == 7 && !strcmp(argv[1], "prefix"))
		return compare(argv[2], argv[3], argv[4], strtoull(argv[5], NULL, 0),
			       strtoull(argv[6], NULL, 0));
	if (argc == 4 && !strcmp(argv[1], "after"))
		return after(argv[2], strtoull(argv[3], NULL, 16));
	if (argc == 4 && !strcmp(argv[1], "last"))
		return last(argv[2], strtoull(argv[3], NULL, 0));
	if (argc == 4 && !strcmp(argv[1], "figures") && strtoull(argv[3], NULL, 0))
		return figures(argv[2], strtoull(argv[3], NULL, 0));
	fprintf(stderr, "usage: truthcmp compare LISTING TRUTH PSB RING | prefix ... N |\n"
			"       after TRUTH HEX | last TRUTH N | figures PSB RING\n");
	return SETUP;
}
