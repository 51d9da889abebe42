// SPDX-License-Identifier: GPL-2.0-or-later
/* The threads and processes of a machine. */
#include "task.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) ((entry)->refused = true)
#include <uthash.h>

enum {
	TASK_CLONE_PARENT = 0x8000,	/* of the kernel's clone flags */
	TASK_KTHREADD = 2,		/* the pid that all kernel threads come from */
	TASK_STATEDUMP_KERNEL = 1,	/* lttng_statedump_process_state.type */
	TASK_GHOSTS_PART = 64,		/* of all tasks: a recording without their ends must not keep all that ever lived */
};

struct process_entry {
	struct process process;		/* first */
	UT_hash_handle hh;		/* by pid */
	bool refused, hashed;
};

struct task_entry {
	struct task task;		/* first */
	UT_hash_handle hh;		/* by tid */
	bool refused;
};

struct task_set {
	struct task_hooks hooks;
	struct task_entry *tasks;
	struct process_entry *processes;
	struct task_entry *overflow;	/* in neither hash; nor is its process */
	unsigned int tasks_max, ghosts;	/* ghosts: dead, and nobody knows whose thread they were */
};

/* ---- processes ---- */

static struct process *process_find(const struct task_set *s, int32_t pid)
{
	struct process_entry *p;

	HASH_FIND(hh, s->processes, &pid, sizeof(pid), p);
	return p ? &p->process : NULL;
}

/* The overflow's process if there is no memory. */
static struct process *process_get(struct task_set *s, int32_t pid)
{
	struct process *known = process_find(s, pid);
	struct process_entry *p;

	if (known)
		return known;
	p = calloc(1, sizeof(*p));
	if (!p)
		return s->overflow->task.process;
	p->process.pid = pid;
	p->process.uid = TASK_UID_UNKNOWN;
	HASH_ADD(hh, s->processes, process.pid, sizeof(pid), p);
	p->hashed = !p->refused;
	if (p->hashed)
		return &p->process;
	free(p);
	return s->overflow->task.process;
}

/* What comes of its pid is another from now on; threads that are left keep it. */
static void process_detach(struct task_set *s, struct process *process)
{
	struct process_entry *p = (struct process_entry *)process;

	if (p->hashed)
		HASH_DELETE(hh, s->processes, p);
	p->hashed = false;
}

static void process_put(struct task_set *s, struct process *p)
{
	if (p == s->overflow->task.process || --p->threads)
		return;
	s->hooks.process_gone(s->hooks.context, p);
	process_detach(s, p);
	free(p);
}

static void process_set_comm(struct process *p, const struct task *t)
{
	const bool leader = t->tid == p->pid;

	if (leader || !p->comm_of_leader) {
		memcpy(p->comm, t->comm, sizeof(p->comm));
		p->comm_of_leader = leader;
	}
}

/* ---- threads ---- */

static void task_set_comm(struct task *t, const char *comm)
{
	if (!comm || !t->tid || !memcmp(t->comm, comm, TASK_COMM))
		return;
	memcpy(t->comm, comm, TASK_COMM);
	process_set_comm(t->process, t);
}

/* The event names the thread group of a task that was known by its tid only, or confirms it. */
static void task_learn_process(struct task_set *s, struct task *t, int32_t pid)
{
	struct process *old = t->process, *process;

	if (t == &s->overflow->task)
		return;
	if (old->pid == pid) {
		old->guessed = false;
		return;
	}
	if (!old->guessed)
		return;
	process = process_get(s, pid);
	if (process == s->overflow->task.process)
		return;
	process->threads++;
	process->guessed = false;
	t->process = process;
	process_set_comm(process, t);
	if (old->threads == 1)
		s->hooks.process_moved(s->hooks.context, old, process);
	process_put(s, old);
}

struct task *task_find(const struct task_set *s, int32_t tid)
{
	struct task_entry *t;

	HASH_FIND(hh, s->tasks, &tid, sizeof(tid), t);
	return t ? &t->task : NULL;
}

static void task_remove(struct task_set *s, struct task *task)
{
	struct task_entry *t = (struct task_entry *)task;

	if (t == s->overflow)
		return;
	s->ghosts -= task->dead;
	s->hooks.task_gone(s->hooks.context, task);
	HASH_DELETE(hh, s->tasks, t);
	process_put(s, task->process);
	free(t);
}

/* Of a dead one the number is another's now. */
static struct task *task_alive(struct task_set *s, int32_t tid)
{
	struct task *t = task_find(s, tid);

	if (!t || !t->dead)
		return t;
	task_remove(s, t);
	return NULL;
}

static struct task *task_make(struct task_set *s, int32_t tid, int32_t pid)
{
	struct task_entry *t;
	struct process *p;

