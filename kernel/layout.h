/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf's ring buffer as this module knows it (kernel/events/internal.h, struct perf_buffer).
 *
 * That structure is private to perf, and the module's rings need one. The declaration here serves
 * all kernels from 6.1 on: only aux_in_pause_resume came later, together with PERF_EF_PAUSE
 * ("perf/core: Add aux_pause, aux_resume, aux_start_paused", v6.13 and stable branches).
 * itrace_layout_check() compares it with the running kernel's BTF before any use.
 */
#ifndef ITRACE_LAYOUT_H
#define ITRACE_LAYOUT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <asm/local.h>

struct itrace_perf_buffer {
	refcount_t refcount;
	struct rcu_head rcu_head;
	int nr_pages;
	int overwrite;
	int paused;
	atomic_t poll;
	local_t head;
	unsigned int nest;
	local_t events;
	local_t wakeup;
	local_t lost;
	long watermark;
	long aux_watermark;
	spinlock_t event_lock;
	struct list_head event_list;
	atomic_t mmap_count; /* refcount_t on 7.x: same size */
	unsigned long mmap_locked;
	void *mmap_user;
	struct mutex aux_mutex;
	long aux_head;
	unsigned int aux_nest;
	long aux_wakeup;
	unsigned long aux_pgoff;
	int aux_nr_pages;
	int aux_overwrite;
	atomic_t aux_mmap_count; /* refcount_t on 7.x: same size */
	unsigned long aux_mmap_locked;
	void (*free_aux)(void *);
	refcount_t aux_refcount;
	int aux_in_sampling;
#ifdef PERF_EF_PAUSE
	int aux_in_pause_resume;
#endif
	void **aux_pages;
	void *aux_priv;
	struct perf_event_mmap_page *user_page;
	void *data_pages[];
};

/*
 * Compares the declaration above with the kernel's own, from /sys/kernel/btf/vmlinux.
 *
 * Returns 0, or, with one line in the log that names the member,
 * -EOPNOTSUPP: it differs, or the kernel has no usable BTF
 * -ENOMEM: no room for the BTF blob
 */
int itrace_layout_check(void);

#endif
