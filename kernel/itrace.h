/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all files of the module share: the log prefix, and the module's own state.
 */
#ifndef ITRACE_H
#define ITRACE_H

#undef pr_fmt
#define pr_fmt(fmt) "itrace: " fmt

#include <linux/printk.h>
#include <linux/types.h>

#include "itrace_abi.h"

/* Physical address of the record's header; 0 while there is none. Debuggers find it by name. */
extern u64 itrace_record;

#endif
