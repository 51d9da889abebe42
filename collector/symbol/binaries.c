// SPDX-License-Identifier: GPL-2.0-or-later
/* Files by (device, inode), and by build-id. */
#include "binaries.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) ((entry)->refused = true)
#include <uthash.h>

struct binaries_place {
	uint64_t inode;
	uint32_t dev, reserved;
};

struct binaries_entry {
	struct binary_id id;
	struct binaries_place place;
	char *path;
	uint32_t number, same;
	bool refused;
	struct binaries_entry *older;	/* of the same place */
	UT_hash_handle hh;		/* the newest of a place */
	UT_hash_handle hh_build_id;	/* the first of a build-id */
};

struct binaries {
	struct binaries_entry **entry;	/* by number */
	struct binaries_entry *by_place, *by_build_id;
	uint32_t count, max;
};

struct binaries *binaries_create(unsigned int max)
{
	struct binaries *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->max = max;
	b->count = BINARIES_FIRST;
	b->entry = calloc(max + BINARIES_FIRST, sizeof(*b->entry));
	if (b->entry)
		return b;
	free(b);
	return NULL;
}

void binaries_destroy(struct binaries *b)
{
	if (!b)
		return;
	HASH_CLEAR(hh, b->by_place);
	HASH_CLEAR(hh_build_id, b->by_build_id);
	for (uint32_t i = BINARIES_FIRST; i < b->count; i++) {
		free(b->entry[i]->path);
		free(b->entry[i]);
	}
	free(b->entry);
	free(b);
}

static bool binaries_match(const struct binaries_entry *e, const struct binary_id *id, const char *path)
{
	if (e->id.build_id_bytes && id->build_id_bytes)
		return binary_has_build_id(&e->id, id->build_id, id->build_id_bytes);
	return !strcmp(e->path, path);
}

/* Of several files with one build-id the first stands for all. */
static void binaries_set_build_id(struct binaries *b, struct binaries_entry *e, const struct binary_id *id)
{
	struct binaries_entry *first;

	e->id = *id;
	if (!id->build_id_bytes)
		return;
	HASH_FIND(hh_build_id, b->by_build_id, e->id.build_id, BINARY_BUILD_ID, first);
	if (first && first->id.build_id_bytes == id->build_id_bytes) {
		e->same = first->number;
		return;
	}
	HASH_ADD_KEYPTR(hh_build_id, b->by_build_id, e->id.build_id, BINARY_BUILD_ID, e);
}

static struct binaries_entry *binaries_make(struct binaries *b, const struct binaries_place *place,
					    const struct binary_id *id, const char *path)
{
	struct binaries_entry *e = b->count < b->max + BINARIES_FIRST ? calloc(1, sizeof(*e)) : NULL;
	struct binaries_entry *older;

	if (!e)
		return NULL;
	e->path = strndup(path, BINARY_PATH - 1);
	e->place = *place;
	e->number = e->same = b->count;
	HASH_FIND(hh, b->by_place, place, sizeof(*place), older);
	e->older = older;
	if (older)
		HASH_DELETE(hh, b->by_place, older);
	if (e->path)
		HASH_ADD(hh, b->by_place, place, sizeof(*place), e);
	if (!e->path || e->refused) {
		free(e->path);
		free(e);
		return NULL;
	}
	b->entry[b->count++] = e;
	binaries_set_build_id(b, e, id);
	return e;
}

uint32_t binaries_get(struct binaries *b, const struct binary_id *id, const char *path, bool *made)
{
	const struct binaries_place place = { .inode = id->inode, .dev = id->dev };
	struct binaries_entry *e;

	*made = false;
	HASH_FIND(hh, b->by_place, &place, sizeof(place), e);
	while (e && !binaries_match(e, id, path))
		e = e->older;
	if (e && id->build_id_bytes && !e->id.build_id_bytes)
		binaries_set_build_id(b, e, id);
	if (e)
		return e->number;
	e = binaries_make(b, &place, id, path);
	*made = e;
	return e ? e->number : BINARIES_OTHERS;
}

uint32_t binaries_count(const struct binaries *b)
{
	return b->count;
}

const struct binary_id *binaries_id(const struct binaries *b, uint32_t number)
{
	static const struct binary_id none;

	return number >= BINARIES_FIRST && number < b->count ? &b->entry[number]->id : &none;
}

const char *binaries_path(const struct binaries *b, uint32_t number)
{
	if (number >= BINARIES_FIRST && number < b->count)
		return b->entry[number]->path;
	return number == BINARIES_OTHERS ? "(other files)" : "";
}

uint32_t binaries_same(const struct binaries *b, uint32_t number)
{
	return number >= BINARIES_FIRST && number < b->count ? b->entry[number]->same : number;
}
