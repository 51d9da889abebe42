// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who was there and what was mapped where. task says who is who at this time; here is what remains of it: a record for
 * each process and thread, chained by number, and what processes mapped. A record outlives its task until there is no
 * room for more of the dead.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

#include "machine_internal.h"

enum {
	MACHINE_DEAD_MAX = 1 << 16,	/* remembered */
	MACHINE_TASKS_MAX = 1 << 18,	/* alive at a time, or in a file */
	MACHINE_RECORDS_MAX = MACHINE_TASKS_MAX + MACHINE_DEAD_MAX,
	MACHINE_MODULES_MAX = 4096,
};

/* ---- numbers ---- */

static struct machine_number *machine_number(struct machine_number *const *head, int32_t number)
{
	struct machine_number *n;

	HASH_FIND(hh, *head, &number, sizeof(number), n);
	return n;
}

static struct machine_number *machine_number_get(struct machine_number **head, int32_t number)
{
	struct machine_number *n = machine_number(head, number);

	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->number = number;
	HASH_ADD(hh, *head, number, sizeof(number), n);
	if (!n->refused)
		return n;
	free(n);
	return NULL;
}

/* A record that is the last of its number takes the number with it. */
static void machine_number_put(struct machine_number **head, struct machine_number *n)
{
	if (n->newest)
		return;
	HASH_DELETE(hh, *head, n);
	free(n);
}

/* ---- processes ---- */

/* What task has learned meanwhile. */
static void machine_refresh(struct machine_record *r)
{
	const struct process *p = r->live;

	if (!p)
		return;
	r->known.ppid = p->ppid;
	r->known.start_ns = p->start_ns;
	r->known.cgroup_id = p->cgroup_id;
	r->known.kernel = p->kernel;
	memcpy(r->known.comm, p->comm, sizeof(r->known.comm));
}

static struct machine_record *machine_record_make(struct machine *m, int32_t pid)
{
	struct machine_number *n = m->records < MACHINE_RECORDS_MAX ? machine_number_get(&m->pids, pid) : NULL;
	struct machine_record *r = n ? calloc(1, sizeof(*r)) : NULL;

	if (!r) {
		if (n)
			machine_number_put(&m->pids, n);
		m->forgotten++;
		return NULL;
	}
	r->known.pid = pid;
	r->older = n->newest;
	n->newest = r;
	m->records++;
	return r;
}

struct machine_record *machine_record(struct machine *m, struct process *p)
{
	struct machine_record *r = p->row;

	if (!r && p->pid >= 0) {
		r = machine_record_make(m, p->pid);
		if (r)
			r->live = p;
		p->row = r;
	}
	return r;
}

static void machine_record_free(struct machine *m, struct machine_record *r)
{
	m->records--;
	m->mappings -= r->known.mappings;
	free(r->known.mapping);
	free(r);
}

/* Nobody asks for it any more: it has gone, and so have the records of its threads. */
static void machine_record_forget(struct machine *m, struct machine_record *r)
{
	struct machine_number *n = machine_number(&m->pids, r->known.pid);
	struct machine_record *at = n->newest;

	if (at == r)
		n->newest = r->older;
	for (; at != r; at = at->older)
		if (at->older == r) {
			at->older = r->older;
			break;
		}
	machine_number_put(&m->pids, n);
	machine_record_free(m, r);
}

/* ---- threads ---- */

static void machine_refresh_task(struct machine_record_task *t)
{
	if (!t->live)
		return;
	t->known.start_ns = t->live->start_ns;
	memcpy(t->known.comm, t->live->comm, sizeof(t->known.comm));
}

static struct machine_record_task *machine_task_make(struct machine *m, int32_t tid, struct machine_record *process)
{
	struct machine_number *n = m->record_tasks < MACHINE_RECORDS_MAX ? machine_number_get(&m->tids, tid) : NULL;
	struct machine_record_task *t = n ? calloc(1, sizeof(*t)) : NULL;

