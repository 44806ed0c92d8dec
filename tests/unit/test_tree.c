// SPDX-License-Identifier: GPL-2.0-or-later
/* links: crash-ext/view/tree.c crash-ext/view/tree_frames.c crash-ext/view/tree_fold.c crash-ext/core/names.c crash-ext/core/idt.c crash-ext/core/pagetable.c crash-ext/core/status.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "status.h"
#include "tree.h"

/* A kernel of functions of 0x100 bytes: a at 0x1000, b at 0x1100 ... */
#define FN(letter) (0x1000 + ((letter) - 'a') * 0x100)
#define LSTAR	   FN('s')
#define HANDLER	   FN('h') /* of vector 14 */

static int symbol(void *priv, uint64_t addr, char *name, size_t size, char *module,
		  size_t module_size, uint64_t *start)
{
	(void)priv;
	if (addr < FN('a') || addr >= FN('z') + 0x100)
		return ITRACE_E_NOTFOUND;
	*start = addr & ~0xffull;
	snprintf(name, size, "%c", (int)('a' + (addr - 0x1000) / 0x100));
	/* Names that mean something: w is the cold part of v, x and y are thunks. */
	if (*name == 'w')
		snprintf(name, size, "v.cold");
	if (*name == 'x')
		snprintf(name, size, "__x86_indirect_thunk_rax");
	if (*name == 'y')
		snprintf(name, size, "its_return_thunk");
	snprintf(module, module_size, "%s", "");
	return 0;
}

static const struct itrace_source source = {.symbol = symbol};
static struct itrace_idt idt = {.known = true, .handler = {[14] = HANDLER}};
static struct itrace_names *names;
static struct itrace_tree *tree;
static struct itrace_insn insn;
static char text[4096];

static void begin(const struct itrace_source *with, uint64_t max_lines)
{
	itrace_tree_destroy(tree);
	itrace_names_destroy(names);
	names = itrace_names_create(with, NULL);
	tree = itrace_tree_create(names, &idt, LSTAR, max_lines);
	assert_non_null(tree);
}

/* One instruction of 4 bytes. */
static void run(uint64_t ip, enum itrace_insn_class insn_class)
{
	struct itrace_step step = {.type = ITRACE_STEP_RUN, .insn = &insn, .nr = 1};

	insn = (struct itrace_insn){.ip = ip, .size = 4, .insn_class = insn_class};
	assert_int_equal(itrace_tree_step(tree, &step), 0);
}

static void event(enum itrace_step_type type, uint64_t from, uint64_t to)
{
	struct itrace_step step = {.type = type, .from = from, .to = to};

	assert_int_equal(itrace_tree_step(tree, &step), 0);
}

static void call(uint64_t from, uint64_t to)
{
	run(from, ITRACE_INSN_CALL);
	run(to, ITRACE_INSN_OTHER);
}

static void ret(uint64_t from, uint64_t to)
{
	run(from, ITRACE_INSN_RET);
	run(to, ITRACE_INSN_OTHER);
}

/* "a .b ..c" : a dot for each level, kind marks, counts. */
static const char *finish(uint64_t ip)
{
	static const char mark[] = {[ITRACE_TREE_START] = '~',	   [ITRACE_TREE_CALL] = ' ',
				    [ITRACE_TREE_JUMP] = '>',	   [ITRACE_TREE_RETURN] = '<',
				    [ITRACE_TREE_INTERRUPT] = '!', [ITRACE_TREE_ENTRY] = '@',
				    [ITRACE_TREE_EVENT] = '?',	   [ITRACE_TREE_REPEAT] = '='};
	const struct itrace_tree_line *line;
	size_t len = 0;
	uint64_t nr;

	itrace_tree_finish(tree, ip, &line, &nr);
	text[0] = '\0';
	for (uint64_t i = 0; i < nr && len < sizeof(text) - 64; i++) {
		if (i)
			text[len++] = ' ';
		for (int32_t d = 0; d < line[i].depth; d++)
			text[len++] = '.';
		if (line[i].kind != ITRACE_TREE_CALL)
			text[len++] = mark[line[i].kind];
		len += snprintf(text + len, sizeof(text) - len, "%s",
				line[i].kind == ITRACE_TREE_EVENT
					? ""
					: itrace_names_get(names, line[i].ip)->symbol);
		if (line[i].count > 1)
			len += snprintf(text + len, sizeof(text) - len, "*%u", line[i].count);
	}
	text[len] = '\0';
	return text;
}

