/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problem lines: `[cpu N off 0xX] what: what was done`.
 *
 * The core says what is wrong and goes on; the shell decides where the line goes.
 */
#ifndef ITRACE_PROBLEM_H
#define ITRACE_PROBLEM_H

#include <stdint.h>

#define ITRACE_NO_CPU	 UINT32_MAX
#define ITRACE_NO_OFFSET UINT64_MAX

struct itrace_problems {
	/*
	 * One problem. @cpu or @offset may be the NO_ values; @offset counts bytes in the
	 * unwrapped ring, from its oldest byte. @text: "what: what was done", no newline.
	 */
	void (*report)(void *priv, uint32_t cpu, uint64_t offset, const char *text);
	void *priv;
};

/* printf-like call of @problems->report; @problems may be NULL. Text is cut at 255 characters. */
void itrace_problem(const struct itrace_problems *problems, uint32_t cpu, uint64_t offset,
		    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