	if (!t) {
		if (n)
			machine_number_put(&m->tids, n);
		m->forgotten++;
		return NULL;
	}
	t->known.tid = tid;
	t->known.process = &process->known;
	t->next_of_process = process->tasks;
	process->tasks = t;
	t->older = n->newest;
	n->newest = t;
	m->record_tasks++;
	return t;
}

static void machine_task_forget(struct machine *m, struct machine_record_task *t)
{
	struct machine_record *r = (struct machine_record *)t->known.process;
	struct machine_number *n = machine_number(&m->tids, t->known.tid);
	struct machine_record_task **at = &r->tasks, *newer = n->newest;

	while (*at != t)
		at = &(*at)->next_of_process;
	*at = t->next_of_process;
	if (newer == t)
		n->newest = t->older;
	for (; newer != t; newer = newer->older)
		if (newer->older == t) {
			newer->older = t->older;
			break;
		}
	machine_number_put(&m->tids, n);
	m->record_tasks--;
	free(t);
	if (!r->tasks && !r->live)
		machine_record_forget(m, r);
}

/* It has gone; of those the longest dead is forgotten when there are too many. */
static void machine_task_died(struct machine *m, struct machine_record_task *t)
{
	machine_refresh_task(t);
	t->known.until_ns = m->now_ns;
	t->live = NULL;
	*m->last_dead = t;
	m->last_dead = &t->next_dead;
	if (++m->dead <= MACHINE_DEAD_MAX)
		return;
	t = m->first_dead;
	m->first_dead = t->next_dead;
	m->dead--;
	m->forgotten++;
	machine_task_forget(m, t);
}

void machine_follow(struct machine *m, struct task *task)
{
	struct machine_record_task *t;
	struct machine_record *process;

	if (!task || task == task_overflow(m->set))
		return;
	process = machine_record(m, task->process);
	t = task->row;
	if (t && (t->known.tid != task->tid || t->known.process != (struct machine_process *)process)) {
		t->live = NULL;	/* its name is the new program's by now */
		machine_task_died(m, t);
		t = NULL;
	}
	if (!t && process) {
		t = machine_task_make(m, task->tid, process);
		if (t)
			t->live = task;
	}
	task->row = t;
	if (t)
		machine_refresh_task(t);
}

static void machine_task_gone(void *context, struct task *task)
{
	if (task->row)
		machine_task_died(context, task->row);
	task->row = NULL;
}

static void machine_process_gone(void *context, struct process *p)
{
	struct machine *m = context;
	struct machine_record *r = p->row;

	if (!r)
		return;
	machine_refresh(r);
	r->known.until_ns = m->now_ns;
	r->live = NULL;
	if (!r->tasks)
		machine_record_forget(m, r);
}

/* Only who names tasks without their process makes guesses. */
static void machine_process_moved(void *context, struct process *from, struct process *to)
{
	(void)context;
	(void)from;
	(void)to;
}

/* ---- modules ---- */

bool machine_add_module(struct machine *m, const struct machine_module *module)
{
	void *more;

	for (unsigned int i = 0; i < m->modules; i++)
		if (m->module[i].base == module->base && !m->module[i].until_ns && !module->until_ns)
			return true;
	more = m->modules < MACHINE_MODULES_MAX ? realloc(m->module, (m->modules + 1) * sizeof(*m->module)) : NULL;
	if (!more) {
		m->forgotten++;
		return false;
	}
	m->module = more;
	m->module[m->modules++] = *module;
	return true;
}

static void machine_module_came(struct machine *m, const char *name, uint64_t base, uint64_t bytes, uint64_t from_ns)
{
	struct machine_module module = { .base = base, .bytes = bytes, .from_ns = from_ns };

	memcpy(module.name, name, strnlen(name, sizeof(module.name) - 1));
	machine_add_module(m, &module);
}

