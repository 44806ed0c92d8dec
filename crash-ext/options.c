// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

enum {
	OPT_RAW = 256,
	OPT_IMAGE,
	OPT_CPU,
	OPT_VERSION,
};

static const struct option command_options[] = {
	{"help", no_argument, NULL, 'h'},	   {"version", no_argument, NULL, OPT_VERSION},
	{"raw", required_argument, NULL, OPT_RAW}, {"image", required_argument, NULL, OPT_IMAGE},
	{"cpu", required_argument, NULL, OPT_CPU}, {NULL, 0, NULL, 0},
};

static const struct option crash_options[] = {
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* All of @text is one number in [0, @max]. */
static bool parse_number(const char *text, int base, uint64_t max, uint64_t *ret)
{
	unsigned long long value;
	char *end;

	/* strtoull() takes blanks and signs, and makes -1 a big number. */
	if (!((*text >= '0' && *text <= '9') || (base == 16 && strchr("abcdefABCDEF", *text))))
		return false;
	errno = 0;
	value = strtoull(text, &end, base);
	if (errno || *end || end == text || value > max)
		return false;
	*ret = value;
	return true;
}

static bool parse_count(const char *text, uint64_t *ret)
{
	if (!strcmp(text, "all")) {
		*ret = UINT64_MAX;
		return true;
	}
	return parse_number(text, 0, UINT64_MAX - 1, ret) && *ret;
}

/* F/M/S in decimal, as /proc/cpuinfo has them. */
static bool parse_cpuid(const char *text, struct itrace_options *options)
{
	uint32_t *const field[3] = {&options->family, &options->model, &options->stepping};
	char part[16];
	uint64_t value;

	for (int i = 0; i < 3; i++) {
		size_t len = strcspn(text, "/");

		if (len >= sizeof(part) || (text[len] == '/') != (i < 2))
			return false;
		memcpy(part, text, len);
		part[len] = '\0';
		if (!parse_number(part, 0, 0xffff, &value))
			return false;
		*field[i] = value;
		text += len + 1;
	}
	return true;
}

/* FILE@0xADDR; FILE may itself contain an @. */
static int parse_image(const char *text, struct itrace_options *options)
{
	const char *at = strrchr(text, '@');
	struct itrace_image_file *image;
	uint64_t va;
	char *path;

	if (!at || at == text || strncmp(at + 1, "0x", 2) ||
	    !parse_number(at + 3, 16, UINT64_MAX, &va))
		return ITRACE_E_INVALID;
	image = realloc(options->image, (options->nr_images + 1) * sizeof(*image));
	if (!image)
		return ITRACE_E_NOMEM;
	options->image = image;
	path = strndup(text, at - text);
	if (!path)
		return ITRACE_E_NOMEM;
	image[options->nr_images].path = path;
	image[options->nr_images].va = va;
	options->nr_images++;
	return 0;
}

static bool set_view(struct itrace_options *options, enum itrace_view view)
{
	if (options->view != ITRACE_VIEW_SUMMARY && options->view != view)
		return false;
	options->view = view;
	return true;
}

#define REFUSE(...) (snprintf(why, why_size, __VA_ARGS__), ITRACE_E_INVALID)

static int parse_one(struct itrace_options *options, int opt, char *arg, char *why, size_t why_size)
{
	uint64_t value;
	int err;

	switch (opt) {
	case 'c':
		if (!parse_number(arg, 10, UINT32_MAX - 1, &value))
			return REFUSE("-c wants the number of a CPU, not '%s'", arg);
		options->cpu = value;
		return 0;
	case 'n':
		if (!parse_count(arg, &options->n))
			return REFUSE("-n wants a number above 0 or 'all', not '%s'", arg);
		options->n_given = true;
		return 0;
	case 'i':
	case 'f':
	case 'p':
		if (!set_view(options, opt == 'i'   ? ITRACE_VIEW_INSN
				       : opt == 'f' ? ITRACE_VIEW_FUNCTIONS
						    : ITRACE_VIEW_PACKETS))
			return REFUSE("-i, -f and -p are three views: give one of them");
		return 0;
	case 'q':
		options->quiet = true;
		options->extra = true;
		return 0;
	case 'x':
		options->extra = true;
		return 0;
	case 'h':
		options->help = true;
		return 0;
	case OPT_VERSION:
		options->version = true;
		return 0;
	case OPT_RAW:
		options->raw = arg;
		return 0;
	case OPT_IMAGE:
		err = parse_image(arg, options);
		return err == ITRACE_E_INVALID ? REFUSE("--image wants FILE@0xADDR, not '%s'", arg)
					       : err;
	case OPT_CPU:
		if (!parse_cpuid(arg, options))
			return REFUSE("--cpu wants FAMILY/MODEL/STEPPING, not '%s'", arg);
		return 0;
	}
	return ITRACE_E_INVALID;
}

/* What no single option can know. */
static int check(struct itrace_options *options, enum itrace_front front, char *why,
		 size_t why_size)
{
	if (options->help || options->version)
		return 0;
	if (options->quiet && !set_view(options, ITRACE_VIEW_INSN))
		return REFUSE("-q is a form of -i: it does not go with -f or -p");
	if (front == ITRACE_FRONT_CRASH)
		return 0;
	if (!options->source && !options->raw)
		return REFUSE("show what? Name a vmcore, or a trace with --raw");
	if (options->source && options->raw)
		return REFUSE("'%s' and --raw: only one source can be shown", options->source);
	if (!options->raw && (options->nr_images || options->family))
		return REFUSE("--image and --cpu go with --raw only: a vmcore has its own");
	return 0;
}

static int parse_all(struct itrace_options *options, enum itrace_front front, int argc, char **argv,
		     char *why, size_t why_size)
{
	const struct option *longs = front == ITRACE_FRONT_CRASH ? crash_options : command_options;
	int opt;

	optind = 0; /* glibc: start anew, permutation included */
	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":c:n:ifpqxh", longs, NULL)) != -1) {
		int err;

		if (opt == ':')
			return REFUSE("option '%s' wants a value", argv[optind - 1]);
		if (opt == '?' && optopt > ' ' && optopt < OPT_RAW)
			return REFUSE("no such option: -%c", optopt);
		if (opt == '?')
			return REFUSE("no such option: %s", argv[optind - 1]);
		err = parse_one(options, opt, optarg, why, why_size);
		if (err)
			return err;
	}
	if (front == ITRACE_FRONT_COMMAND && optind < argc)
		options->source = argv[optind++];
	if (optind < argc)
		return REFUSE("one argument too many: '%s'", argv[optind]);
	return check(options, front, why, why_size);
}

