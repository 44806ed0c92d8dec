/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: crash-ext/core/flow.c crash-ext/core/flow_event.c crash-ext/core/flow_walk.c crash-ext/core/block.c crash-ext/core/insn.c crash-ext/core/packet.c crash-ext/core/packet_ext.c crash-ext/core/trace_time.c crash-ext/core/trace.c crash-ext/core/image.c crash-ext/core/pagetable.c crash-ext/core/problem.c crash-ext/core/status.c */
/*
 * Traces of real hardware, with the memory they ran in: address by address what libipt's own
 * instruction decoder says. The data is not ours to ship: ITRACE_CORPUS says where it is.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "status.h"
#include "trace.h"

#define PAGE 4096u

struct file {
	uint8_t *bytes;
	uint64_t len;
};

struct corpus {
	const char *dir, *trace, *addr, *dump;
	uint64_t instructions;
	/* Set up: */
	struct file stream, pages, text;
	struct itrace_image *image;
};

struct list {
	uint64_t *ip;
	uint64_t nr, max;
	uint64_t gaps;
};

static const char *corpus_dir(void)
{
	const char *dir = getenv("ITRACE_CORPUS");

	return dir && *dir ? dir : "../shared/corpus";
}

static bool load(struct file *file, const char *dir, const char *name)
{
	char path[4096];
	FILE *stream;
	long len;

	snprintf(path, sizeof(path), "%s/libxdc_experiments/%s/%s", corpus_dir(), dir, name);
	stream = fopen(path, "rb");
	if (!stream)
		return false;
	assert_int_equal(fseek(stream, 0, SEEK_END), 0);
	len = ftell(stream);
	assert_true(len > 0);
	rewind(stream);
	file->len = (uint64_t)len;
	file->bytes = malloc(file->len);
	assert_non_null(file->bytes);
	assert_int_equal(fread(file->bytes, 1, file->len, stream), file->len);
	fclose(stream);
	return true;
}

/* The dump is pages, one after the other; the address file has one u64 for each. */
static uint64_t page_address(const struct corpus *corpus, uint64_t i)
{
	uint64_t va;

	memcpy(&va, corpus->pages.bytes + i * 8, 8);
	return va;
}

static void set_up(struct corpus *corpus)
{
	uint64_t i;

	assert_true(load(&corpus->stream, corpus->dir, corpus->trace));
	assert_true(load(&corpus->pages, corpus->dir, corpus->addr));
	assert_true(load(&corpus->text, corpus->dir, corpus->dump));
	assert_int_equal(corpus->pages.len / 8, corpus->text.len / PAGE);
	corpus->image = itrace_image_create();
	assert_non_null(corpus->image);
	for (i = 0; i < corpus->pages.len / 8; i++)
		assert_int_equal(itrace_image_add(corpus->image, page_address(corpus, i),
						  corpus->text.bytes + i * PAGE, PAGE),
				 0);
}

static void tear_down(struct corpus *corpus)
{
	itrace_image_destroy(corpus->image);
	free(corpus->stream.bytes);
	free(corpus->pages.bytes);
	free(corpus->text.bytes);
}

static void append(struct list *list, uint64_t ip)
{
	if (list->nr == list->max) {
		list->max = list->max ? list->max * 2 : 1 << 16;
		list->ip = realloc(list->ip, list->max * sizeof(*list->ip));
		assert_non_null(list->ip);
	}
	list->ip[list->nr++] = ip;
}

static int collect(void *priv, const struct itrace_step *step)
{
	struct list *list = priv;
	uint32_t i;

	if (step->type == ITRACE_STEP_RUN)
		for (i = 0; i < step->nr; i++)
			append(list, step->insn[i].ip);
	if (step->type == ITRACE_STEP_GAP)
		list->gaps++;
	return 0;
}

