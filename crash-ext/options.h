/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of `itrace show` and of `crash> itrace`: same letters, one parser, one text.
 */
#ifndef ITRACE_OPTIONS_H
#define ITRACE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum itrace_view {
	ITRACE_VIEW_SUMMARY = 0,
	ITRACE_VIEW_INSN,      /* -i */
	ITRACE_VIEW_FUNCTIONS, /* -f */
	ITRACE_VIEW_PACKETS,   /* -p */
};

enum itrace_front {
	ITRACE_FRONT_COMMAND, /* `itrace show SOURCE ...`: all options */
	ITRACE_FRONT_CRASH,   /* `crash> itrace ...`: those that need no file */
};

struct itrace_image_file {
	const char *path; /* owned by the options */
	uint64_t va;
};

#define ITRACE_ANY_CPU UINT32_MAX /* the one that stopped the machine */

struct itrace_options {
	enum itrace_view view;
	bool quiet; /* -q: addresses only; view is ITRACE_VIEW_INSN then */
	bool extra; /* -x: also what the crash path ran */
	bool help;
	bool version;
	uint32_t cpu; /* ITRACE_ANY_CPU without -c */
	bool n_given;
	uint64_t n;	    /* if n_given; UINT64_MAX is `all` */
	const char *source; /* points into argv; NULL without one */
	const char *raw;    /* points into argv; NULL without --raw */
	struct itrace_image_file *image;
	size_t nr_images;
	uint32_t family, model, stepping; /* 0 without --cpu */
};

/*
 * Parse @argv[1..argc), which may be permuted. Returns 0, ITRACE_E_INVALID with one line (no
 * newline) in @why, or ITRACE_E_NOMEM. Whatever it returns, itrace_options_deinit() frees.
 */
int itrace_options_init(struct itrace_options *options, enum itrace_front front, int argc,
			char **argv, char *why, size_t why_size);
void itrace_options_deinit(struct itrace_options *options);

/* The synopsis (one line, no newline) and the lines of the help text, NULL at the end; static. */
const char *itrace_options_synopsis(enum itrace_front front);
const char *const *itrace_options_help(enum itrace_front front);

#endif
