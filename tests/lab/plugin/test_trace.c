// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_trace.c - a few blocks of hand-assembled code run by a pretended CPU: libipt must read from
 * the packets what the truth file says.
 */
#include "tests.h"

#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace.h"

#define AT     0xffffffff81000000ull
#define TABLE  0x1000u
#define REGION 0x10000u

static const uint8_t code[0x50] = {
	[0x00] = 0x90, 0x90, 0x75, 0x02,       /* nop; nop; jne 6 */
	[0x04] = 0xeb, 0x0a,		       /* jmp 10 */
	[0x06] = 0xe8, 0x15, 0x00, 0x00, 0x00, /* call 20 */
	[0x0b] = 0xff, 0xe0,		       /* jmp *%rax */
	[0x10] = 0x48, 0xcf,		       /* iretq */
	[0x20] = 0x90, 0xc3,		       /* nop; ret */
	[0x30] = 0x90, 0x48, 0xcf,	       /* nop; iretq */
	[0x40] = 0x90, 0xeb, 0xbd,	       /* nop; jmp 0 */
	[0x48] = 0x90, 0x90, 0x0f, 0x30,       /* nop; nop; wrmsr */
};

struct machine {
	struct lab_cpu c;
	struct pt_options opt;
	bool started;
	struct block *blocks[32];
	unsigned int nblocks;
};

static uint8_t memory[0x20000];

static bool mem_read(void *owner, uint64_t pa, void *to, size_t n)
{
	(void)owner;
	memcpy(to, memory + pa, n);
	return true;
}

static bool mem_write(void *owner, uint64_t pa, const void *from, size_t n)
{
	(void)owner;
	memcpy(memory + pa, from, n);
	return true;
}

static uint64_t fake_cr3(struct lab_cpu *c)
{
	(void)c;
	return 0x12345000;
}

static bool fake_started(struct lab_cpu *c)
{
	return ((struct machine *)c)->started;
}

static void fake_gates(struct lab_cpu *c)
{
	(void)c;
}

static const struct pt_host host = {
	.cr3 = fake_cr3, .rcx = fake_cr3, .last_started = fake_started, .gates = fake_gates};

static void setup(struct machine *m, uint64_t ctl)
{
	static const uint64_t table[] = {REGION | 4 << 6, TABLE | 1};
	char dir[] = "/tmp/plugin-test-XXXXXX", cmd[64];

	memset(m, 0, sizeof(*m));
	memset(memory, 0, sizeof(memory));
	memcpy(memory + TABLE, table, sizeof(table));
	m->opt = (struct pt_options){.pip = true, .sext48 = true};
	m->opt.model =
		(struct rtit_model){.filters = 2, .multi = true, .ctc_ratio = 512, .bus_ratio = 20};
	m->c.opt = &m->opt;
	m->c.host = &host;
	m->c.mode_sent = -1;
	m->c.out = (struct pt_out){.mem = {NULL, mem_read, mem_write}, .maxphyaddr = 40};
	m->c.out.multi = true;
	pt_enc_init(&m->c.enc, false, true);
	assert_non_null(mkdtemp(dir));
	assert_int_equal(truth_init(&m->c.truth, dir, 0, 64, false), 0);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	assert_int_equal(system(cmd), 0);
	m->c.rtit.base = TABLE;
	m->c.rtit.mask = 0x7f;
	m->c.rtit.ctl = ctl;
}

static void teardown(struct machine *m)
{
	while (m->nblocks)
		free(m->blocks[--m->nblocks]);
}

/* The block of the n given instruction lengths at offset off starts; its last one too. */
static void run(struct machine *m, unsigned int off, unsigned int n, const char *len)
{
	struct block *b = calloc(1, sizeof(*b) + n);

	assert_non_null(b);
	m->blocks[m->nblocks++] = b;
	b->start = AT + off;
	b->n = n;
	memcpy(b->len, len, n);
	for (unsigned int k = 0; k + 1 < n; k++)
		off += b->len[k];
	b->last = (struct insn){.addr = AT + off, .len = b->len[n - 1], .mode64 = true};
	classify(&b->last, code + off);
	trace_block(&m->c, b, b->start);
	m->started = true;
}

