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

static void tally_switched_out(struct tally *t, struct tally_cpu *c, struct task *prev, int64_t state, const struct event *e)
{
	prev->on_cpu = false;
	tally_unqueue(t, prev);
	if (state == 0 || state & TALLY_STATE_PREEMPTED)
		tally_queue(t, prev, e->cpu, e->time_ns);
	prev->queued_by_waking = false;
	tally_task_add(t, prev, TASK_SWITCHES, 1);
	table_add(t->table[TALLY_CPUS], c->row, CPU_SWITCHES, 1);
	t->totals.switches++;
}

static void tally_switched_in(struct tally *t, struct tally_cpu *c, struct task *next, uint64_t now_ns)
{
	/* It may have run meanwhile where switches were lost. */
	if (next->queued_ns && next->tid && next->queued_ns < t->gap_ns) {
		t->totals.unclear_waits++;
	} else if (next->queued_ns) {
		tally_task_add(t, next, TASK_WAIT_NS, now_ns - next->queued_ns);
		table_add(t->table[TALLY_CPUS], c->row, CPU_WAIT_NS, now_ns - next->queued_ns);
	}
	tally_unqueue(t, next);
	next->on_cpu = true;
}

static void tally_switch(struct tally *t, const struct event *e, uint64_t begin_ns)
{
	const struct kymo_ev_sched_switch *ev = (const void *)e->data;
	struct task *prev = task_get(t->tasks, ev->prev_tid, 0, ev->prev_comm);
	struct task *next = task_get(t->tasks, ev->next_tid, 0, ev->next_comm);
	struct tally_cpu *c = tally_cpu(t, e->cpu);

	if (!c)
		return;
	tally_clock(t, c, begin_ns, e->time_ns);
	c->depth = 0;	/* nobody switches inside an interrupt: the exits of those that are left were lost */
	if (!c->begun) {
		tally_cpu_begins(t, c, prev, begin_ns && begin_ns <= e->time_ns ? begin_ns : e->time_ns);
		c->noted_gaps = e->gaps;
	}
	/* The same task before and behind a gap says nothing about who ran in it. */
	if (c->current != prev || c->gaps != e->gaps)
		tally_lose_track(t, c);
	c->stream = e->stream;
	c->gaps = e->gaps;
	c->other = NULL;
	tally_charge(t, c, c->current, e->time_ns);
	tally_switched_out(t, c, prev, ev->prev_state, e);
	tally_switched_in(t, c, next, e->time_ns);
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
		tally_queue(t, task, (uint32_t)ev->target_cpu, e->time_ns);
	task->queued_by_waking = !queued;
}

/* Another run queue; it goes on waiting. */
static void tally_migrated(struct tally *t, const struct event *e)
{
	const struct kymo_ev_sched_migrate_task *ev = (const void *)e->data;
	struct task *task = task_get(t->tasks, ev->tid, 0, ev->comm);

	if (task->queued_ns)
		tally_queue(t, task, (uint32_t)ev->dest_cpu, task->queued_ns);
}

static void tally_forked(struct tally *t, const struct event *e)
{
	const struct kymo_ev_sched_process_fork *ev = (const void *)e->data;
	struct task *parent = task_get(t->tasks, ev->parent_tid, ev->parent_pid, ev->parent_comm);
	const bool thread = ev->clone_flags & TALLY_CLONE_THREAD;

	tally_task_add(t, parent, thread ? TASK_THREADS : TASK_FORKS, 1);
	*(thread ? &t->totals.threads_made : &t->totals.forks) += 1;
	task_event(t->tasks, KYMO_ID_sched_process_fork, e);
}

static void tally_sampled(struct tally *t, const struct event *e)
{
	const struct kymo_ev_cpu_sample *ev = (const void *)e->data;
	struct task *task = task_get(t->tasks, ev->tid, ev->pid, ev->comm);
	struct tally_cpu *c = tally_cpu(t, e->cpu);

	tally_task_add(t, task, TASK_SAMPLES, 1);
	t->totals.samples++;
	if (c)
		tally_on_cpu(t, c, task, e->time_ns);
	if (c && !c->depth)
		table_add(t->table[TALLY_CPUS], c->row, ev->flags & KYMO_SAMPLE_USER ? CPU_USER_SAMPLED : CPU_KERNEL_SAMPLED,
			  ev->period);
}

/* The first event of a CPU's scheduler after a loss. */
static void tally_note_gap(struct tally *t, const struct event *e)
{
	struct tally_cpu *c = tally_cpu(t, e->cpu);

	if (!c || !c->begun || c->stream != e->stream || c->noted_gaps == e->gaps)
		return;
	c->noted_gaps = e->gaps;
	t->gap_ns = e->time_ns;
}

bool tally_sched_event(struct tally *t, uint16_t id, const struct event *e, uint64_t stream_begin_ns)
{
	tally_note_gap(t, e);
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
	case KYMO_ID_sched_migrate_task:
		tally_migrated(t, e);
		return true;
	case KYMO_ID_cpu_sample:
		tally_sampled(t, e);
		return true;
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
