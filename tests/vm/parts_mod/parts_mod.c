// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spends CPU time in two functions of the kernel, seven parts and three: as many turns of both as are written into
 * /sys/module/parts_mod/parameters/turns. Reading it gives the ns that the two took, as the scheduler counts them.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

enum { PARTS_LOOPS = 100000 };

static volatile unsigned long parts_sink;
static u64 parts_ns[2];

static noinline void parts_mod_seventy(void)
{
	unsigned long i;

	for (i = 0; i < 7 * PARTS_LOOPS; i++)
		parts_sink += i;
}

static noinline void parts_mod_thirty(void)
{
	unsigned long i;

	for (i = 0; i < 3 * PARTS_LOOPS; i++)
		parts_sink += i;
}

/* The monotonic clock would do on a machine of our own; an interrupt's time is the function's in both. */
static u64 parts_clock(void)
{
	return ktime_get_ns();
}

static int parts_set(const char *text, const struct kernel_param *param)
{
	unsigned int turns;
	int err = kstrtouint(text, 0, &turns);

	if (err)
		return err;
	while (turns-- && !signal_pending(current)) {
		const u64 begin = parts_clock();
		u64 middle;

		parts_mod_seventy();
		middle = parts_clock();
		parts_mod_thirty();
		parts_ns[0] += middle - begin;
		parts_ns[1] += parts_clock() - middle;
		cond_resched();
	}
	return 0;
}

static int parts_get(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%llu %llu\n", parts_ns[0], parts_ns[1]);
}

static const struct kernel_param_ops parts_ops = { .set = parts_set, .get = parts_get };

module_param_cb(turns, &parts_ops, NULL, 0600);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test of Kymograph: CPU time in two functions of the kernel");
