// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "sampler.h"

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <asm/special_insns.h>

#include "layout.h"
#include "msr.h"

static struct itrace_perf_buffer *rb_create(struct itrace_sampler *s, struct perf_event *event)
{
	struct itrace_perf_buffer *rb = kzalloc(sizeof(*rb), GFP_KERNEL);

	if (!rb)
		return NULL;
	rb->user_page = (void *)get_zeroed_page(GFP_KERNEL);
	if (!rb->user_page)
		goto err_free;
	rb->aux_priv = event->pmu->setup_aux(event, s->ring.pages, s->ring.nr_pages, true);
	if (!rb->aux_priv)
		goto err_user_page;

	refcount_set(&rb->refcount, 1);
	refcount_set(&rb->aux_refcount, 1);
	atomic_set(&rb->mmap_count, 1);
	atomic_set(&rb->aux_mmap_count, 1);
	spin_lock_init(&rb->event_lock);
	INIT_LIST_HEAD(&rb->event_list); /* ring_buffer_wakeup() walks it */
	mutex_init(&rb->aux_mutex);
	rb->overwrite = 1;
	rb->paused = 1; /* with nr_pages 0: no record is ever written */
	rb->aux_overwrite = 1;
	rb->aux_nr_pages = s->ring.nr_pages;
	rb->aux_pages = s->ring.pages;
	rb->free_aux = event->pmu->free_aux;
	return rb;

err_user_page:
	free_page((unsigned long)rb->user_page);
err_free:
	kfree(rb);
	return NULL;
}

static void rb_destroy(struct itrace_perf_buffer *rb)
{
	rb->free_aux(rb->aux_priv);
	free_page((unsigned long)rb->user_page);
	kfree(rb);
}

/* perf holds nothing of it: only the references of rb_create() are left. */
static bool rb_idle(struct itrace_perf_buffer *rb)
{
	return !READ_ONCE(rb->aux_nest) && refcount_read(&rb->refcount) == 1 &&
	       refcount_read(&rb->aux_refcount) == 1;
}

static void read_start(void *arg)
{
	struct itrace_sampler *s = arg;

	s->ctl_start = itrace_rdmsr(ITRACE_MSR_RTIT_CTL);
	s->status_start = itrace_rdmsr(ITRACE_MSR_RTIT_STATUS);
	s->base_start = itrace_rdmsr(ITRACE_MSR_OUTPUT_BASE);
	s->mask_start = itrace_rdmsr(ITRACE_MSR_OUTPUT_MASK);
	s->cr4_start = __read_cr4();
}

static int start(struct itrace_sampler *s)
{
	const char *problem;

	perf_event_enable(s->event);
	if (s->event->state != PERF_EVENT_STATE_ACTIVE) {
		pr_err("[cpu %d] intel_pt did not start (state %d)\n", s->cpu, s->event->state);
		return -EIO;
	}
	smp_call_function_single(s->cpu, read_start, s, 1);
	problem = itrace_start_problem(s->ctl_start, s->status_start,
				       itrace_vmx_flags(&s->cap, s->cr4_start));
	if (!problem)
		return 0;
	pr_err("[cpu %d] no trace: %s (RTIT_CTL=0x%llx RTIT_STATUS=0x%llx)\n", s->cpu, problem,
	       s->ctl_start, s->status_start);
	return -EIO;
}

static struct perf_event *create_event(int cpu, const struct itrace_pmu *pmu)
{
	struct perf_event_attr attr;
	struct perf_event *event;

	itrace_pmu_attr(pmu, &attr);
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(event)) {
		if (PTR_ERR(event) == -EBUSY)
			pr_err("[cpu %d] intel_pt is in use by another perf session\n", cpu);
		else
			pr_err("[cpu %d] no intel_pt counter (%ld)\n", cpu, PTR_ERR(event));
		return event;
	}
	if (!event->pmu->setup_aux || !event->pmu->free_aux) {
		pr_err("[cpu %d] unsupported: PMU type %u has no AUX area\n", cpu, pmu->type);
		perf_event_release_kernel(event);
		return ERR_PTR(-EOPNOTSUPP);
	}
	return event;
}

