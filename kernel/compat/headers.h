/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Headers that moved: hex2bin() left linux/kernel.h for linux/hex.h; cpuid_count() left
 * asm/processor.h for asm/cpuid/api.h (v6.16).
 */
#ifndef ITRACE_COMPAT_HEADERS_H
#define ITRACE_COMPAT_HEADERS_H

#include <linux/kernel.h>
#include <asm/processor.h>

#if __has_include(<linux/hex.h>)
#include <linux/hex.h>
#endif
#if __has_include(<asm/cpuid/api.h>)
#include <asm/cpuid/api.h>
#endif

#endif
