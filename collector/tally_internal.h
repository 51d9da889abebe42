/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of tally share: tally.c (types, dispatch), tally_task.c (rows and names), tally_cpu.c (each CPU's
 * time), tally_sched.c, tally_net.c, tally_irq.c. Nobody else sees it.
 */
#ifndef KYMO_TALLY_INTERNAL_H
#define KYMO_TALLY_INTERNAL_H

#include "builtin.h"
#include "symbol/names.h"
#include "symbol/spaces.h"
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
	struct table_row *row;
	/* Who is on it. */
	bool begun, ended;
	struct task *current;		/* NULL: lost track */
	uint64_t begin_ns, since_ns;
	unsigned int stream;		/* its switches' */
	uint64_t gaps;			/* in that stream up to the last switch */
	uint64_t noted_gaps;		/* up to its last event of the scheduler */
	struct task *other;		/* sampled since the last switch, which brought somebody else; when */
	uint64_t other_ns;
	/* Counted ahead of since_ns, and to whom; NULL: to nobody. */
	uint64_t ahead_ns;
	struct task *ahead;
	/* What it does: up to clock_ns counted in TALLY_CPUS. Before the first switch nobody knows who is interrupted. */
	bool clocked;
	uint64_t clock_ns;
	uint64_t early_ns;		/* before it, outside of interrupts; counted in the column early */
	enum tally_cpu_column early;
	uint32_t runnable;
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
	struct machine *machine;	/* NULL: nobody has kept who was there */
	uint64_t gap_ns;		/* the last moment at which a CPU's switches went on after a loss */
	struct tally_cpu **cpu;		/* by number; NULL: not seen */
	uint32_t cpus;			/* allocated */
	struct tally_cpu **seen;	/* those that there are: not more than streams, whatever their numbers */
	uint32_t seen_count;
	uint64_t serial;
	uint64_t start_ns, stop_ns;	/* CPU time outside is nobody's; 0: no such limit */
	uint64_t now_ns;		/* of the event */
	uint64_t runnable_since_ns;	/* up to when totals.runnable_ns is counted */
	unsigned int runnable;
	int32_t own_pid;		/* 0: none */
	bool finished;
	struct table_row *type_row[1 << 16];
	/* Samples. */
	struct names *names;
	struct spaces *spaces;
	struct function_set *functions;
	struct tally_held *held, **held_last;	/* samples whose functions are not known yet, in order */
	size_t held_bytes;
	uint64_t settled;		/* how often */
	uint64_t sample;		/* the number of the one that is being counted */
};

struct tally_cpu *tally_cpu(struct tally *t, uint32_t cpu); /* NULL: no memory, or a number that cannot be; stays where it is */

/* To the rows of a task and of its process. */
void tally_task_add(struct tally *t, struct task *task, enum tally_task_column column, uint64_t value);
void tally_task_names(struct tally *t);	/* every task gets its rows, with the names as of now */

/* A CPU's time. Clock: up to now_ns it did what it was known to do; to be told before that changes. */
void tally_clock(struct tally *t, struct tally_cpu *c, uint64_t begin_ns, uint64_t now_ns);
void tally_charge(struct tally *t, struct tally_cpu *c, struct task *task, uint64_t now_ns);
void tally_cpu_begins(struct tally *t, struct tally_cpu *c, struct task *task, uint64_t begin_ns);
void tally_task_off_cpus(struct tally *t, struct task *task); /* it goes */
void tally_lose_track(struct tally *t, struct tally_cpu *c);
void tally_on_cpu(struct tally *t, struct tally_cpu *c, struct task *task, uint64_t now_ns); /* a sample says so */

/* Run queues. */
void tally_queue(struct tally *t, struct task *task, uint32_t cpu, uint64_t since_ns);
void tally_unqueue(struct tally *t, struct task *task);
void tally_runnable_clock(struct tally *t, uint64_t now_ns);

struct table_row *tally_process_row(struct tally *t, struct process *p);

/* True: the event was theirs. */
bool tally_sched_event(struct tally *t, uint16_t id, const struct event *e, uint64_t stream_begin_ns);
bool tally_net_event(struct tally *t, uint16_t id, const struct event *e);
bool tally_irq_event(struct tally *t, uint16_t id, const struct event *e, uint64_t stream_begin_ns);

/* Mappings and samples; others look at what these two say of tasks, too. */
void tally_sample_event(struct tally *t, uint16_t id, const struct event *e);
void tally_sample_fini(struct tally *t);

/* Hooks of task_set. */
void tally_process_moved(void *context, struct process *from, struct process *to);
void tally_process_gone(void *context, struct process *p);
void tally_task_gone(void *context, struct task *task);
bool tally_task_recall(void *context, int32_t tid, struct task_known *known);

#endif
