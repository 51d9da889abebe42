// SPDX-License-Identifier: GPL-2.0-or-later
/* A machine as text: those that are there first, then the last that went, as far as there is room. */
#include "machine_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) ((entry)->refused = true)
#include <uthash.h>

const char *const machine_file_heads[MACHINE_FILES] = { "kymo-tasks 1\n", "kymo-mappings 1\n", "kymo-modules 1\n" };

/* A process and its tasks, as visited. */
struct machine_group {
	const struct machine_process *process;
	size_t first;			/* of the tasks */
	unsigned int tasks;
};

/* Objects in the order in which they were written. */
struct machine_numbered {
	const struct machine_object *object;
	unsigned int number;
	UT_hash_handle hh;
	bool refused;
};

struct machine_writer {
	FILE *to[MACHINE_FILES];
	size_t most[MACHINE_FILES];	/* bytes of each */
	struct machine_group *group;
	size_t groups, group_capacity;
	const struct machine_task **task;
	size_t tasks, task_capacity;
	struct machine_numbered *numbered;
	uint64_t left_out[MACHINE_FILES];
	int err;
};

/* One more element; false: no memory, which is noted. */
static bool machine_grow(struct machine_writer *w, void *array, size_t count, size_t *capacity, size_t bytes)
{
	void **at = array, *more;

	if (count < *capacity)
		return true;
	more = realloc(*at, (*capacity * 2 + 64) * bytes);
	if (!more) {
		w->err = -ENOMEM;
		return false;
	}
	*at = more;
	*capacity = *capacity * 2 + 64;
	return true;
}

static void machine_put_text(FILE *to, const char *text, size_t most)
{
	if (!most || !*text)
		fputc('-', to);
	for (size_t i = 0; i < most && text[i]; i++) {
		const unsigned char c = (unsigned char)text[i];

		/* A "-" alone would be the empty text. */
		if (c <= ' ' || c >= 0x7f || c == '\\' || (c == '-' && !i && (most == 1 || !text[1])))
			fprintf(to, "\\%03o", c);
		else
			fputc(c, to);
	}
	fputc('\n', to);
}

static void machine_put_id(FILE *to, const uint8_t *id, unsigned int bytes)
{
	if (!bytes)
		fputc('-', to);
	for (unsigned int i = 0; i < bytes; i++)
		fprintf(to, "%02x", id[i]);
	fputc(' ', to);
}

/* Room for a line more of this file; the end keeps room for "left-out". */
static bool machine_room(struct machine_writer *w, enum machine_file which, size_t bytes)
{
	if ((size_t)ftell(w->to[which]) + bytes + 64 <= w->most[which])
		return true;
	w->left_out[which]++;
	return false;
}

static void machine_write_tasks(struct machine_writer *w, const struct machine_group *g)
{
	const struct machine_process *p = g->process;
	FILE *to = w->to[MACHINE_FILE_TASKS];

	if (!machine_room(w, MACHINE_FILE_TASKS, 256))
		return;
	fprintf(to, "process %d %" PRIu64 " %" PRIu64 " %d %d %" PRIu64 " ", p->pid, p->start_ns, p->until_ns, p->ppid, p->kernel,
		p->cgroup_id);
	machine_put_text(to, p->comm, sizeof(p->comm));
	for (unsigned int i = 0; i < g->tasks; i++) {
		const struct machine_task *t = w->task[g->first + i];

		if (!machine_room(w, MACHINE_FILE_TASKS, 160))
			continue;
		fprintf(to, "thread %d %" PRIu64 " %" PRIu64 " ", t->tid, t->start_ns, t->until_ns);
		machine_put_text(to, t->comm, sizeof(t->comm));
	}
}

/* Its number; written when it is new. */
static unsigned int machine_write_object(struct machine_writer *w, const struct machine_object *o)
{
	FILE *to = w->to[MACHINE_FILE_MAPPINGS];
	struct machine_numbered *n;

	HASH_FIND_PTR(w->numbered, &o, n);
	if (n)
		return n->number;
	n = calloc(1, sizeof(*n));
	if (!n) {
		w->err = -ENOMEM;
		return 0;
	}
	n->object = o;
	n->number = HASH_COUNT(w->numbered);
	HASH_ADD_PTR(w->numbered, object, n);
	if (n->refused) {
		free(n);
		w->err = -ENOMEM;
		return 0;
	}
	fprintf(to, "object %" PRIu64 " %x:%x ", o->inode, o->dev >> 20, o->dev & 0xfffff);
	machine_put_id(to, o->build_id, o->build_id_bytes);
	machine_put_text(to, o->path, MACHINE_PATH);
	return n->number;
}