static void print_problem(void *priv, uint32_t cpu, uint64_t offset, const char *text)
{
	(void)priv;
	print_message("[cpu %u off 0x%" PRIx64 "] %s\n", cpu, offset, text);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void decode(struct corpus *corpus, struct list *list)
{
	static const struct itrace_problems problems = {.report = print_problem};
	struct itrace_stream stream = {.bytes = corpus->stream.bytes, .len = corpus->stream.len};
	struct itrace_flow_config config = {.stream = &stream, .problems = &problems};
	struct itrace_trace_stats stats;
	struct itrace_trace *trace;
	uint64_t given;
	double start;
	int pass;

	config.blocks = itrace_blocks_create(corpus->image);
	assert_non_null(config.blocks);
	for (pass = 0; pass < 2; pass++) {
		assert_int_equal(itrace_trace_create(&config, &trace), 0);
		start = now();
		assert_int_equal(itrace_trace_stats(trace, &stats), 0);
		start = now() - start;
		print_message("# measured: %s: counted %" PRIu64
			      " in %.4f s, %.0f Minsn/s, blocks %s\n",
			      corpus->dir, stats.instructions, start,
			      (double)stats.instructions / start / 1e6, pass ? "known" : "new");
		if (pass)
			break;
		itrace_trace_destroy(trace);
		config.problems = NULL;
	}
	start = now();
	assert_int_equal(itrace_trace_last(trace, 0, ITRACE_ALL, collect, list, &given), 0);
	print_message("# measured: %s: listed in %.4f s\n", corpus->dir, now() - start);
	assert_int_equal(given, list->nr);
	assert_int_equal(stats.instructions, list->nr);
	itrace_trace_destroy(trace);
	itrace_blocks_destroy(config.blocks);
}

static int read_memory(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		       void *context)
{
	struct itrace_image *image = context;
	int len;

	(void)asid;
	len = itrace_image_read(image, ip, buffer, size);
	return len > 0 ? len : -pte_nomap;
}

#if LIBIPT_VERSION >= 0x201
/*
 * A PSB+ that these CPUs make while tracing begins has a FUP, and the TIP.PGE comes behind it.
 * Newer libipt takes that for a contradiction: for it alone, such a FUP becomes padding.
 */
static void suit_libipt(struct file *stream)
{
	struct itrace_packet packet, fup = {0};
	struct itrace_packets packets;
	bool ended = false;

	assert_int_equal(itrace_packets_init(&packets, stream->bytes, stream->len), 0);
	assert_int_equal(itrace_packets_sync(&packets, 0), 0);
	while (!itrace_packets_next(&packets, &packet)) {
		if (packet.pt.type == ppt_pad)
			continue;
		if (packet.pt.type == ppt_psb)
			fup.has_ip = false;
		if (packet.pt.type == ppt_fup)
			fup = packet;
		if (packet.pt.type == ppt_tip_pge && ended && fup.has_ip && fup.ip == packet.ip)
			memset(stream->bytes + fup.offset, 0, fup.pt.size);
		ended = packet.pt.type == ppt_psbend;
	}
	itrace_packets_deinit(&packets);
}
#else
static void suit_libipt(struct file *stream)
{
	(void)stream;
}
#endif

/* libipt goes on behind the last packet, as long as it needs no trace: *@eos is where that began.
 */
static void decode_libipt(struct corpus *corpus, struct list *list, uint64_t *eos)
{
	struct pt_insn_decoder *decoder;
	struct pt_image *image;
	struct pt_config config;
	struct pt_event event;
	struct pt_insn insn;
	int status;

	pt_config_init(&config);
	config.begin = corpus->stream.bytes;
	config.end = config.begin + corpus->stream.len;
	decoder = pt_insn_alloc_decoder(&config);
	image = pt_image_alloc("corpus");
	assert_non_null(decoder);
	assert_non_null(image);
	assert_int_equal(pt_image_set_callback(image, read_memory, corpus->image), 0);
	assert_int_equal(pt_insn_set_image(decoder, image), 0);
	*eos = 0;
	for (status = pt_insn_sync_forward(decoder); status >= 0;) {
		while (status & pts_event_pending) {
			status = pt_insn_event(decoder, &event, sizeof(event));
			assert_true(status >= 0);
		}
		if (!*eos && (status & pts_eos))
			*eos = list->nr;
		status = pt_insn_next(decoder, &insn, sizeof(insn));
		if (insn.iclass != ptic_error && status >= 0)
			append(list, insn.ip);
		if (status < 0 && status != -pte_eos) {
			list->gaps++;
			print_message("libipt: %s at %" PRIx64 "\n", pt_errstr(pt_errcode(status)),
				      insn.ip);
			status = pt_insn_sync_forward(decoder);
		}
	}
	assert_int_equal(status, -pte_eos);
	if (!*eos)
		*eos = list->nr;
	pt_insn_free_decoder(decoder);
	pt_image_free(image);
}

static void check(struct corpus *corpus)
{
	struct list ours = {0}, theirs = {0};
	uint64_t i, eos;

	set_up(corpus);
	decode(corpus, &ours);
	suit_libipt(&corpus->stream);
	decode_libipt(corpus, &theirs, &eos);
	print_message("# measured: %s: ours %" PRIu64 ", gaps %" PRIu64 "; libipt %" PRIu64
		      " (%" PRIu64 " with packets), errors %" PRIu64 "\n",
		      corpus->dir, ours.nr, ours.gaps, theirs.nr, eos, theirs.gaps);
	for (i = 0; i < ours.nr && i < theirs.nr; i++)
		if (ours.ip[i] != theirs.ip[i])
			fail_msg("instruction %" PRIu64 ": %" PRIx64 ", libipt has %" PRIx64, i,
				 ours.ip[i], theirs.ip[i]);
	assert_int_equal(ours.gaps, 0);
	assert_int_equal(theirs.gaps, 0);
	assert_int_equal(ours.nr, corpus->instructions);
	assert_true(theirs.nr >= ours.nr);
	assert_true(ours.nr >= eos);
	free(ours.ip);
	free(theirs.ip);
	tear_down(corpus);
}

static void test_mruby(void **state)
{
	static struct corpus corpus = {
		.dir = "mruby",
		.trace = "trace",
		.addr = "data.addr",
		.dump = "data",
		.instructions = 6334131,
	};

	(void)state;
	check(&corpus);
}

static void test_qemu(void **state)
{
	static struct corpus corpus = {
		.dir = "qemu",
		.trace = "trace1",
		.addr = "page_cache.addr",
		.dump = "page_cache.dump",
		.instructions = 9635736,
	};

	(void)state;
	check(&corpus);
}

static void test_unzip(void **state)
{
	static struct corpus corpus = {
		.dir = "Unzip",
		.trace = "trace",
		.addr = "data.addr",
		.dump = "data",
		.instructions = 149576,
	};

	(void)state;
	check(&corpus);
}

static void test_foo(void **state)
{
	static struct corpus corpus = {
		.dir = "foo",
		.trace = "trace",
		.addr = "data.addr",
		.dump = "data",
		.instructions = 117967,
	};

	(void)state;
	check(&corpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mruby),
		cmocka_unit_test(test_qemu),
		cmocka_unit_test(test_unzip),
		cmocka_unit_test(test_foo),
	};

	if (access(corpus_dir(), R_OK)) {
		fprintf(stderr, "no corpus at %s (ITRACE_CORPUS)\n", corpus_dir());
		return getenv("CI") && !strcmp(getenv("CI"), "true") ? 1 : 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
