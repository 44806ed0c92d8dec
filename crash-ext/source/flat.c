// SPDX-License-Identifier: GPL-2.0-or-later
#include "flat.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "status.h"

#define SIGNATURE     "makedumpfile" /* NUL-padded to 16 bytes */
#define SIGNATURE_LEN 16
#define HEADER_LEN    4096 /* records begin here */
#define FLAT_TYPE     1
#define FLAT_VERSION  1
#define MAX_OFFSET    (1ll << 46) /* of a byte of a dump: 64 TiB */
#define BUFFER	      (1u << 20)

struct record {
	uint64_t offset; /* big-endian, as they are in the file */
	uint64_t size;
};

/* Read up to @len bytes at @at; less only at the end of the file. -1: errno. */
static ssize_t read_at(int fd, void *buf, size_t len, off_t at)
{
	size_t done = 0;
	ssize_t got;

	while (done < len) {
		got = pread(fd, (char *)buf + done, len - done, at + (off_t)done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static int write_at(int fd, const void *buf, size_t len, off_t at)
{
	size_t done = 0;
	ssize_t put;

	while (done < len) {
		put = pwrite(fd, (const char *)buf + done, len - done, at + (off_t)done);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return ITRACE_E_SYSTEM;
		done += (size_t)put;
	}
	return 0;
}

bool itrace_flat_is(int fd)
{
	char signature[SIGNATURE_LEN];

	return read_at(fd, signature, sizeof(signature), 0) == sizeof(signature) &&
	       !strncmp(signature, SIGNATURE, sizeof(signature));
}

static int temporary(char *why, size_t size)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/var/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && snprintf(path, sizeof(path), "%s/itrace.XXXXXX", dir) < (int)sizeof(path)) {
		fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0)
		snprintf(why, size, "temporary file in %s: %s", dir, strerror(errno));
	return fd;
}

static int check_header(int fd, char *why, size_t size)
{
	uint64_t number[2];

	if (read_at(fd, number, sizeof(number), SIGNATURE_LEN) != sizeof(number)) {
		snprintf(why, size, "flattened dump is cut off in its header");
		return ITRACE_E_CORRUPT;
	}
	if (be64toh(number[0]) != FLAT_TYPE || be64toh(number[1]) != FLAT_VERSION) {
		snprintf(why, size, "flattened dump of type %lld, version %lld",
			 (long long)be64toh(number[0]), (long long)be64toh(number[1]));
		return ITRACE_E_UNSUPPORTED;
	}
	return 0;
}

static int cut_off(char *why, size_t size, off_t end)
{
	snprintf(why, size, "flattened dump is cut off after %lld bytes", (long long)end);
	return ITRACE_E_CORRUPT;
}

/* Copy @len bytes from @from of @fd, which has them, to @to of @out. */
static int copy(int fd, off_t from, int out, off_t to, int64_t len, void *buffer)
{
	int64_t done = 0;
	size_t n;

	while (done < len) {
		n = len - done < BUFFER ? (size_t)(len - done) : BUFFER;
		if (read_at(fd, buffer, n, from + done) != (ssize_t)n ||
		    write_at(out, buffer, n, to + done))
			return ITRACE_E_SYSTEM;
		done += (int64_t)n;
	}
	return 0;
}

/* The part of @len bytes at @from of @fd, which belong at @offset, that @info wants. */
static int take_head(int fd, off_t from, int64_t offset, int64_t len, struct itrace_flat_info *info)
{
	size_t n;

	if (!info)
		return 0;
	if ((uint64_t)(offset + len) > info->size)
		info->size = (uint64_t)(offset + len);
	if ((uint64_t)offset >= info->head_len)
		return 0;
	n = info->head_len - (size_t)offset;
	if ((uint64_t)len < n)
		n = (size_t)len;
	return read_at(fd, info->head + offset, n, from) == (ssize_t)n ? 0 : ITRACE_E_SYSTEM;
}

/* One record's head, checked. Returns 0, 1 for the end mark, or a status with @why. */
static int next_record(int fd, off_t at, off_t end, int64_t *offset, int64_t *len, char *why,
		       size_t size)
{
	struct record record;

	if (end - at < (off_t)sizeof(record))
		return cut_off(why, size, end);
	if (read_at(fd, &record, sizeof(record), at) != sizeof(record)) {
		snprintf(why, size, "flattened dump: %s", strerror(errno));
		return ITRACE_E_SYSTEM;
	}
	*offset = (int64_t)be64toh(record.offset);
	*len = (int64_t)be64toh(record.size);
	if (*offset == -1 && *len == -1)
		return 1;
	if (*offset < 0 || *offset > MAX_OFFSET || *len <= 0 || *len > MAX_OFFSET) {
		snprintf(why, size, "flattened dump: record of %lld bytes for %lld at %lld",
			 (long long)*len, (long long)*offset, (long long)at);
		return ITRACE_E_CORRUPT;
	}
	return *len > end - at - (off_t)sizeof(record) ? cut_off(why, size, end) : 0;
}

/* Walk the records; put each in its place in @out, or, if that is -1, tell @info (may be NULL). */
static int walk(int fd, int out, void *buffer, struct itrace_flat_info *info, char *why,
		size_t size)
{
	off_t end = lseek(fd, 0, SEEK_END);
	off_t at = HEADER_LEN;
	int64_t offset, len;
	int status = 0;

	for (; !status && end >= 0; at += len) {
		status = next_record(fd, at, end, &offset, &len, why, size);
		if (status)
			return status < 0 ? status : 0;
		at += (off_t)sizeof(struct record);
		status = out >= 0 ? copy(fd, at, out, offset, len, buffer)
				  : take_head(fd, at, offset, len, info);
	}
	snprintf(why, size, "flattened dump: %s", strerror(errno));
	return ITRACE_E_SYSTEM;
}

int itrace_flat_check(int fd, struct itrace_flat_info *info, char *why, size_t size)
{
	int status = check_header(fd, why, size);

	memset(info->head, 0, info->head_len);
	info->size = 0;
	return status ? status : walk(fd, -1, NULL, info, why, size);
}

int itrace_flat_order(int fd, int *ordered, char *why, size_t size)
{
	int status = check_header(fd, why, size);
	void *buffer;
	int out;

	if (status)
		return status;
	buffer = malloc(BUFFER);
	if (!buffer) {
		snprintf(why, size, "%s", itrace_status_str(ITRACE_E_NOMEM));
		return ITRACE_E_NOMEM;
	}
	out = temporary(why, size);
	status = out < 0 ? ITRACE_E_SYSTEM : walk(fd, out, buffer, NULL, why, size);
	free(buffer);
	if (status && out >= 0)
		close(out);
	if (!status)
		*ordered = out;
	return status;
}
