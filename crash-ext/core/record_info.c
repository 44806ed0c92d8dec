// SPDX-License-Identifier: GPL-2.0-or-later
#include "record.h"

#include "status.h"
#include "vmcoreinfo.h"

#define CR4_LA57 (1ull << 12) /* SDM 3A 2.5 */

const char *itrace_state_str(uint32_t state)
{
	static const char *const name[] = {
		[ITRACE_STATE_OFF] = "off",	    [ITRACE_STATE_ARMED] = "armed",
		[ITRACE_STATE_FROZEN] = "frozen",   [ITRACE_STATE_NO_ANSWER] = "no answer",
		[ITRACE_STATE_OFFLINE] = "offline", [ITRACE_STATE_YIELDED] = "yielded",
	};

	return state < sizeof(name) / sizeof(name[0]) ? name[state] : "unknown";
}

const char *itrace_reason_str(uint32_t reason)
{
	static const char *const name[] = {
		[ITRACE_REASON_NONE] = "none",	       [ITRACE_REASON_OOPS] = "oops",
		[ITRACE_REASON_DIE] = "die",	       [ITRACE_REASON_GPF] = "gpf",
		[ITRACE_REASON_PANIC] = "panic",       [ITRACE_REASON_NMI_PANIC] = "nmi_panic",
		[ITRACE_REASON_NMI] = "nmi",	       [ITRACE_REASON_NOTIFIER] = "notifier",
		[ITRACE_REASON_SNAPSHOT] = "snapshot", [ITRACE_REASON_WARN] = "warn",
	};

	return reason < sizeof(name) / sizeof(name[0]) ? name[reason] : "unknown";
}

static bool has_cr(const struct itrace_record *record, uint32_t cpu)
{
	return record->cpu[cpu].slot_ok && (record->cpu[cpu].slot.valid & ITRACE_V_CR) &&
	       record->cpu[cpu].slot.cr3;
}

int itrace_record_paging_from(const struct itrace_record *record, uint32_t cpu,
			      const struct itrace_source *source, struct itrace_paging *ret)
{
	uint32_t i;

	if (cpu >= record->nr_cpus || !has_cr(record, cpu)) {
		for (i = 0; i < record->nr_cpus && !has_cr(record, i); i++)
			;
		cpu = i;
	}
	if (cpu == record->nr_cpus) {
		if (!source || itrace_vmcoreinfo_paging(source, ret))
			return ITRACE_E_NODATA;
	} else {
		ret->cr3 = record->cpu[cpu].slot.cr3;
		ret->levels = record->cpu[cpu].slot.cr4 & CR4_LA57 ? 5 : 4;
		ret->encryption_mask = 0;
		ret->phys_bits = 0;
	}
	if (record->machine_ok) {
		ret->encryption_mask = record->machine.encryption_mask;
		ret->phys_bits = record->machine.phys_bits;
	}
	return 0;
}

int itrace_record_paging(const struct itrace_record *record, uint32_t cpu,
			 struct itrace_paging *ret)
{
	return itrace_record_paging_from(record, cpu, NULL, ret);
}
