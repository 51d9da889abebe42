// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions by (owner, start, name); the name, too: two files may claim one build-id. */
#include "function_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) ((entry)->refused = true)
#include <uthash.h>

enum {
	FUNCTION_NAME_BYTES = 512,	/* of what is shown; templates have no end */
	FUNCTION_MODULE_BYTES = 64,
};

#define FUNCTION_UNNAMED UINT64_MAX	/* start of the one that stands for all code of a file without names */

struct function_key {
	uint64_t owner, start, name_hash;
};

struct function_entry {
	struct tally_function function;	/* first */
	struct function_key key;
	uint64_t sample;		/* the last that it was counted for */
	bool refused;
	UT_hash_handle hh;
	char text[];			/* name and module */
};

struct function_set {
	struct function_entry *entry;
	struct function_entry *special[FUNCTION_SPECIALS], *others;
	uint32_t number, max;
};

static struct function_entry *function_make(struct function_set *s, const char *name, const char *module)
{
	const size_t name_bytes = strlen(name) + 1, module_bytes = strlen(module) + 1;
	struct function_entry *e = calloc(1, sizeof(*e) + name_bytes + module_bytes);

	if (!e)
		return NULL;
	memcpy(e->text, name, name_bytes);
	memcpy(e->text + name_bytes, module, module_bytes);
	e->function.name = e->text;
	e->function.module = e->text + name_bytes;
	e->function.number = ++s->number;
	return e;
}

struct function_set *function_set_create(unsigned int max)
{
	static const char *const names[] = {
		[FUNCTION_UNKNOWN] = "(unknown code)", [FUNCTION_CUT] = "(more callers: the stack is too deep)",
		[FUNCTION_BROKEN] = "(callers unknown: no frame pointers)",
	};
	struct function_set *s = calloc(1, sizeof(*s));
	bool whole = s;

	if (!s)
		return NULL;
	s->max = max;
	for (int i = 0; i < FUNCTION_SPECIALS; i++) {
		s->special[i] = function_make(s, names[i], "");
		whole = whole && s->special[i];
	}
	s->others = function_make(s, "(other functions)", "");
	if (whole && s->others)
		return s;
	function_set_destroy(s);
	return NULL;
}

void function_set_destroy(struct function_set *s)
{
	struct function_entry *e, *next;

	if (!s)
		return;
	HASH_ITER(hh, s->entry, e, next) {
		HASH_DELETE(hh, s->entry, e);
		free(e);
	}
	for (int i = 0; i < FUNCTION_SPECIALS; i++)
		free(s->special[i]);
	free(s->others);
	free(s);
}

/* FNV-1a */
static uint64_t function_hash(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3ull;
	return hash;
}

static struct function_entry *function_find(const struct function_set *s, const struct function_key *key)
{
	struct function_entry *e;

	HASH_FIND(hh, s->entry, key, sizeof(*key), e);
	return e;
}

static struct function_entry *function_add(struct function_set *s, const struct function_key *key, const char *name,
					   const char *module)
{
	struct function_entry *e = s->number < s->max ? function_make(s, name, module) : NULL;

	if (!e)
		return s->others;
	e->key = *key;
	HASH_ADD(hh, s->entry, key, sizeof(e->key), e);
	if (!e->refused)
		return e;
	free(e);
	return s->others;
}

/* The last part of the path, without what the kernel adds to that of a file that is gone. */
static void function_module(const struct names *names, const struct names_place *place, char out[FUNCTION_MODULE_BYTES])
{
	static const char deleted[] = " (deleted)";
	const char *path, *slash;
	size_t bytes;

	switch (place->kind) {
	case NAMES_KERNEL:
		path = "kernel";
		break;
	case NAMES_ANONYMOUS:
		path = "(anonymous memory)";
		break;
	default:
		path = binaries_path(names_binaries(names), place->map.binary);
	}
	slash = strrchr(path, '/');
	path = slash && slash[1] ? slash + 1 : path;
	bytes = strlen(path);
	if (bytes >= sizeof(deleted) && !strcmp(path + bytes - (sizeof(deleted) - 1), deleted))
		bytes -= sizeof(deleted) - 1;
	snprintf(out, FUNCTION_MODULE_BYTES, "%.*s", (int)bytes, path);
}

static void function_set_build_id(struct tally_function *f, const struct names *names, const struct names_place *place)
{
	const struct binary_id *id;

	if (place->kind != NAMES_FILE)
		return;
	id = binaries_id(names_binaries(names), place->map.binary);
	f->build_id_bytes = id->build_id_bytes;
	memcpy(f->build_id, id->build_id, sizeof(f->build_id));
}

const struct tally_function *function_set_special(struct function_set *s, enum function_special which)
{
	return &s->special[which]->function;
}

/* "name [module]" as kallsyms has it. */
static void function_split_kernel(char *name, char module[FUNCTION_MODULE_BYTES])
{
	char *bracket = strstr(name, " [");

	if (!bracket)
		return;
	snprintf(module, FUNCTION_MODULE_BYTES, "%s", bracket + 1);
	*bracket = 0;
}

const struct tally_function *function_set_named(struct function_set *s, const struct names *names,
						const struct names_place *place, const struct names_function *function)
{
	const struct function_key key = { function->owner, function->start, function_hash(function->name) };
	struct function_entry *e = function_find(s, &key);
	char name[FUNCTION_NAME_BYTES], module[FUNCTION_MODULE_BYTES];

	if (e)
		return &e->function;
	demangle(name, sizeof(name), function->name);
	function_module(names, place, module);
	if (place->kind == NAMES_KERNEL)
		function_split_kernel(name, module);
	e = function_add(s, &key, name, module);
	if (e == s->others)
		return &e->function;
	e->function.named = true;
	e->function.start = function->start;
	e->function.bytes = function->bytes;
	function_set_build_id(&e->function, names, place);
	return &e->function;
}

const struct tally_function *function_set_unnamed(struct function_set *s, const struct names *names,
						  const struct names_place *place)
{
	struct function_key key = { 0, FUNCTION_UNNAMED, 0 };
	struct function_entry *e;
	char name[FUNCTION_MODULE_BYTES + 2], module[FUNCTION_MODULE_BYTES];

	if (place->kind == NAMES_NOWHERE)
		return &s->special[FUNCTION_UNKNOWN]->function;
	if (place->kind == NAMES_FILE)
		key.owner = binaries_same(names_binaries(names), place->map.binary);
	else if (place->kind == NAMES_ANONYMOUS)
		key.owner = 1ull << 32;	/* of all processes */
	e = function_find(s, &key);
	if (e)
		return &e->function;
	function_module(names, place, module);
	snprintf(name, sizeof(name), module[0] == '[' || module[0] == '(' ? "%s" : "[%s]", module);
	e = function_add(s, &key, name, module);
	if (e != s->others)
		function_set_build_id(&e->function, names, place);
	return &e->function;
}

bool function_set_first(struct function_set *s, const struct tally_function *function, uint64_t sample)
{
	struct function_entry *e = (struct function_entry *)function;
	const bool first = e->sample != sample;

	e->sample = sample;
	return first;
}
