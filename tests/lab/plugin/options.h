/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - the plugin's arguments; README.md lists them. */
#ifndef ITRACE_LAB_OPTIONS_H
#define ITRACE_LAB_OPTIONS_H

#include "cpu.h"

struct options {
	struct pt_options pt;
	const char *dir;
	uint64_t capacity;
	bool raw;
};

/* argv: key=value each. Returns 0, or -1 with a line on stderr that names the argument. */
int options_parse(struct options *o, int argc, char **argv);

#endif