static int read_code(uint8_t *to, size_t n, const struct pt_asid *asid, uint64_t ip, void *ctx)
{
	(void)asid;
	(void)ctx;
	if (ip < AT || ip >= AT + sizeof(code))
		return -pte_nomap;
	if (n > AT + sizeof(code) - ip)
		n = AT + sizeof(code) - ip;
	memcpy(to, code + (ip - AT), n);
	return (int)n;
}

/* What libipt's instruction decoder reads must be the truth, all of it and nothing else. */
static void check_with_libipt(const struct machine *m)
{
	const struct mapped *truth = &m->c.truth.insns;
	struct pt_insn_decoder *dec;
	struct pt_config config;
	uint64_t n = 0;
	int status;

	pt_config_init(&config);
	config.begin = memory + REGION;
	config.end = memory + REGION + m->c.out.total;
	dec = pt_insn_alloc_decoder(&config);
	assert_non_null(dec);
	pt_image_set_callback(pt_insn_get_image(dec), read_code, NULL);
	status = pt_insn_sync_forward(dec);
	for (;;) {
		struct pt_event event;
		struct pt_insn insn;

		while (status >= 0 && (status & pts_event_pending))
			status = pt_insn_event(dec, &event, sizeof(event));
		if (status == -pte_eos || (status >= 0 && (status & pts_eos)))
			break;
		assert_true(status >= 0);
		status = pt_insn_next(dec, &insn, sizeof(insn));
		if (status == -pte_eos)
			break;
		assert_true(status >= 0);
		assert_true(n < truth->count);
		assert_int_equal(insn.ip, truth->base[8 + n++]);
	}
	assert_int_equal(n, truth->count);
	pt_insn_free_decoder(dec);
}

static void check_truth(const struct machine *m, const uint8_t *offsets, unsigned int n)
{
	for (unsigned int i = 0; i < n && i < m->c.truth.insns.count; i++)
		assert_int_equal(m->c.truth.insns.base[8 + i], AT + offsets[i]);
	assert_int_equal(m->c.truth.insns.count, n);
	assert_int_equal(m->c.n.anomalies, 0);
}

/* Branches, an interrupt, a way out to ring 3 and back, faults, the end. */
void blocks_and_events(void **state)
{
	static const uint8_t want[] = {0x00, 0x01, 0x02, 0x06, 0x20, 0x21, 0x30, 0x31, 0x30, 0x31,
				       0x0b, 0x10, 0x40, 0x41, 0x00, 0x30, 0x31, 0x01, 0x02, 0x04};
	struct machine m;

	(void)state;
	setup(&m, 0x2d05);
	trace_enable(&m.c, AT);
	run(&m, 0x00, 3, "\1\1\2");
	run(&m, 0x06, 1, "\5");
	run(&m, 0x20, 2, "\1\1");
	trace_event(&m.c, AT + 0x0b, AT + 0x30, false, false);
	run(&m, 0x30, 2, "\1\2");
	run(&m, 0x0b, 1, "\2");
	trace_event(&m.c, AT + 0x0b, AT + 0x30, true, false); /* the jump itself faults */
	run(&m, 0x30, 2, "\1\2");
	run(&m, 0x0b, 1, "\2");
	run(&m, 0x10, 1, "\2");
	trace_leave(&m.c, 0x7000, true);
	trace_event(&m.c, 0x7004, AT + 0x40, false, false);
	run(&m, 0x40, 2, "\1\2");
	run(&m, 0x00, 3, "\1\1\2");
	m.started = false;
	trace_event(&m.c, AT + 0x01, AT + 0x30, true, false);
	run(&m, 0x30, 2, "\1\2");
	run(&m, 0x01, 2, "\1\2");
	run(&m, 0x04, 1, "\2");
	run(&m, 0x10, 1, "\2");
	trace_disable(&m.c, AT + 0x10);
	check_truth(&m, want, sizeof(want));
	check_with_libipt(&m);
	teardown(&m);
}

