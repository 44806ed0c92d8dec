// SPDX-License-Identifier: GPL-2.0-or-later
#include "vmcoreinfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

#define KERNEL_MAP 0xffffffff80000000ull /* __START_KERNEL_map of every x86-64 kernel */

int itrace_vmcoreinfo_find(const char *text, const char *key, char *value, size_t size)
{
	size_t key_len = strlen(key);
	size_t len;

	while (*text) {
		len = strcspn(text, "\n");
		if (len > key_len && !strncmp(text, key, key_len) && text[key_len] == '=') {
			text += key_len + 1;
			len -= key_len + 1;
			if (len >= size)
				len = size - 1;
			memcpy(value, text, len);
			value[len] = '\0';
			return 0;
		}
		text += len + (text[len] == '\n');
	}
	return ITRACE_E_NOTFOUND;
}

int itrace_vmcoreinfo_number(const struct itrace_source *source, const char *kind, const char *name,
			     uint64_t *ret)
{
	int base = strcmp(kind, "SYMBOL") ? 10 : 16;
	unsigned long long number;
	char value[32];
	char key[96];
	char *end;
	int status;

	if (!source->vmcoreinfo)
		return ITRACE_E_NOTFOUND;
	snprintf(key, sizeof(key), "%s(%s)", kind, name);
	status = source->vmcoreinfo(source->priv, key, value, sizeof(value));
	if (status)
		return status;
	errno = 0;
	number = strtoull(value, &end, base);
	if (errno || end == value || (*end && *end != '\r'))
		return ITRACE_E_CORRUPT;
	*ret = number;
	return 0;
}

int itrace_vmcoreinfo_paging(const struct itrace_source *source, struct itrace_paging *ret)
{
	uint64_t five = 0;
	uint64_t mask = 0;
	uint64_t base, top;
	int status;

	status = itrace_vmcoreinfo_number(source, "SYMBOL", "swapper_pg_dir", &top);
	if (status == ITRACE_E_NOTFOUND)
		status = itrace_vmcoreinfo_number(source, "SYMBOL", "init_top_pgt", &top);
	if (!status)
		status = itrace_vmcoreinfo_number(source, "NUMBER", "phys_base", &base);
	if (status)
		return status;
	if (itrace_vmcoreinfo_number(source, "NUMBER", "pgtable_l5_enabled", &five) ==
		    ITRACE_E_CORRUPT ||
	    itrace_vmcoreinfo_number(source, "NUMBER", "sme_mask", &mask) == ITRACE_E_CORRUPT ||
	    top < KERNEL_MAP)
		return ITRACE_E_CORRUPT;
	ret->cr3 = top - KERNEL_MAP + base;
	ret->levels = five ? 5 : 4;
	ret->encryption_mask = mask;
	ret->phys_bits = 0;
	return 0;
}
