/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "topa.h"

#include <stdlib.h>
#include <string.h>

#include "status.h"

#define TABLE_SIZE 4096u
#define ENTRIES	   (TABLE_SIZE / 8)

#define TOPA_END      (1ull << 0)
#define TOPA_SIZE(e)  (4096ull << ((e) >> 6 & 15))
#define TOPA_BASE(e)  ((e) & 0x000ffffffffff000ull)
#define TOPA_RESERVED 0xfff0000000000c2aull /* 63:52, 11:10, 5, 3, 1 */

static int add_region(struct itrace_topa *topa, uint32_t *max, uint64_t table_pa, uint32_t index,
		      uint64_t entry)
{
	struct itrace_region *region;

	if (topa->nr == *max) {
		*max = *max ? *max * 2 : 64;
		region = realloc(topa->region, *max * sizeof(*region));
		if (!region)
			return ITRACE_E_NOMEM;
		topa->region = region;
	}
	region = &topa->region[topa->nr++];
	region->pa = TOPA_BASE(entry);
	region->len = TOPA_SIZE(entry);
	region->offset = topa->size;
	region->table_pa = table_pa;
	region->index = index;
	topa->size += region->len;
	return 0;
}

/* One table; sets *@next to where its END entry leads, 0 if it has none. */
static int read_table(struct itrace_topa *topa, uint32_t *max, const struct itrace_source *source,
		      uint64_t pa, uint64_t max_size, uint64_t *next)
{
	uint64_t entry[ENTRIES];
	uint32_t i;
	int status;

	*next = 0;
	status = source->read_phys(source->priv, pa, entry, sizeof(entry));
	for (i = 0; !status && i < ENTRIES; i++) {
		if (entry[i] & TOPA_RESERVED)
			return ITRACE_E_CORRUPT;
		if (entry[i] & TOPA_END) {
			*next = TOPA_BASE(entry[i]);
			return i && *next ? 0 : ITRACE_E_CORRUPT;
		}
		if (TOPA_BASE(entry[i]) & (TOPA_SIZE(entry[i]) - 1))
			return ITRACE_E_CORRUPT;
		if (TOPA_SIZE(entry[i]) > max_size - topa->size)
			return ITRACE_E_CORRUPT;
		status = add_region(topa, max, pa, i, entry[i]);
	}
	return status ? status : ITRACE_E_CORRUPT;
}

int itrace_topa_init(struct itrace_topa *topa, const struct itrace_source *source, uint64_t pa,
		     uint64_t max_size)
{
	uint64_t table = pa;
	uint32_t max = 0;
	int status;

	memset(topa, 0, sizeof(*topa));
	if (!pa || pa & (TABLE_SIZE - 1))
		return ITRACE_E_CORRUPT;
	/* Each table has a region of at least a page: max_size ends every loop. */
	do {
		status = read_table(topa, &max, source, table, max_size, &table);
	} while (!status && table != pa);
	if (status)
		itrace_topa_deinit(topa);
	return status;
}

void itrace_topa_deinit(struct itrace_topa *topa)
{
	free(topa->region);
	memset(topa, 0, sizeof(*topa));
}

int itrace_topa_offset(const struct itrace_topa *topa, uint64_t table_pa, uint32_t index,
		       uint64_t offset, uint64_t *ret)
{
	const struct itrace_region *region;
	uint32_t i;

	for (i = 0; i < topa->nr; i++) {
		region = &topa->region[i];
		if (region->table_pa == table_pa && region->index == index) {
			*ret = region->offset + offset;
			return offset <= region->len ? 0 : ITRACE_E_CORRUPT;
		}
		/* The entry behind the last one is END: where the hardware is about to go on. */
		if (region->table_pa == table_pa && region->index + 1 == index && !offset &&
		    (i + 1 == topa->nr || topa->region[i + 1].table_pa != table_pa)) {
			*ret = region->offset + region->len;
			return 0;
		}
	}
	return ITRACE_E_CORRUPT;
}
