// SPDX-License-Identifier: GPL-2.0-only
/*
 * itrace_demo: a small message driver with a bug that a backtrace can't explain.
 *
 * Whoever opens /dev/itrace_demo gets a session in a slot, and each write submits
 * one message. A timer throws out sessions that have been silent for half a
 * second. It crashes in demo_submit() on a session that is not there any more,
 * although its client has never stopped writing. The stack shows a plain write(2):
 * who took the session, and why it was taken for silent, is only in the trace.
 */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/uaccess.h>

#define DEMO_SLOTS   4
#define DEMO_MESSAGE 64 /* bytes, the longest message */
#define DEMO_SHORT   16 /* bytes, below this no checksum is made */
#define DEMO_TICK    (HZ / 50)
#define DEMO_SILENT  (HZ / 2)

struct demo_session {
	u64 id;
	unsigned long last; /* jiffies of the last message */
	u64 credit;	    /* messages it may still send */
	u64 checksum;
	struct rcu_head rcu;
};

static struct demo_session __rcu *demo_slots[DEMO_SLOTS];
static DEFINE_MUTEX(demo_open_mutex);
static struct timer_list demo_timer;
static u64 demo_next_id = 1;

/* Called by the timer, in softirq context. */
static noinline void demo_reset(unsigned int slot)
{
	struct demo_session *session = rcu_dereference_protected(demo_slots[slot], true);

	RCU_INIT_POINTER(demo_slots[slot], NULL);
	kfree_rcu(session, rcu);
}

static noinline bool demo_silent(const struct demo_session *session)
{
	return time_after(jiffies, READ_ONCE(session->last) + DEMO_SILENT);
}

static noinline void demo_timeout(struct timer_list *timer)
{
	struct demo_session *session;
	unsigned int slot;

	for (slot = 0; slot < DEMO_SLOTS; slot++) {
		session = rcu_dereference_protected(demo_slots[slot], true);
		if (session && demo_silent(session))
			demo_reset(slot);
	}
	mod_timer(timer, jiffies + DEMO_TICK);
}

static noinline struct demo_session *demo_lookup(unsigned int slot)
{
	if (slot >= DEMO_SLOTS)
		return NULL;
	return rcu_dereference(demo_slots[slot]);
}

static noinline void demo_checksum(struct demo_session *session, const char *text, size_t len)
{
	u64 sum = session->checksum;

	while (len--)
		sum = sum * 31 + *text++;
	session->checksum = sum;
	WRITE_ONCE(session->last, jiffies);
}

static noinline void demo_submit(unsigned int slot, const char *text, size_t len)
{
	struct demo_session *session;
	u64 credit;

	rcu_read_lock();
	session = demo_lookup(slot);
	/* An open file has a session. (It had one.) */
	credit = READ_ONCE(session->credit);
	if (credit) {
		WRITE_ONCE(session->credit, credit - 1);
		/* The bug's other half: only here does the session count as alive. */
		if (len >= DEMO_SHORT)
			demo_checksum(session, text, len);
	}
	rcu_read_unlock();
}

static ssize_t demo_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	char text[DEMO_MESSAGE];

	len = min_t(size_t, len, sizeof(text));
	if (copy_from_user(text, from, len))
		return -EFAULT;
	demo_submit((unsigned long)file->private_data, text, len);
	return len;
}

static int demo_open(struct inode *inode, struct file *file)
{
	struct demo_session *session = kzalloc(sizeof(*session), GFP_KERNEL);
	unsigned long slot;

	if (!session)
		return -ENOMEM;
	session->last = jiffies;
	session->credit = U64_MAX;
	mutex_lock(&demo_open_mutex);
	session->id = demo_next_id++;
	for (slot = 0; slot < DEMO_SLOTS; slot++) {
		if (rcu_access_pointer(demo_slots[slot]))
			continue;
		file->private_data = (void *)slot;
		rcu_assign_pointer(demo_slots[slot], session);
		if (!timer_pending(&demo_timer))
			mod_timer(&demo_timer, jiffies + DEMO_TICK);
		break;
	}
	mutex_unlock(&demo_open_mutex);
	if (slot < DEMO_SLOTS)
		return 0;
	kfree(session);
	return -EBUSY;
}

static const struct file_operations demo_fops = {
	.owner = THIS_MODULE,
	.open = demo_open,
	.write = demo_write,
};

static struct miscdevice demo_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "itrace_demo",
	.fops = &demo_fops,
	.mode = 0200,
};

static int __init demo_init(void)
{
	timer_setup(&demo_timer, demo_timeout, TIMER_PINNED);
	return misc_register(&demo_device);
}

static void __exit demo_exit(void)
{
	unsigned int slot;

	misc_deregister(&demo_device);
	timer_shutdown_sync(&demo_timer);
	for (slot = 0; slot < DEMO_SLOTS; slot++)
		kfree(rcu_dereference_protected(demo_slots[slot], true));
}

module_init(demo_init);
module_exit(demo_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A driver with a bug, to show what itrace shows");
