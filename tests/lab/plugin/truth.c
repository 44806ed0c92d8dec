// SPDX-License-Identifier: GPL-2.0-or-later
/* truth.c - see truth.h. */
#include "truth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Sparse files: a page of disk is used only where something was written. */
#define PSB_CAPACITY (8ull << 20)
#define OVF_CAPACITY (1ull << 20)

static int fail(const char *path, const char *what)
{
	int err = errno;

	fprintf(stderr, "itrace-pt: %s: %s: %s\n", path, what, strerror(err));
	return -err;
}

static int map_file(const char *path, int flags, uint64_t offset, uint64_t size, void **out)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0644);
	void *p;

	if (fd < 0)
		return fail(path, "open");
	if ((flags & O_TRUNC || lseek(fd, 0, SEEK_END) < (off_t)(offset + size)) &&
	    ftruncate(fd, (off_t)(offset + size))) {
		int rc = fail(path, "set size");

		close(fd);
		return rc;
	}
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	close(fd);
	if (p == MAP_FAILED)
		return fail(path, "map");
	*out = p;
	return 0;
}

static int map_records(struct mapped *m, const char *dir, const char *name, unsigned int cpu,
		       const char *magic, uint64_t capacity, unsigned int words)
{
	char path[4096];
	void *p;
	int rc;

	snprintf(path, sizeof(path), "%s/%s.cpu%u", dir, name, cpu);
	rc = map_file(path, O_TRUNC, 0, 64 + capacity * words * 8, &p);
	if (rc)
		return rc;
	m->base = p;
	m->capacity = capacity;
	m->count = 0;
	memcpy(m->base, magic, 8);
	return 0;
}

int truth_init(struct truth *t, const char *dir, unsigned int cpu, uint64_t capacity, bool raw)
{
	char path[4096];
	void *p;
	int rc;

	memset(t, 0, sizeof(*t));
	t->raw = -1;
	rc = map_records(&t->insns, dir, "truth", cpu, "ITRUTH01", capacity, 1);
	if (!rc)
		rc = map_records(&t->psbs, dir, "psb", cpu, "ITRPSB01", PSB_CAPACITY, 2);
	if (!rc)
		rc = map_records(&t->ovfs, dir, "ovf", cpu, "ITROVF01", OVF_CAPACITY, 3);
	if (rc)
		return rc;
	t->insns.base[1] = capacity;
	snprintf(path, sizeof(path), "%s/pt-stats.txt", dir);
	rc = map_file(path, 0, (uint64_t)cpu / 2 * 2 * TRUTH_STATS_SIZE, 2 * TRUTH_STATS_SIZE, &p);
	if (rc)
		return rc;
	t->stats = (char *)p + cpu % 2 * TRUTH_STATS_SIZE;
	truth_stats(t, "");
	if (!raw)
		return 0;
	snprintf(path, sizeof(path), "%s/raw.cpu%u", dir, cpu);
	t->raw = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	return t->raw < 0 ? fail(path, "open") : 0;
}

void truth_psb(struct truth *t, uint64_t offset)
{
	struct mapped *m = &t->psbs;

	if (m->count == m->capacity)
		return;
	m->base[8 + m->count * 2] = offset;
	m->base[9 + m->count * 2] = t->insns.count;
	m->base[1] = ++m->count;
}

void truth_ovf(struct truth *t, uint64_t offset, uint64_t lost_from)
{
	struct mapped *m = &t->ovfs;

	if (m->count == m->capacity)
		return;
	m->base[8 + m->count * 3] = offset;
	m->base[9 + m->count * 3] = lost_from;
	m->base[10 + m->count * 3] = t->insns.count;
	m->base[1] = ++m->count;
}

void truth_bytes(struct truth *t, uint64_t bytes)
{
	t->psbs.base[2] = bytes;
}

void truth_raw(struct truth *t, const uint8_t *bytes, unsigned int n)
{
	if (t->raw >= 0 && write(t->raw, bytes, n) != (ssize_t)n)
		fprintf(stderr, "itrace-pt: raw stream: short write\n");
}

void truth_stats(struct truth *t, const char *text)
{
	size_t n = strlen(text);

	if (n > TRUTH_STATS_SIZE - 1)
		n = TRUTH_STATS_SIZE - 1;
	memcpy(t->stats, text, n);
	memset(t->stats + n, ' ', TRUTH_STATS_SIZE - 1 - n);
	t->stats[TRUTH_STATS_SIZE - 1] = '\n';
}
