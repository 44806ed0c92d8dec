// SPDX-License-Identifier: GPL-2.0-only
#include "btf.h"

#define BTF_MAGIC      0xeb9f
#define BTF_VERSION    1
#define BTF_HEADER_LEN 24
#define BTF_TYPE_LEN   12
#define BTF_MEMBER_LEN 12
#define BTF_CHAIN_MAX  32
#define BTF_PTR_SIZE   8 /* x86-64 */

enum btf_kind {
	KIND_INT = 1,
	KIND_PTR,
	KIND_ARRAY,
	KIND_STRUCT,
	KIND_UNION,
	KIND_ENUM,
	KIND_FWD,
	KIND_TYPEDEF,
	KIND_VOLATILE,
	KIND_CONST,
	KIND_RESTRICT,
	KIND_FUNC,
	KIND_FUNC_PROTO,
	KIND_VAR,
	KIND_DATASEC,
	KIND_FLOAT,
	KIND_DECL_TAG,
	KIND_TYPE_TAG,
	KIND_ENUM64,
	NR_KINDS,
};

/* Bytes behind struct btf_type: a fixed part, and one per member. */
static const struct {
	itrace_u8 fixed;
	itrace_u8 each;
} kind_len[NR_KINDS] = {
	[KIND_INT] = {4, 0},	 [KIND_ARRAY] = {12, 0},   [KIND_STRUCT] = {0, 12},
	[KIND_UNION] = {0, 12},	 [KIND_ENUM] = {0, 8},	   [KIND_FUNC_PROTO] = {0, 8},
	[KIND_VAR] = {4, 0},	 [KIND_DATASEC] = {0, 12}, [KIND_DECL_TAG] = {4, 0},
	[KIND_ENUM64] = {0, 12},
};

static itrace_u32 get32(const itrace_u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (itrace_u32)p[3] << 24;
}

static unsigned int kind_of(const itrace_u8 *type)
{
	return get32(type + 4) >> 24 & 31;
}

static itrace_u32 vlen_of(const itrace_u8 *type)
{
	return get32(type + 4) & 0xffff;
}

/* Bytes of the type at @at, 0 when it is cut off or of an unknown kind. */
static itrace_u32 type_len(const struct itrace_btf *b, itrace_u32 at)
{
	const itrace_u8 *type = b->types + at;
	itrace_u32 left = b->types_len - at;
	unsigned int kind;
	itrace_u32 len;

	if (left < BTF_TYPE_LEN)
		return 0;
	kind = kind_of(type);
	if (kind < KIND_INT || kind >= NR_KINDS)
		return 0;
	len = BTF_TYPE_LEN + kind_len[kind].fixed + kind_len[kind].each * vlen_of(type);
	return len > left ? 0 : len;
}

int itrace_btf_open(struct itrace_btf *b, const void *data, size_t len)
{
	const itrace_u8 *h = data;
	itrace_u64 hdr_len, type_off, type_len_, str_off, str_len;
	itrace_u32 at, n;

	memset(b, 0, sizeof(*b));
	if (len < BTF_HEADER_LEN || (h[0] | h[1] << 8) != BTF_MAGIC || h[2] != BTF_VERSION)
		return -EINVAL;
	hdr_len = get32(h + 4);
	type_off = hdr_len + get32(h + 8);
	type_len_ = get32(h + 12);
	str_off = hdr_len + get32(h + 16);
	str_len = get32(h + 20);
	if (type_off + type_len_ > len || str_off + str_len > len || !str_len ||
	    h[str_off + str_len - 1])
		return -EINVAL;

	b->types = h + type_off;
	b->types_len = type_len_;
	b->strings = (const char *)h + str_off;
	b->strings_len = str_len;
	for (at = 0; at < b->types_len; at += n) {
		n = type_len(b, at);
		if (!n)
			return -EINVAL;
		b->nr++;
	}
	return 0;
}

void itrace_btf_index(struct itrace_btf *b)
{
	itrace_u32 at = 0, i;

	for (i = 0; i < b->nr; i++) {
		b->index[i] = at;
		at += type_len(b, at);
	}
}

static const itrace_u8 *type_by_id(const struct itrace_btf *b, itrace_u32 id)
{
	return id && id <= b->nr ? b->types + b->index[id - 1] : NULL;
}

static bool named(const struct itrace_btf *b, itrace_u32 name_off, const char *name)
{
	return name_off < b->strings_len && !strcmp(b->strings + name_off, name);
}

itrace_u32 itrace_btf_struct(const struct itrace_btf *b, const char *name)
{
	itrace_u32 id;

	for (id = 1; id <= b->nr; id++) {
		const itrace_u8 *type = type_by_id(b, id);

		if (kind_of(type) == KIND_STRUCT && named(b, get32(type), name))
			return id;
	}
	return 0;
}

int itrace_btf_size(const struct itrace_btf *b, itrace_u32 id, itrace_u32 *size)
{
	itrace_u64 times = 1, bytes;
	unsigned int links;

	for (links = 0; links < BTF_CHAIN_MAX; links++) {
		const itrace_u8 *type = type_by_id(b, id);

		if (!type)
			return -EINVAL;
		switch (kind_of(type)) {
		case KIND_TYPEDEF:
		case KIND_VOLATILE:
		case KIND_CONST:
		case KIND_RESTRICT:
		case KIND_TYPE_TAG:
			id = get32(type + 8);
			continue;
		case KIND_ARRAY: /* {type, index type, elements} */
			times *= get32(type + 20);
			if (times > 0xffffffff)
				return -EINVAL;
			id = get32(type + 12);
			continue;
		case KIND_PTR:
			bytes = times * BTF_PTR_SIZE;
			break;
		case KIND_INT:
		case KIND_STRUCT:
		case KIND_UNION:
		case KIND_ENUM:
		case KIND_ENUM64:
		case KIND_FLOAT:
			bytes = times * get32(type + 8);
			break;
		default:
			return -EINVAL;
		}
		if (bytes > 0xffffffff)
			return -EINVAL;
		*size = bytes;
		return 0;
	}
	return -EINVAL;
}

int itrace_btf_member(const struct itrace_btf *b, itrace_u32 id, const char *name,
		      itrace_u32 *offset, itrace_u32 *size)
{
	const itrace_u8 *type = type_by_id(b, id);
	bool kind_flag;
	itrace_u32 i;

	if (!type || kind_of(type) != KIND_STRUCT)
		return -EINVAL;
	kind_flag = get32(type + 4) >> 31;
	for (i = 0; i < vlen_of(type); i++) {
		const itrace_u8 *member = type + BTF_TYPE_LEN + i * BTF_MEMBER_LEN;
		itrace_u32 bits = get32(member + 8);

		if (!named(b, get32(member), name))
			continue;
		if (kind_flag && bits >> 24)
			return -EINVAL; /* bits 31-24: width of a bit field */
		if (bits % 8)
			return -EINVAL;
		*offset = bits / 8;
		return itrace_btf_size(b, get32(member + 4), size);
	}
	return -ENOENT;
}
