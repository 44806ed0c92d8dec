// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - the plugin's shell: QEMU's callbacks to trace.h and vcpu.h.
 *
 * Each block carries a callback that QEMU skips unless its ring is traced, and its last instruction
 * an inline store, so that a block that was left half-way can be told from one that loops. QEMU
 * facts that this rests on (11.1): an interrupt is taken between blocks only; INTERRUPT
 * discontinuities come at the end of delivery with exact addresses, for exceptions too, while
 * EXCEPTION ones come before with an address that may be stale; WRMSR, MOV to CR3 and every branch
 * end a block, so what they leave behind can be read at the next block's start.
 */
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "options.h"
#include "trace.h"
#include "vcpu.h"

#define RESET_VECTOR 0xfffffff0ull
#define USER32_CS    0x23

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API_VERSION;

static struct options options;

static void on_special(unsigned int index, void *ud)
{
	struct vcpu *v = vcpu_get(index);
	const struct insn *i = ud;

	special_before(v, i, i->addr + (i->user ? v->shift : 0));
}

/* The instruction before this one, in the same block, may have a result to correct. */
static void on_after_special(unsigned int index, void *ud)
{
	struct vcpu *v = vcpu_get(index);
	const struct insn *i = ud;

	if (v->post != POST_NONE)
		special_after(v, i->addr + (i->user ? v->shift : 0));
}

static void on_block(unsigned int index, void *ud)
{
	struct vcpu *v = vcpu_get(index);
	const struct block *b = ud;
	bool user = b->last.user;
	uint64_t addr = b->start;

	/* QEMU shares one translation between all mappings of a physical page. */
	if (user) {
		addr = reg_read(v->bytes, REG_RIP);
		v->shift = addr - b->start;
	}
	if (v->post != POST_NONE)
		special_after(v, addr);
	if (!cpu_tracing(&v->pt))
		return;
	if (v->pt.rtit.ctl & (user ? CTL_USR : CTL_OS))
		trace_block(&v->pt, b, addr);
	else
		trace_leave(&v->pt, addr, user);
	vcpu_block_starts(v);
}

static void on_reset_vector(unsigned int index, void *ud)
{
	(void)ud;
	trace_reset(&vcpu_get(index)->pt);
}

static void on_maybe_sipi(unsigned int index, void *ud)
{
	struct vcpu *v = vcpu_get(index);

	(void)ud;
	if ((v->pt.rtit.ctl & CTL_TRACEEN) && !(reg_read(v->bytes, REG_CR0) & 1))
		trace_reset(&v->pt);
}

static bool is_special(const struct insn *i)
{
	return i->cls == CLS_CPUID || i->cls == CLS_RDMSR || i->cls == CLS_WRMSR ||
	       (i->cls == CLS_RDTSC && !i->user);
}

/* An instruction whose result is corrected, and the one after it. */
static void watch_special(struct qemu_plugin_insn *insn, const struct insn *i, bool after)
{
	bool special = is_special(i);
	struct insn *copy;

	if (!special && !after)
		return;
	copy = g_new(struct insn, 1);
	*copy = *i;
	if (after)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_after_special, REGS_RW, copy);
	if (special)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_special, REGS_RW, copy);
}

static void watch_block(struct qemu_plugin_tb *tb, struct block *b)
{
	size_t gate = b->last.user ? offsetof(struct gates, user) : offsetof(struct gates, kernel);

	if (b->start == RESET_VECTOR)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_reset_vector, REGS_NONE, NULL);
	else if (b->start < 0x100000 && !(b->start & 0xfff) && !b->last.mode64)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_maybe_sipi, REGS_R, NULL);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, on_block, REGS_RW, COND_NE, vcpu_gate(gate),
						  0, b);
}

/*
 * Ring and mode are part of what QEMU keys a block by, so what holds now holds whenever it runs.
 * CS.L isn't to be had: in long mode Linux has one 32-bit code selector.
 */
static void read_mode(struct insn *i)
{
	static _Thread_local GByteArray *buf;
	uint64_t cs;

	if (!buf)
		buf = g_byte_array_new();
	cs = reg_read(buf, REG_CS);
	i->mode64 = (reg_read(buf, REG_EFER) & 1 << 10) && (cs & 0xffff) != USER32_CS;
	i->user = (cs & 3) == 3 && (reg_read(buf, REG_CR0) & 1);
}

static void on_translate(struct qemu_plugin_tb *tb, void *ud)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct block *b = g_malloc0(sizeof(*b) + n);
	struct qemu_plugin_insn *insn = NULL;
	struct insn i = {0};
	bool after = false;

	(void)ud;
	read_mode(&i);
	b->start = qemu_plugin_tb_vaddr(tb);
	b->n = (unsigned int)n;
	for (size_t k = 0; k < n; k++) {
		uint8_t bytes[16] = {0};

		insn = qemu_plugin_tb_get_insn(tb, k);
		i.addr = qemu_plugin_insn_vaddr(insn);
		i.len = (uint8_t)qemu_plugin_insn_size(insn);
		qemu_plugin_insn_data(insn, bytes, sizeof(bytes));
		classify(&i, bytes);
		b->len[k] = i.len;
		watch_special(insn, &i, after);
		after = is_special(&i);
	}
	b->last = i;
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
		insn, OP_STORE, vcpu_gate(offsetof(struct gates, last)), 1);
	watch_block(tb, b);
}

static void on_discon(unsigned int index, enum plugin_discon type, uint64_t from, uint64_t to,
		      void *ud)
{
	struct vcpu *v = vcpu_get(index);
	bool sync = v->sync;

	(void)ud;
	if (type == DISCON_EXCEPTION) {
		v->sync = true;
		return;
	}
	v->sync = false;
	if (v->post != POST_NONE) {
		if (sync && from == v->post_addr)
			special_faulted(v);
		else
			special_after(v, from);
	}
	if (v->pt.rtit.ctl & CTL_TRACEEN)
		trace_event(&v->pt, from, to, sync, (reg_read(v->bytes, REG_CS) & 3) == 3);
}

static void on_vcpu_init(unsigned int index, void *ud)
{
	(void)index;
	(void)ud;
	vcpu_find_registers();
}

static void on_quit(void *ud)
{
	unsigned int n = *(unsigned int *)ud;

	for (unsigned int i = 0; i < n; i++)
		trace_stats(&vcpu_get(i)->pt);
}

PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc,
				      char **argv)
{
	static unsigned int cpus;
	char path[4096];

	if (!info->system_emulation || g_strcmp0(info->target_name, "x86_64")) {
		fprintf(stderr, "itrace-pt: only for qemu-system-x86_64\n");
		return -1;
	}
	if (options_parse(&options, argc, argv))
		return -1;
	cpus = (unsigned int)info->system.max_vcpus;
	options.pt.model.bus_ratio = clock_bus_ratio();
	vcpu_init(cpus, &options.pt);
	snprintf(path, sizeof(path), "%s/pt-stats.txt", options.dir);
	unlink(path);
	for (unsigned int i = 0; i < cpus; i++)
		if (truth_init(&vcpu_get(i)->pt.truth, options.dir, i, options.capacity,
			       options.raw))
			return -1;
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate, NULL);
	qemu_plugin_register_vcpu_discon_cb(id, DISCON_INTERRUPT | DISCON_EXCEPTION, on_discon,
					    NULL);
	qemu_plugin_register_atexit_cb(id, on_quit, &cpus);
	return 0;
}
