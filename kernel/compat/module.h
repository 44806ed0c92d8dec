/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a module's text lies: struct module_memory since commit ac3b43283923 "module: replace
 * module_layout with module_memory" (v6.4), core_layout before.
 */
#ifndef ITRACE_COMPAT_MODULE_H
#define ITRACE_COMPAT_MODULE_H

#include <linux/module.h>

static inline unsigned long itrace_module_text(const struct module *mod)
{
#ifdef ITRACE_HAVE_MODULE_MEMORY
	return (unsigned long)mod->mem[MOD_TEXT].base;
#else
	return (unsigned long)mod->core_layout.base;
#endif
}

static inline unsigned int itrace_module_text_size(const struct module *mod)
{
#ifdef ITRACE_HAVE_MODULE_MEMORY
	return mod->mem[MOD_TEXT].size;
#else
	return mod->core_layout.text_size;
#endif
}

#endif
