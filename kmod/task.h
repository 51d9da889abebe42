/* SPDX-License-Identifier: GPL-2.0-only */
/* What the task source and the dump both say of a task and of a module. Knows nothing of events. */
#ifndef KYMO_TASK_H
#define KYMO_TASK_H

#include <linux/cgroup.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

/* In the default hierarchy: the inode number of the group's directory in cgroup2. */
static inline u64 task_cgroup_id(struct task_struct *task)
{
#ifdef CONFIG_CGROUPS
	u64 id;

	rcu_read_lock();
	id = cgroup_id(task_dfl_cgroup(task));
	rcu_read_unlock();
	return id;
#else
	return 0;
#endif
}

/* Where a module's text lies (and, before 6.4, behind it its data). */
static inline u64 task_module_base(const struct module *module, u32 *bytes)
{
#ifdef for_each_mod_mem_type
	*bytes = module->mem[MOD_TEXT].size;
	return (unsigned long)module->mem[MOD_TEXT].base;
#else
	*bytes = module->core_layout.size;
	return (unsigned long)module->core_layout.base;
#endif
}

#endif
