/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Headers that moved: hex2bin() left linux/kernel.h for linux/hex.h; cpuid_count() left
 * asm/processor.h for asm/cpuid/api.h (v6.16).
 */
#ifndef ITRACE_COMPAT_HEADERS_H
#define ITRACE_COMPAT_HEADERS_H

#include <linux/kernel.h>
#include <asm/processor.h>

#ifdef ITRACE_HAVE_HEX_H
#include <linux/hex.h>
#endif
#ifdef ITRACE_HAVE_CPUID_API_H
#include <asm/cpuid/api.h>
#endif

#endif
