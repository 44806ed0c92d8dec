/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a structure's members lie, from a BTF blob (Documentation/bpf/btf.rst).
 *
 * The blob is hostile: every offset is bounded before use, chains of types have a length limit.
 */
#ifndef ITRACE_BTF_H
#define ITRACE_BTF_H

#include "pure.h"

struct itrace_btf {
	const itrace_u8 *types;
	const char *strings; /* ends with a NUL */
	itrace_u32 types_len;
	itrace_u32 strings_len;
	itrace_u32 *index; /* offset in types of type id n + 1; the caller's */
	itrace_u32 nr;
};

/*
 * Opens the blob of @len bytes at @data, which must stay there, and counts its types in b->nr.
 * The caller then sets b->index to room for that many entries and calls itrace_btf_index().
 *
 * Returns 0, or
 * -EINVAL: not BTF version 1, or sections outside of the blob, or a type cut off or unknown
 */
int itrace_btf_open(struct itrace_btf *b, const void *data, size_t len);
void itrace_btf_index(struct itrace_btf *b);

/* The id of struct @name, 0 when there is none. */
itrace_u32 itrace_btf_struct(const struct itrace_btf *b, const char *name);

/*
 * The bytes of type @id, typedefs and qualifiers looked through.
 *
 * Returns 0, or
 * -EINVAL: a broken or endless chain, or a type without a size
 */
int itrace_btf_size(const struct itrace_btf *b, itrace_u32 id, itrace_u32 *size);

/*
 * Offset and size in bytes of member @name of struct @id.
 *
 * Returns 0, or
 * -ENOENT: no such member
 * -EINVAL: a bit field, or a broken type
 */
int itrace_btf_member(const struct itrace_btf *b, itrace_u32 id, const char *name,
		      itrace_u32 *offset, itrace_u32 *size);

#endif
