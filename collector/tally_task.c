// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of tasks and their names: a task has a row from its first count on, or when everybody's name is asked for. */
#include <string.h>

#include "tally_internal.h"

static void tally_name(struct table_row *row, const struct process *p, const char comm[TASK_COMM], uint64_t start_ns)
{
	struct tally_name *label = table_label(row);

	*label = (struct tally_name){
		.pid = p->pid, .ppid = p->ppid, .start_ns = start_ns, .uid = p->uid, .kernel = p->kernel, .unknown = p->guessed,
	};
	memcpy(label->name, comm, TASK_COMM);
}

struct table_row *tally_process_row(struct tally *t, struct process *p)
{
	struct tally_process_key key = { .pid = p->pid, .start_ns = p->start_ns };

	if (p->row)
		return p->row;
	/* Of two with an unknown start the second is another process. */
	if (!p->start_ns)
		key.serial = ++t->serial;
	p->row = p->pid == -1 ? table_overflow(t->table[TALLY_PROCESSES]) : table_row(t->table[TALLY_PROCESSES], &key);
	if (!table_is_overflow(p->row))
		tally_name(p->row, p, p->comm, p->start_ns);
	return p->row;
}

static struct table_row *tally_thread_row(struct tally *t, struct task *task)
{
	struct tally_thread_key key = { .pid = task->process->pid, .tid = task->tid, .start_ns = task->start_ns };

	if (task->row)
		return task->row;
	if (!task->start_ns)
		key.serial = ++t->serial;
	task->row = task->tid == -1 ? table_overflow(t->table[TALLY_THREADS]) : table_row(t->table[TALLY_THREADS], &key);
	return task->row;
}

void tally_task_add(struct tally *t, struct task *task, enum tally_task_column column, uint64_t value)
{
	table_add(t->table[TALLY_THREADS], tally_thread_row(t, task), column, value);
	table_add(t->table[TALLY_PROCESSES], tally_process_row(t, task->process), column, value);
}

static void tally_task_name(void *context, struct task *task)
{
	struct tally *t = context;
	struct table_row *thread = tally_thread_row(t, task), *process = tally_process_row(t, task->process);

	if (!table_is_overflow(thread))
		tally_name(thread, task->process, task->comm, task->start_ns);
	if (!table_is_overflow(process))
		tally_name(process, task->process, task->process->comm, task->process->start_ns);
}

void tally_task_names(struct tally *t)
{
	task_each(t->tasks, tally_task_name, t);
}

/* ---- what becomes of tasks ---- */

void tally_process_moved(void *context, struct process *from, struct process *to)
{
	struct tally *t = context;

	if (!from->row)
		return;
	if (!to->row)
		tally_process_row(t, to);
	table_row_absorb(t->table[TALLY_PROCESSES], to->row, from->row);
	from->row = NULL;
}

/* Nobody will point to the row any more. Who is there at the end has not exited. */
static void tally_row_leaves(const struct tally *t, struct table_row *row)
{
	if (t->finished)
		return;
	((struct tally_name *)table_label(row))->exited = true;
	table_row_end(row);
}

void tally_process_gone(void *context, struct process *p)
{
	if (!p->row || table_is_overflow(p->row))
		return;
	tally_name(p->row, p, p->comm, p->start_ns);
	tally_row_leaves(context, p->row);
}

bool tally_task_recall(void *context, int32_t tid, struct task_known *known)
{
	struct tally *t = context;
	const struct machine_task *task = t->machine ? machine_task(t->machine, tid, t->now_ns) : NULL;

	if (!task)
		return false;
	*known = (struct task_known){ .pid = task->process->pid, .ppid = task->process->ppid, .start_ns = task->start_ns,
				      .process_start_ns = task->process->start_ns, .cgroup_id = task->process->cgroup_id,
				      .kernel = task->process->kernel };
	memcpy(known->comm, task->comm, sizeof(known->comm));
	memcpy(known->process_comm, task->process->comm, sizeof(known->process_comm));
	return true;
}

void tally_task_gone(void *context, struct task *task)
{
	struct tally *t = context;

	tally_task_off_cpus(t, task);
	tally_unqueue(t, task);
	t->totals.unknown_tasks += task->process->guessed;
	if (!task->row || table_is_overflow(task->row))
		return;
	tally_name(task->row, task->process, task->comm, task->start_ns);
	tally_row_leaves(t, task->row);
}
