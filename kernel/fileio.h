/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the kernel's own files of sysfs and procfs, where it exports no function for what they
 * say. In process context only.
 */
#ifndef ITRACE_FILEIO_H
#define ITRACE_FILEIO_H

#include <linux/types.h>

/*
 * Reads up to @len bytes from the start of @path.
 *
 * Returns the bytes read, or a negative errno of open or read.
 */
ssize_t itrace_file_read(const char *path, void *buf, size_t len);

/*
 * Reads all of @path, whose stat size is right (binary sysfs files), into vmalloc memory; the
 * caller frees *@data with vfree().
 *
 * Returns its bytes, or
 * -EFBIG: more than @max
 * -ENOMEM, or a negative errno of open or read
 */
ssize_t itrace_file_load(const char *path, size_t max, void **data);

/*
 * Finds the GNU build-id in ELF notes, as /sys/kernel/notes and a module's
 * notes/.note.gnu.build-id hold them.
 *
 * Returns its bytes, at most 20, copied to @id; 0 when there is none.
 */
unsigned int itrace_build_id(const char *path, u8 id[20]);

#endif
