// SPDX-License-Identifier: GPL-2.0-or-later
#include "disasm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <Zydis/Zydis.h>

#include "status.h"

#define CACHE_SIZE     8192 /* power of two */
#define MNEMONIC_WIDTH 6

struct cached {
	uint64_t ip;
	char text[120];
};

struct itrace_disasm {
	struct itrace_image *image;
	struct itrace_names *names;
	ZydisDecoder decoder;
	ZydisFormatter formatter;
	struct cached cache[CACHE_SIZE]; /* loops print the same instructions again and again */
};

struct itrace_disasm *itrace_disasm_create(struct itrace_image *image, struct itrace_names *names)
{
	struct itrace_disasm *disasm = calloc(1, sizeof(*disasm));

	if (!disasm)
		return NULL;
	disasm->image = image;
	disasm->names = names;
	ZydisDecoderInit(&disasm->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisFormatterInit(&disasm->formatter, ZYDIS_FORMATTER_STYLE_ATT);
	ZydisFormatterSetProperty(&disasm->formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE,
				  ZYAN_FALSE);
	ZydisFormatterSetProperty(&disasm->formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
				  ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&disasm->formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING,
				  ZYDIS_PADDING_DISABLED);
	return disasm;
}

void itrace_disasm_destroy(struct itrace_disasm *disasm)
{
	free(disasm);
}

static bool decode(struct itrace_disasm *disasm, uint64_t ip, ZydisDecodedInstruction *insn,
		   ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT], int *err)
{
	uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
	int len = itrace_image_read(disasm->image, ip, bytes, sizeof(bytes));

	*err = len < 0 ? len : 0;
	return len > 0 &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&disasm->decoder, bytes, len, insn, operand));
}

/* " <symbol+0x1f>" for the address that a branch or a RIP-relative operand means. */
static void append_target(struct itrace_disasm *disasm, uint64_t ip,
			  const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operand,
			  char *buf, size_t size)
{
	size_t len = strlen(buf);
	ZyanU64 target;

	for (int i = 0; i < insn->operand_count_visible; i++) {
		const ZydisDecodedOperand *op = &operand[i];
		bool branch = op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && op->imm.is_relative;
		bool rip = op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
			   op->mem.base == ZYDIS_REGISTER_RIP &&
			   op->mem.segment != ZYDIS_REGISTER_GS;
		const struct itrace_name *name;
		char text[256];

		if (!branch && !rip)
			continue;
		if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(insn, op, ip, &target)))
			return;
		name = itrace_names_get(disasm->names, target);
		if (!*name->symbol && !*name->module)
			return;
		itrace_names_format(disasm->names, target, text, sizeof(text));
		/* The module's name stands in the line already. */
		if (*name->symbol && strchr(text, ' '))
			*strchr(text, ' ') = '\0';
		snprintf(buf + len, size - len, " <%s>", text);
		return;
	}
}

/* Operands in one column, but not behind a prefix. */
static void align_operands(const char *text, char *buf, size_t size)
{
	static const char *const prefix[] = {"lock ",	"rep",	"bnd ", "notrack ",
					     "data16 ", "xrel", "xacq"};
	size_t mnemonic = strcspn(text, " ");

	for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++)
		if (!strncmp(text, prefix[i], strlen(prefix[i])))
			mnemonic = 0;
	if (!mnemonic || !text[mnemonic])
		snprintf(buf, size, "%s", text);
	else
		snprintf(buf, size, "%-*.*s %s", MNEMONIC_WIDTH, (int)mnemonic, text,
			 text + mnemonic + 1);
}

const char *itrace_disasm_format(struct itrace_disasm *disasm, uint64_t ip, char *buf, size_t size)
{
	struct cached *cached = &disasm->cache[(ip ^ ip >> 13) & (CACHE_SIZE - 1)];
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	char text[160];
	int err;

	if (cached->ip == ip && cached->text[0]) {
		snprintf(buf, size, "%s", cached->text);
		return buf;
	}
	if (!decode(disasm, ip, &insn, operand, &err)) {
		snprintf(buf, size, "(%s)", err ? itrace_status_str(err) : "bad");
		return buf;
	}
	/* What a long nop names as operands is filler. */
	if (insn.mnemonic == ZYDIS_MNEMONIC_NOP) {
		snprintf(buf, size, "nop");
		return buf;
	}
	if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&disasm->formatter, &insn, operand,
							  insn.operand_count_visible, text,
							  sizeof(text), ip, NULL)))
		snprintf(text, sizeof(text), "%s", ZydisMnemonicGetString(insn.mnemonic));
	align_operands(text, buf, size);
	append_target(disasm, ip, &insn, operand, buf, size);
	if (strlen(buf) < sizeof(cached->text)) {
		cached->ip = ip;
		memcpy(cached->text, buf, strlen(buf) + 1);
	}
	return buf;
}

static void add_register(ZydisRegister reg, const uint64_t gpr[16], uint32_t *done, char *buf,
			 size_t size)
{
	ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	size_t len = strlen(buf);
	int id;

	if (ZydisRegisterGetClass(full) != ZYDIS_REGCLASS_GPR64)
		return;
	id = ZydisRegisterGetId(full);
	if (id < 0 || id > 15 || *done & 1u << id)
		return;
	*done |= 1u << id;
	snprintf(buf + len, size - len, "%s%s=%016" PRIx64, len ? " " : "",
		 ZydisRegisterGetString(full), gpr[id]);
}

const char *itrace_disasm_registers(struct itrace_disasm *disasm, uint64_t ip,
				    const uint64_t gpr[16], char *buf, size_t size)
{
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	uint32_t done = 0;
	int err;

	buf[0] = '\0';
	if (!decode(disasm, ip, &insn, operand, &err))
		return buf;
	for (int i = 0; i < insn.operand_count; i++) {
		if (operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
			add_register(operand[i].mem.base, gpr, &done, buf, size);
			add_register(operand[i].mem.index, gpr, &done, buf, size);
		} else if (operand[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			   operand[i].visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
			   (insn.meta.category == ZYDIS_CATEGORY_CALL ||
			    insn.meta.category == ZYDIS_CATEGORY_UNCOND_BR)) {
			add_register(operand[i].reg.value, gpr, &done, buf, size);
		}
	}
	return buf;
}
