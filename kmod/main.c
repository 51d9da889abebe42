// SPDX-License-Identifier: GPL-2.0-only
/* The module: what is initialised in which order, and taken down in the opposite one. */
#include <linux/kernel.h>
#include <linux/module.h>
#include "catalogue.h"
#include "chardev.h"
#include "ringset.h"
#include "session.h"

/* All sources, in the order of their initialisation. */
static struct kymo_source *const sources[] = {
	&kymo_source_task,
	&kymo_source_sched,
	&kymo_source_cpu,
	&kymo_source_irq,
	&kymo_source_signal,
	&kymo_source_net,
	&kymo_source_syscall,
	&kymo_source_tracepoint,
};

static int main_holders(char *buf, const struct kernel_param *param)
{
	return kymo_session_holders(buf, PAGE_SIZE);
}

static const struct kernel_param_ops main_holders_ops = { .get = main_holders };
module_param_cb(holders, &main_holders_ops, NULL, 0400);
MODULE_PARM_DESC(holders, "open sessions: number, command and pid of who opened each (read-only)");

static int __init kymo_init(void)
{
	int err;

	err = kymo_ringset_init();
	if (err)
		return err;
	err = kymo_session_init();
	if (err)
		goto err_ringset;
	err = kymo_catalogue_init(sources, ARRAY_SIZE(sources));
	if (err)
		goto err_session;
	err = kymo_chardev_init();
	if (err)
		goto err_catalogue;
	return 0;

err_catalogue:
	kymo_catalogue_fini();
err_session:
	kymo_session_fini();
err_ringset:
	kymo_ringset_fini();
	return err;
}

static void __exit kymo_exit(void)
{
	kymo_chardev_fini();
	kymo_catalogue_fini();
	kymo_session_fini();
	kymo_ringset_fini();
}

module_init(kymo_init);
module_exit(kymo_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Kymograph: typed events of the whole machine in per-CPU rings");
MODULE_VERSION(KYMO_VERSION);
