// SPDX-License-Identifier: GPL-2.0-or-later
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

#define PAGE_SIZE 4096ull
#define MAX_TRIED 64 /* places that are remembered as wrong, so that each is one line */

struct search {
	const struct itrace_source *source;
	const struct itrace_problems *problems;
	uint64_t tried[MAX_TRIED];
	uint32_t nr_tried;
	int first;	     /* status of the first place that named a record and was wrong */
	uint64_t unreadable; /* pages that the scan found damaged */
};

/*
 * Look at @pa, which something named as the record's place. Returns as itrace_record_check, having
 * reported what is wrong and that @next is tried. A place is looked at once.
 */
static int try(struct search *search, uint64_t pa, const char *next, struct itrace_header *header)
{
	char why[ITRACE_RECORD_WHY];
	uint32_t i;
	int status;

	for (i = 0; i < search->nr_tried; i++)
		if (search->tried[i] == pa)
			return ITRACE_E_NOTFOUND;
	status = itrace_record_check(search->source, pa, header, why);
	if (!status)
		return 0;
	if (search->nr_tried < MAX_TRIED)
		search->tried[search->nr_tried++] = pa;
	if (!search->first)
		search->first = status;
	itrace_problem(search->problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET, "%s%s", why,
		       status == ITRACE_E_UNSUPPORTED ? "" : next);
	return status;
}

/* By symbol. Returns 0 with *@pa, ITRACE_E_UNSUPPORTED, or any other status: look elsewhere. */
static int by_symbol(struct search *search, uint64_t *pa)
{
	const struct itrace_source *source = search->source;
	struct itrace_header header;
	uint64_t va, at;
	int status;

	if (!source->lookup || !source->vtop || source->lookup(source->priv, "itrace_record", &va))
		return ITRACE_E_NOTFOUND;
	status = source->vtop(source->priv, va, &at);
	if (!status)
		status = source->read_phys(source->priv, at, pa, sizeof(*pa));
	if (status) {
		itrace_problem(search->problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
			       "%s: symbol itrace_record at 0x%llx; trying the log line's address",
			       itrace_status_str(status), (unsigned long long)va);
		return status;
	}
	if (!*pa) {
		itrace_problem(search->problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
			       "no data: the itrace module was loaded, but not armed; "
			       "trying the log line's address");
		search->first = ITRACE_E_NODATA;
		return ITRACE_E_NODATA;
	}
	return try(search, *pa, "; trying the log line's address", &header);
}

/* The address in "itrace: record v1 pa=0x20b3000 len=..." within one line. */
static bool parse_line(const char *line, uint64_t *pa)
{
	const char *at = strstr(line, "itrace: record v");
	char *end;

	if (!at)
		return false;
	at = strstr(at, " pa=0x");
	if (!at)
		return false;
	at += strlen(" pa=0x");
	errno = 0;
	*pa = strtoull(at, &end, 16);
	return end != at && !errno;
}

/*
 * By log line, the newest first: user space can write to the log, and the module may have been
 * armed more than once, so that only the newest that is wrong is worth a line.
 */
static int by_log(struct search *search, uint64_t *pa)
{
	const struct itrace_problems *problems = search->problems;
	const struct itrace_source *source = search->source;
	int status = ITRACE_E_NOTFOUND;
	struct itrace_header header;
	char *log, *line;

	if (!source->log || source->log(source->priv, &log))
		return ITRACE_E_NOTFOUND;
	while (status && status != ITRACE_E_UNSUPPORTED && search->nr_tried < MAX_TRIED) {
		line = strrchr(log, '\n');
		if (parse_line(line ? line + 1 : log, pa)) {
			status = try(search, *pa, "; searching memory for the magic", &header);
			search->problems = NULL;
		}
		if (!line)
			break;
		*line = '\0';
	}
	free(log);
	search->problems = problems;
	return status;
}

/* Pages of [start, end) for the newest whole record: *@best, *@pa if any was found. */
static uint64_t scan_range(struct search *search, uint64_t start, uint64_t end,
			   struct itrace_header *best, uint64_t *pa)
{
	const struct itrace_source *source = search->source;
	struct itrace_header header;
	uint8_t magic[ITRACE_MAGIC_LEN];
	uint64_t scanned = 0;
	uint64_t at;
	int status;

	for (at = (start + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1); at < end; at += PAGE_SIZE) {
		status = source->read_phys(source->priv, at, magic, sizeof(magic));
		if (status == ITRACE_E_CORRUPT)
			search->unreadable++;
		if (status)
			continue;
		scanned += PAGE_SIZE;
		if (memcmp(magic, ITRACE_MAGIC, sizeof(magic)))
			continue;
		if (try(search, at, "; searching on", &header))
			continue;
		if (!*pa || header.arm_real_ns > best->arm_real_ns ||
		    (header.arm_real_ns == best->arm_real_ns &&
		     header.generation > best->generation)) {
			*best = header;
			*pa = at;
		}
	}
	return scanned;
}

static int by_scan(struct search *search, uint64_t *pa, uint64_t *scanned)
{
	const struct itrace_source *source = search->source;
	struct itrace_header best;
	uint64_t start = 0;
	uint64_t end = source->max_pa;
	uint64_t from = 0;

	*pa = 0;
	if (!source->next_range)
		*scanned = scan_range(search, start, end, &best, pa);
	while (source->next_range && !source->next_range(source->priv, from, &start, &end)) {
		if (end <= from)
			break;
		*scanned += scan_range(search, start > from ? start : from, end, &best, pa);
		from = end;
	}
	if (*pa)
		return 0;
	if (!search->unreadable)
		return ITRACE_E_NOTFOUND;
	/* Not the module's absence: the record may be in what is lost. */
	itrace_problem(search->problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
		       "corrupt: %llu pages of the dump can't be read (cut off?): "
		       "no record in the rest",
		       (unsigned long long)search->unreadable);
	return ITRACE_E_CORRUPT;
}

int itrace_record_find(struct itrace_record *record, const struct itrace_source *source,
		       const struct itrace_problems *problems, uint64_t *scanned)
{
	struct search search = {.source = source, .problems = problems};
	uint64_t pa;
	int status;

	*scanned = 0;
	status = by_symbol(&search, &pa);
	if (status && status != ITRACE_E_UNSUPPORTED)
		status = by_log(&search, &pa);
	if (status && status != ITRACE_E_UNSUPPORTED)
		status = by_scan(&search, &pa, scanned);
	if (status == ITRACE_E_NOTFOUND && search.first == ITRACE_E_NOTFOUND) {
		itrace_problem(problems, ITRACE_NO_CPU, ITRACE_NO_OFFSET,
			       "no data: the record that was named is gone: "
			       "the module had been disarmed or unloaded");
		return ITRACE_E_NODATA;
	}
	if (status)
		return search.first ? search.first : status;
	return itrace_record_init(record, source, pa, problems);
}
