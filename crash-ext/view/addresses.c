// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -q: addresses of completed instructions, and nothing else.
 */
#include <string.h>

#include "status.h"
#include "view.h"

#define DEFAULT_INSNS 40
#define BUFFER_SIZE   (64u << 10)
#define LINE_MAX_SIZE 17 /* 16 digits and the newline */

struct writer {
	struct itrace_view_out *view;
	size_t used;
	uint64_t count;
	char buffer[BUFFER_SIZE];
};

static const char hex_pair[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
			       "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
			       "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f"
			       "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f"
			       "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
			       "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
			       "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf"
			       "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

/* printf() takes longer than decoding. Lower-case, no leading zeros. Returns the length. */
static size_t put_address(char *to, uint64_t ip)
{
	char digit[16];
	int skip = ip ? __builtin_clzll(ip) / 4 : 15;

	for (int i = 7; i >= 0; i--, ip >>= 8)
		memcpy(&digit[2 * i], &hex_pair[2 * (ip & 0xff)], 2);
	memcpy(to, digit + skip, 16 - skip);
	to[16 - skip] = '\n';
	return 17 - skip;
}

static int flush(struct writer *writer)
{
	size_t used = writer->used;

	writer->used = 0;
	if (fwrite(writer->buffer, 1, used, writer->view->out) != used)
		return ITRACE_E_SYSTEM;
	itrace_progress(writer->view, "addresses", writer->count);
	return itrace_view_stopped(writer->view) ? ITRACE_E_STOP : 0;
}

static int write_step(void *priv, const struct itrace_step *step)
{
	struct writer *writer = priv;

	if (step->type != ITRACE_STEP_RUN)
		return 0;
	for (uint32_t i = 0; i < step->nr; i++) {
		if (writer->used > BUFFER_SIZE - LINE_MAX_SIZE) {
			int err = flush(writer);

			if (err)
				return err;
		}
		writer->used += put_address(writer->buffer + writer->used, step->insn[i].ip);
	}
	writer->count += step->nr;
	return 0;
}

int itrace_view_addresses(struct itrace_view_out *view)
{
	uint64_t n = view->options->n_given ? view->options->n : DEFAULT_INSNS;
	struct itrace_window window = itrace_window(view, n);
	struct writer writer = {.view = view};
	uint64_t given;
	int err;

	err = itrace_trace_last(view->history->trace, window.end, window.n, write_step, &writer,
				&given);
	if (!err)
		err = flush(&writer);
	itrace_progress_end(view);
	return err;
}
