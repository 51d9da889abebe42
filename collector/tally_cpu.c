// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each CPU's time, twice. Charged: whole, to the task that was on it, interrupts included, as the scheduler does it;
 * what comes between two switches is decided by the second of them. Clocked: what the CPU did, with interrupts apart,
 * by what was known at each moment.
 */
#include "tally_internal.h"

static uint64_t tally_inside(const struct tally *t, uint64_t ns)
{
	return t->stop_ns && ns > t->stop_ns ? t->stop_ns : ns;
}

/* ---- charged ---- */

/* ns may be less than nothing: it is taken back. NULL: nobody knows to whom. */
static void tally_give(struct tally *t, struct task *task, uint64_t ns)
{
	if (!task)
		t->totals.unclear_ns += ns;
	else if (task->tid)
		t->totals.busy_ns += ns;
	else
		t->totals.idle_ns += ns;
	if (task)
		tally_task_add(t, task, TASK_CPU_NS, ns);
}

/* The time from since_ns to now_ns is the task's as far as is known. */
static void tally_give_ahead(struct tally *t, struct tally_cpu *c, struct task *task, uint64_t now_ns)
{
	const uint64_t ns = now_ns > c->since_ns ? now_ns - c->since_ns : 0;

	if (c->ahead_ns && c->ahead != task) {
		tally_give(t, c->ahead, -c->ahead_ns);
		c->ahead_ns = 0;
	}
	tally_give(t, task, ns - c->ahead_ns);
	c->ahead = task;
	c->ahead_ns = ns;
}

/* It is the task's for good. */
void tally_charge(struct tally *t, struct tally_cpu *c, struct task *task, uint64_t now_ns)
{
	now_ns = tally_inside(t, now_ns);
	tally_give_ahead(t, c, task, now_ns);
	c->ahead = NULL;
	c->ahead_ns = 0;
	c->since_ns = now_ns > c->since_ns ? now_ns : c->since_ns;
}

/* Switches were lost: nobody knows when the one became the other. */
void tally_lose_track(struct tally *t, struct tally_cpu *c)
{
	if (!c->current)
		return;
	c->current->on_cpu = false;
	tally_unqueue(t, c->current);
	c->current = NULL;
}

void tally_task_off_cpus(struct tally *t, struct task *task)
{
	/* All: in a damaged trace it may be on several. */
	for (uint32_t i = 0; i < t->seen_count; i++) {
		struct tally_cpu *c = t->seen[i];

		if (c->ahead == task && c->ahead_ns) {
			tally_give(t, task, -c->ahead_ns);
			tally_give(t, NULL, c->ahead_ns);
			c->ahead = NULL;
		}
		if (c->other == task)
			c->other = NULL;
		if (c->current == task) {
			tally_clock(t, c, t->now_ns, t->now_ns);
			c->current = NULL;
		}
	}
}

/*
 * Two samples in a row of a task that no switch has brought here: that switch was not seen (some kernels hide those of
 * some tasks). Up to the first of the two the time is nobody's. One alone says nothing: between the event of a switch and
 * the switch itself the one before is sampled.
 */
void tally_on_cpu(struct tally *t, struct tally_cpu *c, struct task *task, uint64_t now_ns)
{
	if (!c->current || c->current == task) {
		c->other = NULL;
		return;
	}
	if (c->other != task) {
		c->other = task;
		c->other_ns = now_ns;
		return;
	}
	tally_clock(t, c, now_ns, now_ns);
	tally_lose_track(t, c);
	tally_charge(t, c, NULL, c->other_ns);
	t->totals.unclear_waits += task->queued_ns && task->tid;
	tally_unqueue(t, task);
	task->on_cpu = true;
	c->current = task;
	c->other = NULL;
}

/* ---- clocked ---- */

static bool tally_is_busy(enum tally_cpu_column column)
{
	return column == CPU_TASK_NS || column == CPU_IRQ_NS || column == CPU_SOFTIRQ_NS;
}

static void tally_clock_add(struct tally *t, struct tally_cpu *c, enum tally_cpu_column column, uint64_t ns)
{
	table_add(t->table[TALLY_CPUS], c->row, column, ns);
	if (tally_is_busy(column))
		table_add(t->table[TALLY_CPUS], c->row, CPU_BUSY_NS, ns);
}

static enum tally_cpu_column tally_cpu_does(const struct tally_cpu *c)
{
	if (c->depth)
		return c->irq[c->depth - 1].soft ? CPU_SOFTIRQ_NS : CPU_IRQ_NS;
	if (!c->begun)
		return c->early;
	if (!c->current)
		return CPU_UNCLEAR_NS;
	return c->current->tid ? CPU_TASK_NS : CPU_IDLE_NS;
}

