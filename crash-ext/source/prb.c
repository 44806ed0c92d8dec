// SPDX-License-Identifier: GPL-2.0-or-later
#include "prb.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "vmcoreinfo.h"

#define PAGE_SIZE      4096ull
#define MAX_COUNT_BITS 24 /* 16 million records */
#define MAX_SIZE_BITS  28 /* 256 MiB of text */

/* printk_ringbuffer.h: a descriptor's state is in the two highest bits of its state_var. */
#define STATE_SHIFT	62
#define STATE_COMMITTED 1
#define STATE_FINALIZED 2
#define ID_MASK		((1ull << STATE_SHIFT) - 1)

/* A block that has no data has an odd lpos (LPOS_DATALESS). */
#define LPOS_DATALESS 1ull

/* A page of virtual memory, kept: descriptors are read one after the other. */
struct window {
	uint64_t va; /* 1: none, no page begins there */
	int status;
	uint8_t bytes[PAGE_SIZE];
};

struct layout {
	uint64_t desc_ring, text_ring;			     /* in struct printk_ringbuffer */
	uint64_t count_bits, descs, infos, head_id, tail_id; /* in struct prb_desc_ring */
	uint64_t desc_size, state_var, lpos, begin, next;    /* of and in struct prb_desc */
	uint64_t info_size, ts_nsec, text_len;		     /* of and in struct printk_info */
	uint64_t size_bits, data;			     /* in struct prb_data_ring */
};

struct prb {
	const struct itrace_source *source;
	struct layout layout;
	uint64_t count, descs, infos; /* descriptors: how many, where */
	uint64_t size, data;	      /* text: bytes, where */
	struct window desc_window, info_window, text_window;
	char *text;
	size_t len, room;
	uint64_t given; /* bytes of text taken from the ring: never more than it has */
};

static int load_window(const struct itrace_source *source, struct window *window, uint64_t va)
{
	uint64_t pa;

	if (window->va != va) {
		window->va = va;
		window->status = source->vtop(source->priv, va, &pa);
		if (!window->status)
			window->status =
				source->read_phys(source->priv, pa, window->bytes, PAGE_SIZE);
	}
	return window->status;
}

static int read_virtual(const struct itrace_source *source, struct window *window, uint64_t va,
			void *buf, size_t len)
{
	uint8_t *to = buf;
	uint64_t offset;
	size_t n;
	int status;

	while (len) {
		offset = va % PAGE_SIZE;
		n = PAGE_SIZE - offset < len ? PAGE_SIZE - offset : len;
		status = load_window(source, window, va - offset);
		if (status)
			return status;
		memcpy(to, window->bytes + offset, n);
		to += n;
		va += n;
		len -= n;
	}
	return 0;
}

static int get_layout(const struct itrace_source *source, struct layout *l)
{
	uint64_t block = 0, begin = 0, next = 0;
	const struct {
		const char *kind, *name;
		uint64_t *value;
	} row[] = {
		{"OFFSET", "printk_ringbuffer.desc_ring", &l->desc_ring},
		{"OFFSET", "printk_ringbuffer.text_data_ring", &l->text_ring},
		{"OFFSET", "prb_desc_ring.count_bits", &l->count_bits},
		{"OFFSET", "prb_desc_ring.descs", &l->descs},
		{"OFFSET", "prb_desc_ring.infos", &l->infos},
		{"OFFSET", "prb_desc_ring.head_id", &l->head_id},
		{"OFFSET", "prb_desc_ring.tail_id", &l->tail_id},
		{"SIZE", "prb_desc", &l->desc_size},
		{"OFFSET", "prb_desc.state_var", &l->state_var},
		{"OFFSET", "prb_desc.text_blk_lpos", &block},
		{"OFFSET", "prb_data_blk_lpos.begin", &begin},
		{"OFFSET", "prb_data_blk_lpos.next", &next},
		{"SIZE", "printk_info", &l->info_size},
		{"OFFSET", "printk_info.ts_nsec", &l->ts_nsec},
		{"OFFSET", "printk_info.text_len", &l->text_len},
		{"OFFSET", "prb_data_ring.size_bits", &l->size_bits},
		{"OFFSET", "prb_data_ring.data", &l->data},
	};
	size_t i;
	int status;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		status = itrace_vmcoreinfo_number(source, row[i].kind, row[i].name, row[i].value);
		if (status)
			return status;
		if (*row[i].value >= PAGE_SIZE)
			return ITRACE_E_CORRUPT;
	}
	l->begin = block + begin;
	l->next = block + next;
	return l->desc_size && l->info_size ? 0 : ITRACE_E_CORRUPT;
}

