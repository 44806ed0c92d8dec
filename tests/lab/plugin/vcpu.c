// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpu.c - see vcpu.h. */
#include "vcpu.h"

#include <string.h>

static struct vcpu *vcpus;
static unsigned int count;
static struct qemu_plugin_scoreboard *board;
static struct qemu_plugin_register *handles[REG_COUNT];

static const char *const reg_names[REG_COUNT] = {
	[REG_RAX] = "rax", [REG_RBX] = "rbx", [REG_RCX] = "rcx",
	[REG_RDX] = "rdx", [REG_RIP] = "rip", [REG_CS] = "cs",
	[REG_CR0] = "cr0", [REG_CR3] = "cr3", [REG_EFER] = "efer",
};

uint64_t reg_read(GByteArray *buf, enum reg reg)
{
	uint64_t val = 0;

	g_byte_array_set_size(buf, 0);
	if (handles[reg] && qemu_plugin_read_register(handles[reg], buf))
		memcpy(&val, buf->data, buf->len < 8 ? buf->len : 8);
	return val;
}

void reg_write(GByteArray *buf, enum reg reg, uint64_t val)
{
	g_byte_array_set_size(buf, 0);
	g_byte_array_append(buf, (const guint8 *)&val, sizeof(val));
	qemu_plugin_write_register(handles[reg], buf);
}

void vcpu_find_registers(void)
{
	GArray *regs = qemu_plugin_get_registers();
	guint step = g_array_get_element_size(regs);

	for (guint i = 0; i < regs->len; i++) {
		const struct plugin_reg_desc *d = (const void *)(regs->data + i * step);

		for (int r = 0; r < REG_COUNT; r++)
			if (!strcmp(d->name, reg_names[r]))
				handles[r] = d->handle;
	}
	g_array_free(regs, TRUE);
}

struct plugin_u64 vcpu_gate(size_t offset)
{
	return (struct plugin_u64){board, offset};
}

struct vcpu *vcpu_get(unsigned int index)
{
	return &vcpus[index < count ? index : 0];
}

void vcpu_init(unsigned int max, const struct pt_options *opt)
{
	board = qemu_plugin_scoreboard_new(sizeof(struct gates));
	vcpus = g_new0(struct vcpu, max);
	count = max;
	for (unsigned int i = 0; i < max; i++) {
		struct lab_cpu *c = &vcpus[i].pt;

		c->index = i;
		c->opt = opt;
		c->host = &vcpu_host;
		c->mode_sent = -1;
		c->rtit.mask = 0x7f;
		c->out.mem = vcpu_mem;
		c->out.mem.owner = &vcpus[i];
		c->out.maxphyaddr = opt->model.maxphyaddr;
		c->out.multi = opt->model.multi;
		pt_enc_init(&c->enc, opt->tnt_long, opt->sext48);
		vcpus[i].bytes = g_byte_array_new();
	}
}

static bool mem_read(void *owner, uint64_t pa, void *to, size_t n)
{
	GByteArray *buf = ((struct vcpu *)owner)->bytes;

	g_byte_array_set_size(buf, (guint)n);
	if (qemu_plugin_read_memory_hwaddr(pa, buf, n) || buf->len < n)
		return false;
	memcpy(to, buf->data, n);
	return true;
}

static bool mem_write(void *owner, uint64_t pa, const void *from, size_t n)
{
	struct vcpu *v = owner;

	g_byte_array_set_size(v->bytes, 0);
	g_byte_array_append(v->bytes, from, (guint)n);
	if (qemu_plugin_write_memory_hwaddr(pa, v->bytes))
		return false;
	truth_raw(&v->pt.truth, from, (unsigned int)n);
	return true;
}

const struct pt_out_mem vcpu_mem = {.read = mem_read, .write = mem_write};

static uint64_t host_cr3(struct lab_cpu *c)
{
	return reg_read(((struct vcpu *)c)->bytes, REG_CR3);
}

static uint64_t host_rcx(struct lab_cpu *c)
{
	return reg_read(((struct vcpu *)c)->bytes, REG_RCX);
}

static struct gates *gates_of(const struct lab_cpu *c)
{
	return qemu_plugin_scoreboard_find(board, c->index);
}

void vcpu_block_starts(struct vcpu *v)
{
	gates_of(&v->pt)->last = 0;
}

static bool host_last_started(struct lab_cpu *c)
{
	return gates_of(c)->last;
}

/* What waits for the next block wants it from either ring. */
static void host_gates(struct lab_cpu *c)
{
	bool on = cpu_tracing(c), any = c->leave || ((struct vcpu *)c)->post != POST_NONE;
	struct gates *g = gates_of(c);

	g->kernel = any || (on && (c->rtit.ctl & CTL_OS));
	g->user = any || (on && (c->rtit.ctl & CTL_USR));
}

const struct pt_host vcpu_host = {
	.cr3 = host_cr3, .rcx = host_rcx, .gates = host_gates, .last_started = host_last_started};
