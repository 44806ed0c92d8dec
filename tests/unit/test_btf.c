/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: kernel/btf.c */
/*
 * The layout guard's BTF reader: members of a synthetic structure, a doctored one, and blobs that
 * are cut or changed anywhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "btf.h"

enum {
	INT = 1,
	PTR = 2,
	ARRAY = 3,
	STRUCT = 4,
	UNION = 5,
	TYPEDEF = 8,
	CONST = 10,
	FUNC_PROTO = 13
};

/* A BTF blob under construction. */
struct blob {
	uint8_t types[1024];
	uint32_t types_len;
	char strings[256];
	uint32_t strings_len;
	uint32_t nr;
};

static void put32(struct blob *b, uint32_t v)
{
	assert_true(b->types_len + 4 <= sizeof(b->types));
	memcpy(b->types + b->types_len, &v, 4);
	b->types_len += 4;
}

static uint32_t put_name(struct blob *b, const char *name)
{
	uint32_t at = b->strings_len;

	if (!at)
		at = b->strings_len = 1; /* offset 0 is the empty name */
	strcpy(b->strings + at, name);
	b->strings_len = at + (uint32_t)strlen(name) + 1;
	return at;
}

/* Appends a type; returns its id. */
static uint32_t put_type(struct blob *b, const char *name, unsigned int kind, uint32_t vlen,
			 uint32_t size_or_type)
{
	put32(b, name ? put_name(b, name) : 0);
	put32(b, kind << 24 | vlen);
	put32(b, size_or_type);
	return ++b->nr;
}

static void put_member(struct blob *b, const char *name, uint32_t type, uint32_t bits)
{
	put32(b, put_name(b, name));
	put32(b, type);
	put32(b, bits);
}

/* struct decoy {int refcount;}; struct perf_buffer {int refcount; long head; void *pages[3]; ...}
 */
static void put_types(struct blob *b, uint32_t head_bits)
{
	uint32_t i, l, p, arr, def, cst;

	memset(b, 0, sizeof(*b));
	i = put_type(b, "int", INT, 0, 4);
	put32(b, 1 << 24 | 32);
	l = put_type(b, "long", INT, 0, 8);
	put32(b, 1 << 24 | 64);
	p = put_type(b, NULL, PTR, 0, 0);
	arr = put_type(b, NULL, ARRAY, 0, 0);
	put32(b, p);
	put32(b, i);
	put32(b, 3);
	put_type(b, NULL, FUNC_PROTO, 2, i);
	put32(b, 0);
	put32(b, i);
	put32(b, 0);
	put32(b, l);
	def = put_type(b, "local_t", TYPEDEF, 0, l);
	cst = put_type(b, NULL, CONST, 0, def);
	put_type(b, "decoy", STRUCT, 1, 4);
	put_member(b, "refcount", i, 0);
	put_type(b, "perf_buffer", UNION, 0, 4); /* a union of that name is not the struct */
	put_type(b, "perf_buffer", STRUCT, 4, 48);
	put_member(b, "refcount", i, 0);
	put_member(b, "head", cst, head_bits);
	put_member(b, "pages", arr, 128);
	put_member(b, "data", l, 384);
}

static size_t finish(const struct blob *b, uint8_t *out)
{
	uint32_t head[6] = {0x0001eb9f, 24, 0, b->types_len, b->types_len, b->strings_len};

	memcpy(out, head, 24);
	memcpy(out + 24, b->types, b->types_len);
	memcpy(out + 24 + b->types_len, b->strings, b->strings_len);
	return 24 + b->types_len + b->strings_len;
}

static void check_member(const struct itrace_btf *btf, uint32_t id, const char *name,
			 uint32_t want_offset, uint32_t want_size)
{
	uint32_t offset = ~0u, size = ~0u;

	assert_int_equal(itrace_btf_member(btf, id, name, &offset, &size), 0);
	assert_int_equal(offset, want_offset);
	assert_int_equal(size, want_size);
}

