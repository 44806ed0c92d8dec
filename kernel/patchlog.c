// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "patchlog.h"

#include <linux/ptrace.h>
#include <linux/string.h>
#include <asm/tsc.h>

#include "compat/ftrace.h"
#include "part.h"
#include "piece.h"
#include "symbol.h"

static struct itrace_patches *patches;

/* __text_poke(function, address, source, length) */
static void on_text_poke(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	struct itrace_patches *log = READ_ONCE(patches);
	struct itrace_patch *p;
	unsigned long len;

	if (!regs || !log)
		return;
	len = regs_get_kernel_argument(regs, 3);
	itrace_part_begin(&log->part);
	if (!len || len > sizeof(p->before)) {
		log->lost++;
	} else {
		p = &log->patch[log->count % ITRACE_PATCHLOG_CAPACITY];
		memset(p, 0, sizeof(*p));
		p->tsc = rdtsc();
		p->addr = regs_get_kernel_argument(regs, 1);
		p->len = len;
		memcpy(p->before, (void *)p->addr, len);
		memcpy(p->after, (void *)regs_get_kernel_argument(regs, 2), len);
		log->count++;
	}
	itrace_part_end(&log->part, ITRACE_PART_PATCHES, sizeof(*log));
}

static struct ftrace_ops ops;

static bool active;

void itrace_patchlog_start(struct itrace_piece *piece)
{
	struct itrace_patches *log = piece->va;
	unsigned long addr = itrace_symbol("__text_poke");
	int err;

	itrace_part_begin(&log->part);
	log->capacity = ITRACE_PATCHLOG_CAPACITY;
	log->stride = sizeof(struct itrace_patch);
	log->count = 0;
	log->lost = 0;
	itrace_part_end(&log->part, ITRACE_PART_PATCHES, sizeof(*log));
	WRITE_ONCE(patches, log);

	itrace_ops_init(&ops, on_text_poke, FTRACE_OPS_FL_SAVE_REGS);
	err = addr ? ftrace_set_filter_ip(&ops, addr, 0, 0) : -ENOENT;
	if (!err)
		err = register_ftrace_function(&ops);
	if (err) {
		pr_warn("code patching is not logged: ftrace can't trace __text_poke (%d)\n", err);
		ftrace_free_filter(&ops);
		WRITE_ONCE(patches, NULL);
		return;
	}
	active = true;
}

void itrace_patchlog_stop(void)
{
	if (active) {
		unregister_ftrace_function(&ops);
		ftrace_free_filter(&ops);
	}
	active = false;
	WRITE_ONCE(patches, NULL);
}

bool itrace_patchlog_active(void)
{
	return active;
}
