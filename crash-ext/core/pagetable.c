// SPDX-License-Identifier: GPL-2.0-or-later
#include "pagetable.h"

#include "status.h"

#define PAGE_SHIFT 12
#define LEVEL_BITS 9

/* Entry bits, SDM 3A table 4-15 and following. */
#define PTE_PRESENT (1ull << 0)
#define PTE_WRITE   (1ull << 1)
#define PTE_USER    (1ull << 2)
#define PTE_PS	    (1ull << 7)
#define PTE_NX	    (1ull << 63)
#define PTE_ADDR    0x000ffffffffff000ull /* bits 51:12 */

static uint64_t low_bits(unsigned int bits)
{
	return (1ull << bits) - 1;
}

static bool canonical(uint64_t va, int levels)
{
	unsigned int top = PAGE_SHIFT + LEVEL_BITS * (unsigned int)levels - 1;
	uint64_t high = va >> top;

	return high == 0 || high == (~0ull >> top);
}

/*
 * Is the entry malformed? @shift is the log2 of what one entry covers. Bits 62:52 are
 * ignored by the CPU (or protection keys), those between MAXPHYADDR and 51 must be zero, and so
 * must the address bits of a large page below its size, but for bit 12 (PAT).
 */
static bool malformed(uint64_t entry, unsigned int shift, bool leaf, uint32_t phys_bits)
{
	if (phys_bits < 52 && (entry & PTE_ADDR & ~low_bits(phys_bits)))
		return true;
	if (leaf && shift > PAGE_SHIFT)
		return entry & low_bits(shift) & ~low_bits(PAGE_SHIFT + 1);
	/* PS is reserved where no large page exists: PML5E and PML4E. */
	return !leaf && shift > 30 && (entry & PTE_PS);
}

static int read_entry(const struct itrace_source *source, uint64_t pa, uint64_t *entry)
{
	int status = source->read_phys(source->priv, pa, entry, sizeof(*entry));

	/* An upper entry that points to no memory contradicts the machine it comes from. */
	return status == ITRACE_E_NOTFOUND ? ITRACE_E_CORRUPT : status;
}

int itrace_translate(const struct itrace_source *source, const struct itrace_paging *paging,
		     uint64_t va, struct itrace_translation *ret)
{
	uint32_t phys_bits =
		paging->phys_bits >= 32 && paging->phys_bits <= 52 ? paging->phys_bits : 52;
	struct itrace_translation t = {.executable = true, .user = true, .writable = true};
	uint64_t table = paging->cr3 & PTE_ADDR & ~paging->encryption_mask;
	uint64_t entry, index;
	unsigned int shift;
	bool leaf;
	int status;

	if ((paging->levels != 4 && paging->levels != 5) || !canonical(va, paging->levels))
		return ITRACE_E_INVALID;
	shift = PAGE_SHIFT + LEVEL_BITS * (unsigned int)(paging->levels - 1);
	for (;; shift -= LEVEL_BITS) {
		index = (va >> shift) & low_bits(LEVEL_BITS);
		status = read_entry(source, table + index * sizeof(entry), &entry);
		if (status)
			return status;
		if (!(entry & PTE_PRESENT))
			return ITRACE_E_NOTFOUND;
		entry &= ~paging->encryption_mask;
		leaf = shift == PAGE_SHIFT || (shift <= 30 && (entry & PTE_PS));
		if (malformed(entry, shift, leaf, phys_bits))
			return ITRACE_E_CORRUPT;
		t.executable = t.executable && !(entry & PTE_NX);
		t.user = t.user && (entry & PTE_USER);
		t.writable = t.writable && (entry & PTE_WRITE);
		table = entry & PTE_ADDR;
		if (leaf)
			break;
	}
	t.page_size = 1ull << shift;
	t.pa = (table & ~low_bits(shift)) | (va & low_bits(shift));
	*ret = t;
	return 0;
}
