/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of functions that the kernel does not export: only to hand them to ftrace and to
 * write them down, never to call them.
 */
#ifndef ITRACE_SYMBOL_H
#define ITRACE_SYMBOL_H

/* The first instruction of function @name; 0: there is none, or probes are forbidden there. */
unsigned long itrace_symbol(const char *name);

#endif
