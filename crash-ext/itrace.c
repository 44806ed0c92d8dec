// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command: `itrace show SOURCE [options]`.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kdump.h"
#include "options.h"
#include "raw.h"
#include "session.h"
#include "show.h"
#include "status.h"
#include "version.h"

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static enum itrace_exit usage(const char *why)
{
	fprintf(stderr, "itrace: %s (itrace --help says more)\n", why);
	return ITRACE_EXIT_USAGE;
}

static enum itrace_exit help(void)
{
	const char *const *line = itrace_options_help(ITRACE_FRONT_COMMAND);

	printf("usage: %s\n\n", itrace_options_synopsis(ITRACE_FRONT_COMMAND));
	for (; *line; line++)
		puts(*line);
	return fflush(stdout) ? ITRACE_EXIT_SYSTEM : ITRACE_EXIT_SHOWN;
}

static enum itrace_exit show(struct itrace_session *session, const struct itrace_options *options,
			     int opened)
{
	char command[256];
	struct itrace_view_out view = {
		.session = session,
		.options = options,
		.out = stdout,
		.messages = stderr,
		.command = command,
		.progress = isatty(STDERR_FILENO) ? stderr : NULL,
		.stop = &stop,
	};

	snprintf(command, sizeof(command), "itrace show %s%s", options->raw ? "--raw " : "",
		 options->raw ? options->raw : options->source);
	return itrace_show(&view, opened);
}

static enum itrace_exit show_dump(const struct itrace_options *options)
{
	struct itrace_session session;
	struct itrace_kdump *kdump;
	enum itrace_exit status;
	char why[512];
	int err = itrace_kdump_open(options->source, &kdump, why, sizeof(why));

	if (err) {
		fprintf(stderr, "itrace: %s: %s\n", itrace_status_str(err), why);
		return itrace_exit_status(err);
	}
	err = itrace_session_init(&session, itrace_kdump_source(kdump));
	status = show(&session, options, err);
	itrace_session_deinit(&session);
	itrace_kdump_close(kdump);
	return status;
}

static int read_file(const char *path, struct itrace_raw *raw)
{
	int err = itrace_raw_init(raw, path);

	if (err)
		fprintf(stderr, "itrace: %s: %s: %s\n", itrace_status_str(err), path,
			err == ITRACE_E_SYSTEM ? strerror(errno) : "not read");
	return err;
}

/* @file[0..options->nr_images) is filled, also on failure. */
static int read_images(const struct itrace_options *options, struct itrace_image *image,
		       struct itrace_raw *file)
{
	for (size_t i = 0; i < options->nr_images; i++) {
		const struct itrace_image_file *arg = &options->image[i];
		int err = read_file(arg->path, &file[i]);

		if (err)
			return err;
		err = itrace_image_add(image, arg->va, file[i].bytes, file[i].len);
		if (err) {
			fprintf(stderr, "itrace: %s: %s@0x%llx: does not fit there\n",
				itrace_status_str(err), arg->path, (unsigned long long)arg->va);
			return err;
		}
	}
	return 0;
}

static enum itrace_exit show_raw(const struct itrace_options *options)
{
	struct itrace_raw *file = calloc(options->nr_images + 1, sizeof(*file));
	struct itrace_raw *trace = file ? &file[options->nr_images] : NULL;
	struct itrace_image *image = itrace_image_create();
	struct itrace_session session;
	enum itrace_exit status;
	int err = file && image ? 0 : ITRACE_E_NOMEM;

	if (!err)
		err = read_file(options->raw, trace);
	if (!err)
		err = read_images(options, image, file);
	if (err) {
		itrace_image_destroy(image);
		status = itrace_exit_status(err);
	} else {
		err = itrace_session_init_raw(&session, trace->bytes, trace->len, image,
					      options->family, options->model, options->stepping);
		status = show(&session, options, err);
		itrace_session_deinit(&session);
	}
	for (size_t i = 0; file && i <= options->nr_images; i++)
		itrace_raw_deinit(&file[i]);
	free(file);
	return status;
}

static enum itrace_exit cmd_show(int argc, char **argv)
{
	struct itrace_options options;
	enum itrace_exit status;
	char why[256];
	int err = itrace_options_init(&options, ITRACE_FRONT_COMMAND, argc, argv, why, sizeof(why));

	if (err == ITRACE_E_INVALID) {
		status = usage(why);
	} else if (err) {
		fprintf(stderr, "itrace: %s\n", itrace_status_str(err));
		status = ITRACE_EXIT_SYSTEM;
	} else if (options.help) {
		status = help();
	} else if (options.version) {
		puts("itrace " ITRACE_VERSION);
		status = ITRACE_EXIT_SHOWN;
	} else {
		status = options.raw ? show_raw(&options) : show_dump(&options);
	}
	itrace_options_deinit(&options);
	return status;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};

	/* A closed pipe is seen where it is written to; an interrupt ends the view, not us. */
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (argc < 2)
		return usage("what is to be done? 'show' is what there is");
	if (!strcmp(argv[1], "show"))
		return cmd_show(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help();
	if (!strcmp(argv[1], "--version")) {
		puts("itrace " ITRACE_VERSION);
		return ITRACE_EXIT_SHOWN;
	}
	fprintf(stderr, "itrace: no command '%s' (itrace --help says more)\n", argv[1]);
	return ITRACE_EXIT_USAGE;
}
