// SPDX-License-Identifier: GPL-2.0-or-later
/* Sorted arrays of mappings, shared between processes until one of them changes its own. */
#include "spaces.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) ((entry)->refused = true)
#include <uthash.h>

enum {
	SPACES_MAPS_MAX = 8192,		/* of a process: JITs map by the hundred */
	SPACES_DEAD = 1024,		/* processes that have exited and not been freed */
};

struct spaces_map {
	struct binary_map map;
	uint32_t serial;		/* of the process: the later the larger */
};

struct spaces_maps {
	unsigned int users, count, capacity;
	struct spaces_map map[];	/* by start; none overlaps another */
};

struct spaces_process {
	int32_t pid;
	bool refused, exited;
	struct spaces_maps *maps;	/* NULL: none */
	uint32_t serial, renamed;	/* of the next mapping; at the last renaming, 0: none since the last exec */
	uint64_t death;			/* its number, if exited */
	UT_hash_handle hh;
};

struct spaces {
	struct spaces_process *process;
	unsigned int max;
	int32_t dead[SPACES_DEAD];	/* by number of the death, the newest; the pid may have been used again since */
	uint64_t deaths;
	uint64_t refused;
};

struct spaces *spaces_create(unsigned int processes_max)
{
	struct spaces *s = calloc(1, sizeof(*s));

	if (s)
		s->max = processes_max;
	return s;
}

/* ---- mappings ---- */

static void spaces_maps_put(struct spaces_maps *maps)
{
	if (maps && !--maps->users)
		free(maps);
}

/* An array of its own with room for two more: a mapping in the middle of another leaves two parts of it. */
static struct spaces_maps *spaces_maps_own(struct spaces_process *p)
{
	struct spaces_maps *old = p->maps, *maps;
	const unsigned int count = old ? old->count : 0;
	const unsigned int capacity = count + count / 2 + 8;

	if (old && old->users == 1 && old->capacity >= count + 2)
		return old;
	maps = malloc(sizeof(*maps) + capacity * sizeof(maps->map[0]));
	if (!maps)
		return NULL;
	*maps = (struct spaces_maps){ .users = 1, .count = count, .capacity = capacity };
	if (count)
		memcpy(maps->map, old->map, count * sizeof(maps->map[0]));
	spaces_maps_put(old);
	p->maps = maps;
	return maps;
}

