// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts for tasks: CPU time and run-queue wait from the scheduler's events, creations, samples. Waiting is what
 * /proc/PID/schedstat calls it: from the wake-up, or from being preempted, to the switch in.
 */
#include <string.h>

#include "tally_internal.h"

enum {
	TALLY_STATE_DEAD = 0x30,	/* EXIT_DEAD, EXIT_ZOMBIE in prev_state */
	TALLY_STATE_PREEMPTED = 0x100,
	TALLY_CLONE_THREAD = 0x10000,
};

/* ---- rows ---- */

static void tally_name(struct table_row *row, const struct process *p, const char comm[TASK_COMM], uint64_t start_ns)
{
	struct tally_name *label = table_label(row);

	*label = (struct tally_name){
		.pid = p->pid, .ppid = p->ppid, .start_ns = start_ns, .kernel = p->kernel, .unknown = p->guessed,
	};
	memcpy(label->name, comm, TASK_COMM);
}

static struct table_row *tally_process_row(struct tally *t, struct process *p)
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

void tally_process_gone(void *context, struct process *p)
{
	(void)context;
	if (p->row && !table_is_overflow(p->row))
		tally_name(p->row, p, p->comm, p->start_ns);
}

void tally_task_gone(void *context, struct task *task)
{
	struct tally *t = context;

	/* All: in a damaged trace it may be on several. */
	for (uint32_t i = 0; i < t->cpus; i++)
		if (t->cpu[i].current == task)
			t->cpu[i].current = NULL;
	t->totals.unknown_tasks += task->process->guessed;
	if (task->row && !table_is_overflow(task->row))
		tally_name(task->row, task->process, task->comm, task->start_ns);
}

/* ---- the scheduler ---- */

/* A CPU's time up to now_ns goes to the task that was on it. */
static void tally_charge(struct tally *t, struct tally_cpu *c, struct task *task, uint64_t now_ns)
{
	uint64_t ns;

	if (t->stop_ns && now_ns > t->stop_ns)
		now_ns = t->stop_ns;
	ns = now_ns > c->since_ns ? now_ns - c->since_ns : 0;
	if (!task)
		t->totals.unclear_ns += ns;
	else if (task->tid)
		t->totals.busy_ns += ns;
	else
		t->totals.idle_ns += ns;
	if (task)
		tally_task_add(t, task, TASK_CPU_NS, ns);
	c->since_ns = now_ns > c->since_ns ? now_ns : c->since_ns;
}

static void tally_switched_out(struct tally *t, struct task *prev, int64_t state, uint64_t now_ns)
{
	prev->on_cpu = false;
	prev->queued_ns = state == 0 || state & TALLY_STATE_PREEMPTED ? now_ns : 0;
	prev->queued_by_waking = false;
	tally_task_add(t, prev, TASK_SWITCHES, 1);
	t->totals.switches++;
}

static void tally_switched_in(struct tally *t, struct task *next, uint64_t now_ns)
{
	if (next->queued_ns && next->tid > 0)
		tally_task_add(t, next, TASK_WAIT_NS, now_ns - next->queued_ns);
	next->queued_ns = 0;
	next->on_cpu = true;
}

/* Switches were lost: nobody knows when the one became the other. */
static void tally_lose_track(struct tally_cpu *c)
{
	if (!c->current)
		return;
	c->current->on_cpu = false;
	c->current->queued_ns = 0;
	c->current = NULL;
}

