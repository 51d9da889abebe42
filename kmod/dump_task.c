// SPDX-License-Identifier: GPL-2.0-only
/*
 * The start dump's tasks, their pid namespaces and executable mappings. Walks the pid numbers upwards: a task that
 * comes behind the walk's back is in the fork events, since those are recorded before the dump begins.
 */
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "dump_part.h"
#include "mapping.h"
#include "task.h"

/* LTTng's numbers. */
enum { DUMP_TYPE_USER = 0, DUMP_TYPE_KERNEL = 1 };
enum { DUMP_MODE_UNKNOWN = 5, DUMP_SUBMODE_UNKNOWN = 1 };
enum { DUMP_STATUS_WAIT_CPU = 2, DUMP_STATUS_ZOMBIE = 4, DUMP_STATUS_WAIT = 5, DUMP_STATUS_DEAD = 7 };

static s32 dump_task_status(const struct task_struct *task)
{
	if (task->exit_state & EXIT_DEAD)
		return DUMP_STATUS_DEAD;
	if (task->exit_state & EXIT_ZOMBIE)
		return DUMP_STATUS_ZOMBIE;
	return task_is_running(task) ? DUMP_STATUS_WAIT_CPU : DUMP_STATUS_WAIT;
}

/* Under RCU. NULL: the task is being removed. */
static struct pid *dump_parent(struct task_struct *task)
{
	return pid_alive(task) ? task_tgid(rcu_dereference(task->real_parent)) : NULL;
}

static bool dump_task_state(struct kymo_sub *sub, struct task_struct *task, struct pid *pid)
{
	const struct upid *inner = &pid->numbers[pid->level];
	struct pid *parent = dump_parent(task);
	struct kymo_ev_lttng_statedump_process_state ev = {
		.tid = pid_nr(pid), .vtid = inner->nr,
		.pid = task->tgid, .vpid = pid_nr_ns(task_tgid(task), inner->ns),
		.ppid = pid_nr(parent), .vppid = pid_nr_ns(parent, inner->ns),
		.type = task->flags & PF_KTHREAD ? DUMP_TYPE_KERNEL : DUMP_TYPE_USER,
		.mode = DUMP_MODE_UNKNOWN, .submode = DUMP_SUBMODE_UNKNOWN, .status = dump_task_status(task),
		.ns_level = pid->level, .ns_inum = inner->ns->ns.inum, .cpu = task_cpu(task),
		.start_ns = task->start_time, .cgroup_id = task_cgroup_id(task),
		.uid = from_kuid(&init_user_ns, __task_cred(task)->uid),
	};

	memcpy(ev.name, task->comm, sizeof(ev.name));
	return dump_put(sub, &ev, sizeof(ev), NULL, 0);
}

static bool dump_task_namespace(struct kymo_sub *sub, struct task_struct *task, struct pid *pid, unsigned int level)
{
	const struct upid *upid = &pid->numbers[level];
	struct kymo_ev_lttng_statedump_process_pid_ns ev = {
		.tid = pid_nr(pid), .vtid = upid->nr, .vpid = pid_nr_ns(task_tgid(task), upid->ns),
		.vppid = pid_nr_ns(dump_parent(task), upid->ns), .ns_level = level, .ns_inum = upid->ns->ns.inum,
	};

	return dump_put(sub, &ev, sizeof(ev), NULL, 0);
}

/* The first pid from `from` on; under RCU. */
static struct pid *dump_next_pid(u64 from)
{
	return from <= PID_MAX_LIMIT ? find_ge_pid(from, &init_pid_ns) : NULL;
}

/* Under RCU. The events of one pid, from number *from on. */
static bool dump_pid(struct kymo_sub *state, struct kymo_sub *namespace, struct pid *pid, u64 *from)
{
	struct task_struct *task = pid_task(pid, PIDTYPE_PID);
	bool room = true;

	for (; task && room && *from <= pid->level + 1; *from += room)
		room = *from ? dump_task_namespace(namespace, task, pid, *from - 1) : dump_task_state(state, task, pid);
	return room;
}

