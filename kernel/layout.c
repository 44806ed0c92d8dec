// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "layout.h"

#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "btf.h"
#include "fileio.h"

#define BTF_PATH "/sys/kernel/btf/vmlinux"
#define BTF_MAX	 (64 << 20)

struct member {
	const char *name;
	u32 offset;
	u32 size;
};

#define MEMBER(m) \
	{#m, offsetof(struct itrace_perf_buffer, m), sizeof_field(struct itrace_perf_buffer, m)}

/* All that this module or, on its behalf, perf's AUX code reads or writes. */
static const struct member members[] = {
	MEMBER(refcount),
	MEMBER(nr_pages),
	MEMBER(overwrite),
	MEMBER(paused),
	MEMBER(poll),
	MEMBER(head),
	MEMBER(aux_watermark),
	MEMBER(event_lock),
	MEMBER(event_list),
	MEMBER(mmap_count),
	MEMBER(aux_mutex),
	MEMBER(aux_head),
	MEMBER(aux_nest),
	MEMBER(aux_wakeup),
	MEMBER(aux_pgoff),
	MEMBER(aux_nr_pages),
	MEMBER(aux_overwrite),
	MEMBER(aux_mmap_count),
	MEMBER(free_aux),
	MEMBER(aux_refcount),
	MEMBER(aux_in_sampling),
#ifdef PERF_EF_PAUSE
	MEMBER(aux_in_pause_resume),
#endif
	MEMBER(aux_pages),
	MEMBER(aux_priv),
	MEMBER(user_page),
};

static int check_members(const struct itrace_btf *btf)
{
	u32 id = itrace_btf_struct(btf, "perf_buffer");
	u32 offset, size;
	unsigned int i;

	if (!id) {
		pr_err("unsupported: this kernel's BTF has no struct perf_buffer\n");
		return -EOPNOTSUPP;
	}
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		const struct member *m = &members[i];

		if (itrace_btf_member(btf, id, m->name, &offset, &size)) {
			pr_err("unsupported: perf_buffer.%s is not in this kernel\n", m->name);
			return -EOPNOTSUPP;
		}
		if (offset != m->offset || size != m->size) {
			pr_err("unsupported: perf_buffer.%s at %u, %u bytes; expected at %u, %u\n",
			       m->name, offset, size, m->offset, m->size);
			return -EOPNOTSUPP;
		}
	}
	if (itrace_btf_size(btf, id, &size) || size != sizeof(struct itrace_perf_buffer)) {
		pr_err("unsupported: perf_buffer has %u bytes; expected %zu\n", size,
		       sizeof(struct itrace_perf_buffer));
		return -EOPNOTSUPP;
	}
	return 0;
}

static int check_blob(const void *blob, size_t len)
{
	struct itrace_btf btf;
	int err;

	if (itrace_btf_open(&btf, blob, len)) {
		pr_err("unsupported: " BTF_PATH " is no BTF that this module reads\n");
		return -EOPNOTSUPP;
	}
	btf.index = kvmalloc_array(btf.nr, sizeof(*btf.index), GFP_KERNEL);
	if (!btf.index)
		return -ENOMEM;
	itrace_btf_index(&btf);
	err = check_members(&btf);
	kvfree(btf.index);
	return err;
}

int itrace_layout_check(void)
{
	void *blob;
	ssize_t len;
	int err;

	len = itrace_file_load(BTF_PATH, BTF_MAX, &blob);
	if (len < 0) {
		pr_err("unsupported: " BTF_PATH " can't be read (%zd)\n", len);
		return len == -ENOMEM ? -ENOMEM : -EOPNOTSUPP;
	}
	err = check_blob(blob, len);
	vfree(blob);
	return err;
}
