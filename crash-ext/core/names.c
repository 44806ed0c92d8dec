// SPDX-License-Identifier: GPL-2.0-or-later
#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t addr;
	struct itrace_name name;
	struct entry *next;
};

struct string {
	struct string *next;
	char text[];
};

#define STRING_BUCKETS 4096

struct itrace_names {
	const struct itrace_source *source;
	const struct itrace_record *record;
	struct entry **bucket;
	size_t nr_buckets; /* power of two */
	size_t nr;
	struct string *string[STRING_BUCKETS];
	uint64_t thunks, thunks_end; /* where the indirect ones lie */
};

static const struct itrace_name no_name = {.symbol = "", .module = ""};

static size_t hash_addr(uint64_t addr)
{
	return (addr * 0x9e3779b97f4a7c15ull) >> 32;
}

static size_t hash_text(const char *text)
{
	uint32_t hash = 2166136261u;

	while (*text)
		hash = (hash ^ (uint8_t)*text++) * 16777619u;
	return hash & (STRING_BUCKETS - 1);
}

/* One for each register, 32 bytes apart (arch/x86/lib/retpoline.S). */
static void find_thunks(struct itrace_names *names)
{
	const struct itrace_source *source = names->source;
	uint64_t first, last;

	if (!source || !source->lookup ||
	    source->lookup(source->priv, "__x86_indirect_thunk_rax", &first) ||
	    source->lookup(source->priv, "__x86_indirect_thunk_r15", &last) || last < first)
		return;
	names->thunks = first;
	names->thunks_end = last + 32;
}

struct itrace_names *itrace_names_create(const struct itrace_source *source,
					 const struct itrace_record *record)
{
	struct itrace_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->source = source;
	names->record = record;
	names->nr_buckets = 4096;
	names->bucket = calloc(names->nr_buckets, sizeof(*names->bucket));
	if (!names->bucket) {
		free(names);
		return NULL;
	}
	find_thunks(names);
	return names;
}

void itrace_names_destroy(struct itrace_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->nr_buckets; i++) {
		struct entry *next;

		for (struct entry *entry = names->bucket[i]; entry; entry = next) {
			next = entry->next;
			free(entry);
		}
	}
	for (size_t i = 0; i < STRING_BUCKETS; i++) {
		struct string *next;

		for (struct string *string = names->string[i]; string; string = next) {
			next = string->next;
			free(string);
		}
	}
	free(names->bucket);
	free(names);
}

/* One copy of each text. NULL when out of memory. */
static const char *intern(struct itrace_names *names, const char *text)
{
	struct string **bucket = &names->string[hash_text(text)];
	struct string *string;
	size_t size;

	if (!*text)
		return "";
	for (string = *bucket; string; string = string->next)
		if (!strcmp(string->text, text))
			return string->text;
	size = strlen(text) + 1;
	string = malloc(sizeof(*string) + size);
	if (!string)
		return NULL;
	memcpy(string->text, text, size);
	string->next = *bucket;
	*bucket = string;
	return string->text;
}

/* Names come from a dump: nothing that a terminal would act on. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text >= 0x7f)
			*text = '?';
}

/*
 * The detours of Spectre, ITS and their kin. The first indirect thunk shares its address with other
 * symbols, so its own name does not always come up.
 */
static enum itrace_name_kind classify(const struct itrace_names *names, uint64_t addr,
				      const char *symbol)
{
	static const char suffix[] = "return_thunk";
	size_t len = strlen(symbol), tail = sizeof(suffix) - 1;

	if (!strncmp(symbol, "__x86_indirect_", 15) ||
	    (addr >= names->thunks && addr < names->thunks_end))
		return ITRACE_NAME_INDIRECT_THUNK;
	if (len >= tail && !strcmp(symbol + len - tail, suffix))
		return ITRACE_NAME_RETURN_THUNK;
	return ITRACE_NAME_PLAIN;
}

static bool resolve(struct itrace_names *names, uint64_t addr, struct itrace_name *ret)
{
	const struct itrace_source *source = names->source;
	const struct itrace_record *record = names->record;
	char symbol[256] = "", module[64] = "";
	uint64_t start = 0;

	if (source && source->symbol &&
	    source->symbol(source->priv, addr, symbol, sizeof(symbol), module, sizeof(module),
			   &start)) {
		symbol[0] = module[0] = '\0';
		start = 0;
	}
	for (uint32_t i = 0; record && !module[0] && i < record->nr_modules; i++) {
		const struct itrace_module *mod = &record->module[i];

		if (addr < mod->base || addr - mod->base >= mod->size)
			continue;
		snprintf(module, sizeof(module), "%s", mod->name);
		/* A symbol that lies before the module is not one of its own. */
		if (start < mod->base) {
			symbol[0] = '\0';
			start = mod->base;
		}
	}
	/* Where the first thunk lies, another symbol ends. */
	if (addr >= names->thunks && addr < names->thunks_end && strncmp(symbol, "__x86_", 6)) {
		snprintf(symbol, sizeof(symbol), "__x86_indirect_thunk_rax");
		start = names->thunks;
	}
	make_printable(symbol);
	make_printable(module);
	*ret = (struct itrace_name){.kind = classify(names, addr, symbol),
				    .symbol = intern(names, symbol),
				    .module = intern(names, module),
				    .start = start};
	return ret->symbol && ret->module;
}

static void grow(struct itrace_names *names)
{
	size_t nr_buckets = names->nr_buckets * 4;
	struct entry **bucket = calloc(nr_buckets, sizeof(*bucket));

	if (!bucket)
		return; /* slower, not wrong */
	for (size_t i = 0; i < names->nr_buckets; i++) {
		struct entry *next;

		for (struct entry *entry = names->bucket[i]; entry; entry = next) {
			size_t to = hash_addr(entry->addr) & (nr_buckets - 1);

			next = entry->next;
			entry->next = bucket[to];
			bucket[to] = entry;
		}
	}
	free(names->bucket);
	names->bucket = bucket;
	names->nr_buckets = nr_buckets;
}

const struct itrace_name *itrace_names_get(struct itrace_names *names, uint64_t addr)
{
	size_t slot = hash_addr(addr) & (names->nr_buckets - 1);
	struct entry *entry;

	for (entry = names->bucket[slot]; entry; entry = entry->next)
		if (entry->addr == addr)
			return &entry->name;
	entry = malloc(sizeof(*entry));
	if (!entry || !resolve(names, addr, &entry->name)) {
		free(entry);
		return &no_name;
	}
	if (names->nr++ >= names->nr_buckets) {
		grow(names);
		slot = hash_addr(addr) & (names->nr_buckets - 1);
	}
	entry->addr = addr;
	entry->next = names->bucket[slot];
	names->bucket[slot] = entry;
	return &entry->name;
}

bool itrace_names_symbols(const struct itrace_names *names)
{
	return names->source && names->source->symbol;
}

int itrace_names_format(struct itrace_names *names, uint64_t addr, char *buf, size_t size)
{
	const struct itrace_name *name = itrace_names_get(names, addr);
	char offset[24] = "";

	if (name->start && addr != name->start)
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, addr - name->start);
	if (*name->symbol && *name->module)
		return snprintf(buf, size, "%s%s [%s]", name->symbol, offset, name->module);
	if (*name->symbol)
		return snprintf(buf, size, "%s%s", name->symbol, offset);
	if (*name->module)
		return snprintf(buf, size, "[%s]%s", name->module, offset);
	return snprintf(buf, size, "0x%" PRIx64, addr);
}
