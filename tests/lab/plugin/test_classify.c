// SPDX-License-Identifier: GPL-2.0-or-later
/* test_classify.c - instruction classes and targets of hand-assembled instructions. */
#include "tests.h"

#include "classify.h"

#define AT 0xffffffff81000000ull

struct sample {
	const char *bytes;
	uint8_t len;
	enum insn_class cls;
	uint64_t target;
};

void classes_of_instructions(void **state)
{
	static const struct sample samples[] = {
		{"\x90", 1, CLS_OTHER, 0},
		{"\x74\x10", 2, CLS_JCC, AT + 0x12},
		{"\x3e\x75\xfe", 3, CLS_JCC, AT + 1},
		{"\x0f\x84\x00\x01\x00\x00", 6, CLS_JCC, AT + 0x106},
		{"\xe3\x05", 2, CLS_JCC, AT + 7},
		{"\xeb\xfe", 2, CLS_JMP, AT},
		{"\xe9\xfb\xff\xff\xff", 5, CLS_JMP, AT},
		{"\xe8\x00\x00\x00\x00", 5, CLS_CALL, AT + 5},
		{"\xff\xe0", 2, CLS_JMP_IND, 0},
		{"\x3e\xff\xe0", 3, CLS_JMP_IND, 0},
		{"\x41\xff\xd3", 3, CLS_CALL_IND, 0},
		{"\xff\x14\xc5\x00\x00\x00\x81", 7, CLS_CALL_IND, 0},
		{"\xff\xc0", 2, CLS_OTHER, 0},
		{"\xff\x30", 2, CLS_OTHER, 0},
		{"\xc3", 1, CLS_RET, 0},
		{"\xf3\xc3", 2, CLS_RET, 0},
		{"\x48\xcf", 2, CLS_FAR_RET, 0},
		{"\x48\x0f\x07", 3, CLS_FAR_RET, 0},
		{"\x0f\x05", 2, CLS_FAR, 0},
		{"\x48\xcb", 2, CLS_FAR, 0},
		{"\xcc", 1, CLS_SOFTINT, 0},
		{"\xcd\x80", 2, CLS_SOFTINT, 0},
		{"\xf1", 1, CLS_ICEBP, 0},
		{"\x0f\x22\xdf", 3, CLS_MOV_CR3, 0},
		{"\x41\x0f\x22\xda", 4, CLS_MOV_CR3, 0},
		{"\x44\x0f\x22\xd8", 4, CLS_OTHER, 0},
		{"\x0f\x22\xe0", 3, CLS_OTHER, 0},
		{"\x0f\x20\xd8", 3, CLS_OTHER, 0},
		{"\x0f\x30", 2, CLS_WRMSR, 0},
		{"\x0f\x01\xc6", 3, CLS_WRMSR, 0},
		{"\x0f\x32", 2, CLS_RDMSR, 0},
		{"\x0f\xa2", 2, CLS_CPUID, 0},
		{"\x0f\x31", 2, CLS_RDTSC, 0},
		{"\x0f\x01\xf9", 3, CLS_RDTSC, 0},
		{"\x0f\x01\xca", 3, CLS_OTHER, 0},
		{"\xf2\x0f\x01\xca", 4, CLS_FAR_RET, 0},
		{"\xf4", 1, CLS_HALT, 0},
		{"\xf3\x48\xa5", 3, CLS_REP, 0},
		{"\x48\xa5", 2, CLS_OTHER, 0},
		{"\x66\x2e\x0f\x1f\x84\x00\x00\x02\x00\x00", 10, CLS_OTHER, 0},
		{"\xc5\xf8\x77", 3, CLS_OTHER, 0},
	};

	(void)state;
	for (unsigned int k = 0; k < sizeof(samples) / sizeof(samples[0]); k++) {
		const struct sample *s = &samples[k];
		struct insn i = {.addr = AT, .len = s->len, .mode64 = true};

		classify(&i, (const uint8_t *)s->bytes);
		if (i.cls != s->cls || i.target != s->target)
			print_message("# sample %u\n", k);
		assert_int_equal(i.cls, s->cls);
		assert_int_equal(i.target, s->target);
	}
}

void branches_to_their_following(void **state)
{
	struct insn loop = {.cond = 0xe2}, jrcxz = {.cond = 0xe3}, loope = {.cond = 0xe1};
	struct insn jz = {.cond = 0x84};
	bool known;

	(void)state;
	assert_true(jcc_to_following(&loop, 2, &known));
	assert_true(known);
	assert_false(jcc_to_following(&loop, 0, &known));
	assert_true(jcc_to_following(&jrcxz, 0, &known));
	assert_false(jcc_to_following(&jrcxz, 1, &known));
	assert_true(known);
	assert_false(jcc_to_following(&loope, 0, &known));
	assert_true(known);
	jcc_to_following(&loope, 1, &known);
	assert_false(known);
	jcc_to_following(&jz, 0, &known);
	assert_false(known);
}
