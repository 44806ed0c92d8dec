/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plugin_api.h - the part of QEMU's TCG plugin interface, version 7, that this plugin uses.
 *
 * No package ships QEMU's header, so these are our own declarations of the binary interface. Names
 * and shapes were checked against QEMU's public include/plugins/qemu-plugin.h (11.1). Version 7 is
 * both the least and the current one there: the plugin loads on QEMU 11.1 and later only.
 */
#ifndef ITRACE_PLUGIN_API_H
#define ITRACE_PLUGIN_API_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_API_VERSION 7
#define PLUGIN_EXPORT	   __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;
struct qemu_plugin_scoreboard;

/* What QEMU tells about itself, alive during the install call only. */
struct plugin_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
};

/* One 64-bit cell per vCPU: what inline conditions read. */
struct plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

/* Element of get_registers()'s array; newer versions may append fields, so step by element size. */
struct plugin_reg_desc {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
};

enum plugin_regs { REGS_NONE, REGS_R, REGS_RW, REGS_RW_PC };
enum plugin_cond { COND_NEVER, COND_ALWAYS, COND_EQ, COND_NE };
enum plugin_op { OP_ADD, OP_STORE };
enum plugin_discon { DISCON_INTERRUPT = 1, DISCON_EXCEPTION = 2, DISCON_HOSTCALL = 4 };

typedef void (*plugin_vcpu_cb)(unsigned int vcpu, void *ud);
typedef void (*plugin_tb_cb)(struct qemu_plugin_tb *tb, void *ud);
typedef void (*plugin_ud_cb)(void *ud);
typedef void (*plugin_discon_cb)(unsigned int vcpu, enum plugin_discon type, uint64_t from,
				 uint64_t to, void *ud);

extern PLUGIN_EXPORT int qemu_plugin_version;
PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_info *info, int argc,
				      char **argv);

void qemu_plugin_register_vcpu_init_cb(uint64_t id, plugin_vcpu_cb cb, void *ud);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, plugin_tb_cb cb, void *ud);
void qemu_plugin_register_vcpu_discon_cb(uint64_t id, enum plugin_discon types, plugin_discon_cb cb,
					 void *ud);
void qemu_plugin_register_atexit_cb(uint64_t id, plugin_ud_cb cb, void *ud);

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, plugin_vcpu_cb cb,
					  enum plugin_regs regs, void *ud);
void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qemu_plugin_tb *tb, plugin_vcpu_cb cb,
					       enum plugin_regs regs, enum plugin_cond cond,
					       struct plugin_u64 cell, uint64_t imm, void *ud);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, plugin_vcpu_cb cb,
					    enum plugin_regs regs, void *ud);
void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn, plugin_vcpu_cb cb,
						 enum plugin_regs regs, enum plugin_cond cond,
						 struct plugin_u64 cell, uint64_t imm, void *ud);

void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
							 enum plugin_op op, struct plugin_u64 cell,
							 uint64_t imm);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

/* The caller frees the array. Registers can be read and written in a vCPU's callbacks only. */
GArray *qemu_plugin_get_registers(void);
bool qemu_plugin_read_register(struct qemu_plugin_register *reg, GByteArray *buf);
bool qemu_plugin_write_register(struct qemu_plugin_register *reg, GByteArray *buf);
/* 0: done; anything else: not done. */
int qemu_plugin_read_memory_hwaddr(uint64_t pa, GByteArray *data, size_t len);
int qemu_plugin_write_memory_hwaddr(uint64_t pa, GByteArray *data);

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned int vcpu);

#endif
