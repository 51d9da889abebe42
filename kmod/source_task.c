// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks as they come, change and go; executable mappings; kernel modules. Who is there already: dump.c.
 *
 * New tasks are seen by task_newtask, not by sched_process_fork, which io_uring workers do not pass. Mappings have no
 * tracepoint: a kprobe on perf_event_mmap sees all of them, whether perf records or not.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <trace/events/module.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include "emit.h"
#include "hook.h"
#include "mapping.h"
#include "task.h"

enum { TASK_FILENAME_BYTES = 1024 };	/* of an exec's path, with its NUL: it must fit into the smallest packet */

/* A fixed part and a string that may have to be cut. */
static void task_emit(struct kymo_type *type, const void *ev, u32 bytes, const char *string, u32 string_bytes)
{
	const struct kymo_part part[] = { { ev, bytes }, { string, string_bytes }, { "", 1 } };

	kymo_emit_parts(type, part, ARRAY_SIZE(part));
}

static void task_newtask_probe(void *type, struct task_struct *task, unsigned long clone_flags)
{
	struct kymo_ev_sched_process_fork ev = {
		.parent_tid = current->pid, .parent_pid = current->tgid,
		.child_tid = task->pid, .child_pid = task->tgid,
		.clone_flags = clone_flags, .child_start_ns = task->start_time, .cgroup_id = task_cgroup_id(task),
	};

	memcpy(ev.parent_comm, current->comm, sizeof(ev.parent_comm));
	memcpy(ev.child_comm, task->comm, sizeof(ev.child_comm));
	kymo_emit(sched_process_fork, &ev);
}

static void task_exec_probe(void *type, struct task_struct *task, pid_t old_tid, struct linux_binprm *bprm)
{
	struct kymo_ev_sched_process_exec ev = { .tid = task->pid, .old_tid = old_tid };

	memcpy(ev.comm, task->comm, sizeof(ev.comm));
	task_emit(type, &ev, sizeof(ev), bprm->filename, strnlen(bprm->filename, TASK_FILENAME_BYTES - 1));
}

static void task_emit_exit(struct task_struct *task, bool group_dead)
{
	struct kymo_ev_sched_process_exit ev = {
		.tid = task->pid, .pid = task->tgid, .prio = task->prio, .group_dead = group_dead,
	};

	memcpy(ev.comm, task->comm, sizeof(ev.comm));
	kymo_emit(sched_process_exit, &ev);
}

/* From 6.16 on the kernel says who was the last; before, `live` has been counted down when we come. */
static void task_exit_probe(void *type, struct task_struct *task, bool group_dead)
{
	task_emit_exit(task, group_dead);
}

static void task_exit_older_probe(void *type, struct task_struct *task)
{
	task_emit_exit(task, !atomic_read(&task->signal->live));
}

static void task_free_probe(void *type, struct task_struct *task)
{
	struct kymo_ev_sched_process_free ev = { .tid = task->pid, .pid = task->tgid, .prio = task->prio };

	memcpy(ev.comm, task->comm, sizeof(ev.comm));
	kymo_emit(sched_process_free, &ev);
}

static void task_rename_probe(void *type, struct task_struct *task, const char *comm)
{
	struct kymo_ev_task_rename ev = {
		.tid = task->pid, .pid = task->tgid, .oom_score_adj = task->signal->oom_score_adj,
	};

	memcpy(ev.oldcomm, task->comm, sizeof(ev.oldcomm));
	strscpy(ev.newcomm, comm, sizeof(ev.newcomm));
	kymo_emit(task_rename, &ev);
}

static void task_module_load_probe(void *type, struct module *module)
{
	struct kymo_ev_module_load ev = { .taints = module->taints };
	u32 bytes;

	ev.base = task_module_base(module, &bytes);
	ev.bytes = bytes;
	task_emit(type, &ev, sizeof(ev), module->name, strnlen(module->name, sizeof(module->name)));
}

static void task_module_free_probe(void *type, struct module *module)
{
	task_emit(type, NULL, 0, module->name, strnlen(module->name, sizeof(module->name)));
}

static struct kymo_hook task_hooks[] = {
	KYMO_HOOK(kymo_type_sched_process_fork, task_newtask, task_newtask_probe),
	KYMO_HOOK(kymo_type_sched_process_exec, sched_process_exec, task_exec_probe),
	KYMO_HOOK_EITHER(kymo_type_sched_process_exit, sched_process_exit, task_exit_probe, task_exit_older_probe),
	KYMO_HOOK(kymo_type_sched_process_free, sched_process_free, task_free_probe),
	KYMO_HOOK(kymo_type_task_rename, task_rename, task_rename_probe),
	KYMO_HOOK(kymo_type_module_load, module_load, task_module_load_probe),
	KYMO_HOOK(kymo_type_module_free, module_free, task_module_free_probe),
};