	t = HASH_COUNT(s->tasks) < s->tasks_max ? calloc(1, sizeof(*t)) : NULL;
	if (!t)
		return &s->overflow->task;
	t->task.tid = tid;
	HASH_ADD(hh, s->tasks, task.tid, sizeof(tid), t);
	if (t->refused) {
		free(t);
		return &s->overflow->task;
	}
	p = process_get(s, pid);
	t->task.process = p;
	if (p != s->overflow->task.process)
		p->threads++;
	return &t->task;
}

/* Its begin is not in the stream, but somebody has kept it. NULL: nobody has. */
static struct task *task_recall(struct task_set *s, int32_t tid, int32_t pid)
{
	struct task_known known;
	struct process *p;
	struct task *t;

	if (!tid || !s->hooks.task_recall || !s->hooks.task_recall(s->hooks.context, tid, &known) || (pid && known.pid != pid))
		return NULL;
	t = task_make(s, tid, known.pid);
	p = t->process;
	if (t == &s->overflow->task || p == s->overflow->task.process)
		return t;
	t->start_ns = known.start_ns;
	memcpy(t->comm, known.comm, TASK_COMM);
	p->guessed = false;
	p->start_ns = known.process_start_ns;
	p->ppid = known.ppid;
	p->kernel = known.kernel;
	p->cgroup_id = known.cgroup_id;
	memcpy(p->comm, known.process_comm, TASK_COMM);
	p->comm_of_leader = true;
	return t;
}

struct task *task_get(struct task_set *s, int32_t tid, int32_t pid, const char *comm)
{
	struct task *t = task_alive(s, tid);
	const bool guess = !pid && tid;

	/* A thread never changes its process: with another pid it is another, and the end of the first was not told. */
	if (t && !guess && t->process->pid != pid && !t->process->guessed && t->process != s->overflow->task.process) {
		task_remove(s, t);
		t = NULL;
	}
	if (!t)
		t = task_recall(s, tid, pid);
	if (!t) {
		t = task_make(s, tid, guess ? tid : pid);
		if (t == &s->overflow->task)
			return t;
		if (t->process->threads == 1)
			t->process->guessed = guess;
		if (!tid)
			comm = "idle\0\0\0\0\0\0\0\0\0\0\0";
		memcpy(t->comm, comm ? comm : "?\0\0\0\0\0\0\0\0\0\0\0\0\0\0", TASK_COMM);
		process_set_comm(t->process, t);
		return t;
	}
	if (!guess)
		task_learn_process(s, t, pid);
	task_set_comm(t, comm);
	return t;
}

struct process *task_process(const struct task_set *s, int32_t pid)
{
	return process_find(s, pid);
}

struct task *task_overflow(struct task_set *s)
{
	return &s->overflow->task;
}

void task_dead(struct task_set *s, struct task *t)
{
	if (!t->tid || t->dead || t == &s->overflow->task)
		return;
	if (!t->process->guessed || s->ghosts >= s->tasks_max / TASK_GHOSTS_PART) {
		task_remove(s, t);
		return;
	}
	t->dead = true;
	s->ghosts++;
}

/* ---- events ---- */

static void task_forked(struct task_set *s, const struct kymo_ev_sched_process_fork *ev)
{
	struct task *parent = task_get(s, ev->parent_tid, ev->parent_pid, ev->parent_comm), *child = task_alive(s, ev->child_tid);
	const bool thread = ev->child_tid != ev->child_pid;
	/* Now: with the child's predecessor the parent may go. */
	const int32_t ppid = ev->clone_flags & TASK_CLONE_PARENT ? parent->process->ppid : ev->parent_pid;
	const bool kernel = parent->process->kernel || ev->parent_pid == TASK_KTHREADD;
	const uint32_t uid = parent->process->uid;
	struct process *p;

	/* The start dump may have seen the child before its fork was told. */
	if (child && child->start_ns != ev->child_start_ns) {
		task_remove(s, child);
		child = NULL;
	}
	/* A process of this number whose end was not seen. */
	p = thread ? NULL : process_find(s, ev->child_pid);
	if (p && p->start_ns != ev->child_start_ns)
		process_detach(s, p);
	if (!child)
		child = task_make(s, ev->child_tid, ev->child_pid);
	if (child == &s->overflow->task)
		return;
	child->start_ns = ev->child_start_ns;
	memcpy(child->comm, ev->child_comm, TASK_COMM);
	p = child->process;
	process_set_comm(p, child);
	p->guessed = false;
	if (thread)
		return;
	p->start_ns = ev->child_start_ns;
	p->cgroup_id = ev->cgroup_id;
	p->ppid = ppid;
	p->kernel = kernel;
	p->uid = uid;
}