void tally_clock(struct tally *t, struct tally_cpu *c, uint64_t begin_ns, uint64_t now_ns)
{
	enum tally_cpu_column column;
	uint64_t ns;

	now_ns = tally_inside(t, now_ns);
	if (!c->clocked) {
		c->clocked = true;
		c->early = CPU_UNCLEAR_NS;
		c->clock_ns = begin_ns && begin_ns < now_ns ? begin_ns : now_ns;
		if (c->clock_ns < t->start_ns)
			c->clock_ns = t->start_ns;
	}
	if (now_ns <= c->clock_ns)
		return;
	ns = now_ns - c->clock_ns;
	c->clock_ns = now_ns;
	column = tally_cpu_does(c);
	tally_clock_add(t, c, column, ns);
	if (!c->begun && !c->depth)
		c->early_ns += ns;
}

/* Now it is known, or supposed, what the CPU did before its first switch. */
static void tally_early(struct tally *t, struct tally_cpu *c, enum tally_cpu_column column)
{
	if (c->early == column)
		return;
	tally_clock_add(t, c, c->early, -c->early_ns);
	tally_clock_add(t, c, column, c->early_ns);
	c->early = column;
}

/* ---- begin and end ---- */

static void tally_cpu_since(struct tally *t, struct tally_cpu *c, uint64_t begin_ns)
{
	c->begin_ns = c->since_ns = begin_ns < t->start_ns ? t->start_ns : begin_ns;
}

void tally_cpu_begins(struct tally *t, struct tally_cpu *c, struct task *task, uint64_t begin_ns)
{
	tally_early(t, c, task->tid ? CPU_TASK_NS : CPU_IDLE_NS);
	tally_cpu_since(t, c, begin_ns);
	c->begun = true;
	c->current = task;
}

void tally_window(struct tally *t, uint64_t start_ns, uint64_t stop_ns)
{
	t->start_ns = start_ns;
	t->stop_ns = stop_ns;
}

void tally_advance(struct tally *t, unsigned int stream, uint32_t cpu, uint64_t gaps, uint64_t begin_ns, uint64_t now_ns)
{
	struct tally_cpu *c = tally_cpu(t, cpu);

	if (!c || !t->totals.switches)
		return;
	tally_clock(t, c, begin_ns, now_ns);
	if (!c->begun) {
		/* Nothing was switched yet: most likely it idles. */
		tally_early(t, c, CPU_IDLE_NS);
		tally_cpu_since(t, c, begin_ns);
		tally_give_ahead(t, c, task_get(t->tasks, 0, 0, NULL), tally_inside(t, now_ns));
	} else if (c->stream == stream) {
		tally_give_ahead(t, c, c->gaps == gaps ? c->current : NULL, tally_inside(t, now_ns));
	}
}

void tally_stream_end(struct tally *t, unsigned int stream, uint32_t cpu, uint64_t gaps)
{
	struct tally_cpu *c = tally_cpu(t, cpu);

	if (c && c->begun && c->stream == stream && c->gaps != gaps)
		tally_lose_track(t, c);
}

/* A CPU on which nothing was switched in all the time was idle. */
void tally_cpu_end(struct tally *t, uint32_t cpu, uint64_t begin_ns, uint64_t end_ns)
{
	struct tally_cpu *c = tally_cpu(t, cpu);

	if (!c || c->ended || !t->totals.switches)
		return;
	tally_clock(t, c, begin_ns, end_ns);
	if (!c->begun)
		tally_cpu_begins(t, c, task_get(t->tasks, 0, 0, NULL), begin_ns);
	tally_charge(t, c, c->current, end_ns);
	c->ended = true;
	t->totals.cpus++;
	t->totals.cpu_window_ns += c->since_ns - c->begin_ns;
}

/* ---- run queues ---- */

void tally_runnable_clock(struct tally *t, uint64_t now_ns)
{
	now_ns = tally_inside(t, now_ns);
	if (now_ns <= t->runnable_since_ns)
		return;
	if (t->runnable_since_ns)
		t->totals.runnable_ns += t->runnable * (now_ns - t->runnable_since_ns);
	t->runnable_since_ns = now_ns;
}

static void tally_queued_on(struct tally *t, uint32_t cpu, int more)
{
	struct tally_cpu *c = tally_cpu(t, cpu);

	if (c)
		c->runnable += (uint32_t)more;
}

void tally_queue(struct tally *t, struct task *task, uint32_t cpu, uint64_t since_ns)
{
	if (task->tid <= 0)
		return;
	tally_unqueue(t, task);
	tally_runnable_clock(t, t->now_ns);
	task->queued_ns = since_ns;
	task->queued_cpu = cpu;
	tally_queued_on(t, cpu, 1);
	t->runnable++;
}

void tally_unqueue(struct tally *t, struct task *task)
{
	if (!task->queued_ns)
		return;
	tally_runnable_clock(t, t->now_ns);
	task->queued_ns = 0;
	tally_queued_on(t, task->queued_cpu, -1);
	t->runnable--;
}
