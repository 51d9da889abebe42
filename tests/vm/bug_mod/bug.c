// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does at load what the debug kernel finds, so that a test can see whether it is told: what=rcu, sleep, memory, locks,
 * leak. Nothing else is harmed. Not for a kernel that is needed.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

static char *what = "";
module_param(what, charp, 0400);
MODULE_PARM_DESC(what, "which fault: rcu, sleep, memory, locks, leak");

static int __rcu *pointer;
static DEFINE_MUTEX(one);
static DEFINE_MUTEX(two);

static void bug_rcu(void)
{
	pr_info("kymo-test: read outside of a read section: %d\n", !rcu_dereference(pointer));
}

static void bug_sleep(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

static void bug_memory(void)
{
	volatile char *at = kzalloc(40, GFP_KERNEL);

	if (at)
		pr_info("kymo-test: read behind the end: %d\n", at[40]);
	kfree((void *)at);
}

static void bug_lock_both(struct mutex *first, struct mutex *second)
{
	mutex_lock(first);
	mutex_lock(second);
	mutex_unlock(second);
	mutex_unlock(first);
}

static void bug_locks(void)
{
	bug_lock_both(&one, &two);
	bug_lock_both(&two, &one);
}

static void bug_leak(void)
{
	void *volatile lost;
	int i;

	for (i = 0; i < 16; i++) /* an old copy of one pointer may lie somewhere on a stack */
		lost = kzalloc(1000, GFP_KERNEL);
	lost = NULL;
}

static const struct {
	const char *name;
	void (*call)(void);
} bugs[] = {
	{ "rcu", bug_rcu }, { "sleep", bug_sleep }, { "memory", bug_memory }, { "locks", bug_locks }, { "leak", bug_leak },
};

static int __init bug_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bugs); i++)
		if (!strcmp(what, bugs[i].name)) {
			bugs[i].call();
			return 0;
		}
	return -EINVAL;
}

static void __exit bug_exit(void)
{
}

module_init(bug_init);
module_exit(bug_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("faults for the debug kernel to find");
