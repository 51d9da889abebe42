/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of tally share: tally.c (types, dispatch), tally_sched.c, tally_net.c, tally_irq.c. Nobody else sees it. */
#ifndef KYMO_TALLY_INTERNAL_H
#define KYMO_TALLY_INTERNAL_H

#include "builtin.h"
#include "tally.h"
#include "task.h"

enum { TALLY_SOFTIRQS = 10, TALLY_IRQ_DEPTH = 16 };

/* An interrupt that has been entered and not left. */
struct tally_irq {
	bool soft;
	int32_t number;
	struct table_row *row;
	uint64_t entry_ns;
	uint64_t inner_ns;		/* of interrupts on top of it */
};

struct tally_cpu {
	/* Who is on it. */
	bool begun, ended;
	struct task *current;		/* NULL: lost track */
	uint64_t begin_ns, since_ns;
	unsigned int stream;		/* its switches' */
	uint64_t gaps;			/* in that stream up to the last switch */
	/* Interrupts, the innermost last. */
	unsigned int depth;
	struct tally_irq irq[TALLY_IRQ_DEPTH];
	uint64_t raised_ns[TALLY_SOFTIRQS];	/* 0: not raised */
};

struct tally {
	struct table *table[TALLY_TABLES];
	struct tally_totals totals;
	struct builtin *builtin;
	struct task_set *tasks;
	struct tally_cpu *cpu;
	uint32_t cpus;			/* allocated */
	uint64_t serial;
	uint64_t start_ns, stop_ns;	/* CPU time outside is nobody's; 0: no such limit */
	struct table_row *type_row[1 << 16];
};

struct tally_cpu *tally_cpu(struct tally *t, uint32_t cpu); /* NULL: no memory, or a number that cannot be */

/* To the rows of a task and of its process. */
void tally_task_add(struct tally *t, struct task *task, enum tally_task_column column, uint64_t value);

/* True: the event was theirs. */
bool tally_sched_event(struct tally *t, uint16_t id, const struct event *e, uint64_t stream_begin_ns);
bool tally_net_event(struct tally *t, uint16_t id, const struct event *e);
bool tally_irq_event(struct tally *t, uint16_t id, const struct event *e);

/* Hooks of task_set. */
void tally_process_moved(void *context, struct process *from, struct process *to);
void tally_process_gone(void *context, struct process *p);
void tally_task_gone(void *context, struct task *task);

#endif
