// SPDX-License-Identifier: GPL-2.0-only
/*
 * itrace_lab: what the lab's guest needs from inside the kernel.
 * Write one of these to /sys/kernel/debug/itrace_lab:
 *
 *	busy CPU ROUNDS		start a load (load.h)
 *	wait			until all loads have done their rounds
 *	stop			stop all loads
 *	NAME			crash that way, here and now (crash_fault.c, crash_context.c)
 *
 * A write fails with -EINVAL when it is none of these. Only one at a time.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "crash.h"
#include "load.h"

static DEFINE_MUTEX(lab_mutex);
static struct dentry *lab_file;

static int lab_do(const char *words)
{
	unsigned int cpu, rounds;

	if (sscanf(words, "busy %u %u", &cpu, &rounds) == 2)
		return load_start(cpu, rounds);
	if (!strcmp(words, "wait"))
		return load_wait();
	if (!strcmp(words, "stop")) {
		load_stop();
		return 0;
	}
	return -EINVAL;
}

static ssize_t lab_write(struct file *file, const char __user *text, size_t len, loff_t *pos)
{
	char words[64];
	int err;

	if (len >= sizeof(words))
		return -EINVAL;
	if (copy_from_user(words, text, len))
		return -EFAULT;
	words[len] = '\0';
	/* Without the mutex: where the machine survives, nobody would unlock it. */
	err = crash_by_name(strim(words));
	if (err != -ENOENT)
		return err ? err : len;
	if (mutex_lock_interruptible(&lab_mutex))
		return -EINTR;
	err = lab_do(strim(words));
	mutex_unlock(&lab_mutex);
	return err ? err : len;
}

static const struct file_operations lab_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = lab_write,
};

static int __init lab_init(void)
{
	lab_file = debugfs_create_file("itrace_lab", 0200, NULL, NULL, &lab_fops);
	return PTR_ERR_OR_ZERO(lab_file);
}

static void __exit lab_exit(void)
{
	debugfs_remove(lab_file);
	load_stop();
	crash_exit();
}

module_init(lab_init);
module_exit(lab_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Loads and crashes for the itrace lab");
