// SPDX-License-Identifier: GPL-2.0-or-later
/* What processes have mapped: mappings come with their events and the start dump, go with their program, and are inherited. */
#include <stdlib.h>
#include <string.h>

#include "machine_internal.h"

enum {
	MACHINE_OBJECTS_MAX = 1 << 16,
	MACHINE_MAPPINGS_MAX = 1 << 20,	/* of all processes */
	MACHINE_MAPPINGS_EACH = 1024,	/* of one */
};

const struct machine_object *machine_object(struct machine *m, const struct machine_object *object)
{
	const size_t path_bytes = strnlen(object->path, MACHINE_PATH - 1);
	char key[sizeof(object->inode) + sizeof(object->dev) + 1 + MACHINE_BUILD_ID + MACHINE_PATH] = {};
	const size_t fixed = sizeof(key) - MACHINE_PATH;
	struct machine_object_entry *e;

	memcpy(key, &object->inode, sizeof(object->inode));
	memcpy(key + 8, &object->dev, sizeof(object->dev));
	key[12] = (char)object->build_id_bytes;
	memcpy(key + 13, object->build_id, MACHINE_BUILD_ID);
	memcpy(key + fixed, object->path, path_bytes);
	HASH_FIND(hh, m->objects, key, fixed + path_bytes, e);
	if (e)
		return &e->object;
	e = HASH_COUNT(m->objects) < MACHINE_OBJECTS_MAX ? calloc(1, sizeof(*e) + fixed + path_bytes + 1) : NULL;
	if (!e)
		return NULL;
	e->object = *object;
	e->key_bytes = (unsigned int)(fixed + path_bytes);
	memcpy(e->key, key, fixed + path_bytes);
	e->object.path = e->key + fixed;
	HASH_ADD_KEYPTR(hh, m->objects, e->key, e->key_bytes, e);
	if (!e->refused)
		return &e->object;
	free(e);
	return NULL;
}

/* What lies whole under a younger mapping can be found for old moments only. */
static void machine_map_drop_covered(struct machine *m, struct machine_record *r)
{
	struct machine_mapping *a = r->known.mapping;
	unsigned int kept = 0;

	for (unsigned int i = 0; i < r->known.mappings; i++) {
		bool covered = a[i].until_ns;

		for (unsigned int j = i + 1; j < r->known.mappings && !covered; j++)
			covered = a[j].start <= a[i].start && a[j].end >= a[i].end;
		if (!covered)
			a[kept++] = a[i];
	}
	m->mappings -= r->known.mappings - kept;
	m->forgotten += r->known.mappings - kept;
	r->known.mappings = kept;
}

static bool machine_room_for_mapping(struct machine *m, struct machine_record *r)
{
	if (r->known.mappings == MACHINE_MAPPINGS_EACH)
		machine_map_drop_covered(m, r);
	if (r->known.mappings == MACHINE_MAPPINGS_EACH || m->mappings == MACHINE_MAPPINGS_MAX)
		return false;
	if (r->known.mappings == r->capacity) {
		const unsigned int capacity = r->capacity ? r->capacity * 2 : 8;
		void *more = realloc(r->known.mapping, capacity * sizeof(*r->known.mapping));

		if (!more)
			return false;
		r->known.mapping = more;
		r->capacity = capacity;
	}
	return true;
}

static bool machine_same_mapping(const struct machine_mapping *a, const struct machine_mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset && a->object == b->object && !a->until_ns;
}

static bool machine_map(struct machine *m, struct machine_record *r, const struct machine_mapping *mapping)
{
	unsigned int at;

	/* The dump and the event of the same. */
	for (unsigned int i = 0; i < r->known.mappings; i++)
		if (!mapping->until_ns && machine_same_mapping(&r->known.mapping[i], mapping))
			return true;
	if (!mapping->object || !machine_room_for_mapping(m, r)) {
		m->forgotten++;
		return false;
	}
	for (at = r->known.mappings; at && r->known.mapping[at - 1].from_ns > mapping->from_ns; at--)
		r->known.mapping[at] = r->known.mapping[at - 1];
	r->known.mapping[at] = *mapping;
	r->known.mappings++;
	m->mappings++;
	return true;
}