static void test_calls(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a') + 8, ITRACE_INSN_OTHER);
	call(FN('a') + 12, FN('b'));
	call(FN('b') + 4, FN('c'));
	ret(FN('c') + 4, FN('b') + 8);
	call(FN('b') + 8, FN('d'));
	ret(FN('d') + 4, FN('b') + 12);
	ret(FN('b') + 12, FN('a') + 16);
	call(FN('a') + 16, FN('e'));
	assert_string_equal(finish(0), "~a .b ..c ..d .e");
}

/* The call itself ran, the callee's first instruction faulted. */
static void test_call_is_last(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a'), ITRACE_INSN_CALL);
	assert_string_equal(finish(FN('b')), "~a .b");
}

static void test_fold(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a'), ITRACE_INSN_OTHER);
	for (int i = 0; i < 5; i++) {
		call(FN('a') + 4, FN('b'));
		for (int k = 0; k < 3; k++) {
			call(FN('b') + 4, FN('c'));
			ret(FN('c') + 4, FN('b') + 8);
		}
		ret(FN('b') + 12, FN('a') + 8);
	}
	call(FN('a') + 8, FN('d'));
	ret(FN('d') + 4, FN('a') + 12);
	call(FN('a') + 12, FN('b'));
	assert_string_equal(finish(0), "~a .b*5 ..c*3 .d .b");
}

/* The same calls, but not as often: not the same. */
static void test_fold_counts(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a'), ITRACE_INSN_OTHER);
	for (int i = 2; i < 4; i++) {
		call(FN('a') + 4, FN('b'));
		for (int k = 0; k < i; k++) {
			call(FN('b') + 4, FN('c'));
			ret(FN('c') + 4, FN('b') + 8);
		}
		ret(FN('b') + 12, FN('a') + 8);
	}
	assert_string_equal(finish(0), "~a .b ..c*2 .b ..c*3");
}

static void test_starts_inside(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('c') + 4, ITRACE_INSN_OTHER);
	ret(FN('c') + 8, FN('b') + 8);
	ret(FN('b') + 12, FN('a') + 8);
	call(FN('a') + 8, FN('d'));
	assert_string_equal(finish(0), "..~c .<b <a .d");
}

static void test_tail_jump(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a'), ITRACE_INSN_OTHER);
	call(FN('a') + 4, FN('b'));
	run(FN('b') + 4, ITRACE_INSN_JUMP);
	run(FN('c'), ITRACE_INSN_OTHER);
	run(FN('c') + 4, ITRACE_INSN_COND); /* not taken */
	run(FN('c') + 8, ITRACE_INSN_COND); /* taken, inside */
	run(FN('c') + 4, ITRACE_INSN_OTHER);
	ret(FN('c') + 12, FN('a') + 8);
	call(FN('a') + 8, FN('d'));
	assert_string_equal(finish(0), "~a .b .>c .d");
}

static void test_cold_part(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a'), ITRACE_INSN_OTHER);
	call(FN('a') + 4, FN('v'));
	run(FN('v') + 4, ITRACE_INSN_COND);
	run(FN('w'), ITRACE_INSN_JUMP);
	run(FN('v') + 8, ITRACE_INSN_OTHER);
	assert_string_equal(finish(0), "~a .v");
}

