/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ITRACE_VERSION_H
#define ITRACE_VERSION_H

#define ITRACE_VERSION "0.1"

#endif