static void tally_switch(struct tally *t, const struct event *e, uint64_t begin_ns)
{
	const struct kymo_ev_sched_switch *ev = (const void *)e->data;
	struct task *prev = task_get(t->tasks, ev->prev_tid, 0, ev->prev_comm);
	struct task *next = task_get(t->tasks, ev->next_tid, 0, ev->next_comm);
	struct tally_cpu *c = tally_cpu(t, e->cpu);

	if (!c)
		return;
	c->depth = 0;	/* nobody switches inside an interrupt: the exits of those that are left were lost */
	if (!c->begun) {
		c->begun = true;
		c->begin_ns = c->since_ns = begin_ns && begin_ns <= e->time_ns ? begin_ns : e->time_ns;
		if (c->begin_ns < t->start_ns)
			c->begin_ns = c->since_ns = t->start_ns;
		c->current = prev;
	}
	/* The same task before and behind a gap says nothing about who ran in it. */
	if (c->current != prev || c->gaps != e->gaps)
		tally_lose_track(c);
	c->stream = e->stream;
	c->gaps = e->gaps;
	tally_charge(t, c, c->current, e->time_ns);
	tally_switched_out(t, prev, ev->prev_state, e->time_ns);
	tally_switched_in(t, next, e->time_ns);
	c->current = next;
	/* With any other bit it sleeps or was preempted on its way out, and comes back. */
	if (ev->prev_state & TALLY_STATE_DEAD && !(ev->prev_state & ~(int64_t)TALLY_STATE_DEAD) && prev != next)
		task_dead(t->tasks, prev);
}

static void tally_woken(struct tally *t, const struct event *e, bool queued)
{
	const struct kymo_ev_sched_wakeup *ev = (const void *)e->data;
	struct task *task = task_get(t->tasks, ev->tid, 0, ev->comm);

	/* Still on its CPU: it only stays runnable. On the queue already: it has been waiting for longer. */
	if (task->on_cpu || (task->queued_ns && !task->queued_by_waking))
		return;
	if (!task->queued_ns || queued)
		task->queued_ns = e->time_ns;
	task->queued_by_waking = !queued;
}

static void tally_forked(struct tally *t, const struct event *e)
{
	const struct kymo_ev_sched_process_fork *ev = (const void *)e->data;
	struct task *parent = task_get(t->tasks, ev->parent_tid, ev->parent_pid, ev->parent_comm);

	tally_task_add(t, parent, ev->clone_flags & TALLY_CLONE_THREAD ? TASK_THREADS : TASK_FORKS, 1);
	task_event(t->tasks, KYMO_ID_sched_process_fork, e);
}

bool tally_sched_event(struct tally *t, uint16_t id, const struct event *e, uint64_t stream_begin_ns)
{
	switch (id) {
	case KYMO_ID_sched_switch:
		tally_switch(t, e, stream_begin_ns);
		return true;
	case KYMO_ID_sched_waking:
		tally_woken(t, e, false);
		return true;
	case KYMO_ID_sched_wakeup:
	case KYMO_ID_sched_wakeup_new:
		tally_woken(t, e, true);
		return true;
	case KYMO_ID_sched_process_fork:
		tally_forked(t, e);
		return true;
	case KYMO_ID_cpu_sample: {
		const struct kymo_ev_cpu_sample *ev = (const void *)e->data;

		tally_task_add(t, task_get(t->tasks, ev->tid, ev->pid, ev->comm), TASK_SAMPLES, 1);
		t->totals.samples++;
		return true;
	}
	case KYMO_ID_sched_process_exec:
	case KYMO_ID_sched_process_exit:
	case KYMO_ID_sched_process_free:
	case KYMO_ID_task_rename:
	case KYMO_ID_lttng_statedump_process_state:
		task_event(t->tasks, id, e);
		return true;
	}
	return false;
}

void tally_window(struct tally *t, uint64_t start_ns, uint64_t stop_ns)
{
	t->start_ns = start_ns;
	t->stop_ns = stop_ns;
}

void tally_stream_end(struct tally *t, unsigned int stream, uint32_t cpu, uint64_t gaps)
{
	struct tally_cpu *c = tally_cpu(t, cpu);

	if (c && c->begun && c->stream == stream && c->gaps != gaps)
		tally_lose_track(c);
}

/* A CPU on which nothing was switched in all the time was idle. */
void tally_cpu_end(struct tally *t, uint32_t cpu, uint64_t begin_ns, uint64_t end_ns)
{
	struct tally_cpu *c = tally_cpu(t, cpu);

	if (!c || c->ended || !t->totals.switches)
		return;
	if (!c->begun) {
		c->begun = true;
		c->begin_ns = c->since_ns = begin_ns;
		c->current = task_get(t->tasks, 0, 0, NULL);
	}
	tally_charge(t, c, c->current, end_ns);
	c->ended = true;
	t->totals.cpus++;
	t->totals.cpu_window_ns += c->since_ns - c->begin_ns;
}
