// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spends time in two functions of the kernel, seven parts and three: as many milliseconds as are written into
 * /sys/module/parts_mod/parameters/milliseconds. Reading it gives the ns that the two took the last time.
 */
#include <linux/ktime.h>
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

static int parts_set(const char *text, const struct kernel_param *param)
{
	unsigned int milliseconds;
	u64 begin = ktime_get_ns(), now = begin;
	int err = kstrtouint(text, 0, &milliseconds);

	if (err)
		return err;
	parts_ns[0] = parts_ns[1] = 0;
	while (now - begin < milliseconds * 1000000ull && !signal_pending(current)) {
		u64 before = now;

		parts_mod_seventy();
		now = ktime_get_ns();
		parts_ns[0] += now - before;
		before = now;
		parts_mod_thirty();
		now = ktime_get_ns();
		parts_ns[1] += now - before;
		cond_resched();
	}
	return 0;
}

static int parts_get(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%llu %llu\n", parts_ns[0], parts_ns[1]);
}

static const struct kernel_param_ops parts_ops = { .set = parts_set, .get = parts_get };

module_param_cb(milliseconds, &parts_ops, NULL, 0600);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test of Kymograph: CPU time in two functions of the kernel");
