// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void collect_report(void *priv, uint32_t cpu, uint64_t offset, const char *text)
{
	struct itrace_collect *collect = priv;
	struct itrace_collected *line;
	char *copy;

	for (size_t i = 0; i < collect->nr; i++) {
		line = &collect->line[i];
		if (line->cpu == cpu && line->offset == offset && !strcmp(line->text, text))
			return;
	}
	copy = collect->nr < ITRACE_COLLECT_MAX ? strdup(text) : NULL;
	if (!collect->line || !copy) {
		free(copy);
		collect->lost++;
		return;
	}
	collect->line[collect->nr++] =
		(struct itrace_collected){.cpu = cpu, .offset = offset, .text = copy};
}

void itrace_collect_init(struct itrace_collect *collect)
{
	memset(collect, 0, sizeof(*collect));
	collect->problems.report = collect_report;
	collect->problems.priv = collect;
	/* Without memory every problem counts as lost, and is still counted. */
	collect->line = calloc(ITRACE_COLLECT_MAX, sizeof(*collect->line));
}

void itrace_collect_deinit(struct itrace_collect *collect)
{
	for (size_t i = 0; i < collect->nr; i++)
		free(collect->line[i].text);
	free(collect->line);
	memset(collect, 0, sizeof(*collect));
}

const char *itrace_collect_take(struct itrace_collect *collect, uint32_t cpu, uint64_t offset)
{
	for (size_t i = 0; i < collect->nr; i++) {
		struct itrace_collected *line = &collect->line[i];

		if (line->cpu != cpu || line->offset != offset)
			continue;
		line->shown = true;
		return line->text;
	}
	return NULL;
}

uint64_t itrace_collect_count(const struct itrace_collect *collect, uint32_t cpu)
{
	uint64_t count = 0;

	if (cpu == ITRACE_NO_CPU)
		return collect->nr + collect->lost;
	for (size_t i = 0; i < collect->nr; i++)
		count += collect->line[i].cpu == cpu;
	return count;
}

int itrace_collect_format(char *buf, size_t size, uint32_t cpu, uint64_t offset, const char *text)
{
	if (cpu == ITRACE_NO_CPU)
		return snprintf(buf, size, "itrace: %s", text);
	if (offset == ITRACE_NO_OFFSET)
		return snprintf(buf, size, "[cpu %" PRIu32 "] %s", cpu, text);
	return snprintf(buf, size, "[cpu %" PRIu32 " off 0x%" PRIx64 "] %s", cpu, offset, text);
}

uint64_t itrace_collect_flush(struct itrace_collect *collect, FILE *out, const char *prefix)
{
	uint64_t lines = 0;
	char buf[384];

	for (size_t i = 0; i < collect->nr; i++) {
		struct itrace_collected *line = &collect->line[i];

		if (line->shown)
			continue;
		line->shown = true;
		lines++;
		if (!out)
			continue;
		itrace_collect_format(buf, sizeof(buf), line->cpu, line->offset, line->text);
		fprintf(out, "%s%s\n", prefix, buf);
	}
	if (collect->lost && out)
		fprintf(out, "%sitrace: %" PRIu64 " more problems, not kept: only counted\n",
			prefix, collect->lost);
	return lines;
}