/* call thunk; thunk: call over; mov target to stack; ret: SDM 3C 33.4.2.2 knows no such thing. */
static void test_retpoline(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a'), ITRACE_INSN_OTHER);
	call(FN('a') + 4, FN('t'));
	call(FN('t') + 4, FN('t') + 0x20);
	ret(FN('t') + 0x24, FN('b'));
	ret(FN('b') + 4, FN('a') + 8);
	call(FN('a') + 8, FN('c'));
	assert_string_equal(finish(0), "~a .t .>b .c");
	/* The same without names. */
	begin(NULL, 0);
	run(FN('a'), ITRACE_INSN_OTHER);
	call(FN('a') + 4, FN('t'));
	call(FN('t') + 4, FN('t') + 0x20);
	ret(FN('t') + 0x24, FN('b'));
	ret(FN('b') + 4, FN('a') + 8);
	call(FN('a') + 8, FN('c'));
	assert_string_equal(finish(0), "~ . .. .");
}

static void test_interrupt(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a'), ITRACE_INSN_OTHER);
	run(FN('a') + 4, ITRACE_INSN_CALL);
	event(ITRACE_STEP_INTERRUPT, FN('b'), HANDLER);
	run(HANDLER, ITRACE_INSN_OTHER);
	call(HANDLER + 4, FN('c'));
	ret(FN('c') + 4, HANDLER + 8);
	run(HANDLER + 8, ITRACE_INSN_FAR);
	run(FN('b'), ITRACE_INSN_OTHER);
	call(FN('b') + 4, FN('d'));
	assert_string_equal(finish(0), "~a .b ..!h ...c ..d");
}

/* The handler went back to a fixup in another function. */
static void test_interrupt_fixup(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a'), ITRACE_INSN_OTHER);
	call(FN('a') + 4, FN('b'));
	event(ITRACE_STEP_INTERRUPT, FN('b') + 4, HANDLER);
	run(HANDLER, ITRACE_INSN_FAR);
	run(FN('c') + 8, ITRACE_INSN_OTHER);
	ret(FN('c') + 12, FN('a') + 8);
	call(FN('a') + 8, FN('d'));
	assert_string_equal(finish(0), "~a .b ..!h .>c .d");
}

static void test_system_call(void **state)
{
	(void)state;
	begin(&source, 0);
	for (int i = 0; i < 3; i++) {
		event(ITRACE_STEP_ENABLED, 0, LSTAR);
		run(LSTAR, ITRACE_INSN_OTHER);
		call(LSTAR + 4, FN('a'));
		ret(FN('a') + 4, LSTAR + 8);
		run(LSTAR + 8, ITRACE_INSN_FAR);
		event(ITRACE_STEP_DISABLED, LSTAR + 8, 0);
	}
	event(ITRACE_STEP_ENABLED, 0, HANDLER);
	run(HANDLER, ITRACE_INSN_OTHER);
	call(HANDLER + 4, FN('b'));
	assert_string_equal(finish(0), "@s*3 .a @h .b");
}

/* Another task's stack: its returns fit nothing that was called here. */
static void test_task_switch(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a'), ITRACE_INSN_OTHER);
	call(FN('a') + 4, FN('s') + 0x10);
	call(FN('s') + 0x20, FN('t'));
	ret(FN('t') + 4, FN('s') + 0x40);
	ret(FN('s') + 0x44, FN('k') + 8);
	call(FN('k') + 8, FN('b'));
	assert_string_equal(finish(0), "~a .s ..t <k .b");
}

static void test_gap(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a'), ITRACE_INSN_OTHER);
	call(FN('a') + 4, FN('b'));
	event(ITRACE_STEP_GAP, FN('b') + 4, 0);
	run(FN('c') + 4, ITRACE_INSN_OTHER);
	ret(FN('c') + 8, FN('d') + 4);
	event(ITRACE_STEP_OVERFLOW, 0, FN('e') + 8);
	run(FN('e') + 8, ITRACE_INSN_OTHER);
	call(FN('e') + 12, FN('f'));
	assert_string_equal(finish(0), "~a .b .? .~c <d ? ~e .f");
}