/* Left at its second instruction, then at its last one: nothing is listed twice or lost. */
void block_left_halfway(void **state)
{
	static const uint8_t want[] = {0x00, 0x01, 0x02, 0x04};
	struct machine m;

	(void)state;
	setup(&m, 0x2d05);
	trace_enable(&m.c, AT);
	run(&m, 0x00, 3, "\1\1\2");
	m.started = false;
	run(&m, 0x01, 1, "\1"); /* a block cut short, its only instruction done twice */
	run(&m, 0x01, 2, "\1\2");
	run(&m, 0x04, 1, "\2");
	run(&m, 0x10, 1, "\2");
	trace_disable(&m.c, AT + 0x10);
	check_truth(&m, want, sizeof(want));
	assert_int_equal(m.c.n.restarts, 2);
	check_with_libipt(&m);
	teardown(&m);
}

/* The WRMSR that clears TraceEn is not listed, what ran before it in its block is. */
void stopped_at_the_end_of_a_block(void **state)
{
	static const uint8_t want[] = {0x48, 0x49};
	struct machine m;

	(void)state;
	setup(&m, 0x2d05);
	trace_enable(&m.c, AT + 0x48);
	run(&m, 0x48, 3, "\1\1\2");
	trace_disable(&m.c, AT + 0x4a);
	check_truth(&m, want, sizeof(want));
	check_with_libipt(&m);
	teardown(&m);
}

static enum pt_packet_type next_type(struct pt_packet_decoder *dec, struct pt_packet *p)
{
	int n = pt_pkt_next(dec, p, sizeof(*p));

	return n == -pte_eos ? ppt_pad : n < 0 ? ppt_invalid : p->type;
}

/* Skips to what follows the first TIP.PGE. */
static struct pt_packet_decoder *after_pge(const struct machine *m)
{
	struct pt_packet_decoder *dec;
	enum pt_packet_type type;
	struct pt_config config;
	struct pt_packet p;

	pt_config_init(&config);
	config.begin = memory + REGION;
	config.end = memory + REGION + m->c.out.total;
	dec = pt_pkt_alloc_decoder(&config);
	assert_non_null(dec);
	assert_int_equal(pt_pkt_sync_set(dec, 0), 0);
	do
		type = next_type(dec, &p);
	while (type != ppt_tip_pge && type != ppt_pad && type != ppt_invalid);
	assert_int_equal(type, ppt_tip_pge);
	return dec;
}

/* A RET that misses pops all the same (a retpoline), one with an empty stack is a TIP. */
void returns_compress_as_the_sdm_says(void **state)
{
	struct pt_packet_decoder *dec;
	struct pt_packet p;
	struct machine m;

	(void)state;
	setup(&m, 0x2505);
	trace_enable(&m.c, AT + 6);
	run(&m, 0x06, 1, "\5");
	run(&m, 0x20, 2, "\1\1");
	run(&m, 0x40, 2, "\1\2"); /* not where the call came from: TIP */
	run(&m, 0x00, 3, "\1\1\2");
	run(&m, 0x06, 1, "\5"); /* taken: 1 */
	run(&m, 0x20, 2, "\1\1");
	run(&m, 0x0b, 1, "\2");	  /* compressed: 1 */
	run(&m, 0x20, 2, "\1\1"); /* TIP of the jmp */
	run(&m, 0x0b, 1, "\2");	  /* empty stack: TIP */
	trace_disable(&m.c, AT + 0x0b);
	dec = after_pge(&m);
	assert_int_equal(next_type(dec, &p), ppt_tip);
	assert_int_equal(p.payload.ip.ip, 0x0040);
	assert_int_equal(next_type(dec, &p), ppt_tnt_8);
	assert_int_equal(p.payload.tnt.bit_size, 2);
	assert_int_equal(p.payload.tnt.payload, 3);
	assert_int_equal(next_type(dec, &p), ppt_tip);
	assert_int_equal(p.payload.ip.ip, 0x0020);
	assert_int_equal(next_type(dec, &p), ppt_tip);
	assert_int_equal(p.payload.ip.ip, 0x000b);
	assert_int_equal(next_type(dec, &p), ppt_fup);
	assert_int_equal(next_type(dec, &p), ppt_tip_pgd);
	assert_int_equal(p.payload.ip.ipc, pt_ipc_suppressed);
	assert_int_equal(next_type(dec, &p), ppt_pad);
	pt_pkt_free_decoder(dec);
	teardown(&m);
}