static void machine_write_mappings(struct machine_writer *w, const struct machine_group *g)
{
	const struct machine_process *p = g->process;
	FILE *to = w->to[MACHINE_FILE_MAPPINGS];
	bool begun = false;

	for (unsigned int i = 0; i < p->mappings && !w->err; i++) {
		const struct machine_mapping *a = &p->mapping[i];
		unsigned int object;

		if (!machine_room(w, MACHINE_FILE_MAPPINGS, 4 * MACHINE_PATH + 512))
			continue;
		object = machine_write_object(w, a->object);
		if (!begun)
			fprintf(to, "process %d %" PRIu64 "\n", p->pid, p->start_ns);
		begun = true;
		fprintf(to, "map %" PRIu64 " %" PRIu64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %u\n", a->from_ns, a->until_ns,
			a->start, a->end - a->start, a->offset, object);
	}
}

static void machine_write_module(void *context, const struct machine_module *module)
{
	struct machine_writer *w = context;
	FILE *to = w->to[MACHINE_FILE_MODULES];

	if (!machine_room(w, MACHINE_FILE_MODULES, 4 * MACHINE_MODULE_NAME + 256))
		return;
	fprintf(to, "module %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 " ", module->base, module->bytes, module->from_ns,
		module->until_ns);
	machine_put_id(to, module->build_id, module->build_id_bytes);
	machine_put_text(to, module->name, sizeof(module->name));
}

static void machine_note_process(void *context, const struct machine_process *p)
{
	struct machine_writer *w = context;

	if (machine_grow(w, &w->group, w->groups, &w->group_capacity, sizeof(*w->group)))
		w->group[w->groups++] = (struct machine_group){ .process = p, .first = w->tasks };
}

static void machine_note_task(void *context, const struct machine_task *t)
{
	struct machine_writer *w = context;

	if (!w->err && machine_grow(w, &w->task, w->tasks, &w->task_capacity, sizeof(*w->task))) {
		w->task[w->tasks++] = t;
		w->group[w->groups - 1].tasks++;
	}
}

/* Those that are there first, then who went last. */
static int machine_younger(const void *left, const void *right)
{
	const struct machine_process *a = ((const struct machine_group *)left)->process;
	const struct machine_process *b = ((const struct machine_group *)right)->process;
	const uint64_t x = a->until_ns ? a->until_ns : UINT64_MAX, y = b->until_ns ? b->until_ns : UINT64_MAX;

	if (x != y)
		return x > y ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static int machine_by_tid(const void *left, const void *right)
{
	const struct machine_task *a = *(const struct machine_task *const *)left, *b = *(const struct machine_task *const *)right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static void machine_write_all(struct machine_writer *w, struct machine *m, size_t most_bytes)
{
	const struct machine_visit visit = { w, machine_note_process, machine_note_task, machine_write_module };

	/* Modules are few; of the rest mappings need most. */
	w->most[MACHINE_FILE_MODULES] = most_bytes / 8;
	w->most[MACHINE_FILE_TASKS] = most_bytes / 4;
	w->most[MACHINE_FILE_MAPPINGS] = most_bytes - most_bytes / 8 - most_bytes / 4;
	for (int i = 0; i < MACHINE_FILES; i++)
		fputs(machine_file_heads[i], w->to[i]);
	machine_each(m, &visit);
	if (w->groups)
		qsort(w->group, w->groups, sizeof(*w->group), machine_younger);
	for (size_t i = 0; i < w->groups && !w->err; i++) {
		if (w->group[i].tasks)
			qsort(w->task + w->group[i].first, w->group[i].tasks, sizeof(*w->task), machine_by_tid);
		machine_write_tasks(w, &w->group[i]);
		machine_write_mappings(w, &w->group[i]);
	}
	for (int i = 0; i < MACHINE_FILES; i++)
		if (w->left_out[i])
			fprintf(w->to[i], "left-out %" PRIu64 "\n", w->left_out[i]);
}

int machine_write(struct machine *m, size_t most_bytes, struct machine_texts *out)
{
	struct machine_writer w = {};
	struct machine_numbered *n, *next;

	*out = (struct machine_texts){};
	for (int i = 0; i < MACHINE_FILES; i++) {
		w.to[i] = open_memstream(&out->text[i], &out->bytes[i]);
		if (!w.to[i])
			w.err = -ENOMEM;
	}
	if (!w.err)
		machine_write_all(&w, m, most_bytes);
	for (int i = 0; i < MACHINE_FILES; i++) {
		if (w.to[i] && fclose(w.to[i]))
			w.err = -ENOMEM;
		out->left_out += w.left_out[i];
	}
	HASH_ITER(hh, w.numbered, n, next) {
		HASH_DELETE(hh, w.numbered, n);
		free(n);
	}
	free(w.group);
	free(w.task);
	if (w.err)
		machine_texts_fini(out);
	return w.err;
}

void machine_texts_fini(struct machine_texts *t)
{
	for (int i = 0; i < MACHINE_FILES; i++) {
		free(t->text[i]);
		t->text[i] = NULL;
	}
}
