/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dump that crash(8) has open as a source. Only for itrace.so.
 *
 * Nothing here prints or longjmps: memory is read with RETURN_ON_ERROR and QUIET, names are looked
 * up in tables that crash has already read.
 */
#ifndef ITRACE_CRASH_H
#define ITRACE_CRASH_H

#include "source.h"

/*
 * Fill @source, which must stay where it is: it is its own priv. Nothing to free; it may be filled
 * again.
 */
void itrace_crash_source(struct itrace_source *source);

#endif
