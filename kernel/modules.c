// SPDX-License-Identifier: GPL-2.0-only
/*
 * The record's list of modules.
 *
 * The kernel's own list is not exported, but this module is on it, and it may be read under RCU
 * (kernel/module/main.c). Its head lies in the kernel's data, all its entries in module space.
 */
#include "itrace.h"
#include "record.h"

#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <asm/page.h>
#include <asm/pgtable.h>

#include "compat/module.h"
#include "fileio.h"

#define LIST_MAX 4096

static bool is_entry(const struct list_head *node)
{
	return (unsigned long)node >= MODULES_VADDR && (unsigned long)node < MODULES_END;
}

/* Calls @each for up to LIST_MAX modules; under RCU, so it must not sleep. */
static void walk(void (*each)(const struct module *mod, void *arg), void *arg)
{
	const struct list_head *node = &THIS_MODULE->list;
	unsigned int left = LIST_MAX;

	rcu_read_lock();
	do {
		const struct module *mod = list_entry(node, struct module, list);

		if (is_entry(node) && mod->state != MODULE_STATE_UNFORMED)
			each(mod, arg);
		node = rcu_dereference(list_next_rcu(node));
	} while (node != &THIS_MODULE->list && --left);
	rcu_read_unlock();
}

static void count(const struct module *mod, void *arg)
{
	++*(unsigned int *)arg;
}

unsigned int itrace_modules_count(void)
{
	unsigned int n = 0;

	walk(count, &n);
	return n;
}

struct fill {
	struct itrace_modules *list;
	unsigned int max;
};

static void add(const struct module *mod, void *arg)
{
	struct fill *fill = arg;
	struct itrace_module *m = &fill->list->module[fill->list->nr];

	if (fill->list->nr == fill->max) {
		fill->list->lost++;
		return;
	}
	memset(m, 0, sizeof(*m));
	strscpy(m->name, mod->name, sizeof(m->name));
	m->base = itrace_module_text(mod);
	m->size = itrace_module_text_size(mod);
	fill->list->nr++;
}

void itrace_modules_fill(struct itrace_modules *list, unsigned int max)
{
	struct fill fill = {list, max};
	char path[128];
	unsigned int i;

	list->nr = 0;
	list->lost = 0;
	walk(add, &fill);
	for (i = 0; i < list->nr; i++) {
		struct itrace_module *m = &list->module[i];

		snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", m->name);
		m->build_id_len = itrace_build_id(path, m->build_id);
	}
}