/* ---- mappings ---- */

/*
 * perf_event_mmap runs in the task that maps, with the mmap lock held for writing, and calls d_path itself when perf
 * wants mappings: so may we. Preemption is off in a kprobe and no interrupt maps memory: a buffer for each CPU is
 * enough.
 */
static char __percpu *task_path_buffer;

static int task_mmap_probe(struct kprobe *probe, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (struct vm_area_struct *)regs_get_kernel_argument(regs, 0);
	struct kymo_ev_task_mmap ev = { .tid = current->pid, .pid = current->tgid };
	struct mapping mapping;

	if (!(vma->vm_flags & VM_EXEC) || !kymo_emit_wanted(&kymo_type_task_mmap))
		return 0;
	mapping_describe(&mapping, vma, this_cpu_ptr(task_path_buffer));
	ev.start = vma->vm_start;
	ev.end = vma->vm_end;
	ev.offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	ev.inode = mapping.inode;
	ev.dev = mapping.dev;
	ev.build_id_bytes = mapping.build_id_bytes;
	memcpy(ev.build_id, mapping.build_id, sizeof(ev.build_id));
	task_emit(&kymo_type_task_mmap, &ev, sizeof(ev), mapping.path, mapping.path_bytes);
	return 0;
}

static struct kprobe task_mmap_kprobe = { .symbol_name = "perf_event_mmap", .pre_handler = task_mmap_probe };

static unsigned long task_mmap_missed_before;	/* by the kprobe in its earlier lives: its own count begins anew */

static int task_mmap_on(void)
{
	/* A struct kprobe keeps its address and flags from the last time. */
	task_mmap_kprobe.addr = NULL;
	task_mmap_kprobe.flags = 0;
	return register_kprobe(&task_mmap_kprobe);
}

static void task_mmap_off(void)
{
	unregister_kprobe(&task_mmap_kprobe);
	task_mmap_missed_before += task_mmap_kprobe.nmissed;
	task_mmap_kprobe.nmissed = 0;
}

static unsigned long task_mmap_missed(void)
{
	return task_mmap_missed_before + task_mmap_kprobe.nmissed;
}

/* Tried once: whether this kernel lets us probe there is not known otherwise. */
static void task_mmap_try(void)
{
	static char reason[KYMO_REASON_BYTES];
	int err;

	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		kymo_type_unavailable(&kymo_type_task_mmap, "finding a path may sleep on a PREEMPT_RT kernel");
		return;
	}
	err = task_mmap_on();
	if (!err) {
		task_mmap_off();
		return;
	}
	snprintf(reason, sizeof(reason), "the kernel refuses a kprobe on perf_event_mmap (error %d)", err);
	kymo_type_unavailable(&kymo_type_task_mmap, reason);
}

/* What the kprobe missed (it was hit on top of another kprobe's handler) since the session wants the type. */
static int task_sub_on(struct kymo_sub *sub)
{
	if (sub->type == &kymo_type_task_mmap)
		sub->priv = (void *)task_mmap_missed();
	return 0;
}

static void task_sub_missed(struct kymo_sub *sub)
{
	const unsigned long missed = task_mmap_missed();

	if (sub->type != &kymo_type_task_mmap)
		return;
	kymo_sub_missed(sub, missed - (unsigned long)sub->priv);
	sub->priv = (void *)missed;
}

/* ---- the source ---- */

static int task_init(void)
{
	kymo_hooks_init(task_hooks, ARRAY_SIZE(task_hooks));
	task_path_buffer = __alloc_percpu(PATH_MAX, 1);
	if (!task_path_buffer)
		return -ENOMEM;
	task_mmap_try();
	return 0;
}

static void task_fini(void)
{
	free_percpu(task_path_buffer);
}

static int task_type_on(struct kymo_type *type)
{
	if (type->flags & KYMO_TYPE_DUMP)
		return 0;
	return type == &kymo_type_task_mmap ? task_mmap_on() : kymo_hooks_on(task_hooks, ARRAY_SIZE(task_hooks), type);
}

static void task_type_off(struct kymo_type *type)
{
	if (type == &kymo_type_task_mmap)
		task_mmap_off();
	else
		kymo_hooks_off(task_hooks, ARRAY_SIZE(task_hooks), type);
}

struct kymo_source kymo_source_task = {
	.name = "task",
	.init = task_init,
	.fini = task_fini,
	.type_on = task_type_on,
	.type_off = task_type_off,
	.sub_on = task_sub_on,
	.sub_missed = task_sub_missed,
};