int itrace_options_init(struct itrace_options *options, enum itrace_front front, int argc,
			char **argv, char *why, size_t why_size)
{
	memset(options, 0, sizeof(*options));
	options->cpu = ITRACE_ANY_CPU;
	snprintf(why, why_size, "%s", "");
	return parse_all(options, front, argc, argv, why, why_size);
}

void itrace_options_deinit(struct itrace_options *options)
{
	for (size_t i = 0; i < options->nr_images; i++)
		free((char *)options->image[i].path);
	free(options->image);
	memset(options, 0, sizeof(*options));
}

const char *itrace_options_synopsis(enum itrace_front front)
{
	if (front == ITRACE_FRONT_CRASH)
		return "[-c CPU] [-i|-f|-p] [-n N|all] [-x] [-q]";
	return "itrace show VMCORE [-c CPU] [-i|-f|-p] [-n N|all] [-x] [-q]";
}

#define HELP_VIEWS                                                                                \
	"Without -i, -f or -p: what stopped the machine, the state of every CPU, and the",        \
		"last functions of the CPU that stopped it.", "",                                 \
		"  -c CPU    that CPU; without it, the one that stopped the machine",             \
		"  -i        instructions: address, symbol, disassembly",                         \
		"  -f        functions, as a tree; times are relative to the stop",               \
		"  -p        packets of the trace, as the CPU wrote them",                        \
		"  -n N|all  only the last N: completed instructions for -i and -f, packets for", \
		"            -p; without it, 40 instructions, 200 lines of functions, 100 "       \
		"packets",                                                                        \
		"  -x        also what the crash path ran after the fault; without it, that is",  \
		"            one line",                                                           \
		"  -q        addresses of instructions and nothing else, one a line; implies -i", \
		"            and -x"

#define HELP_READING                                                                           \
	"Oldest first: the fault is at the bottom, marked with >. It did not complete, so it", \
		"is not one of the N. Where the trace has a gap, there is a line that says why."

static const char *const command_help[] = {
	"Shows the exact instructions that ran before a Linux kernel crashed, from a vmcore of",
	"a machine that had the itrace module loaded.",
	"",
	HELP_VIEWS,
	"",
	"  --raw FILE            a trace alone, oldest byte first, in place of a vmcore",
	"  --image FILE@0xADDR   with --raw: the code at ADDR; may be repeated",
	"  --cpu F/M/S           with --raw: family, model, stepping of the CPU, for its errata",
	"  -h, --help            this text",
	"  --version             version of itrace",
	"",
	HELP_READING,
	"",
	"Examples:",
	"  itrace show vmcore                 what happened",
	"  itrace show vmcore -i -n 100       the last 100 instructions before the fault",
	"  itrace show vmcore -c 1 -f         how CPU 1 got there, function by function",
	"  itrace show vmcore -i -n all -q    every address, for other tools",
	"  itrace show --raw trace.pt --image text.bin@0xffffffff81000000 -i",
	"",
	"Exit status: 0 shown, even with problems; 1 nothing was recorded, or it was filtered",
	"out of the dump; 2 usage; 3 corrupt or unsupported, nothing decodable; 4 system error.",
	NULL,
};

static const char *const crash_help[] = {
	"Shows the exact instructions that ran before the kernel crashed, from the trace that",
	"the itrace module kept.",
	"",
	HELP_VIEWS,
	"  -h        this text",
	"",
	HELP_READING,
	"",
	"The last line of a command that could not show anything is `itrace: status N`: 1 nothing",
	"was recorded, or it was filtered out of the dump; 2 usage; 3 corrupt or unsupported;",
	"4 system error.",
	"",
	"EXAMPLES",
	"  What happened:",
	"    crash> itrace",
	"  The last 100 instructions before the fault:",
	"    crash> itrace -i -n 100",
	"  How CPU 1 got there, function by function:",
	"    crash> itrace -c 1 -f",
	"  Every address, into a file:",
	"    crash> itrace -i -n all -q > addresses",
	NULL,
};

const char *const *itrace_options_help(enum itrace_front front)
{
	return front == ITRACE_FRONT_CRASH ? crash_help : command_help;
}
