// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Who is there at the start: iterators over tasks and over their executable mappings. They write records as in
 * struct bpf_dump_head to who reads them, not into rings.
 */
#include "emit.h"

/* LTTng's numbers. */
enum { DUMP_TYPE_USER = 0, DUMP_TYPE_KERNEL = 1 };
enum { DUMP_MODE_UNKNOWN = 5, DUMP_SUBMODE_UNKNOWN = 1 };
enum { DUMP_STATUS_WAIT_CPU = 2, DUMP_STATUS_ZOMBIE = 4, DUMP_STATUS_WAIT = 5, DUMP_STATUS_DEAD = 7 };
/* The kernel's. */
enum { TASK_KTHREAD = 0x00200000, TASK_EXIT_DEAD = 0x10, TASK_EXIT_ZOMBIE = 0x20, MAP_EXEC = 4, PAGE_BITS = 12 };
enum { DUMP_LEVELS = 33 };	/* of nested pid namespaces, the kernel's own limit */

static __always_inline int dump_status(const struct task_struct *task)
{
	if (task->exit_state & TASK_EXIT_DEAD)
		return DUMP_STATUS_DEAD;
	if (task->exit_state & TASK_EXIT_ZOMBIE)
		return DUMP_STATUS_ZOMBIE;
	return task->__state ? DUMP_STATUS_WAIT : DUMP_STATUS_WAIT_CPU;
}

/* The number of a pid in the namespace of this level; 0: it has none there. */
static __always_inline int dump_number(const struct pid *pid, unsigned int level, struct pid_namespace **ns)
{
	struct upid upid = {};

	if (!pid || level > pid->level || level >= DUMP_LEVELS)
		return 0;
	bpf_probe_read_kernel(&upid, sizeof(upid), (const char *)pid->numbers + level * sizeof(upid));
	if (*ns && *ns != upid.ns)
		return 0;
	*ns = upid.ns;
	return upid.nr;
}

#define DUMP_RECORD(name) \
	struct dump_##name { \
		struct bpf_dump_head head; \
		struct kymo_ev_lttng_statedump_##name ev; \
	} __attribute__((packed, aligned(8)))
DUMP_RECORD(process_state);
DUMP_RECORD(process_pid_ns);
DUMP_RECORD(vm_map);

#define DUMP_BYTES(r) (sizeof((r).head) + sizeof((r).ev))

static __always_inline void dump_namespaces(struct bpf_iter__task *ctx, struct task_struct *task, unsigned int deepest)
{
	const struct pid *pid = task->thread_pid, *leader = task->group_leader->thread_pid;
	const struct pid *parent = task->real_parent->group_leader->thread_pid;

	for (unsigned int level = 0; level < DUMP_LEVELS && level <= deepest; level++) {
		struct dump_process_pid_ns r = { .head = { KYMO_ID_lttng_statedump_process_pid_ns, sizeof(r.ev) } };
		struct pid_namespace *ns = NULL;

		r.ev.tid = task->pid;
		r.ev.vtid = dump_number(pid, level, &ns);
		r.ev.vpid = dump_number(leader, level, &ns);
		r.ev.vppid = dump_number(parent, level, &ns);
		r.ev.ns_level = level;
		r.ev.ns_inum = BPF_CORE_READ(ns, ns.inum);
		bpf_seq_write(ctx->meta->seq, &r, DUMP_BYTES(r));
	}
}

SEC("iter/task")
int dump_task(struct bpf_iter__task *ctx)
{
	struct dump_process_state r = { .head = { KYMO_ID_lttng_statedump_process_state, sizeof(r.ev) } };
	struct task_struct *task = ctx->task;
	struct pid_namespace *ns = NULL;
	unsigned int level;

	if (!task || !task->thread_pid)
		return 0;
	level = task->thread_pid->level;
	r.ev.tid = task->pid;
	r.ev.vtid = dump_number(task->thread_pid, level, &ns);
	r.ev.pid = task->tgid;
	r.ev.vpid = dump_number(task->group_leader->thread_pid, level, &ns);
	r.ev.ppid = task->real_parent->tgid;
	r.ev.vppid = dump_number(task->real_parent->group_leader->thread_pid, level, &ns);
	bpf_probe_read_kernel(r.ev.name, sizeof(r.ev.name), &task->comm);
	r.ev.type = task->flags & TASK_KTHREAD ? DUMP_TYPE_KERNEL : DUMP_TYPE_USER;
	r.ev.mode = DUMP_MODE_UNKNOWN;
	r.ev.submode = DUMP_SUBMODE_UNKNOWN;
	r.ev.status = dump_status(task);
	r.ev.ns_level = level;
	r.ev.ns_inum = BPF_CORE_READ(ns, ns.inum);
	r.ev.cpu = task->thread_info.cpu;
	r.ev.start_ns = task->start_time;
	r.ev.cgroup_id = task->cgroups->dfl_cgrp->kn->id;
	r.ev.uid = task->real_cred->uid.val;
	bpf_seq_write(ctx->meta->seq, &r, DUMP_BYTES(r));
	dump_namespaces(ctx, task, level);
	return 0;
}

static char dump_path[BPF_STRING_BYTES];	/* one iterator runs at a time */

SEC("iter/task_vma")
int dump_vma(struct bpf_iter__task_vma *ctx)
{
	struct dump_vm_map r = { .head = { KYMO_ID_lttng_statedump_vm_map, sizeof(r.ev) + 1 } };
	struct vm_area_struct *vma = ctx->vma;
	struct task_struct *task = ctx->task;
	long bytes = 0;

	if (!task || !vma || !(vma->vm_flags & MAP_EXEC))
		return 0;
	r.ev.pid = task->tgid;
	r.ev.start = vma->vm_start;
	r.ev.end = vma->vm_end;
	r.ev.flags = vma->vm_flags;
	dump_path[0] = 0;
	if (vma->vm_file) {
		r.ev.pgoff = (__u64)vma->vm_pgoff << PAGE_BITS;
		r.ev.inode = vma->vm_file->f_inode->i_ino;
		r.ev.dev = vma->vm_file->f_inode->i_sb->s_dev;
		bytes = bpf_d_path(&vma->vm_file->f_path, dump_path, sizeof(dump_path));
	}
	if (bytes < 1 || bytes > sizeof(dump_path)) {	/* or it is longer than there is room for */
		dump_path[0] = 0;
		bytes = 1;
	}
	r.head.len = sizeof(r.ev) + bytes;
	bpf_seq_write(ctx->meta->seq, &r, DUMP_BYTES(r));
	bpf_seq_write(ctx->meta->seq, dump_path, bytes);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