static void members(void **state)
{
	struct itrace_btf btf;
	struct blob b;
	uint8_t out[2048];
	uint32_t index[32], id, offset, size;

	(void)state;
	put_types(&b, 64);
	assert_int_equal(itrace_btf_open(&btf, out, finish(&b, out)), 0);
	assert_int_equal(btf.nr, b.nr);
	btf.index = index;
	itrace_btf_index(&btf);

	id = itrace_btf_struct(&btf, "perf_buffer");
	assert_int_equal(id, b.nr);
	check_member(&btf, id, "refcount", 0, 4);
	check_member(&btf, id, "head", 8, 8); /* through const and typedef */
	check_member(&btf, id, "pages", 16, 24);
	assert_int_equal(itrace_btf_size(&btf, id, &size), 0);
	assert_int_equal(size, 48);
	assert_int_equal(itrace_btf_member(&btf, id, "aux_priv", &offset, &size), -ENOENT);
	assert_int_equal(itrace_btf_struct(&btf, "perf_buff"), 0);
	assert_int_equal(itrace_btf_size(&btf, 0, &size), -EINVAL);
	assert_int_equal(itrace_btf_size(&btf, b.nr + 1, &size), -EINVAL);
}

static void doctored(void **state)
{
	struct itrace_btf btf;
	struct blob b;
	uint8_t out[2048];
	uint32_t index[32], id, offset, size;

	(void)state;
	put_types(&b, 96); /* the member has moved */
	assert_int_equal(itrace_btf_open(&btf, out, finish(&b, out)), 0);
	btf.index = index;
	itrace_btf_index(&btf);
	id = itrace_btf_struct(&btf, "perf_buffer");
	check_member(&btf, id, "head", 12, 8);

	put_types(&b, 65); /* no whole byte */
	assert_int_equal(itrace_btf_open(&btf, out, finish(&b, out)), 0);
	btf.index = index;
	itrace_btf_index(&btf);
	assert_int_equal(itrace_btf_member(&btf, id, "head", &offset, &size), -EINVAL);
}

static void endless_chain(void **state)
{
	struct itrace_btf btf;
	struct blob b;
	uint8_t out[2048];
	uint32_t index[32], size;

	(void)state;
	memset(&b, 0, sizeof(b));
	put_type(&b, "a", TYPEDEF, 0, 2);
	put_type(&b, "b", TYPEDEF, 0, 1);
	put_type(&b, NULL, ARRAY, 0, 0); /* of itself */
	put32(&b, 3);
	put32(&b, 3);
	put32(&b, 0xffffffff);
	assert_int_equal(itrace_btf_open(&btf, out, finish(&b, out)), 0);
	btf.index = index;
	itrace_btf_index(&btf);
	assert_int_equal(itrace_btf_size(&btf, 1, &size), -EINVAL);
	assert_int_equal(itrace_btf_size(&btf, 3, &size), -EINVAL);
}

/* Whatever the blob: no crash (run under ASan), and what is found stays inside of it. */
static void use(const uint8_t *data, size_t len)
{
	struct itrace_btf btf;
	uint32_t id, offset, size;

	if (itrace_btf_open(&btf, data, len))
		return;
	btf.index = calloc(btf.nr + 1, sizeof(*btf.index));
	assert_non_null(btf.index);
	itrace_btf_index(&btf);
	for (id = 0; id <= btf.nr + 1; id++) {
		(void)itrace_btf_size(&btf, id, &size);
		(void)itrace_btf_member(&btf, id, "head", &offset, &size);
	}
	(void)itrace_btf_struct(&btf, "perf_buffer");
	free(btf.index);
}

static void hostile(void **state)
{
	struct blob b;
	uint8_t out[2048], *copy;
	struct itrace_btf btf;
	size_t len, i;
	int bit;

	(void)state;
	put_types(&b, 64);
	len = finish(&b, out);
	for (i = 0; i < len; i++) {
		copy = malloc(i ? i : 1); /* its own allocation: overruns are seen */
		memcpy(copy, out, i);
		assert_int_equal(itrace_btf_open(&btf, copy, i), -EINVAL);
		free(copy);
	}
	copy = malloc(len);
	for (i = 0; i < len; i++) {
		for (bit = 0; bit < 8; bit++) {
			memcpy(copy, out, len);
			copy[i] ^= 1 << bit;
			use(copy, len);
		}
	}
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members),
		cmocka_unit_test(doctored),
		cmocka_unit_test(endless_chain),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
