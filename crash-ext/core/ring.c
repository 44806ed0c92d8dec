/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ring.h"

#include <string.h>

#include "status.h"
#include "topa.h"

#define CTL_TOPA (1ull << 8)

/* IA32_RTIT_OUTPUT_MASK_PTRS with ToPA: bits 6:0 are ones, then the entry, then the offset. */
#define MASK_ONES      0x7full
#define MASK_INDEX(m)  ((uint32_t)((m) >> 7 & 0x1ffffff))
#define MASK_OFFSET(m) ((m) >> 32)

static bool is_zero(const uint8_t *bytes, uint64_t len)
{
	return !len || (!bytes[0] && !memcmp(bytes, bytes + 1, len - 1));
}

int64_t itrace_ring_unwrap(const uint8_t *ring, uint64_t size, uint64_t pos, uint64_t start,
			   uint8_t *out, bool *wrapped)
{
	uint64_t first, len;

	*wrapped = false;
	if (!size || size > INT64_MAX || pos > size || start >= size)
		return ITRACE_E_INVALID;
	if (pos == size)
		pos = 0;
	if (pos < start)
		*wrapped = !is_zero(ring + pos, start - pos);
	else
		*wrapped = !is_zero(ring + pos, size - pos) || !is_zero(ring, start);

	first = *wrapped ? pos : start;
	len = *wrapped ? size : (pos + size - start) % size;
	if (first + len <= size) {
		memcpy(out, ring + first, len);
	} else {
		memcpy(out, ring + first, size - first);
		memcpy(out + (size - first), ring, len - (size - first));
	}
	return (int64_t)len;
}

/* The physical address of byte @offset of the ring by the extents. */
static bool extents_have(const struct itrace_record_cpu *cpu, uint64_t offset, uint64_t pa,
			 uint64_t len)
{
	uint32_t i;

	for (i = 0; i < cpu->nr_extents; i++) {
		if (offset < cpu->extent[i].len)
			return cpu->extent[i].pa + offset == pa &&
			       len <= cpu->extent[i].len - offset;
		offset -= cpu->extent[i].len;
	}
	return false;
}

/* The table and the extents were written by different code at different times. */
static bool agree(const struct itrace_record_cpu *cpu, const struct itrace_topa *topa)
{
	uint32_t i;

	if (!cpu->nr_extents)
		return true;
	if (topa->size != cpu->ring_size)
		return false;
	for (i = 0; i < topa->nr; i++)
		if (!extents_have(cpu, topa->region[i].offset, topa->region[i].pa,
				  topa->region[i].len))
			return false;
	return true;
}

static int position_single_range(const struct itrace_record_cpu *cpu, uint64_t *pos)
{
	uint64_t size = (cpu->slot.output_mask[1] & 0xffffffff) + 1;
	uint64_t offset = MASK_OFFSET(cpu->slot.output_mask[1]);

	if (cpu->nr_extents != 1 || size != cpu->ring_size ||
	    cpu->extent[0].pa != cpu->slot.output_base[1] || offset > size)
		return ITRACE_E_CORRUPT;
	*pos = offset;
	return 0;
}

static int position_topa(const struct itrace_record_cpu *cpu, const struct itrace_source *source,
			 uint64_t *pos)
{
	const struct itrace_cpu *slot = &cpu->slot;
	uint64_t mask = slot->output_mask[1];
	uint64_t size = cpu->ring_size ? cpu->ring_size : slot->ring_size;
	struct itrace_topa topa;
	int status;

	if ((mask & MASK_ONES) != MASK_ONES)
		return ITRACE_E_CORRUPT;
	status = itrace_topa_init(&topa, source, slot->topa_pa, size);
	if (status == ITRACE_E_FILTERED || status == ITRACE_E_NOTFOUND) {
		/* Only the first entry's place is known without the table. */
		if (slot->output_base[1] != slot->topa_pa || MASK_INDEX(mask) || !cpu->nr_extents ||
		    MASK_OFFSET(mask) > cpu->extent[0].len)
			return ITRACE_E_FILTERED;
		*pos = MASK_OFFSET(mask);
		return 0;
	}
	if (status)
		return status;
	status = ITRACE_E_CORRUPT;
	if (agree(cpu, &topa))
		status = itrace_topa_offset(&topa, slot->output_base[1], MASK_INDEX(mask),
					    MASK_OFFSET(mask), pos);
	itrace_topa_deinit(&topa);
	return status;
}

int itrace_ring_position(const struct itrace_record_cpu *cpu, const struct itrace_source *source,
			 uint64_t *pos)
{
	const struct itrace_cpu *slot = &cpu->slot;
	uint64_t ctl = slot->ctl_freeze ? slot->ctl_freeze : slot->ctl_start;

	if (!cpu->slot_ok || !(slot->valid & ITRACE_V_POSITION) ||
	    slot->state == ITRACE_STATE_ARMED || slot->state == ITRACE_STATE_NO_ANSWER)
		return ITRACE_E_NODATA;
	if (!(ctl & CTL_TOPA))
		return position_single_range(cpu, pos);
	return position_topa(cpu, source, pos);
}
