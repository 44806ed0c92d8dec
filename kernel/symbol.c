// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "symbol.h"

#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

/* A probe that is never armed changes nothing, but has been resolved. */
unsigned long itrace_symbol(const char *name)
{
	struct kprobe probe = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	char text[KSYM_SYMBOL_LEN];
	unsigned int offset = 0;
	unsigned long addr;
	const char *plus;

	if (register_kprobe(&probe))
		return 0;
	addr = (unsigned long)probe.addr;
	unregister_kprobe(&probe);
	/* With IBT the probe lies behind ENDBR64: "name+0x4/0x123" */
	sprint_symbol(text, addr);
	plus = strchr(text, '+');
	if (plus && sscanf(plus, "+0x%x/", &offset) == 1)
		addr -= offset;
	return addr;
}
