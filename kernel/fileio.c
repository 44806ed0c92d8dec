// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "fileio.h"

#include <linux/elf.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

/* Not kernel_read_file(): IPE warns when a module uses it without a purpose it knows (6.12). */
static ssize_t read_all(struct file *file, void *buf, size_t len)
{
	size_t done = 0;
	loff_t pos = 0;
	ssize_t n;

	while (done < len) {
		n = kernel_read(file, buf + done, len - done, &pos);
		if (n < 0)
			return n;
		if (!n)
			break;
		done += n;
	}
	return done;
}

ssize_t itrace_file_read(const char *path, void *buf, size_t len)
{
	struct file *file = filp_open(path, O_RDONLY, 0);
	ssize_t n;

	if (IS_ERR(file))
		return PTR_ERR(file);
	n = read_all(file, buf, len);
	filp_close(file, NULL);
	return n;
}

ssize_t itrace_file_load(const char *path, size_t max, void **data)
{
	struct file *file = filp_open(path, O_RDONLY, 0);
	ssize_t n;
	loff_t size;

	if (IS_ERR(file))
		return PTR_ERR(file);
	size = i_size_read(file_inode(file));
	if (size < 0 || size > max) {
		n = -EFBIG;
		goto out;
	}
	*data = vmalloc(size ? size : 1);
	if (!*data) {
		n = -ENOMEM;
		goto out;
	}
	n = read_all(file, *data, size);
	if (n < 0)
		vfree(*data);
out:
	filp_close(file, NULL);
	return n;
}

unsigned int itrace_build_id(const char *path, u8 id[20])
{
	u8 notes[512];
	ssize_t len = itrace_file_read(path, notes, sizeof(notes));
	size_t at = 0;

	while (len > 0 && at + sizeof(struct elf64_note) <= len) {
		struct elf64_note n;
		size_t name, desc;

		memcpy(&n, notes + at, sizeof(n));
		name = at + sizeof(n);
		desc = name + ALIGN((size_t)n.n_namesz, 4);
		if (desc > len || n.n_descsz > len - desc)
			break;
		if (n.n_type == 3 /* NT_GNU_BUILD_ID */ && n.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4)) {
			len = min_t(size_t, n.n_descsz, 20);
			memcpy(id, notes + desc, len);
			return len;
		}
		at = desc + ALIGN((size_t)n.n_descsz, 4);
	}
	return 0;
}
