// SPDX-License-Identifier: GPL-2.0-or-later
/* classify.c - see classify.h. Opcodes: SDM Vol. 2D, appendix A. */
#include "classify.h"

struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool rep;
	uint8_t rex;
};

static uint8_t next(struct cursor *c)
{
	return c->at < c->end ? *c->at++ : 0;
}

static uint8_t peek(const struct cursor *c)
{
	return c->at < c->end ? *c->at : 0;
}

/* The last n bytes of the instruction as a signed displacement from its end. */
static uint64_t rel_target(const struct insn *i, const struct cursor *c, unsigned int n)
{
	uint64_t val = 0;
	int64_t disp;
	uint64_t to;

	if (c->end - c->at < (int)n)
		return 0;
	for (unsigned int b = 0; b < n; b++)
		val |= (uint64_t)c->end[(int)b - (int)n] << (8 * b);
	disp = (int64_t)(val << (64 - 8 * n)) >> (64 - 8 * n);
	to = i->addr + i->len + (uint64_t)disp;
	return i->mode64 ? to : (uint32_t)to;
}

static void skip_prefixes(struct cursor *c, bool mode64)
{
	for (;; c->at++) {
		uint8_t b = peek(c);

		if (b == 0xf2 || b == 0xf3)
			c->rep = true;
		else if (b != 0x66 && b != 0x67 && b != 0xf0 && b != 0x2e && b != 0x36 &&
			 b != 0x3e && b != 0x26 && b != 0x64 && b != 0x65)
			break;
	}
	if (mode64 && (peek(c) & 0xf0) == 0x40)
		c->rex = next(c);
}

static enum insn_class class_0f01(uint8_t modrm)
{
	switch (modrm) {
	case 0xc6: /* WRMSRNS */
		return CLS_WRMSR;
	case 0xc9: /* MWAIT */
		return CLS_HALT;
	case 0xca: /* ERETS, ERETU; without their prefix CLAC, which the caller tells apart */
		return CLS_FAR_RET;
	case 0xf9:
		return CLS_RDTSC;
	default:
		return CLS_OTHER;
	}
}

static enum insn_class class_0f(struct insn *i, struct cursor *c)
{
	uint8_t op = next(c);

	if ((op & 0xf0) == 0x80) {
		i->cond = op;
		i->target = rel_target(i, c, 4);
		return CLS_JCC;
	}
	switch (op) {
	case 0x01:
		if (peek(c) == 0xca && !c->rep)
			return CLS_OTHER;
		return class_0f01(peek(c));
	case 0x05:
	case 0x34:
		return CLS_FAR;
	case 0x07:
	case 0x35:
		return CLS_FAR_RET;
	case 0x22:
		return (peek(c) >> 3 & 7) == 3 && !(c->rex & 4) ? CLS_MOV_CR3 : CLS_OTHER;
	case 0x30:
		return CLS_WRMSR;
	case 0x31:
		return CLS_RDTSC;
	case 0x32:
		return CLS_RDMSR;
	case 0xa2:
		return CLS_CPUID;
	default:
		return CLS_OTHER;
	}
}

static enum insn_class class_ff(uint8_t modrm)
{
	switch (modrm >> 3 & 7) {
	case 2:
		return CLS_CALL_IND;
	case 4:
		return CLS_JMP_IND;
	case 3:
	case 5:
		return CLS_FAR;
	default:
		return CLS_OTHER;
	}
}

static enum insn_class class_1byte(struct insn *i, struct cursor *c, uint8_t op)
{
	switch (op) {
	case 0xa4:
	case 0xa5:
	case 0xa6:
	case 0xa7:
	case 0xaa:
	case 0xab:
	case 0xac:
	case 0xad:
	case 0xae:
	case 0xaf:
	case 0x6c:
	case 0x6d:
	case 0x6e:
	case 0x6f:
		return c->rep ? CLS_REP : CLS_OTHER;
	case 0xe8:
		i->target = rel_target(i, c, 4);
		return CLS_CALL;
	case 0xe9:
		i->target = rel_target(i, c, 4);
		return CLS_JMP;
	case 0xeb:
		i->target = rel_target(i, c, 1);
		return CLS_JMP;
	case 0xc2:
	case 0xc3:
		return CLS_RET;
	case 0xcf:
		return CLS_FAR_RET;
	case 0x9a:
	case 0xea:
	case 0xca:
	case 0xcb:
		return CLS_FAR;
	case 0xcc:
	case 0xcd:
	case 0xce:
		return CLS_SOFTINT;
	case 0xf1:
		return CLS_ICEBP;
	case 0xf4:
		return CLS_HALT;
	case 0xff:
		return class_ff(peek(c));
	default:
		return CLS_OTHER;
	}
}

void classify(struct insn *i, const uint8_t *bytes)
{
	struct cursor c = {.at = bytes, .end = bytes + i->len};
	uint8_t op;

	i->target = 0;
	i->cond = 0;
	skip_prefixes(&c, i->mode64);
	op = next(&c);
	if (op == 0x0f) {
		i->cls = (uint8_t)class_0f(i, &c);
	} else if ((op & 0xf0) == 0x70 || (op & 0xfc) == 0xe0) {
		i->cls = CLS_JCC;
		i->cond = op;
		i->target = rel_target(i, &c, 1);
	} else if (i->mode64 && (op == 0x9a || op == 0xea || op == 0xce)) {
		i->cls = CLS_OTHER;
	} else {
		i->cls = (uint8_t)class_1byte(i, &c, op);
	}
}

bool jcc_to_following(const struct insn *i, uint64_t rcx, bool *known)
{
	/* LOOPNE, LOOPE and LOOP have counted down already; JRCXZ leaves RCX alone. */
	*known = i->cond == 0xe3 || i->cond == 0xe2 || ((i->cond & 0xfe) == 0xe0 && !rcx);
	if (i->cond == 0xe3)
		return rcx == 0;
	return i->cond == 0xe2 && rcx != 0;
}
