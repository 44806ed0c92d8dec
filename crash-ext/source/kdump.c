// SPDX-License-Identifier: GPL-2.0-or-later
#include "kdump.h"

#include <errno.h>
#include <fcntl.h>
#include <libkdumpfile/kdumpfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flat.h"
#include "kdump_check.h"
#include "pagetable.h"
#include "prb.h"
#include "status.h"
#include "vmcoreinfo.h"

#define PAGE_SIZE 4096u

/* A page that a dump has takes at least this much of its file (a page descriptor). */
#define MIN_PAGE_BYTES 24

struct itrace_kdump {
	struct itrace_source source;
	kdump_ctx_t *ctx;
	int fd;
	kdump_bmp_t *pages;	     /* pages that the file has; NULL: not known */
	kdump_bmp_t *memory;	     /* pages that the machine had; NULL: not known */
	uint64_t page_limit;	     /* more pages than this the file can't have */
	char *vmcoreinfo;	     /* NULL: none */
	struct itrace_paging paging; /* levels is 0 if there is no kernel page table */
};

static bool page_is_memory(const struct itrace_kdump *kdump, uint64_t pa)
{
	unsigned char bit = 1;
	kdump_addr_t pfn = pa / PAGE_SIZE;

	if (!kdump->memory || kdump_bmp_get_bits(kdump->memory, pfn, pfn, &bit) != KDUMP_OK)
		return true;
	return bit & 1;
}

static int read_phys(void *priv, uint64_t pa, void *buf, size_t len)
{
	struct itrace_kdump *kdump = priv;
	size_t got = len;
	kdump_status status;

	if (!len)
		return 0;
	if (pa + (len - 1) < pa)
		return ITRACE_E_NOTFOUND;
	status = kdump_read(kdump->ctx, KDUMP_MACHPHYSADDR, pa, buf, &got);
	kdump_clear_err(kdump->ctx);
	switch (status) {
	case KDUMP_OK:
		return got == len ? 0 : ITRACE_E_FILTERED;
	case KDUMP_ERR_NODATA:
		return page_is_memory(kdump, pa + got) ? ITRACE_E_FILTERED : ITRACE_E_NOTFOUND;
	case KDUMP_ERR_SYSTEM:
		return errno == ENOMEM ? ITRACE_E_NOMEM : ITRACE_E_SYSTEM;
	case KDUMP_ERR_INVALID:
	case KDUMP_ERR_ADDRXLAT:
		return ITRACE_E_NOTFOUND;
	default:
		return ITRACE_E_CORRUPT;
	}
}

static int vtop(void *priv, uint64_t va, uint64_t *pa)
{
	struct itrace_kdump *kdump = priv;
	struct itrace_translation translation;
	int status;

	if (!kdump->paging.levels)
		return ITRACE_E_NOTFOUND;
	status = itrace_translate(&kdump->source, &kdump->paging, va, &translation);
	if (status)
		return status == ITRACE_E_FILTERED ? status : ITRACE_E_NOTFOUND;
	*pa = translation.pa;
	return 0;
}

static int vmcoreinfo(void *priv, const char *key, char *value, size_t size)
{
	const struct itrace_kdump *kdump = priv;

	if (!kdump->vmcoreinfo)
		return ITRACE_E_NOTFOUND;
	return itrace_vmcoreinfo_find(kdump->vmcoreinfo, key, value, size);
}

static int get_log(void *priv, char **log)
{
	struct itrace_kdump *kdump = priv;

	return itrace_prb_read(&kdump->source, log);
}

static int next_range(void *priv, uint64_t from, uint64_t *start, uint64_t *end)
{
	struct itrace_kdump *kdump = priv;
	kdump_addr_t first = from / PAGE_SIZE;
	kdump_addr_t last;

	if (!kdump->pages || kdump_bmp_find_set(kdump->pages, &first) != KDUMP_OK)
		return ITRACE_E_NOTFOUND;
	last = first;
	/* The last run may have no clear bit behind it. */
	if (kdump_bmp_find_clear(kdump->pages, &last) != KDUMP_OK || last <= first)
		return ITRACE_E_NOTFOUND;
	if (last - first > kdump->page_limit)
		last = first + kdump->page_limit;
	*start = first * PAGE_SIZE;
	*end = last * PAGE_SIZE;
	return 0;
}