int itrace_sampler_init(struct itrace_sampler *s, int cpu, const struct itrace_pmu *pmu,
			u64 ring_bytes)
{
	bool whole = itrace_ptcap_regions(&pmu->cap) == ITRACE_REGIONS_ONE;
	struct perf_event *event;
	int err;

	s->cpu = cpu;
	s->cap = pmu->cap;
	err = itrace_ring_init(&s->ring, ring_bytes, cpu_to_node(cpu), whole);
	if (err) {
		pr_err("[cpu %d] no memory for a ring of %llu KiB\n", cpu, ring_bytes >> 10);
		return err;
	}
	event = create_event(cpu, pmu);
	if (IS_ERR(event)) {
		err = PTR_ERR(event);
		goto err_ring;
	}
	s->rb = rb_create(s, event);
	if (!s->rb) {
		pr_err("[cpu %d] intel_pt takes no ring of %llu KiB\n", cpu, ring_bytes >> 10);
		err = -ENOMEM;
		goto err_event;
	}
	/* rcu_assign_pointer(): perf reads it under RCU, though it is not marked so. */
	smp_store_release(&event->rb, (struct perf_buffer *)s->rb);
	s->event = event;
	err = start(s);
	if (err)
		itrace_sampler_fini(s);
	return err;

err_event:
	perf_event_release_kernel(event);
err_ring:
	itrace_ring_deinit(&s->ring);
	return err;
}

void itrace_sampler_fini(struct itrace_sampler *s)
{
	struct perf_event *event = s->event;

	if (!event)
		return;
	/* Ends the AUX transaction: perf drops its references. */
	perf_event_disable(event);
	s->event = NULL;
	if (!rb_idle(s->rb)) {
		pr_err("[cpu %d] perf still uses the ring (%u %u %u): leaked\n", s->cpu,
		       refcount_read(&s->rb->refcount), refcount_read(&s->rb->aux_refcount),
		       s->rb->aux_nest);
		return;
	}
	/* Before the release: _free_event() would drop the ring itself. */
	WRITE_ONCE(event->rb, NULL);
	synchronize_rcu();
	perf_event_release_kernel(event);
	rb_destroy(s->rb);
	s->rb = NULL;
	itrace_ring_deinit(&s->ring);
}

int itrace_sampler_restart(struct itrace_sampler *s)
{
	perf_event_disable(s->event);
	if (!rb_idle(s->rb)) {
		pr_err("[cpu %d] perf still uses the ring: not started again\n", s->cpu);
		return -EBUSY;
	}
	itrace_ring_zero(&s->ring);
	s->rb->aux_head = 0;
	s->rb->user_page->aux_head = 0;
	atomic_set(&s->rb->aux_mmap_count, 1);
#ifdef PERF_EF_PAUSE
	s->event->hw.aux_paused = 0;
#endif
	return start(s);
}

struct trace_call {
	struct itrace_sampler *s;
	bool stopped;
};

/* On the CPU itself with interrupts off, as perf calls its PMUs. */
static void stop_on_cpu(void *arg)
{
	struct trace_call *call = arg;
	struct perf_event *event = call->s->event;

	if (!event || event->state != PERF_EVENT_STATE_ACTIVE ||
	    !atomic_read(&call->s->rb->aux_mmap_count))
		return;
	event->pmu->stop(event, PERF_EF_UPDATE);
	call->stopped = true;
}

static void start_here(void *arg)
{
	struct perf_event *event = arg;

	if (event->state == PERF_EVENT_STATE_ACTIVE)
		event->pmu->start(event, 0);
}

size_t itrace_sampler_trace(struct itrace_sampler *s, size_t size)
{
	struct trace_call call = {.s = s};

	if (smp_call_function_single(s->cpu, stop_on_cpu, &call, 1) || !call.stopped)
		return 0;
	itrace_window(&s->window, itrace_ring_bytes(&s->ring), s->rb->aux_head, size);
	return itrace_window_padded(&s->window);
}

size_t itrace_sampler_output(struct itrace_sampler *s, void *dst, size_t len)
{
	size_t n = itrace_window_copy(dst, len, s->ring.pages, &s->window);

	smp_call_function_single(s->cpu, start_here, s->event, 1);
	return n;
}

void itrace_sampler_kill(struct itrace_sampler *s)
{
	/* perf_aux_output_begin() refuses a ring that nobody maps. */
	atomic_set(&s->rb->aux_mmap_count, 0);
#ifdef PERF_EF_PAUSE
	s->event->hw.aux_paused = 1; /* pt_config_start() returns early */
#endif
}
