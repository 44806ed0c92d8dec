/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#include "insn.h"
#include "status.h"

struct itrace_insn_decoder {
	ZydisDecoder zydis;
};

struct itrace_insn_decoder *itrace_insn_decoder_create(void)
{
	struct itrace_insn_decoder *decoder = malloc(sizeof(*decoder));

	if (!decoder)
		return NULL;
	if (ZYAN_FAILED(ZydisDecoderInit(&decoder->zydis, ZYDIS_MACHINE_MODE_LONG_64,
					 ZYDIS_STACK_WIDTH_64)) ||
	    ZYAN_FAILED(ZydisDecoderEnableMode(&decoder->zydis, ZYDIS_DECODER_MODE_MINIMAL,
					       ZYAN_TRUE))) {
		free(decoder);
		return NULL;
	}
	return decoder;
}

void itrace_insn_decoder_destroy(struct itrace_insn_decoder *decoder)
{
	free(decoder);
}

bool itrace_insn_ends_block(enum itrace_insn_class insn_class)
{
	switch (insn_class) {
	case ITRACE_INSN_COND:
	case ITRACE_INSN_IND_JUMP:
	case ITRACE_INSN_IND_CALL:
	case ITRACE_INSN_RET:
	case ITRACE_INSN_FAR:
	case ITRACE_INSN_VMENTRY:
		return true;
	default:
		return false;
	}
}

/* Group 5 and the opcodes of the one-byte map tell near from far, direct from indirect. */
static enum itrace_insn_class class_of_jump(const ZydisDecodedInstruction *insn)
{
	if (insn->raw.imm[0].is_relative)
		return ITRACE_INSN_JUMP;
	return insn->opcode == 0xff && insn->raw.modrm.reg == 4 ? ITRACE_INSN_IND_JUMP
								: ITRACE_INSN_FAR;
}

static enum itrace_insn_class class_of_call(const ZydisDecodedInstruction *insn)
{
	if (insn->raw.imm[0].is_relative)
		return ITRACE_INSN_CALL;
	return insn->opcode == 0xff && insn->raw.modrm.reg == 2 ? ITRACE_INSN_IND_CALL
								: ITRACE_INSN_FAR;
}

static enum itrace_insn_class class_of_mov_cr(const ZydisDecodedInstruction *insn)
{
	if (insn->opcode_map != ZYDIS_OPCODE_MAP_0F || insn->opcode != 0x22)
		return ITRACE_INSN_OTHER;
	return insn->raw.modrm.reg == 3 && !insn->raw.rex.R ? ITRACE_INSN_MOV_CR3
							    : ITRACE_INSN_OTHER;
}

/* Every branch that is not in class_of() has a relative operand and is conditional. */
static enum itrace_insn_class class_of_rest(const ZydisDecodedInstruction *insn)
{
	if (insn->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY || !insn->raw.imm[0].is_relative)
		return ITRACE_INSN_OTHER;
	if (insn->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	    ((insn->opcode >= 0x70 && insn->opcode <= 0x7f) ||
	     (insn->opcode >= 0xe0 && insn->opcode <= 0xe3)))
		return ITRACE_INSN_COND;
	if (insn->opcode_map == ZYDIS_OPCODE_MAP_0F && insn->opcode >= 0x80 && insn->opcode <= 0x8f)
		return ITRACE_INSN_COND;
	return ITRACE_INSN_OTHER; /* XBEGIN */
}

static enum itrace_insn_class class_of(const ZydisDecodedInstruction *insn)
{
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_JMP:
		return class_of_jump(insn);
	case ZYDIS_MNEMONIC_CALL:
		return class_of_call(insn);
	case ZYDIS_MNEMONIC_RET:
		return (insn->opcode & 0xf8) == 0xc0 ? ITRACE_INSN_RET : ITRACE_INSN_FAR;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_UIRET:
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_INTO:
	case ZYDIS_MNEMONIC_RSM:
	case ZYDIS_MNEMONIC_VMCALL:
		return ITRACE_INSN_FAR;
	case ZYDIS_MNEMONIC_VMLAUNCH:
	case ZYDIS_MNEMONIC_VMRESUME:
		return ITRACE_INSN_VMENTRY;
	case ZYDIS_MNEMONIC_MOV:
		return class_of_mov_cr(insn);
	case ZYDIS_MNEMONIC_PTWRITE:
		return ITRACE_INSN_PTWRITE;
	case ZYDIS_MNEMONIC_WRMSR:
		return ITRACE_INSN_WRMSR;
	default:
		return class_of_rest(insn);
	}
}

static bool is_stuck(const ZydisDecodedInstruction *insn)
{
	return insn->mnemonic == ZYDIS_MNEMONIC_UD0 || insn->mnemonic == ZYDIS_MNEMONIC_UD1 ||
	       insn->mnemonic == ZYDIS_MNEMONIC_UD2;
}

/*
 * Kernel instructions that Zydis 4 does not know: ERETU and ERETS (FRED), WRMSRNS, and others
 * that are an older encoding with an F2 or F3 put before it (LKGS): the length is the same rule.
 */
static int decode_newer(const struct itrace_insn_decoder *decoder, const uint8_t *bytes,
			uint64_t len, struct itrace_insn_info *info)
{
	static const uint8_t eret[] = {0x0f, 0x01, 0xca};
	static const uint8_t wrmsrns[] = {0x0f, 0x01, 0xc6};
	ZydisDecodedInstruction insn;

	if (bytes[0] == 0xd5) /* REX2 */
		return ITRACE_E_UNSUPPORTED;
	if (len >= 3 && !memcmp(bytes, wrmsrns, 3)) {
		info->insn.size = 3;
		info->insn.insn_class = ITRACE_INSN_WRMSR;
		return 0;
	}
	if (bytes[0] != 0xf2 && bytes[0] != 0xf3)
		return ITRACE_E_CORRUPT;
	if (len >= 4 && !memcmp(bytes + 1, eret, 3)) {
		info->insn.size = 4;
		info->insn.insn_class = ITRACE_INSN_FAR;
		return 0;
	}
	if (len < 2 || ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder->zydis, NULL, bytes + 1,
								 len - 1, &insn)))
		return ITRACE_E_CORRUPT;
	info->insn.size = (uint8_t)(insn.length + 1);
	info->insn.insn_class = ITRACE_INSN_OTHER;
	return 0;
}

int itrace_insn_decode(const struct itrace_insn_decoder *decoder, uint64_t ip, const uint8_t *bytes,
		       uint64_t len, struct itrace_insn_info *info)
{
	ZydisDecodedInstruction insn;
	ZyanStatus status;

	memset(info, 0, sizeof(*info));
	info->insn.ip = ip;
	if (len > ITRACE_INSN_MAX)
		len = ITRACE_INSN_MAX;
	status = ZydisDecoderDecodeInstruction(&decoder->zydis, NULL, bytes, len, &insn);
	if (status == ZYDIS_STATUS_NO_MORE_DATA)
		return len < ITRACE_INSN_MAX ? ITRACE_E_NODATA : ITRACE_E_CORRUPT;
	if (ZYAN_FAILED(status))
		return decode_newer(decoder, bytes, len, info);
	info->insn.size = insn.length;
	info->insn.insn_class = (uint8_t)class_of(&insn);
	info->stuck = is_stuck(&insn);
	if (insn.raw.imm[0].is_relative)
		info->target = ip + insn.length + (uint64_t)insn.raw.imm[0].value.s;
	return 0;
}