/* The first that ends above the address. */
static unsigned int spaces_maps_above(const struct spaces_maps *maps, uint64_t address)
{
	unsigned int low = 0, high = maps->count;

	while (low < high) {
		const unsigned int middle = (low + high) / 2;

		if (maps->map[middle].map.end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void spaces_maps_splice(struct spaces_maps *maps, unsigned int at, unsigned int old, const struct spaces_map *with,
			       unsigned int count)
{
	memmove(maps->map + at + count, maps->map + at + old, (maps->count - at - old) * sizeof(maps->map[0]));
	memcpy(maps->map + at, with, count * sizeof(maps->map[0]));
	maps->count += count - old;
}

static void spaces_maps_insert(struct spaces_maps *maps, const struct spaces_map *new)
{
	const uint64_t start = new->map.start, end = new->map.end;
	const unsigned int at = spaces_maps_above(maps, start);
	struct spaces_map part[3];
	unsigned int parts = 0, over = at;

	if (at < maps->count && maps->map[at].map.start < start) {
		part[parts] = maps->map[at];
		part[parts++].map.end = start;
	}
	part[parts++] = *new;
	while (over < maps->count && maps->map[over].map.start < end)
		over++;
	if (over > at && maps->map[over - 1].map.end > end) {
		part[parts] = maps->map[over - 1];
		part[parts].map.offset += end - part[parts].map.start;
		part[parts++].map.start = end;
	}
	spaces_maps_splice(maps, at, over - at, part, parts);
}

/* ---- processes ---- */

static struct spaces_process *spaces_process(const struct spaces *s, int32_t pid)
{
	struct spaces_process *p;

	HASH_FIND_INT(s->process, &pid, p);
	return p;
}

static void spaces_remove(struct spaces *s, struct spaces_process *p)
{
	HASH_DELETE(hh, s->process, p);
	spaces_maps_put(p->maps);
	free(p);
}

static struct spaces_process *spaces_make(struct spaces *s, int32_t pid)
{
	struct spaces_process *p = spaces_process(s, pid);

	if (p)
		return p;
	p = HASH_COUNT(s->process) < s->max ? calloc(1, sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	p->pid = pid;
	p->serial = 1;
	HASH_ADD_INT(s->process, pid, p);
	if (!p->refused)
		return p;
	free(p);
	return NULL;
}

void spaces_destroy(struct spaces *s)
{
	struct spaces_process *p, *next;

	if (!s)
		return;
	HASH_ITER(hh, s->process, p, next)
		spaces_remove(s, p);
	free(s);
}

void spaces_map(struct spaces *s, int32_t pid, const struct binary_map *map)
{
	struct spaces_process *p = map->start < map->end ? spaces_make(s, pid) : NULL;
	struct spaces_maps *maps = p && (!p->maps || p->maps->count < SPACES_MAPS_MAX) ? spaces_maps_own(p) : NULL;

	if (maps)
		spaces_maps_insert(maps, &(struct spaces_map){ *map, p->serial++ });
	else
		s->refused++;
}

void spaces_forked(struct spaces *s, int32_t parent, int32_t child)
{
	struct spaces_process *from = spaces_process(s, parent), *to = spaces_process(s, child);

	if (to == from)
		return;
	/* One of the same number whose end was not seen. */
	if (to)
		spaces_remove(s, to);
	to = from && from->maps ? spaces_make(s, child) : NULL;
	if (!to)
		return;
	to->maps = from->maps;
	to->maps->users++;
	to->serial = from->serial;
}

void spaces_renamed(struct spaces *s, int32_t pid)
{
	struct spaces_process *p = spaces_process(s, pid);

	if (p)
		p->renamed = p->serial;
}

void spaces_execed(struct spaces *s, int32_t pid)
{
	struct spaces_process *p = spaces_process(s, pid);
	struct spaces_maps *maps = p && p->renamed ? spaces_maps_own(p) : NULL;
	unsigned int kept = 0;

	if (!maps)
		return;
	for (unsigned int i = 0; i < maps->count; i++)
		if (maps->map[i].serial >= p->renamed)
			maps->map[kept++] = maps->map[i];
	maps->count = kept;
	p->renamed = 0;
}

void spaces_exited(struct spaces *s, int32_t pid)
{
	struct spaces_process *p = spaces_process(s, pid), *oldest;
	int32_t *slot = &s->dead[s->deaths % SPACES_DEAD];

	if (!p || p->exited)
		return;
	p->exited = true;
	p->death = s->deaths++;
	oldest = *slot ? spaces_process(s, *slot) : NULL;
	if (oldest && oldest->exited && oldest->death + SPACES_DEAD == p->death)
		spaces_remove(s, oldest);
	*slot = pid;
}

void spaces_freed(struct spaces *s, int32_t pid)
{
	struct spaces_process *p = spaces_process(s, pid);

	/* A thread that calls exec takes over its leader's number; it is the old leader that is freed then. */
	if (p && p->exited)
		spaces_remove(s, p);
}

bool spaces_find(const struct spaces *s, int32_t pid, uint64_t address, struct binary_map *out)
{
	const struct spaces_process *p = spaces_process(s, pid);
	unsigned int at;

	if (!p || !p->maps)
		return false;
	at = spaces_maps_above(p->maps, address);
	if (at == p->maps->count || p->maps->map[at].map.start > address)
		return false;
	*out = p->maps->map[at].map;
	return true;
}

bool spaces_known(const struct spaces *s, int32_t pid)
{
	const struct spaces_process *p = spaces_process(s, pid);

	return p && p->maps && p->maps->count;
}

unsigned int spaces_count(const struct spaces *s)
{
	return HASH_COUNT(s->process);
}

uint64_t spaces_refused(const struct spaces *s)
{
	return s->refused;
}

void spaces_each(const struct spaces *s, void (*tell)(void *context, int32_t pid, const struct binary_map *map), void *context)
{
	for (const struct spaces_process *p = s->process; p; p = p->hh.next)
		for (unsigned int i = 0; p->maps && i < p->maps->count; i++)
			tell(context, p->pid, &p->maps->map[i].map);
}
