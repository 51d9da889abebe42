// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts events into tables: the tables themselves, event types and losses, and who gets which event. */
#include <stdlib.h>
#include <string.h>

#include "function_set.h"
#include "tally_internal.h"

enum {
	TALLY_CPUS_MAX = 65536,
	TALLY_TASKS_MAX = 1 << 18,
	TALLY_ENDED_TAKES = 3,		/* how long who has exited stays to be seen, in snapshots */
	TALLY_QUIET_TAKES = 60,		/* and a flow on which nothing moves */
	TALLY_FUNCTIONS_MAX = 1 << 16,
	TALLY_SPACES_MAX = 1 << 16,
};

static const struct table_spec tally_specs[TALLY_TABLES] = {
	[TALLY_PROCESSES] = { sizeof(struct tally_process_key), sizeof(struct tally_name), TASK_COLUMNS,
			      { [TASK_WAIT_NS] = TABLE_HISTOGRAM }, 16384 },
	[TALLY_THREADS] = { sizeof(struct tally_thread_key), sizeof(struct tally_name), TASK_COLUMNS, { TABLE_SUM }, 65536 },
	[TALLY_FLOWS] = { sizeof(struct tally_flow_key), sizeof(struct tally_flow), FLOW_COLUMNS, { TABLE_SUM }, 65536,
			  TALLY_QUIET_TAKES },
	[TALLY_INTERFACES] = { sizeof(struct tally_interface_key), 16, INTERFACE_COLUMNS, { TABLE_SUM }, 4096 },
	[TALLY_DROPS] = { sizeof(struct tally_drop_key), sizeof(struct tally_drop), DROP_COLUMNS, { TABLE_SUM }, 4096 },
	[TALLY_INTERRUPTS] = { sizeof(struct tally_interrupt_key), 0, INTERRUPT_COLUMNS,
			       { [INTERRUPT_NS] = TABLE_HISTOGRAM, [INTERRUPT_DELAY_NS] = TABLE_HISTOGRAM }, 4096 },
	[TALLY_CPUS] = { sizeof(struct tally_cpu_key), sizeof(struct tally_cpu_label), CPU_COLUMNS,
			 { [CPU_WAIT_NS] = TABLE_HISTOGRAM }, TALLY_CPUS_MAX },
	[TALLY_RINGS] = { sizeof(struct tally_ring_key), sizeof(struct tally_ring), RING_COLUMNS, { TABLE_SUM }, 65536 },
	[TALLY_TYPES] = { sizeof(struct tally_type_key), sizeof(struct tally_type), TYPE_COLUMNS, { TABLE_SUM }, 65536 },
	[TALLY_FUNCTIONS] = { sizeof(struct tally_function_key), sizeof(struct tally_function *), FUNCTION_COLUMNS, { TABLE_SUM },
			      TALLY_FUNCTIONS_MAX },
	[TALLY_PROCESS_FUNCTIONS] = { sizeof(struct tally_process_function_key), sizeof(struct tally_process_function),
				      FUNCTION_COLUMNS, { TABLE_SUM }, 65536, TALLY_QUIET_TAKES },
	[TALLY_CALLERS] = { sizeof(struct tally_caller_key), sizeof(struct tally_caller), CALLER_COLUMNS, { TABLE_SUM }, 65536,
			    TALLY_QUIET_TAKES },
};

struct tally *tally_create(void)
{
	struct tally *t = calloc(1, sizeof(*t));
	bool whole;

	if (!t)
		return NULL;
	t->builtin = builtin_create();
	t->tasks = task_set_create(TALLY_TASKS_MAX, &(struct task_hooks){ t, tally_process_moved, tally_process_gone,
		tally_task_gone, tally_task_recall });
	t->names = names_create();
	t->spaces = spaces_create(TALLY_SPACES_MAX);
	t->functions = function_set_create(TALLY_FUNCTIONS_MAX);
	t->held_last = &t->held;
	whole = t->builtin && t->tasks && t->names && t->spaces && t->functions;
	for (unsigned int i = 0; i < TALLY_TABLES; i++) {
		t->table[i] = table_create(&tally_specs[i]);
		whole = whole && t->table[i];
	}
	if (whole)
		return t;
	tally_destroy(t);
	return NULL;
}

void tally_destroy(struct tally *t)
{
	if (!t)
		return;
	task_set_destroy(t->tasks);
	for (unsigned int i = 0; i < TALLY_TABLES; i++)
		table_destroy(t->table[i]);
	tally_sample_fini(t);
	function_set_destroy(t->functions);
	names_destroy(t->names);
	spaces_destroy(t->spaces);
	builtin_destroy(t->builtin);
	for (uint32_t i = 0; i < t->cpus; i++)
		free(t->cpu[i]);
	free(t->cpu);
	free(t->seen);
	free(t);
}

static struct tally_cpu *tally_cpu_add(struct tally *t)
{
	struct tally_cpu *c = calloc(1, sizeof(*c));
	void *more = realloc(t->seen, (t->seen_count + 1) * sizeof(*t->seen));

	if (more)
		t->seen = more;
	if (!c || !more) {
		free(c);
		return NULL;
	}
	return t->seen[t->seen_count++] = c;
}

struct tally_cpu *tally_cpu(struct tally *t, uint32_t cpu)
{
	const struct tally_cpu_key key = { cpu };