void tracestop_range_stops(void **state)
{
	static const uint8_t want[] = {0x00, 0x01, 0x02};
	struct pt_packet_decoder *dec;
	struct pt_packet p;
	struct machine m;

	(void)state;
	setup(&m, 0x2d05 | 2ull << 32);
	m.c.rtit.addr[0] = AT + 0x20;
	m.c.rtit.addr[1] = AT + 0x20;
	trace_enable(&m.c, AT);
	run(&m, 0x00, 3, "\1\1\2");
	run(&m, 0x06, 1, "\5");
	run(&m, 0x20, 2, "\1\1");
	assert_int_equal(trace_rdmsr(&m.c, MSR_RTIT_STATUS) & 0x3f,
			 STATUS_STOPPED | STATUS_CONTEXTEN);
	check_truth(&m, want, sizeof(want));
	dec = after_pge(&m);
	assert_int_equal(next_type(dec, &p), ppt_tnt_8);
	assert_int_equal(next_type(dec, &p), ppt_tip_pgd);
	assert_int_equal(p.payload.ip.ip, 0x0020);
	assert_int_equal(next_type(dec, &p), ppt_stop);
	assert_int_equal(next_type(dec, &p), ppt_pad);
	pt_pkt_free_decoder(dec);
	teardown(&m);
}

void vmxon_ends_it(void **state)
{
	static const uint8_t want[] = {0x00, 0x01, 0x02, 0x06};
	struct pt_packet_decoder *dec;
	struct pt_packet p;
	struct machine m;

	(void)state;
	setup(&m, 0x2d05);
	trace_enable(&m.c, AT);
	run(&m, 0x00, 3, "\1\1\2");
	run(&m, 0x06, 1, "\5");
	m.opt.vmxon = 1;
	run(&m, 0x20, 2, "\1\1");
	assert_int_equal(trace_rdmsr(&m.c, MSR_RTIT_CTL), 0x2d04);
	check_truth(&m, want, sizeof(want));
	dec = after_pge(&m);
	assert_int_equal(next_type(dec, &p), ppt_tnt_8);
	assert_int_equal(next_type(dec, &p), ppt_fup);
	assert_int_equal(p.payload.ip.ip, 0x0020);
	assert_int_equal(next_type(dec, &p), ppt_tip_pgd);
	assert_int_equal(next_type(dec, &p), ppt_pad);
	assert_false(rtit_may_write(&m.opt.model, &m.c.rtit, MSR_RTIT_CTL, 0));
	trace_reset(&m.c);
	assert_true(rtit_may_write(&m.opt.model, &m.c.rtit, MSR_RTIT_CTL, 0));
	pt_pkt_free_decoder(dec);
	teardown(&m);
}

void anomaly_is_seen(void **state)
{
	struct machine m;

	(void)state;
	setup(&m, 0x2d05);
	trace_enable(&m.c, AT);
	run(&m, 0x00, 3, "\1\1\2");
	run(&m, 0x20, 2, "\1\1"); /* jne goes to 4 or 6 */
	assert_int_equal(m.c.n.anomalies, 1);
	assert_int_equal(m.c.n.bad_from[0], AT + 2);
	assert_int_equal(m.c.n.bad_to[0], AT + 0x20);
	teardown(&m);
}
