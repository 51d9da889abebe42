/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is tid 4711: the threads and processes of a machine, from the start dump and from fork, exec, exit and rename
 * events; what only appears in other events is known by its tid until more is learned. A number may be used again:
 * a process is (pid, start time of its leader). Knows events, nothing of what is counted for whom.
 */
#ifndef KYMO_TASK_H
#define KYMO_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include "builtin.h"

enum { TASK_COMM = 16 };

#define TASK_UID_UNKNOWN UINT32_MAX

struct process {
	int32_t pid, ppid;		/* ppid 0: not known, or none */
	uint64_t start_ns;		/* 0: not known */
	char comm[TASK_COMM];		/* the leader's where known; not cleaned, not always terminated */
	bool kernel;			/* a kernel thread */
	bool guessed;			/* taken for granted from a thread's tid: it may turn out to be part of another */
	bool comm_of_leader;
	unsigned int threads;		/* that are there */
	uint64_t cgroup_id;
	uint32_t uid;			/* of who was there at the start, and so of his children; TASK_UID_UNKNOWN */
	void *row;			/* of who counts */
};

struct task {
	int32_t tid;
	uint64_t start_ns;		/* 0: not known */
	char comm[TASK_COMM];
	struct process *process;
	/* Of who counts. */
	void *row;
	uint64_t queued_ns;		/* since when it waits for a CPU; 0: it does not */
	uint32_t queued_cpu;		/* on whose run queue */
	bool queued_by_waking;		/* queued_ns is that of the attempt, not yet of the run queue */
	bool on_cpu;
	bool dead;			/* it has left its last CPU, and whose thread it was may still be told */
};

/* What is known of a task from elsewhere. */
struct task_known {
	int32_t pid, ppid;
	uint64_t start_ns, process_start_ns, cgroup_id;
	char comm[TASK_COMM], process_comm[TASK_COMM];
	bool kernel;
};

struct task_hooks {
	void *context;
	void (*process_moved)(void *context, struct process *from, struct process *to);	/* `from` was a guess and ends */
	void (*process_gone)(void *context, struct process *p);
	void (*task_gone)(void *context, struct task *t);
	/* A tid that nothing has been said of yet: true if somebody knows it all the same. May be NULL. */
	bool (*task_recall)(void *context, int32_t tid, struct task_known *known);
};

struct task_set;

/* At most tasks_max threads: more are all taken for one, task_overflow. NULL: no memory. */
struct task_set *task_set_create(unsigned int tasks_max, const struct task_hooks *hooks);
void task_set_destroy(struct task_set *s);	/* the hooks are called for all that is left */

/* What happened, if it is about tasks: id is builtin_id of the event. */
void task_event(struct task_set *s, uint16_t id, const struct event *e);

/* Never NULL. comm, pid: what the event says that named the task; NULL, 0: nothing. */
struct task *task_get(struct task_set *s, int32_t tid, int32_t pid, const char *comm);
struct task *task_find(const struct task_set *s, int32_t tid); /* NULL: not seen yet */
struct process *task_process(const struct task_set *s, int32_t pid); /* the one that has this number now; NULL */
struct task *task_overflow(struct task_set *s);

/*
 * It has left its last CPU: what comes after of this tid is another, but for the end of its process and the dump, which
 * say whose thread it was if nothing did before (it was past its exit when the recording began).
 */
void task_dead(struct task_set *s, struct task *t);

unsigned int task_count(const struct task_set *s);
unsigned int task_process_count(const struct task_set *s);

/* All of them, in no order; none may come or go meanwhile. */
void task_each(const struct task_set *s, void (*visit)(void *context, struct task *t), void *context);

#endif
