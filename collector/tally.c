// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts events into tables: the tables themselves, event types and losses, and who gets which event. */
#include <stdlib.h>
#include <string.h>

#include "tally_internal.h"

enum {
	TALLY_CPUS_MAX = 65536,
	TALLY_TASKS_MAX = 1 << 18,
};

static const struct table_spec tally_specs[TALLY_TABLES] = {
	[TALLY_PROCESSES] = { sizeof(struct tally_process_key), sizeof(struct tally_name), TASK_COLUMNS,
			      { [TASK_WAIT_NS] = TABLE_HISTOGRAM }, 16384 },
	[TALLY_THREADS] = { sizeof(struct tally_thread_key), sizeof(struct tally_name), TASK_COLUMNS, { TABLE_SUM }, 65536 },
	[TALLY_FLOWS] = { sizeof(struct tally_flow_key), sizeof(struct tally_flow), FLOW_COLUMNS, { TABLE_SUM }, 65536 },
	[TALLY_INTERFACES] = { sizeof(struct tally_interface_key), 16, INTERFACE_COLUMNS, { TABLE_SUM }, 4096 },
	[TALLY_DROPS] = { sizeof(struct tally_drop_key), sizeof(struct tally_drop), DROP_COLUMNS, { TABLE_SUM }, 4096 },
	[TALLY_INTERRUPTS] = { sizeof(struct tally_interrupt_key), 0, INTERRUPT_COLUMNS,
			       { [INTERRUPT_NS] = TABLE_HISTOGRAM, [INTERRUPT_DELAY_NS] = TABLE_HISTOGRAM }, 4096 },
	[TALLY_TYPES] = { sizeof(struct tally_type_key), sizeof(struct tally_type), TYPE_COLUMNS, { TABLE_SUM }, 65536 },
};

struct tally *tally_create(void)
{
	struct tally *t = calloc(1, sizeof(*t));
	bool whole;

	if (!t)
		return NULL;
	t->builtin = builtin_create();
	t->tasks = task_set_create(TALLY_TASKS_MAX, &(struct task_hooks){ t, tally_process_moved, tally_process_gone,
		tally_task_gone });
	whole = t->builtin && t->tasks;
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
	builtin_destroy(t->builtin);
	free(t->cpu);
	free(t);
}

struct tally_cpu *tally_cpu(struct tally *t, uint32_t cpu)
{
	if (cpu >= t->cpus) {
		void *grown = cpu < TALLY_CPUS_MAX ? realloc(t->cpu, (cpu + 1) * sizeof(*t->cpu)) : NULL;

		if (!grown)
			return NULL;
		t->cpu = grown;
		memset(t->cpu + t->cpus, 0, (cpu + 1 - t->cpus) * sizeof(*t->cpu));
		t->cpus = cpu + 1;
	}
	return &t->cpu[cpu];
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

void tally_event(struct tally *t, const struct event *e, uint64_t stream_begin_ns)
{
	const uint16_t id = builtin_id(t->builtin, e->type);
	struct table_row *row = t->type_row[e->type->id];

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
	if (id == KYMO_ID_kymo_loss)
		tally_loss(t, e);
	else if (id)
		(void)(tally_sched_event(t, id, e, stream_begin_ns) || tally_irq_event(t, id, e) || tally_net_event(t, id, e));
}

void tally_finish(struct tally *t)
{
	/* Whoever is still there gets its last name into its rows. */
	task_set_destroy(t->tasks);
	t->tasks = NULL;
}

struct table *tally_table(struct tally *t, enum tally_table which)
{
	return t->table[which];
}

const struct tally_totals *tally_totals(const struct tally *t)
{
	return &t->totals;
}
