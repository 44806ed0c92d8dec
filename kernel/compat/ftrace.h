/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ftrace's direct callers: by ftrace_ops since commit da8bdfbd4223 "ftrace: Rename
 * _ftrace_direct_multi APIs to _ftrace_direct APIs" (v6.4), under the old names before.
 */
#ifndef ITRACE_COMPAT_FTRACE_H
#define ITRACE_COMPAT_FTRACE_H

#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/string.h>

/*
 * Before each use: ftrace_free_filter() leaves pointers to what it freed, so that an ftrace_ops
 * can be used again only after it has been cleared.
 */
static inline void itrace_ops_init(struct ftrace_ops *ops, ftrace_func_t func, unsigned long flags)
{
	memset(ops, 0, sizeof(*ops));
	ops->func = func;
	ops->flags = flags;
}

#if defined(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS) && defined(ITRACE_HAVE_FTRACE_DIRECT)
static inline int itrace_register_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int err = register_ftrace_direct(ops, addr);

	/* The call sets the flags anew; "echo 0 > ftrace_enabled" has to fail all the same. */
	if (!err)
		ops->flags |= FTRACE_OPS_FL_PERMANENT;
	return err;
}

static inline void itrace_unregister_direct(struct ftrace_ops *ops, unsigned long addr)
{
	unregister_ftrace_direct(ops, addr, true);
}
#elif defined(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)
static inline int itrace_register_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int err = register_ftrace_direct_multi(ops, addr);

	if (!err)
		ops->flags |= FTRACE_OPS_FL_PERMANENT;
	return err;
}

static inline void itrace_unregister_direct(struct ftrace_ops *ops, unsigned long addr)
{
	unregister_ftrace_direct_multi(ops, addr);
	ftrace_free_filter(ops);
}
#else
static inline int itrace_register_direct(struct ftrace_ops *ops, unsigned long addr)
{
	return -EOPNOTSUPP;
}

static inline void itrace_unregister_direct(struct ftrace_ops *ops, unsigned long addr)
{
}
#endif

#endif
