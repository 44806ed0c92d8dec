// SPDX-License-Identifier: GPL-2.0-or-later
#include "raw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "status.h"

#define CHUNK (1u << 20)

static int read_all(int fd, struct itrace_raw *raw)
{
	size_t room = 0;
	uint8_t *bytes;
	ssize_t got;

	do {
		if (raw->len == room) {
			room = room ? room * 2 : CHUNK;
			bytes = realloc(raw->bytes, room);
			if (!bytes)
				return ITRACE_E_NOMEM;
			raw->bytes = bytes;
		}
		got = read(fd, raw->bytes + raw->len, room - raw->len);
		if (got > 0)
			raw->len += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got < 0 ? ITRACE_E_SYSTEM : 0;
}

int itrace_raw_init(struct itrace_raw *raw, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int saved, status;

	raw->bytes = NULL;
	raw->len = 0;
	if (fd < 0)
		return ITRACE_E_SYSTEM;
	status = read_all(fd, raw);
	saved = errno;
	close(fd);
	if (status)
		itrace_raw_deinit(raw);
	errno = saved;
	return status;
}

void itrace_raw_deinit(struct itrace_raw *raw)
{
	free(raw->bytes);
	raw->bytes = NULL;
	raw->len = 0;
}