static kdump_bmp_t *get_bitmap(kdump_ctx_t *ctx, const char *key)
{
	kdump_attr_t attr = {.type = KDUMP_BITMAP};

	if (kdump_get_typed_attr(ctx, key, &attr) != KDUMP_OK || !attr.val.bitmap)
		return NULL;
	kdump_bmp_incref(attr.val.bitmap);
	return attr.val.bitmap;
}

/*
 * By attribute: kdump_vmcoreinfo_raw() wants an OS type set first, which makes the library prepare
 * its own address translation, and may fail for reasons that are none of ours.
 */
static char *get_vmcoreinfo(kdump_ctx_t *ctx)
{
	kdump_attr_t attr;
	char *text = NULL;
	void *bytes;

	if (kdump_get_attr(ctx, "linux.vmcoreinfo.raw", &attr) != KDUMP_OK)
		return NULL;
	if (attr.type == KDUMP_STRING)
		return strdup(attr.val.string);
	if (attr.type == KDUMP_BLOB) {
		bytes = kdump_blob_pin(attr.val.blob);
		if (bytes)
			text = strndup(bytes, kdump_blob_size(attr.val.blob));
		kdump_blob_unpin(attr.val.blob);
	}
	return text;
}

/* What @status of opening means, and what to say. */
static int open_failed(kdump_ctx_t *ctx, kdump_status status, char *error, size_t size)
{
	const char *text = kdump_get_err(ctx);
	const char *behind;

	/* "Cannot set file.set.0.fd: what": the library's own way of opening is nobody's business.
	 */
	while (text && !strncmp(text, "Cannot set ", 11) && (behind = strstr(text, ": ")))
		text = behind + 2;
	snprintf(error, size, "%s", text && *text ? text : kdump_strerror(status));
	switch (status) {
	case KDUMP_ERR_SYSTEM:
		return errno == ENOMEM ? ITRACE_E_NOMEM : ITRACE_E_SYSTEM;
	case KDUMP_ERR_NOTIMPL:
		return ITRACE_E_UNSUPPORTED;
	default:
		return ITRACE_E_CORRUPT;
	}
}

static int check_machine(kdump_ctx_t *ctx, char *error, size_t size)
{
	const char *arch = NULL;
	kdump_num_t page_size = 0;

	if (kdump_get_string_attr(ctx, KDUMP_ATTR_ARCH_NAME, &arch) == KDUMP_OK &&
	    strcmp(arch, KDUMP_ARCH_X86_64)) {
		snprintf(error, size, "dump of an %s machine, not x86_64", arch);
		return ITRACE_E_UNSUPPORTED;
	}
	if (kdump_get_number_attr(ctx, KDUMP_ATTR_PAGE_SIZE, &page_size) == KDUMP_OK &&
	    page_size != PAGE_SIZE) {
		snprintf(error, size, "dump with pages of %llu bytes",
			 (unsigned long long)page_size);
		return ITRACE_E_UNSUPPORTED;
	}
	return 0;
}

/* Open kdump->fd, which is in order. */
static int open_ordered(struct itrace_kdump *kdump, char *error, size_t size)
{
	kdump_addr_t first = 0;
	kdump_status status;
	int ret;

	kdump->ctx = kdump_new();
	if (!kdump->ctx) {
		snprintf(error, size, "%s", itrace_status_str(ITRACE_E_NOMEM));
		return ITRACE_E_NOMEM;
	}
	/* A file that shrinks while it is read must be an error, not a SIGBUS. */
	kdump_set_number_attr(kdump->ctx, KDUMP_ATTR_FILE_MMAP_POLICY, KDUMP_MMAP_NEVER);
	status = kdump_open_fd(kdump->ctx, kdump->fd);
	if (status != KDUMP_OK) {
		ret = open_failed(kdump->ctx, status, error, size);
		/* 0.5.1 crashes when it frees what it could not open: better lost than that. */
		kdump->ctx = NULL;
		return ret;
	}
	ret = check_machine(kdump->ctx, error, size);
	if (ret)
		return ret;
	kdump->pages = get_bitmap(kdump->ctx, KDUMP_ATTR_FILE_PAGEMAP);
	if (kdump->pages && kdump_bmp_find_set(kdump->pages, &first) != KDUMP_OK) {
		snprintf(error, size, "dump without a page in it (cut off?)");
		return ITRACE_E_CORRUPT;
	}
	kdump->memory = get_bitmap(kdump->ctx, KDUMP_ATTR_MEMORY_PAGEMAP);
	kdump->vmcoreinfo = get_vmcoreinfo(kdump->ctx);
	kdump_clear_err(kdump->ctx);
	return 0;
}

