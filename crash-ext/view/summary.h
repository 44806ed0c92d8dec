/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The head of the first screen: which machine, when, and what stopped it.
 */
#ifndef ITRACE_SUMMARY_H
#define ITRACE_SUMMARY_H

#include "view.h"

/* @story: of the CPU that stopped the machine, whichever is shown. */
void itrace_summary_header(struct itrace_view_out *view, const struct itrace_story *story);

#endif