/* Of several threads the one that calls exec takes over the leader's tid; the old leader has gone by then. */
static void task_execed(struct task_set *s, const struct kymo_ev_sched_process_exec *ev)
{
	struct task *t = task_alive(s, ev->old_tid), *leader;

	if (t && ev->old_tid != ev->tid) {
		struct task_entry *entry = (struct task_entry *)t;

		leader = task_find(s, ev->tid);
		HASH_DELETE(hh, s->tasks, entry);
		t->tid = ev->tid;
		if (leader)
			task_remove(s, leader);
		t->start_ns = t->process->start_ns;
		HASH_ADD(hh, s->tasks, task.tid, sizeof(t->tid), entry);
	}
	t = task_get(s, ev->tid, ev->tid, ev->comm);
	t->process->kernel = false;
}

static void task_dumped(struct task_set *s, const struct kymo_ev_lttng_statedump_process_state *ev)
{
	struct task *t = task_find(s, ev->tid);
	struct process *p;

	/* The stream knows better: this tid has been given to a younger one since. */
	if (t && t->start_ns && ev->start_ns && t->start_ns != ev->start_ns)
		return;
	if (!t)
		t = task_make(s, ev->tid, ev->pid);
	if (t == &s->overflow->task)
		return;
	task_learn_process(s, t, ev->pid);
	t->start_ns = ev->start_ns;
	p = t->process;
	p->kernel = ev->type == TASK_STATEDUMP_KERNEL;
	p->cgroup_id = ev->cgroup_id;
	p->ppid = ev->ppid;
	p->uid = ev->uid;
	if (t->tid == p->pid)
		p->start_ns = ev->start_ns;
	if (!t->comm[0] || t->comm[0] == '?')
		memcpy(t->comm, ev->name, TASK_COMM);
	process_set_comm(p, t);
}

static void task_freed(struct task_set *s, const struct kymo_ev_sched_process_free *ev)
{
	struct task *t = task_find(s, ev->tid);

	if (!t || t->on_cpu || !t->tid)
		return;
	task_learn_process(s, t, ev->pid);
	task_remove(s, t);
}

void task_event(struct task_set *s, uint16_t id, const struct event *e)
{
	switch (id) {
	case KYMO_ID_sched_process_fork:
		task_forked(s, (const void *)e->data);
		break;
	case KYMO_ID_sched_process_exec:
		task_execed(s, (const void *)e->data);
		break;
	case KYMO_ID_sched_process_exit: {
		const struct kymo_ev_sched_process_exit *ev = (const void *)e->data;

		task_get(s, ev->tid, ev->pid, ev->comm);
		break;
	}
	case KYMO_ID_sched_process_free:
		task_freed(s, (const void *)e->data);
		break;
	case KYMO_ID_task_rename: {
		const struct kymo_ev_task_rename *ev = (const void *)e->data;

		task_get(s, ev->tid, ev->pid, ev->newcomm);
		break;
	}
	case KYMO_ID_lttng_statedump_process_state:
		task_dumped(s, (const void *)e->data);
		break;
	}
}

/* ---- the set ---- */

struct task_set *task_set_create(unsigned int tasks_max, const struct task_hooks *hooks)
{
	struct task_set *s = calloc(1, sizeof(*s));
	struct process_entry *p = calloc(1, sizeof(*p));

	if (s)
		s->overflow = calloc(1, sizeof(*s->overflow));
	if (!s || !p || !s->overflow) {
		free(p);
		if (s)
			free(s->overflow);
		free(s);
		return NULL;
	}
	s->hooks = *hooks;
	s->tasks_max = tasks_max;
	s->overflow->task.tid = p->process.pid = -1;
	s->overflow->task.process = &p->process;
	memcpy(p->process.comm, "(others)", 9);
	memcpy(s->overflow->task.comm, "(others)", 9);
	return s;
}

void task_set_destroy(struct task_set *s)
{
	struct task_entry *t, *next;

	if (!s)
		return;
	HASH_ITER(hh, s->tasks, t, next)
		task_remove(s, &t->task);
	s->hooks.task_gone(s->hooks.context, &s->overflow->task);
	s->hooks.process_gone(s->hooks.context, s->overflow->task.process);
	free(s->overflow->task.process);
	free(s->overflow);
	free(s);
}

unsigned int task_count(const struct task_set *s)
{
	return HASH_COUNT(s->tasks);
}

unsigned int task_process_count(const struct task_set *s)
{
	return HASH_COUNT(s->processes);
}

void task_each(const struct task_set *s, void (*visit)(void *context, struct task *t), void *context)
{
	for (const struct task_entry *t = s->tasks; t; t = t->hh.next)
		visit(context, (struct task *)&t->task);
}
