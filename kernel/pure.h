/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the pure files of this module are built on: they know neither printk nor allocation, and
 * are linked by unit tests as they are. Numbers are the itrace_u* types of itrace_abi.h.
 */
#ifndef ITRACE_PURE_H
#define ITRACE_PURE_H

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#endif

#include "itrace_abi.h"

#endif
