// SPDX-License-Identifier: GPL-2.0-or-later
#include "packet_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct text {
	char name[16];
	char payload[96];
	char tracking[64];
};

#define NAME(text, ...)	    snprintf((text)->name, sizeof((text)->name), __VA_ARGS__)
#define PAYLOAD(text, ...)  snprintf((text)->payload, sizeof((text)->payload), __VA_ARGS__)
#define TRACKING(text, ...) snprintf((text)->tracking, sizeof((text)->tracking), __VA_ARGS__)

static const char *pick(const char *const *name, size_t nr, uint8_t index)
{
	return index < nr && name[index] ? name[index] : "unknown";
}

#define PICK(names, index) pick(names, sizeof(names) / sizeof((names)[0]), index)

static bool cfe_has_vector(uint8_t type)
{
	return type == ITRACE_CFE_INTR || type == ITRACE_CFE_SIPI ||
	       type == ITRACE_CFE_VMEXIT_INTR || type == ITRACE_CFE_UINTR;
}

static void ext_text(struct text *text, const struct itrace_packet *packet)
{
	static const char *const cfe[] = {
		[ITRACE_CFE_INTR] = "intr",
		[ITRACE_CFE_IRET] = "iret",
		[ITRACE_CFE_SMI] = "smi",
		[ITRACE_CFE_RSM] = "rsm",
		[ITRACE_CFE_SIPI] = "sipi",
		[ITRACE_CFE_INIT] = "init",
		[ITRACE_CFE_VMENTRY] = "vmentry",
		[ITRACE_CFE_VMEXIT] = "vmexit",
		[ITRACE_CFE_VMEXIT_INTR] = "vmexit_intr",
		[ITRACE_CFE_SHUTDOWN] = "shutdown",
		[ITRACE_CFE_UINTR] = "uintr",
		[ITRACE_CFE_UIRET] = "uiret",
		[ITRACE_CFE_SWINTR] = "swintr",
		[ITRACE_CFE_SYSCALL] = "syscall",
	};
	static const char *const evd[] = {"cr2", "vmxq", "vmxr"};
	char vector[8] = "";

	switch ((enum itrace_packet_ext)packet->ext) {
	case ITRACE_EXT_CFE:
		NAME(text, "cfe");
		if (cfe_has_vector(packet->ext_type))
			snprintf(vector, sizeof(vector), ": %u", packet->ext_vector);
		PAYLOAD(text, "%u%s%s", packet->ext_type, vector, packet->ext_ip ? ", ip" : "");
		TRACKING(text, "type %s", PICK(cfe, packet->ext_type));
		break;
	case ITRACE_EXT_EVD:
		NAME(text, "evd");
		PAYLOAD(text, "%u: %" PRIx64, packet->ext_type, packet->ext_value);
		TRACKING(text, "type %s", PICK(evd, packet->ext_type));
		break;
	case ITRACE_EXT_TRIG:
		NAME(text, "trig");
		PAYLOAD(text, "%" PRIx64 "%s", packet->ext_value, packet->ext_ip ? ", ip" : "");
		break;
	case ITRACE_EXT_BBP:
		NAME(text, "bbp");
		PAYLOAD(text, "%u", packet->ext_type);
		break;
	case ITRACE_EXT_BIP:
		NAME(text, "bip");
		PAYLOAD(text, "%u: %" PRIx64, packet->ext_type, packet->ext_value);
		break;
	case ITRACE_EXT_BEP:
		NAME(text, "bep");
		PAYLOAD(text, "%s", packet->ext_ip ? "ip" : "");
		break;
	case ITRACE_EXT_MODE:
		NAME(text, "mode");
		PAYLOAD(text, "%u: %" PRIx64, packet->ext_type, packet->ext_value);
		break;
	case ITRACE_EXT_NONE:
		break;
	}
}

