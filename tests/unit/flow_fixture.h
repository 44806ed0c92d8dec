/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A little code and a stream made by hand, walked; the steps come back as text, addresses as
 * offsets in the code: "r 0 1 5" completed instructions, "int 1>40", "on 40", "off 8>0",
 * "cr3 123000", "ovf 20", "gap 5 corrupt", "stop". Include once, after cmocka.h.
 */
#ifndef ITRACE_FLOW_FIXTURE_H
#define ITRACE_FLOW_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "pt_build.h"
#include "status.h"

#define BASE	  0xffffffff81000000ull
#define CODE_SIZE 0x4000u

static uint8_t code[CODE_SIZE];
static struct pt_build b;
static char text[65536];
static size_t text_len;
static bool in_run;
static unsigned int nr_problems;
static char problem[256];
static struct itrace_flow_config config;
static struct itrace_stream stream;

static void fixture_report(void *priv, uint32_t cpu, uint64_t offset, const char *line)
{
	(void)priv;
	(void)cpu;
	(void)offset;
	nr_problems++;
	snprintf(problem, sizeof(problem), "%s", line);
}

static inline int fixture_begin(void **state)
{
	static const struct itrace_problems problems = {.report = fixture_report};

	(void)state;
	/* What is not written is UD2: nothing goes on there. */
	for (size_t i = 0; i < CODE_SIZE; i += 2)
		memcpy(code + i, "\x0f\x0b", 2);
	b.len = 0;
	memset(&config, 0, sizeof(config));
	config.problems = &problems;
	memset(&stream, 0, sizeof(stream));
	return 0;
}

/* As code at an offset, a string of hex: "0f 22 df". */
static inline void asm_at(uint64_t offset, const char *hex)
{
	unsigned int byte;
	int used;

	for (; sscanf(hex, "%x%n", &byte, &used) == 1; hex += used) {
		assert_true(offset < CODE_SIZE && byte < 256);
		code[offset++] = (uint8_t)byte;
	}
}

/* What does not fit is cut. */
__attribute__((format(printf, 1, 2))) static void append(const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text + text_len, sizeof(text) - text_len, fmt, args);
	va_end(args);
	text_len += (size_t)len;
	if (text_len >= sizeof(text))
		text_len = sizeof(text) - 1;
}

static void end_run(void)
{
	if (in_run)
		append("\n");
	in_run = false;
}

#define say(...) (end_run(), append(__VA_ARGS__))

static unsigned long long rel(uint64_t ip)
{
	return ip ? ip - BASE : 0;
}

static inline int fixture_step(void *priv, const struct itrace_step *step)
{
	uint32_t i;

	(void)priv;
	switch (step->type) {
	case ITRACE_STEP_RUN:
		if (!in_run)
			append("r");
		in_run = true;
		for (i = 0; i < step->nr; i++)
			append(" %llx", rel(step->insn[i].ip));
		break;
	case ITRACE_STEP_INTERRUPT:
		say("int %llx>%llx\n", rel(step->from), rel(step->to));
		break;
	case ITRACE_STEP_ENABLED:
		say("on %llx\n", rel(step->to));
		break;
	case ITRACE_STEP_DISABLED:
		say("off %llx>%llx\n", rel(step->from), rel(step->to));
		break;
	case ITRACE_STEP_CR3:
		say("cr3 %llx\n", (unsigned long long)step->to);
		break;
	case ITRACE_STEP_OVERFLOW:
		say("ovf %llx\n", rel(step->to));
		break;
	case ITRACE_STEP_GAP:
		say("gap %llx %s\n", rel(step->from), itrace_status_str(step->status));
		break;
	case ITRACE_STEP_STOP:
		say("stop\n");
		break;
	}
	return 0;
}

/* Walk the segment [psb, next) of the stream; the text is what came of it. */
static inline uint64_t walk_segment(uint64_t psb, uint64_t next)
{
	struct itrace_image *image = itrace_image_create();
	uint64_t listed, counted;

	assert_non_null(image);
	assert_int_equal(itrace_image_add(image, BASE, code, sizeof(code)), 0);
	stream.bytes = b.bytes;
	stream.len = b.len;
	config.stream = &stream;
	config.blocks = itrace_blocks_create(image);
	assert_non_null(config.blocks);
	text_len = 0;
	text[0] = 0;
	in_run = false;
	nr_problems = 0;
	assert_int_equal(itrace_flow_segment(&config, psb, next, fixture_step, NULL, &listed), 0);
	end_run();
	/* Counting takes another way through the blocks. */
	assert_int_equal(itrace_flow_segment(&config, psb, next, NULL, NULL, &counted), 0);
	assert_int_equal(listed, counted);
	nr_problems /= 2;
	itrace_blocks_destroy(config.blocks);
	itrace_image_destroy(image);
	return counted;
}

static inline void expect_text(const char *expect)
{
	walk_segment(0, b.len);
	assert_string_equal(text, expect);
}

/* How a freeze ends a stream: WRMSR at @ip clears TraceEn. */
static inline void b_freeze(uint64_t ip)
{
	b_ip(&b, ppt_fup, BASE + ip);
	b_no_ip(&b, ppt_tip_pgd);
}

static inline void b_tip(uint64_t ip)
{
	b_ip(&b, ppt_tip, BASE + ip);
}

static inline void b_event(uint64_t from, uint64_t to)
{
	b_ip(&b, ppt_fup, BASE + from);
	b_ip(&b, ppt_tip, BASE + to);
}

#define TEST(name) cmocka_unit_test_setup(name, fixture_begin)

#endif
