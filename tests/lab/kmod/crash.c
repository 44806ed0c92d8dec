// SPDX-License-Identifier: GPL-2.0-only
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "crash.h"

struct lab_object {
	unsigned long pad[2];
	unsigned long field; /* at 0x10: read through NULL */
};

/* Never set; not const, so that the compiler cannot know. */
static struct lab_object *lab_object;

static noinline struct lab_object *lab_find(unsigned int key)
{
	return key & 1 ? READ_ONCE(lab_object) : NULL;
}

static noinline unsigned long lab_null_deref(unsigned int key)
{
	struct lab_object *object = lab_find(key);

	return READ_ONCE(object->field) + key;
}

void crash_null_deref(void)
{
	unsigned long value = lab_null_deref(1);

	pr_info("itrace_lab: survived a NULL dereference: %lu\n", value);
}

int crash_by_name(const char *name)
{
	const struct crash *const tables[] = {crash_faults, crash_contexts};
	const struct crash *crash;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (crash = tables[i]; crash->name; crash++) {
			if (strcmp(name, crash->name))
				continue;
			crash->crash();
			return 0;
		}
	}
	return -ENOENT;
}
