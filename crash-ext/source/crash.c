// SPDX-License-Identifier: GPL-2.0-or-later
#include <defs.h>

#include "crash.h"
#include "pagetable.h"
#include "prb.h"
#include "status.h"
#include "vmcoreinfo.h"

static struct itrace_paging kernel_paging; /* levels is 0 until it is known */

/* Why did readmem() fail at @pa? It says only that it did; the function below it says more. */
static int why_unread(uint64_t pa)
{
	char byte;

	switch (pc->readmem(pc->dfd, &byte, 1, pa, pa)) {
	case PAGE_EXCLUDED:
		return ITRACE_E_FILTERED;
	case SEEK_ERROR:
		return ITRACE_E_NOTFOUND;
	case READ_ERROR:
		return ITRACE_E_CORRUPT;
	default:
		return 0;
	}
}

static int read_phys(void *priv, uint64_t pa, void *buf, size_t len)
{
	uint64_t at;
	int status = 0;

	(void)priv;
	if (!len)
		return 0;
	if (pa + (len - 1) < pa || len > LONG_MAX)
		return ITRACE_E_NOTFOUND;
	if (readmem(pa, PHYSADDR, buf, (long)len, "itrace", RETURN_ON_ERROR | QUIET))
		return 0;
	for (at = pa; !status && at - pa < len; at = (at | 0xfff) + 1)
		status = why_unread(at);
	return status ? status : ITRACE_E_FILTERED;
}

static int vmcoreinfo(void *priv, const char *key, char *value, size_t size)
{
	char *text = pc->read_vmcoreinfo ? pc->read_vmcoreinfo(key) : NULL;

	(void)priv;
	if (!text)
		return ITRACE_E_NOTFOUND;
	snprintf(value, size, "%s", text);
	free(text);
	return 0;
}

/*
 * Own walk, since crash's kvtop() reads the tables with FAULT_ON_ERROR: one that is not in the
 * dump would longjmp past us.
 */
static int vtop(void *priv, uint64_t va, uint64_t *pa)
{
	const struct itrace_source *source = priv;
	struct itrace_translation translation;
	int status;

	if (!kernel_paging.levels && itrace_vmcoreinfo_paging(source, &kernel_paging)) {
		/* A dump without vmcoreinfo: by symbol; its own address needs no table. */
		if (!symbol_exists("init_top_pgt"))
			return ITRACE_E_NOTFOUND;
		kernel_paging.cr3 = VTOP(symbol_value("init_top_pgt"));
		kernel_paging.levels = machdep->flags & VM_5LEVEL ? 5 : 4;
	}
	status = itrace_translate(source, &kernel_paging, va, &translation);
	if (status)
		return status == ITRACE_E_FILTERED ? status : ITRACE_E_NOTFOUND;
	*pa = translation.pa;
	return 0;
}

static int get_log(void *priv, char **log)
{
	return itrace_prb_read(priv, log);
}

static int lookup(void *priv, const char *name, uint64_t *addr)
{
	char copy[128];

	(void)priv;
	/* crash's own functions take a char *. */
	if (snprintf(copy, sizeof(copy), "%s", name) >= (int)sizeof(copy) || !symbol_exists(copy))
		return ITRACE_E_NOTFOUND;
	*addr = symbol_value(copy);
	return 0;
}

static int symbol(void *priv, uint64_t addr, char *name, size_t size, char *module,
		  size_t module_size, uint64_t *start)
{
	struct load_module *lm = NULL;
	struct syment *sp;
	ulong offset = 0;

	(void)priv;
	sp = value_search(addr, &offset);
	/* crash's own marks of where a module begins are no symbols. */
	if (!sp || !sp->name || STRNEQ(sp->name, "_MODULE_"))
		return ITRACE_E_NOTFOUND;
	*start = sp->value;
	if (size)
		snprintf(name, size, "%s", sp->name);
	if (!module_size)
		return 0;
	*module = '\0';
	if (IS_MODULE_SYMBOL(sp) && module_symbol(addr, NULL, &lm, NULL, *gdb_output_radix) && lm)
		snprintf(module, module_size, "%.*s", MAX_MOD_NAME, lm->mod_name);
	return 0;
}

/* Memory nodes, in ascending order. */
static int next_range(void *priv, uint64_t from, uint64_t *start, uint64_t *end)
{
	uint64_t node_start, node_end;
	bool found = false;
	int i;

	(void)priv;
	for (i = 0; i < vt->numnodes; i++) {
		node_start = vt->node_table[i].start_paddr;
		node_end = node_start + (uint64_t)vt->node_table[i].size * PAGESIZE();
		if (node_end <= from || (found && node_start >= *start))
			continue;
		found = true;
		*start = node_start;
		*end = node_end;
	}
	if (vt->numnodes <= 0 && from < machdep->memsize) {
		found = true;
		*start = 0;
		*end = machdep->memsize;
	}
	return found ? 0 : ITRACE_E_NOTFOUND;
}

void itrace_crash_source(struct itrace_source *source)
{
	*source = (struct itrace_source){.read_phys = read_phys,
					 .symbol = symbol,
					 .lookup = lookup,
					 .vtop = vtop,
					 .next_range = next_range,
					 .log = get_log,
					 .vmcoreinfo = vmcoreinfo,
					 .priv = source};
	kernel_paging.levels = 0;
}