	if (cpu >= t->cpus) {
		void *grown = cpu < TALLY_CPUS_MAX ? realloc(t->cpu, (cpu + 1) * sizeof(struct tally_cpu *)) : NULL;

		if (!grown)
			return NULL;
		t->cpu = grown;
		memset(t->cpu + t->cpus, 0, (cpu + 1 - t->cpus) * sizeof(struct tally_cpu *));
		t->cpus = cpu + 1;
	}
	if (!t->cpu[cpu]) {
		t->cpu[cpu] = tally_cpu_add(t);
		if (t->cpu[cpu])
			t->cpu[cpu]->row = table_row(t->table[TALLY_CPUS], &key);
	}
	return t->cpu[cpu];
}

static struct table_row *tally_type_row(struct tally *t, uint16_t id, const char *name)
{
	const struct tally_type_key key = { id };
	struct table_row **row = &t->type_row[id];

	if (*row)
		return *row;
	*row = table_row(t->table[TALLY_TYPES], &key);
	if (!table_is_overflow(*row))
		strncpy(((struct tally_type *)table_label(*row))->name, name, KYMO_NAME_BYTES - 1);
	return *row;
}

static void tally_loss(struct tally *t, const struct event *e)
{
	const struct kymo_ev_kymo_loss *ev = (const void *)e->data;
	struct table *types = t->table[TALLY_TYPES];
	struct table_row *row = tally_type_row(t, ev->type_id, (const char *)(ev + 1));

	if (ev->cause >= KYMO_LOSS_CAUSES)
		return;
	table_add(types, row, TYPE_LOST, ev->count);
	table_add(types, row, TYPE_LOST_CAUSE + ev->cause, ev->count);
	t->totals.lost[ev->cause] += ev->count;
}

/* On which CPU it happened, and whether on our account. */
static void tally_where(struct tally *t, const struct event *e)
{
	const struct tally_cpu *c = tally_cpu(t, e->cpu);

	if (!c)
		return;
	table_add(t->table[TALLY_CPUS], c->row, CPU_EVENTS, 1);
	if (t->own_pid && c->current && c->current->process->pid == t->own_pid)
		t->totals.own_events++;
}

void tally_event(struct tally *t, const struct event *e, uint64_t stream_begin_ns)
{
	const uint16_t id = builtin_id(t->builtin, e->type);
	struct table_row *row = t->type_row[e->type->id];

	t->now_ns = e->time_ns;
	if (!row) {
		row = tally_type_row(t, e->type->id, e->type->name);
		t->totals.foreign_types += builtin_differs(e->type);
	}
	table_add(t->table[TALLY_TYPES], row, TYPE_COUNT, 1);
	table_add(t->table[TALLY_TYPES], row, TYPE_BYTES, e->bytes + sizeof(struct kymo_record));
	if (!t->totals.events++)
		t->totals.first_ns = e->time_ns;
	t->totals.last_ns = e->time_ns;
	t->totals.bytes += e->bytes + sizeof(struct kymo_record);
	if (id == KYMO_ID_kymo_loss) {
		tally_loss(t, e);
		return;
	}
	tally_where(t, e);
	if (!id)
		return;
	tally_sample_event(t, id, e);
	(void)(tally_sched_event(t, id, e, stream_begin_ns) || tally_irq_event(t, id, e, stream_begin_ns) ||
	       tally_net_event(t, id, e));
}

void tally_ring(struct tally *t, const struct tally_ring_key *key, const struct tally_ring *ring,
		const uint64_t totals[RING_COLUMNS])
{
	struct table_row *row = table_row(t->table[TALLY_RINGS], key);

	if (table_is_overflow(row))
		return;
	*(struct tally_ring *)table_label(row) = *ring;
	for (unsigned int i = 0; i < RING_COLUMNS; i++)
		table_add(t->table[TALLY_RINGS], row, i, totals[i] - table_value(row, i));
}

void tally_own(struct tally *t, int32_t pid)
{
	t->own_pid = pid;
}

void tally_moment(struct tally *t, uint64_t now_ns)
{
	const unsigned int idle = task_find(t->tasks, 0) != NULL;

	tally_runnable_clock(t, now_ns);
	tally_task_names(t);
	t->totals.threads = task_count(t->tasks) - idle;
	t->totals.processes = task_process_count(t->tasks) - idle;
	t->totals.runnable = t->runnable;
	t->totals.running = 0;
	for (uint32_t i = 0; i < t->cpus; i++) {
		const struct tally_cpu *c = t->cpu[i];

		if (!c || table_is_overflow(c->row))
			continue;
		*(struct tally_cpu_label *)table_label(c->row) = (struct tally_cpu_label){
			.runnable = c->runnable, .tid = c->current ? c->current->tid : c->begun ? -1 : 0,
		};
		t->totals.running += c->current && c->current->tid > 0;
	}
}

void tally_age(struct tally *t)
{
	for (unsigned int i = 0; i < TALLY_TABLES; i++)
		table_age(t->table[i], TALLY_ENDED_TAKES);
}

void tally_machine(struct tally *t, struct machine *m)
{
	t->machine = m;
}

void tally_finish(struct tally *t)
{
	tally_settle(t, true);
	/* Whoever is still there gets its last name into its rows. */
	tally_moment(t, t->stop_ns ? t->stop_ns : t->totals.last_ns);
	t->finished = true;
	task_set_destroy(t->tasks);
	t->tasks = NULL;
}

struct names *tally_names(struct tally *t)
{
	return t->names;
}

struct spaces *tally_spaces(struct tally *t)
{
	return t->spaces;
}

struct table *tally_table(struct tally *t, enum tally_table which)
{
	return t->table[which];
}

const struct tally_totals *tally_totals(const struct tally *t)
{
	return &t->totals;
}
