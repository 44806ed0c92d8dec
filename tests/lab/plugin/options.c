// SPDX-License-Identifier: GPL-2.0-or-later
/* options.c - see options.h. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

static bool parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	char *end;

	*out = strtoull(s, &end, 0);
	return *s && !*end && *out >= min && *out <= max;
}

/* One of two words; the first is true. */
static bool parse_word(const char *s, const char *yes, const char *no, bool *out)
{
	*out = !strcmp(s, yes);
	return *out || !strcmp(s, no);
}

static bool parse_defect(const char *s, struct pt_options *o)
{
	static const char *const names[] = {
		[DEFECT_DROP_TNT] = "drop-tnt",
		[DEFECT_WRONG_TIP] = "wrong-tip",
		[DEFECT_LOSE_FUP] = "lose-fup",
	};
	static const uint64_t every[] = {
		[DEFECT_DROP_TNT] = 1000000,
		[DEFECT_WRONG_TIP] = 100000,
		[DEFECT_LOSE_FUP] = 1000,
	};
	size_t len = strcspn(s, ":");

	for (int d = DEFECT_DROP_TNT; d <= DEFECT_LOSE_FUP; d++) {
		if (strlen(names[d]) != len || strncmp(s, names[d], len) != 0)
			continue;
		o->defect = (enum pt_defect)d;
		o->defect_every = every[d];
		return !s[len] || parse_u64(s + len + 1, 1, UINT64_MAX, &o->defect_every);
	}
	return false;
}

static bool parse_model(const char *name, struct pt_options *o)
{
	const struct pt_cpu *cpu = pt_cpu_find(name);

	if (!cpu)
		return false;
	rtit_model_play(&o->model, cpu);
	o->sext48 = cpu->sext48;
	return true;
}

static bool parse_number(struct options *o, const char *key, const char *val)
{
	struct rtit_model *m = &o->pt.model;
	uint64_t n = 0;
	bool ok = true;

	if (!strcmp(key, "capacity")) {
		ok = parse_u64(val, 1, 1ull << 36, &o->capacity);
	} else if (!strcmp(key, "skid")) {
		ok = parse_u64(val, 0, 1u << 20, &o->pt.skid);
	} else if (!strcmp(key, "ovf")) {
		ok = parse_u64(val, 0, UINT64_MAX, &o->pt.ovf);
	} else if (!strcmp(key, "vmxon")) {
		ok = parse_u64(val, 0, UINT64_MAX, &o->pt.vmxon);
	} else if (!strcmp(key, "filters")) {
		ok = parse_u64(val, 0, 4, &n);
		m->filters = (unsigned int)n;
	} else if (!strcmp(key, "ctc")) {
		ok = parse_u64(val, 1, 512, &n);
		m->ctc_ratio = (uint32_t)n;
	} else if (!strcmp(key, "phys")) {
		ok = parse_u64(val, 32, 52, &n);
		m->maxphyaddr = (unsigned int)n;
	} else {
		return false;
	}
	return ok;
}

static bool parse_switch(struct options *o, const char *key, const char *val)
{
	struct rtit_model *m = &o->pt.model;

	if (!strcmp(key, "raw"))
		return parse_word(val, "on", "off", &o->raw);
	if (!strcmp(key, "error"))
		return parse_word(val, "on", "off", &o->pt.error);
	if (!strcmp(key, "lip"))
		return parse_word(val, "on", "off", &m->lip);
	if (!strcmp(key, "mtc"))
		return parse_word(val, "on", "off", &m->mtc);
	if (!strcmp(key, "pip"))
		return parse_word(val, "on", "off", &o->pt.pip);
	if (!strcmp(key, "sext48"))
		return parse_word(val, "on", "off", &o->pt.sext48);
	if (!strcmp(key, "range"))
		return parse_word(val, "on", "off", &m->range);
	if (!strcmp(key, "leaf15"))
		return parse_word(val, "on", "off", &m->leaf15);
	if (!strcmp(key, "tnt"))
		return parse_word(val, "long", "short", &o->pt.tnt_long);
	if (!strcmp(key, "topa"))
		return parse_word(val, "multi", "single", &m->multi);
	return false;
}

static bool parse_one(struct options *o, char *arg)
{
	char *val = strchr(arg, '=');
	bool ok;

	if (!val)
		return false;
	*val++ = '\0';
	if (!strcmp(arg, "dir")) {
		o->dir = val;
		ok = *val;
	} else if (!strcmp(arg, "defect")) {
		ok = parse_defect(val, &o->pt);
	} else if (!strcmp(arg, "model")) {
		ok = parse_model(val, &o->pt);
	} else {
		ok = parse_number(o, arg, val) || parse_switch(o, arg, val);
	}
	val[-1] = '=';
	return ok;
}

int options_parse(struct options *o, int argc, char **argv)
{
	*o = (struct options){
		.capacity = 64ull << 20,
		.pt = {.pip = true, .sext48 = true},
	};
	rtit_model_init(&o->pt.model);
	for (int i = 0; i < argc; i++) {
		if (!parse_one(o, argv[i])) {
			fprintf(stderr, "itrace-pt: %s: no such argument or value\n", argv[i]);
			return -1;
		}
	}
	if (!o->dir) {
		fprintf(stderr, "itrace-pt: dir=DIR is missing\n");
		return -1;
	}
	return 0;
}