/*
 * Look at the dump before the library does; put a flattened one in order where the library can't
 * read it (before 0.5.3).
 */
static int prepare(struct itrace_kdump *kdump, char *error, size_t size)
{
	static const bool library_reads_flat = KDUMPFILE_VERSION >= KDUMPFILE_MKVER(0, 5, 3);
	uint8_t head[ITRACE_KDUMP_HEAD];
	struct itrace_flat_info info = {.head = head, .head_len = sizeof(head)};
	struct stat st;
	off_t end = lseek(kdump->fd, 0, SEEK_END); /* st_size of a disk is 0 */
	int ordered, status;
	ssize_t got;

	if (end < 0 || fstat(kdump->fd, &st) || S_ISDIR(st.st_mode)) {
		snprintf(error, size, "%s", strerror(S_ISDIR(st.st_mode) ? EISDIR : errno));
		return ITRACE_E_SYSTEM;
	}
	kdump->page_limit = (uint64_t)end / MIN_PAGE_BYTES + 1;
	if (itrace_flat_is(kdump->fd)) {
		status = itrace_flat_check(kdump->fd, &info, error, size);
		got = info.size < sizeof(head) ? (ssize_t)info.size : (ssize_t)sizeof(head);
		if (!status && !library_reads_flat) {
			status = itrace_flat_order(kdump->fd, &ordered, error, size);
			if (!status) {
				close(kdump->fd);
				kdump->fd = ordered;
			}
		}
	} else {
		status = itrace_kdump_check_elf(kdump->fd, error, size);
		got = pread(kdump->fd, head, sizeof(head), 0);
		info.size = (uint64_t)end;
	}
	if (!status && got > 0)
		status = itrace_kdump_check(head, (size_t)got, info.size, error, size);
	return status;
}

int itrace_kdump_open(const char *path, struct itrace_kdump **ret, char *error, size_t size)
{
	struct itrace_kdump *kdump = calloc(1, sizeof(*kdump));
	char why[256] = "";
	int status = 0;

	if (!kdump) {
		snprintf(error, size, "%s: %s", path, itrace_status_str(ITRACE_E_NOMEM));
		return ITRACE_E_NOMEM;
	}
	kdump->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (kdump->fd < 0) {
		snprintf(why, sizeof(why), "%s", strerror(errno));
		status = ITRACE_E_SYSTEM;
	}
	if (!status)
		status = prepare(kdump, why, sizeof(why));
	if (!status)
		status = open_ordered(kdump, why, sizeof(why));
	if (status) {
		snprintf(error, size, "%s: %s", path, why);
		itrace_kdump_close(kdump);
		return status;
	}
	kdump->source = (struct itrace_source){.read_phys = read_phys,
					       .vtop = vtop,
					       .next_range = kdump->pages ? next_range : NULL,
					       .log = get_log,
					       .vmcoreinfo = vmcoreinfo,
					       .priv = kdump};
	if (itrace_vmcoreinfo_paging(&kdump->source, &kdump->paging))
		kdump->paging.levels = 0;
	*ret = kdump;
	return 0;
}

const struct itrace_source *itrace_kdump_source(const struct itrace_kdump *kdump)
{
	return &kdump->source;
}

void itrace_kdump_close(struct itrace_kdump *kdump)
{
	if (!kdump)
		return;
	if (kdump->pages)
		kdump_bmp_decref(kdump->pages);
	if (kdump->memory)
		kdump_bmp_decref(kdump->memory);
	if (kdump->ctx)
		kdump_free(kdump->ctx);
	if (kdump->fd >= 0)
		close(kdump->fd);
	free(kdump->vmcoreinfo);
	free(kdump);
}