/* Fill everything in @prb but the windows; *@head and *@tail are the newest and oldest ids. */
static int find_ring(struct prb *prb, uint64_t *head, uint64_t *tail)
{
	const struct itrace_source *source = prb->source;
	const struct layout *l = &prb->layout;
	struct window *window = &prb->desc_window;
	uint32_t count_bits = 0, size_bits = 0;
	uint64_t symbol, ring = 0;
	int status;

	status = itrace_vmcoreinfo_number(source, "SYMBOL", "prb", &symbol);
	if (!status)
		status = read_virtual(source, window, symbol, &ring, sizeof(ring));
	if (status)
		return status;
	const struct {
		uint64_t va;
		void *to;
		size_t len;
	} row[] = {
		{ring + l->desc_ring + l->count_bits, &count_bits, sizeof(count_bits)},
		{ring + l->desc_ring + l->descs, &prb->descs, sizeof(prb->descs)},
		{ring + l->desc_ring + l->infos, &prb->infos, sizeof(prb->infos)},
		{ring + l->desc_ring + l->head_id, head, sizeof(*head)},
		{ring + l->desc_ring + l->tail_id, tail, sizeof(*tail)},
		{ring + l->text_ring + l->size_bits, &size_bits, sizeof(size_bits)},
		{ring + l->text_ring + l->data, &prb->data, sizeof(prb->data)},
	};
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		status = read_virtual(source, window, row[i].va, row[i].to, row[i].len);
		if (status)
			return status;
	}
	if (count_bits > MAX_COUNT_BITS || size_bits > MAX_SIZE_BITS)
		return ITRACE_E_CORRUPT;
	prb->count = 1ull << count_bits;
	prb->size = 1ull << size_bits;
	*head &= ID_MASK;
	*tail &= ID_MASK;
	return ((*head - *tail) & ID_MASK) < prb->count ? 0 : ITRACE_E_CORRUPT;
}

/*
 * Where the text of the block [@begin, @next) lies in the data ring: an id goes before it; a block
 * that would not fit before the end of the ring begins at its start. False if there is none.
 */
static bool text_place(const struct prb *prb, uint64_t begin, uint64_t next, uint64_t *offset,
		       uint64_t *room)
{
	uint64_t mask = prb->size - 1;
	uint64_t end;

	if ((begin | next) & LPOS_DATALESS)
		return false;
	end = ((next - 1) & mask) + 1;
	if ((begin & ~mask) == ((next - 1) & ~mask))
		*offset = begin & mask;
	else if (((begin + prb->size) & ~mask) == ((next - 1) & ~mask))
		*offset = 0;
	else
		return false;
	*offset += sizeof(uint64_t);
	if (*offset > end)
		return false;
	*room = end - *offset;
	return true;
}

/* Append one record: the time, then @len bytes of the data ring at @offset. */
static int append(struct prb *prb, uint64_t ns, uint64_t offset, size_t len)
{
	size_t need = len + 48;
	unsigned char c;
	char *text;
	size_t i;

	if (prb->room - prb->len < need) {
		prb->room = (prb->room + need) * 2;
		text = realloc(prb->text, prb->room);
		if (!text)
			return ITRACE_E_NOMEM;
		prb->text = text;
	}
	text = prb->text + prb->len;
	i = (size_t)sprintf(text, "[%5llu.%06llu] ", (unsigned long long)(ns / 1000000000),
			    (unsigned long long)(ns / 1000 % 1000000));
	/* Pages that are missing cost their records only. */
	if (read_virtual(prb->source, &prb->text_window, prb->data + offset, text + i, len)) {
		*text = '\0';
		return 0;
	}
	for (prb->len += i + len; i < prb->len - (size_t)(text - prb->text); i++) {
		c = (unsigned char)text[i];
		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			text[i] = '?';
	}
	prb->text[prb->len++] = '\n';
	prb->text[prb->len] = '\0';
	prb->given += len;
	return 0;
}

/* Returns 0 also if the record @id can't be given. */
static int give_record(struct prb *prb, uint64_t id)
{
	const struct layout *l = &prb->layout;
	uint64_t desc = prb->descs + (id & (prb->count - 1)) * l->desc_size;
	uint64_t info = prb->infos + (id & (prb->count - 1)) * l->info_size;
	uint64_t state, begin, next, ns, offset, room;
	uint16_t len;

	if (read_virtual(prb->source, &prb->desc_window, desc + l->state_var, &state, 8) ||
	    read_virtual(prb->source, &prb->desc_window, desc + l->begin, &begin, 8) ||
	    read_virtual(prb->source, &prb->desc_window, desc + l->next, &next, 8) ||
	    read_virtual(prb->source, &prb->info_window, info + l->ts_nsec, &ns, 8) ||
	    read_virtual(prb->source, &prb->info_window, info + l->text_len, &len, 2))
		return 0;
	if ((state & ID_MASK) != id ||
	    (state >> STATE_SHIFT != STATE_COMMITTED && state >> STATE_SHIFT != STATE_FINALIZED))
		return 0;
	if (!text_place(prb, begin, next, &offset, &room))
		return 0;
	if (len > room)
		len = (uint16_t)room;
	if (prb->given + len > prb->size)
		return 0;
	return append(prb, ns, offset, len);
}

int itrace_prb_read(const struct itrace_source *source, char **log)
{
	uint64_t head, tail, i, nr;
	struct prb *prb;
	int status;

	if (!source->vtop || !source->vmcoreinfo)
		return ITRACE_E_NOTFOUND;
	prb = calloc(1, sizeof(*prb));
	if (!prb)
		return ITRACE_E_NOMEM;
	prb->source = source;
	prb->desc_window.va = prb->info_window.va = prb->text_window.va = 1;
	prb->room = 4096;
	prb->text = malloc(prb->room);
	status = prb->text ? get_layout(source, &prb->layout) : ITRACE_E_NOMEM;
	if (!status)
		status = find_ring(prb, &head, &tail);
	if (!status) {
		*prb->text = '\0';
		nr = ((head - tail) & ID_MASK) + 1;
		for (i = 0; i < nr && !status; i++)
			status = give_record(prb, (tail + i) & ID_MASK);
	}
	if (!status && !prb->len)
		status = ITRACE_E_FILTERED;
	if (status)
		free(prb->text);
	else
		*log = prb->text;
	free(prb);
	return status;
}