static struct machine_object machine_object_of(uint64_t inode, uint32_t dev, uint8_t bytes, const uint8_t *build_id,
					       const char *path)
{
	struct machine_object o = { .inode = inode, .dev = dev, .path = path };

	o.build_id_bytes = bytes < MACHINE_BUILD_ID ? bytes : MACHINE_BUILD_ID;
	memcpy(o.build_id, build_id, o.build_id_bytes);
	return o;
}

void machine_mapped(struct machine *m, const struct kymo_ev_task_mmap *ev)
{
	const struct machine_object object = machine_object_of(ev->inode, ev->dev, ev->build_id_bytes, ev->build_id,
							       (const char *)(ev + 1));
	struct task *t = task_get(m->set, ev->tid, ev->pid, NULL);

	machine_follow(m, t);
	if (t->process->row)
		machine_map(m, t->process->row, &(struct machine_mapping){ .start = ev->start, .end = ev->end, .offset = ev->offset,
			.from_ns = m->now_ns, .object = machine_object(m, &object) });
}

/* What was there before the recording, unless the program has begun in it. */
void machine_dumped_mapping(struct machine *m, const struct kymo_ev_lttng_statedump_vm_map *ev)
{
	const struct machine_object object = machine_object_of(ev->inode, ev->dev, ev->build_id_bytes, ev->build_id,
							       (const char *)(ev + 1));
	struct process *p = task_process(m->set, ev->pid);
	struct machine_record *r = p ? machine_record(m, p) : NULL;

	if (r)
		machine_map(m, r, &(struct machine_mapping){ .start = ev->start, .end = ev->end, .offset = ev->pgoff,
			.from_ns = r->execed_ns, .object = machine_object(m, &object) });
}

/* A new process has what its parent has. */
void machine_inherit(struct machine *m, const struct task *parent, const struct task *child)
{
	struct machine_record *from = parent->process->row, *to = child->process->row;

	if (!from || !to || from == to || to->known.mappings)
		return;
	to->execed_ns = m->now_ns;
	for (unsigned int i = 0; i < from->known.mappings; i++) {
		struct machine_mapping mapping = from->known.mapping[i];

		mapping.from_ns = m->now_ns;
		if (!mapping.until_ns)
			machine_map(m, to, &mapping);
	}
}

/* The new program's mappings come before its exec, and after its renaming, which is the last before the exec. */
void machine_replaced(struct machine *m, struct machine_record *r)
{
	for (unsigned int i = 0; i < r->known.mappings; i++)
		if (!r->known.mapping[i].until_ns && r->known.mapping[i].from_ns < r->renamed_ns)
			r->known.mapping[i].until_ns = r->renamed_ns;
	r->execed_ns = m->now_ns;
}

const struct machine_mapping *machine_mapping(const struct machine_process *p, uint64_t address, uint64_t at_ns)
{
	for (unsigned int i = p->mappings; i-- > 0;) {
		const struct machine_mapping *a = &p->mapping[i];

		if (address >= a->start && address < a->end && a->from_ns <= at_ns && (!a->until_ns || at_ns <= a->until_ns))
			return a;
	}
	return NULL;
}

bool machine_add_mapping(struct machine *m, struct machine_process *p, const struct machine_mapping *mapping)
{
	return machine_map(m, (struct machine_record *)p, mapping);
}

void machine_objects_free(struct machine *m)
{
	struct machine_object_entry *e, *next;

	HASH_ITER(hh, m->objects, e, next) {
		HASH_DELETE(hh, m->objects, e);
		free(e);
	}
}