static void machine_module_went(struct machine *m, const char *name)
{
	for (unsigned int i = 0; i < m->modules; i++)
		if (!m->module[i].until_ns && !strncmp(m->module[i].name, name, sizeof(m->module[i].name) - 1))
			m->module[i].until_ns = m->now_ns;
}

void machine_identify_module(struct machine *m, const char *name, const uint8_t *build_id, unsigned int bytes)
{
	for (unsigned int i = 0; i < m->modules; i++) {
		struct machine_module *module = &m->module[i];

		if (module->until_ns || strcmp(module->name, name) || bytes > sizeof(module->build_id))
			continue;
		memcpy(module->build_id, build_id, bytes);
		module->build_id_bytes = (uint8_t)bytes;
	}
}

/* ---- events ---- */

static void machine_forked(struct machine *m, const struct kymo_ev_sched_process_fork *ev)
{
	struct task *parent = task_find(m->set, ev->parent_tid), *child = task_find(m->set, ev->child_tid);

	machine_follow(m, parent);
	machine_follow(m, child);
	if (parent && child && ev->child_tid == ev->child_pid)
		machine_inherit(m, parent, child);
}

static void machine_execed(struct machine *m, int32_t tid)
{
	struct task *t = task_find(m->set, tid);

	machine_follow(m, t);
	if (t && t->process->row)
		machine_replaced(m, t->process->row);
}

static void machine_renamed(struct machine *m, int32_t tid)
{
	struct task *t = task_find(m->set, tid);

	machine_follow(m, t);
	if (t && t->process->row)
		((struct machine_record *)t->process->row)->renamed_ns = m->now_ns;
}

void machine_event(struct machine *m, uint16_t id, const struct event *e)
{
	const void *data = e->data;

	m->now_ns = e->time_ns;
	task_event(m->set, id, e);
	switch (id) {
	case KYMO_ID_sched_process_fork:
		machine_forked(m, data);
		break;
	case KYMO_ID_sched_process_exec:
		machine_execed(m, ((const struct kymo_ev_sched_process_exec *)data)->tid);
		break;
	case KYMO_ID_sched_process_exit:
		machine_follow(m, task_find(m->set, ((const struct kymo_ev_sched_process_exit *)data)->tid));
		break;
	case KYMO_ID_task_rename:
		machine_renamed(m, ((const struct kymo_ev_task_rename *)data)->tid);
		break;
	case KYMO_ID_lttng_statedump_process_state:
		machine_follow(m, task_find(m->set, ((const struct kymo_ev_lttng_statedump_process_state *)data)->tid));
		break;
	case KYMO_ID_task_mmap:
		machine_mapped(m, data);
		break;
	case KYMO_ID_lttng_statedump_vm_map:
		machine_dumped_mapping(m, data);
		break;
	case KYMO_ID_lttng_statedump_module: {
		const struct kymo_ev_lttng_statedump_module *ev = data;

		machine_module_came(m, (const char *)(ev + 1), ev->base, ev->bytes, 0);
		break;
	}
	case KYMO_ID_module_load: {
		const struct kymo_ev_module_load *ev = data;

		machine_module_came(m, (const char *)(ev + 1), ev->base, ev->bytes, m->now_ns);
		break;
	}
	case KYMO_ID_module_free:
		machine_module_went(m, data);
		break;
	}
}

/* ---- questions ---- */

static bool machine_at(uint64_t from_ns, uint64_t until_ns, uint64_t at_ns)
{
	return from_ns <= at_ns && (!until_ns || at_ns <= until_ns);
}

/* Of several that fit (the beginning of one is not known) the youngest. */
const struct machine_task *machine_task(struct machine *m, int32_t tid, uint64_t at_ns)
{
	const struct machine_number *n = machine_number(&m->tids, tid);
	struct machine_record_task *found = NULL;

	for (struct machine_record_task *t = n ? n->newest : NULL; t; t = t->older) {
		machine_refresh_task(t);
		if (machine_at(t->known.start_ns, t->known.until_ns, at_ns) &&
		    (!found || t->known.start_ns > found->known.start_ns))
			found = t;
	}
	if (found)
		machine_refresh((struct machine_record *)found->known.process);
	return found ? &found->known : NULL;
}