static void once(char letter)
{
	call(FN('a') + 4, FN(letter));
	ret(FN(letter) + 4, FN('a') + 8);
}

/* Loops of more than one call. */
static void test_groups(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a'), ITRACE_INSN_OTHER);
	for (int i = 0; i < 7; i++) {
		once('b');
		once('c');
		once('c');
		once('d');
	}
	once('b');
	once('e');
	once('b');
	once('e');
	assert_string_equal(finish(0), "~a .b .c*2 .d .=*7 .b .e .=*2");
}

/* By name: a call through a thunk is a call of what it jumps to. */
static void test_thunks(void **state)
{
	(void)state;
	begin(&source, 0);
	run(FN('a'), ITRACE_INSN_OTHER);
	/* A retpoline, whose function returns by a thunk. */
	call(FN('a') + 4, FN('x'));
	call(FN('x') + 4, FN('x') + 0x20);
	ret(FN('x') + 0x24, FN('b'));
	run(FN('b') + 4, ITRACE_INSN_JUMP);
	ret(FN('y'), FN('a') + 8);
	/* The same as a jump: a thunk without its trick, and at the end of a function. */
	call(FN('a') + 8, FN('x'));
	run(FN('x') + 4, ITRACE_INSN_IND_JUMP);
	run(FN('c'), ITRACE_INSN_OTHER);
	run(FN('c') + 4, ITRACE_INSN_JUMP);
	call(FN('x'), FN('x') + 0x20);
	ret(FN('x') + 0x24, FN('d'));
	ret(FN('d') + 4, FN('a') + 12);
	call(FN('a') + 12, FN('e'));
	assert_string_equal(finish(0), "~a .b .c .>d .e");
}

static void test_last_lines(void **state)
{
	(void)state;
	begin(&source, 3);
	run(FN('a'), ITRACE_INSN_OTHER);
	for (int i = 0; i < 1000; i++) {
		call(FN('a') + 4, FN('b') + i % 63 * 4);
		ret(FN('c') + 4, FN('a') + 8);
	}
	call(FN('a') + 8, FN('d'));
	call(FN('d') + 8, FN('e'));
	assert_string_equal(finish(0), "b d .e");
}

/* Never closed: must neither grow without end nor crash. */
static void test_endless_depth(void **state)
{
	const struct itrace_tree_line *line;
	uint64_t nr;

	(void)state;
	begin(NULL, 5);
	for (uint64_t i = 0; i < 100000; i++)
		run(0x100000 + i * 16, ITRACE_INSN_CALL);
	for (uint64_t i = 0; i < 200000; i++)
		run(0x900000 + i * 16, ITRACE_INSN_RET);
	itrace_tree_finish(tree, 0, &line, &nr);
	assert_int_equal(nr, 5);
}

static int teardown(void **state)
{
	(void)state;
	itrace_tree_destroy(tree);
	itrace_names_destroy(names);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),	      cmocka_unit_test(test_call_is_last),
		cmocka_unit_test(test_fold),	      cmocka_unit_test(test_fold_counts),
		cmocka_unit_test(test_starts_inside), cmocka_unit_test(test_tail_jump),
		cmocka_unit_test(test_cold_part),     cmocka_unit_test(test_retpoline),
		cmocka_unit_test(test_interrupt),     cmocka_unit_test(test_interrupt_fixup),
		cmocka_unit_test(test_system_call),   cmocka_unit_test(test_task_switch),
		cmocka_unit_test(test_gap),	      cmocka_unit_test(test_last_lines),
		cmocka_unit_test(test_groups),	      cmocka_unit_test(test_thunks),
		cmocka_unit_test(test_endless_depth),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