static void ip_text(struct text *text, const char *name, const struct itrace_packet *packet)
{
	const struct pt_packet_ip *ip = &packet->pt.payload.ip;

	NAME(text, "%s", name);
	/* ptdump pads with zeros to the number of bytes that were there. */
	switch (ip->ipc) {
	case pt_ipc_suppressed:
		PAYLOAD(text, "%x: ????????????????", ip->ipc);
		TRACKING(text, "ip   <suppressed>");
		return;
	case pt_ipc_update_16:
		PAYLOAD(text, "%x: ????????????%04" PRIx64, ip->ipc, ip->ip & 0xffff);
		break;
	case pt_ipc_update_32:
		PAYLOAD(text, "%x: ????????%08" PRIx64, ip->ipc, ip->ip & 0xffffffff);
		break;
	case pt_ipc_sext_48:
		PAYLOAD(text, "%x: %016" PRIx64, ip->ipc,
			(uint64_t)((int64_t)(ip->ip << 16) >> 16));
		break;
	case pt_ipc_update_48:
		PAYLOAD(text, "%x: ????%012" PRIx64, ip->ipc, (uint64_t)(ip->ip & 0xffffffffffff));
		break;
	default:
		PAYLOAD(text, "%x: %016" PRIx64, ip->ipc, ip->ip);
		break;
	}
	if (packet->has_ip)
		TRACKING(text, "ip   %016" PRIx64, packet->ip);
}

static void tnt_text(struct text *text, const char *name, const struct pt_packet_tnt *tnt)
{
	uint8_t bits = tnt->bit_size < sizeof(text->payload) ? tnt->bit_size : 0;

	NAME(text, "%s", name);
	for (uint8_t i = 0; i < bits; i++)
		text->payload[i] = tnt->payload >> (bits - 1 - i) & 1 ? '!' : '.';
	text->payload[bits] = '\0';
}

static void mode_text(struct text *text, const struct pt_packet_mode *mode)
{
	switch (mode->leaf) {
	case pt_mol_exec:
		NAME(text, "mode.exec");
		PAYLOAD(text, "%s",
			mode->bits.exec.csl   ? "cs.l"
			: mode->bits.exec.csd ? "cs.d"
					      : "");
		break;
	case pt_mol_tsx:
		NAME(text, "mode.tsx");
		PAYLOAD(text, "%s",
			mode->bits.tsx.intx   ? "intx"
			: mode->bits.tsx.abrt ? "abrt"
					      : "");
		break;
	default:
		NAME(text, "mode");
		PAYLOAD(text, "leaf: %x", mode->leaf);
		break;
	}
}

/* Packets about power and software's own. */
static bool rare_text(struct text *text, const struct pt_packet *pt)
{
	switch (pt->type) {
	case ppt_exstop:
		NAME(text, "exstop");
		PAYLOAD(text, "%s", pt->payload.exstop.ip ? "ip" : "");
		return true;
	case ppt_mwait:
		NAME(text, "mwait");
		PAYLOAD(text, "%08x, %08x", pt->payload.mwait.hints, pt->payload.mwait.ext);
		return true;
	case ppt_pwre:
		NAME(text, "pwre");
		PAYLOAD(text, "c%u.%u%s", (pt->payload.pwre.state + 1) & 0xf,
			(pt->payload.pwre.sub_state + 1) & 0xf, pt->payload.pwre.hw ? ", hw" : "");
		return true;
	case ppt_pwrx:
		NAME(text, "pwrx");
		PAYLOAD(text, "%s%s%sc%u, c%u", pt->payload.pwrx.interrupt ? "int: " : "",
			pt->payload.pwrx.store ? "st: " : "",
			pt->payload.pwrx.autonomous ? "hw: " : "",
			(pt->payload.pwrx.last + 1) & 0xf, (pt->payload.pwrx.deepest + 1) & 0xf);
		return true;
	case ppt_ptw:
		NAME(text, "ptw");
		PAYLOAD(text, "%x: %" PRIx64 "%s", pt->payload.ptw.plc, pt->payload.ptw.payload,
			pt->payload.ptw.ip ? ", ip" : "");
		return true;
	default:
		return false;
	}
}