static struct machine_record *machine_record_at(struct machine *m, int32_t pid, uint64_t at_ns)
{
	const struct machine_number *n = machine_number(&m->pids, pid);
	struct machine_record *found = NULL;

	for (struct machine_record *r = n ? n->newest : NULL; r; r = r->older) {
		machine_refresh(r);
		if (machine_at(r->known.start_ns, r->known.until_ns, at_ns) &&
		    (!found || r->known.start_ns > found->known.start_ns))
			found = r;
	}
	return found;
}

const struct machine_process *machine_process(struct machine *m, int32_t pid, uint64_t at_ns)
{
	const struct machine_record *r = machine_record_at(m, pid, at_ns);

	return r ? &r->known : NULL;
}

const struct machine_module *machine_module(const struct machine *m, uint64_t address, uint64_t at_ns)
{
	for (unsigned int i = 0; i < m->modules; i++) {
		const struct machine_module *a = &m->module[i];

		if (address >= a->base && address - a->base < a->bytes && machine_at(a->from_ns, a->until_ns, at_ns))
			return a;
	}
	return NULL;
}

void machine_each(struct machine *m, const struct machine_visit *visit)
{
	struct machine_number *n, *next;

	HASH_ITER(hh, m->pids, n, next)
		for (struct machine_record *r = n->newest; r; r = r->older) {
			machine_refresh(r);
			if (visit->process)
				visit->process(visit->context, &r->known);
			for (struct machine_record_task *t = r->tasks; t && visit->task; t = t->next_of_process) {
				machine_refresh_task(t);
				visit->task(visit->context, &t->known);
			}
		}
	for (unsigned int i = 0; i < m->modules && visit->module; i++)
		visit->module(visit->context, &m->module[i]);
}

uint64_t machine_forgotten(const struct machine *m)
{
	return m->forgotten;
}

/* ---- from a file ---- */

struct machine_process *machine_add_process(struct machine *m, const struct machine_process *p)
{
	const struct machine_number *n = machine_number(&m->pids, p->pid);
	struct machine_record *r;

	for (r = n ? n->newest : NULL; r; r = r->older)
		if (r->known.start_ns == p->start_ns)
			return &r->known;
	r = machine_record_make(m, p->pid);
	if (!r)
		return NULL;
	r->known = *p;
	r->known.mapping = NULL;
	r->known.mappings = 0;
	return &r->known;
}

bool machine_add_task(struct machine *m, const struct machine_task *task)
{
	struct machine_record_task *t = machine_task_make(m, task->tid, (struct machine_record *)task->process);

	if (t)
		t->known = *task;
	return t;
}

/* ---- the whole ---- */

struct machine *machine_create(void)
{
	struct machine *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->last_dead = &m->first_dead;
	m->set = task_set_create(MACHINE_TASKS_MAX, &(struct task_hooks){ m, machine_process_moved, machine_process_gone,
		machine_task_gone, NULL });
	if (m->set)
		return m;
	free(m);
	return NULL;
}

void machine_destroy(struct machine *m)
{
	struct machine_number *n, *next;

	if (!m)
		return;
	task_set_destroy(m->set);
	HASH_ITER(hh, m->tids, n, next) {
		for (struct machine_record_task *t = n->newest, *older; t; t = older) {
			older = t->older;
			free(t);
		}
		HASH_DELETE(hh, m->tids, n);
		free(n);
	}
	HASH_ITER(hh, m->pids, n, next) {
		for (struct machine_record *r = n->newest, *older; r; r = older) {
			older = r->older;
			machine_record_free(m, r);
		}
		HASH_DELETE(hh, m->pids, n);
		free(n);
	}
	machine_objects_free(m);
	free(m->module);
	free(m);
}
