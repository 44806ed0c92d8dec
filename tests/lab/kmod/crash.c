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

static void crash_null_deref(void)
{
	unsigned long value = lab_null_deref(1);

	pr_info("itrace_lab: survived a NULL dereference: %lu\n", value);
}

static const struct {
	const char *name;
	void (*crash)(void);
} crashes[] = {
	{"null-deref", crash_null_deref},
};

int crash_by_name(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(crashes); i++) {
		if (strcmp(name, crashes[i].name))
			continue;
		crashes[i].crash();
		return 0;
	}
	return -ENOENT;
}
