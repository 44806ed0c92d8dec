// SPDX-License-Identifier: GPL-2.0-or-later
#include "problem.h"

#include <stdarg.h>
#include <stdio.h>

void itrace_problem(const struct itrace_problems *problems, uint32_t cpu, uint64_t offset,
		    const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (!problems || !problems->report)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	problems->report(problems->priv, cpu, offset, text);
}
