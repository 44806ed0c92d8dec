// SPDX-License-Identifier: GPL-2.0-only
#include "itrace.h"
#include "control.h"

#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "arm.h"

static ssize_t state_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	static const char *const names[] = {
		[ITRACE_MODE_OFF] = "off",
		[ITRACE_MODE_ARMED] = "armed",
		[ITRACE_MODE_FROZEN] = "frozen",
		[ITRACE_MODE_YIELDED] = "yielded",
	};

	return sysfs_emit(buf, "%s\n", names[itrace_mode()]);
}

static ssize_t state_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			   size_t len)
{
	int err;

	if (sysfs_streq(buf, "arm"))
		err = itrace_arm();
	else if (sysfs_streq(buf, "disarm"))
		err = itrace_disarm();
	else if (sysfs_streq(buf, "yield"))
		err = itrace_yield();
	else
		err = -EINVAL;
	return err ? err : len;
}

static ssize_t ring_kib_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", itrace_ring_kib());
}

static ssize_t ring_kib_store(struct kobject *kobj, struct kobj_attribute *attr, const char *buf,
			      size_t len)
{
	unsigned int kib;
	int err;

	err = kstrtouint(buf, 10, &kib);
	if (!err)
		err = itrace_set_ring_kib(kib);
	return err ? err : len;
}

static ssize_t record_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	u64 pa, len;

	itrace_arm_record(&pa, &len);
	return sysfs_emit(buf, "0x%llx %llu\n", pa, len);
}

static struct kobj_attribute state_attr = __ATTR(state, 0600, state_show, state_store);
static struct kobj_attribute ring_kib_attr = __ATTR(ring_kib, 0600, ring_kib_show, ring_kib_store);
static struct kobj_attribute record_attr = __ATTR(record, 0400, record_show, NULL);

static struct attribute *attrs[] = {
	&state_attr.attr,
	&ring_kib_attr.attr,
	&record_attr.attr,
	NULL,
};

static const struct attribute_group group = {
	.attrs = attrs,
};

static struct kobject *dir;

int __init itrace_control_init(void)
{
	int err;

	dir = kobject_create_and_add("itrace", kernel_kobj);
	if (!dir)
		return -ENOMEM;
	err = sysfs_create_group(dir, &group);
	if (err)
		kobject_put(dir);
	return err;
}

void itrace_control_deinit(void)
{
	sysfs_remove_group(dir, &group);
	kobject_put(dir);
}