/* cursor: the pid; how many of its events have been written. */
int dump_tasks(struct dump_out *out)
{
	struct kymo_sub *state = kymo_session_sub(out->session, &kymo_type_lttng_statedump_process_state);
	struct kymo_sub *namespace = kymo_session_sub(out->session, &kymo_type_lttng_statedump_process_pid_ns);
	struct pid *pid = NULL;
	bool room = true;

	for (; state || namespace; out->cursor[0]++, out->cursor[1] = 0) {
		rcu_read_lock();
		pid = dump_next_pid(out->cursor[0]);
		if (pid) {
			if (pid_nr(pid) != out->cursor[0])
				out->cursor[1] = 0;
			out->cursor[0] = pid_nr(pid);
			room = dump_pid(state, namespace, pid, &out->cursor[1]);
		}
		rcu_read_unlock();
		if (!pid || !room)
			return room ? 0 : DUMP_FULL;
		cond_resched();
	}
	return 0;
}

/* ---- mappings ---- */

/* Under RCU. A thread of the process that has memory: the leader may have gone before the others. */
static struct task_struct *dump_thread_with_mm(struct pid *pid)
{
	struct task_struct *leader = pid_task(pid, PIDTYPE_TGID), *thread;

	if (!leader)
		return NULL;
	for_each_thread(leader, thread)
		if (thread->mm)
			return thread;
	return NULL;
}

/* The memory of the next process from *tgid on, to be put with mmput; NULL: there is none. */
static struct mm_struct *dump_next_mm(u64 *tgid)
{
	struct task_struct *thread = NULL;
	struct mm_struct *mm;
	struct pid *pid;

	for (;; ++*tgid) {
		rcu_read_lock();
		pid = dump_next_pid(*tgid);
		if (pid) {
			*tgid = pid_nr(pid);
			thread = dump_thread_with_mm(pid);
			if (thread)
				get_task_struct(thread);
		}
		rcu_read_unlock();
		if (!pid)
			return NULL;
		if (thread) {
			mm = get_task_mm(thread);
			put_task_struct(thread);
			if (mm)
				return mm;
		}
		cond_resched();
	}
}

static bool dump_put_mapping(struct kymo_sub *sub, u64 tgid, struct vm_area_struct *vma, char buffer[PATH_MAX])
{
	struct kymo_ev_lttng_statedump_vm_map ev = {
		.pid = tgid, .start = vma->vm_start, .end = vma->vm_end, .flags = vma->vm_flags,
		.pgoff = (u64)vma->vm_pgoff << PAGE_SHIFT,
	};
	struct mapping mapping;

	mapping_describe(&mapping, vma, buffer);
	ev.inode = mapping.inode;
	ev.dev = mapping.dev;
	ev.build_id_bytes = mapping.build_id_bytes;
	memcpy(ev.build_id, mapping.build_id, sizeof(ev.build_id));
	return dump_put(sub, &ev, sizeof(ev), mapping.path, mapping.path_bytes);
}

static int dump_memory(struct kymo_sub *sub, struct dump_out *out, struct mm_struct *mm, char buffer[PATH_MAX])
{
	VMA_ITERATOR(at, mm, out->cursor[1]);
	struct vm_area_struct *vma;
	int err = 0;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	for_each_vma(at, vma) {
		if (!(vma->vm_flags & VM_EXEC) || dump_put_mapping(sub, out->cursor[0], vma, buffer))
			continue;
		out->cursor[1] = vma->vm_start;
		err = DUMP_FULL;
		break;
	}
	mmap_read_unlock(mm);
	return err;
}

/* cursor: the process; the address to go on from. */
int dump_mappings(struct dump_out *out)
{
	struct kymo_sub *sub = kymo_session_sub(out->session, &kymo_type_lttng_statedump_vm_map);
	struct mm_struct *mm;
	u64 tgid;
	char *buffer;
	int err = 0;

	if (!sub)
		return 0;
	buffer = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buffer)
		return -ENOMEM;
	while (!err) {
		tgid = out->cursor[0];
		mm = dump_next_mm(&tgid);
		if (!mm)
			break;
		if (tgid != out->cursor[0])
			out->cursor[1] = 0;
		out->cursor[0] = tgid;
		err = dump_memory(sub, out, mm, buffer);
		mmput(mm);
		if (!err) {
			out->cursor[0]++;
			out->cursor[1] = 0;
		}
	}
	kfree(buffer);
	return err;
}