static bool time_text(struct text *text, const struct pt_packet *pt)
{
	switch (pt->type) {
	case ppt_tsc:
		NAME(text, "tsc");
		PAYLOAD(text, "%" PRIx64, pt->payload.tsc.tsc);
		return true;
	case ppt_cbr:
		NAME(text, "cbr");
		PAYLOAD(text, "%x", pt->payload.cbr.ratio);
		return true;
	case ppt_tma:
		NAME(text, "tma");
		PAYLOAD(text, "%x, %x", pt->payload.tma.ctc, pt->payload.tma.fc);
		return true;
	case ppt_mtc:
		NAME(text, "mtc");
		PAYLOAD(text, "%x", pt->payload.mtc.ctc);
		return true;
	case ppt_cyc:
		NAME(text, "cyc");
		PAYLOAD(text, "%" PRIx64, pt->payload.cyc.value);
		return true;
	default:
		return false;
	}
}

static bool space_text(struct text *text, const struct pt_packet *pt)
{
	switch (pt->type) {
	case ppt_pip:
		NAME(text, "pip");
		PAYLOAD(text, "%" PRIx64 "%s", pt->payload.pip.cr3,
			pt->payload.pip.nr ? ", nr" : "");
		TRACKING(text, "cr3  %016" PRIx64, pt->payload.pip.cr3);
		return true;
	case ppt_vmcs:
		NAME(text, "vmcs");
		PAYLOAD(text, "%" PRIx64, pt->payload.vmcs.base);
		TRACKING(text, "vmcs %016" PRIx64, pt->payload.vmcs.base);
		return true;
	case ppt_mnt:
		NAME(text, "mnt");
		PAYLOAD(text, "%" PRIx64, pt->payload.mnt.payload);
		return true;
	default:
		return false;
	}
}

static void packet_text(struct text *text, const struct itrace_packet *packet)
{
	const struct pt_packet *pt = &packet->pt;

	switch (pt->type) {
	case ppt_pad:
		NAME(text, "pad");
		return;
	case ppt_psb:
		NAME(text, "psb");
		return;
	case ppt_psbend:
		NAME(text, "psbend");
		return;
	case ppt_ovf:
		NAME(text, "ovf");
		return;
	case ppt_stop:
		NAME(text, "stop");
		return;
	case ppt_fup:
		ip_text(text, "fup", packet);
		return;
	case ppt_tip:
		ip_text(text, "tip", packet);
		return;
	case ppt_tip_pge:
		ip_text(text, "tip.pge", packet);
		return;
	case ppt_tip_pgd:
		ip_text(text, "tip.pgd", packet);
		return;
	case ppt_tnt_8:
		tnt_text(text, "tnt.8", &pt->payload.tnt);
		return;
	case ppt_tnt_64:
		tnt_text(text, "tnt.64", &pt->payload.tnt);
		return;
	case ppt_mode:
		mode_text(text, &pt->payload.mode);
		return;
	default:
		break;
	}
	if (!time_text(text, pt) && !space_text(text, pt) && !rare_text(text, pt))
		NAME(text, "unknown");
}

const char *itrace_packet_text(const struct itrace_packet *packet, char *buf, size_t size)
{
	struct text text = {0};

	if (packet->ext != ITRACE_EXT_NONE)
		ext_text(&text, packet);
	else
		packet_text(&text, packet);
	if (*text.tracking)
		snprintf(buf, size, "%016" PRIx64 "  %-11s%-26s%s", packet->offset, text.name,
			 text.payload, text.tracking);
	else if (*text.payload)
		snprintf(buf, size, "%016" PRIx64 "  %-11s%s", packet->offset, text.name,
			 text.payload);
	else
		snprintf(buf, size, "%016" PRIx64 "  %s", packet->offset, text.name);
	return buf;
}
