// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tasks as they come, change and go. Mappings come from elsewhere (perf), who is there already from iterators. */
#include "emit.h"

static __always_inline __u64 task_cgroup_id(const struct task_struct *task)
{
	return task->cgroups->dfl_cgrp->kn->id;
}

/* Not sched_process_fork, which io_uring workers do not pass. */
SEC("tp_btf/task_newtask")
int BPF_PROG(sched_process_fork, struct task_struct *task, __u64 clone_flags)
{
	struct task_struct *parent = (struct task_struct *)bpf_get_current_task_btf();
	struct ev_sched_process_fork *r = emit_reserve(sched_process_fork);

	if (!r)
		return 0;
	emit_comm(r->ev.parent_comm, parent);
	r->ev.parent_tid = parent->pid;
	r->ev.parent_pid = parent->tgid;
	emit_comm(r->ev.child_comm, task);
	r->ev.child_tid = task->pid;
	r->ev.child_pid = task->tgid;
	r->ev.clone_flags = clone_flags;
	r->ev.child_start_ns = task->start_time;
	r->ev.cgroup_id = task_cgroup_id(task);
	emit_submit(r);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(sched_process_exec, struct task_struct *task, int old_tid, struct linux_binprm *bprm)
{
	struct ev_sched_process_exec *r = emit_reserve_more(sched_process_exec, BPF_STRING_BYTES);

	if (!r)
		return 0;
	r->ev.tid = task->pid;
	r->ev.old_tid = old_tid;
	emit_comm(r->ev.comm, task);
	emit_string(r, bprm->filename, BPF_STRING_BYTES);
	emit_submit(r);
	return 0;
}

static __always_inline int task_exit(const struct task_struct *task, bool group_dead)
{
	struct ev_sched_process_exit *r = emit_reserve(sched_process_exit);

	if (!r)
		return 0;
	emit_comm(r->ev.comm, task);
	r->ev.tid = task->pid;
	r->ev.pid = task->tgid;
	r->ev.prio = task->prio;
	r->ev.group_dead = group_dead;
	emit_submit(r);
	return 0;
}

/* From 6.16 on the kernel says who was the last; before, `live` has been counted down when we come. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit, struct task_struct *task, bool group_dead)
{
	return task_exit(task, group_dead);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(sched_process_exit__older, struct task_struct *task)
{
	return task_exit(task, !task->signal->live.counter);
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(sched_process_free, struct task_struct *task)
{
	struct ev_sched_process_free *r = emit_reserve(sched_process_free);

	if (!r)
		return 0;
	emit_comm(r->ev.comm, task);
	r->ev.tid = task->pid;
	r->ev.prio = task->prio;
	emit_submit(r);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(task_rename, struct task_struct *task, const char *comm)
{
	struct ev_task_rename *r = emit_reserve(task_rename);

	if (!r)
		return 0;
	r->ev.tid = task->pid;
	r->ev.pid = task->tgid;
	emit_comm(r->ev.oldcomm, task);
	__builtin_memset(r->ev.newcomm, 0, sizeof(r->ev.newcomm));
	bpf_probe_read_kernel_str(r->ev.newcomm, sizeof(r->ev.newcomm), comm);
	r->ev.oom_score_adj = task->signal->oom_score_adj;
	emit_submit(r);
	return 0;
}

SEC("tp_btf/module_load")
int BPF_PROG(module_load, struct module *module)
{
	struct ev_module_load *r = emit_reserve_more(module_load, BPF_NAME_BYTES);

	if (!r)
		return 0;
	if (bpf_core_field_exists(module->mem)) {
		r->ev.base = (__u64)BPF_CORE_READ(module, mem[0].base);
		r->ev.bytes = BPF_CORE_READ(module, mem[0].size);
	} else {
		r->ev.base = (__u64)BPF_CORE_READ(module, core_layout.base);
		r->ev.bytes = BPF_CORE_READ(module, core_layout.size);
	}
	r->ev.taints = BPF_CORE_READ(module, taints);
	emit_string(r, &module->name, BPF_NAME_BYTES);
	emit_submit(r);
	return 0;
}

SEC("tp_btf/module_free")
int BPF_PROG(module_free, struct module *module)
{
	struct ev_module_free *r = emit_reserve_more(module_free, BPF_NAME_BYTES);

	if (!r)
		return 0;
	emit_string(r, &module->name, BPF_NAME_BYTES);
	emit_submit(r);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
