// SPDX-License-Identifier: GPL-2.0-or-later
/* A sorted array and a pool of names. */
#include "functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * How far back a function is looked for that encloses those between (a cold part in the middle of another). And the
 * most that a function without a size reaches where no next one bounds it.
 */
enum { FUNCTIONS_BACK = 16, FUNCTIONS_UNSIZED = 1 << 20 };

struct functions {
	struct function *function;
	uint8_t *rank;			/* until sealed; beside, to keep what stays small */
	size_t count, capacity;
	char *names;
	size_t names_bytes, names_capacity;
	size_t bytes_max;
};

struct functions *functions_create(size_t bytes_max)
{
	struct functions *f = calloc(1, sizeof(*f));

	if (f)
		f->bytes_max = bytes_max < UINT32_MAX ? bytes_max : UINT32_MAX;
	return f;
}

void functions_destroy(struct functions *f)
{
	if (!f)
		return;
	free(f->function);
	free(f->rank);
	free(f->names);
	free(f);
}

size_t functions_memory(const struct functions *f)
{
	return sizeof(*f) + f->capacity * sizeof(*f->function) + f->names_capacity + (f->rank ? f->capacity : 0);
}

static int functions_grow(struct functions *f, size_t name_bytes)
{
	if (f->count * (sizeof(*f->function) + 1) + f->names_bytes + name_bytes > f->bytes_max)
		return -E2BIG;
	if (f->count == f->capacity) {
		const size_t capacity = f->capacity + f->capacity / 2 + 64;
		void *function = realloc(f->function, capacity * sizeof(*f->function));
		void *rank;

		if (!function)
			return -ENOMEM;
		f->function = function;
		rank = realloc(f->rank, capacity);
		if (!rank)
			return -ENOMEM;
		f->rank = rank;
		f->capacity = capacity;
	}
	if (f->names_capacity - f->names_bytes <= name_bytes) {
		const size_t capacity = f->names_capacity + f->names_capacity / 2 + name_bytes + 256;
		void *names = realloc(f->names, capacity);

		if (!names)
			return -ENOMEM;
		f->names = names;
		f->names_capacity = capacity;
	}
	return 0;
}

int functions_add(struct functions *f, uint64_t start, uint64_t bytes, const char *name, size_t name_bytes,
		  enum function_rank rank)
{
	int err;

	name_bytes = strnlen(name, name_bytes < FUNCTIONS_NAME_MAX ? name_bytes : FUNCTIONS_NAME_MAX);
	if (!name_bytes)
		return 0;
	err = functions_grow(f, name_bytes);
	if (err)
		return err;
	f->rank[f->count] = (uint8_t)rank;
	f->function[f->count++] = (struct function){
		.start = start, .bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX, .name = (uint32_t)f->names_bytes,
	};
	memcpy(f->names + f->names_bytes, name, name_bytes);
	f->names[f->names_bytes + name_bytes] = 0;
	f->names_bytes += name_bytes + 1;
	return 0;
}

/* ---- sealing ---- */

struct functions_candidate {
	struct function function;
	size_t order;			/* by preference among those of one start: the smaller the better */
};

static size_t functions_underscores(const char *name)
{
	const size_t n = strspn(name, "_");

	/* A mangled name is no more internal than another. */
	return n && (name[n] == 'Z' || name[n] == 'R') ? 0 : n < 7 ? n : 7;
}

static int functions_compare(const void *left, const void *right)
{
	const struct functions_candidate *a = left, *b = right;

	if (a->function.start != b->function.start)
		return a->function.start < b->function.start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static size_t functions_order(const struct functions *f, size_t i, bool latest)
{
	const struct function *function = &f->function[i];

	if (latest)
		return f->count - i;
	/* One that has a size is more of a function than one that has not. */
	return (((size_t)!function->bytes << 5 | f->rank[i]) << 3 | functions_underscores(f->names + function->name)) << 32 | i;
}

/* What is not used any more is given back: sealed functions stay for long. */
static void functions_trim(struct functions *f)
{
	void *function = f->count ? realloc(f->function, f->count * sizeof(*f->function)) : NULL;
	void *names = f->names_bytes ? realloc(f->names, f->names_bytes) : NULL;

	free(f->rank);
	f->rank = NULL;
	if (function) {
		f->function = function;
		f->capacity = f->count;
	}
	if (names) {
		f->names = names;
		f->names_capacity = f->names_bytes;
	}
}

void functions_seal(struct functions *f, bool latest)
{
	struct functions_candidate *all = f->count ? malloc(f->count * sizeof(*all)) : NULL;
	size_t kept = 0;

	if (!all) {
		f->count = 0;
		functions_trim(f);
		return;
	}
	for (size_t i = 0; i < f->count; i++)
		all[i] = (struct functions_candidate){ f->function[i], functions_order(f, i, latest) };
	qsort(all, f->count, sizeof(*all), functions_compare);
	for (size_t i = 0; i < f->count; i++)
		if (!kept || f->function[kept - 1].start != all[i].function.start)
			f->function[kept++] = all[i].function;
	f->count = kept;
	free(all);
	functions_trim(f);
}

/* ---- finding ---- */

uint64_t functions_bytes_of(const struct functions *f, const struct function *function)
{
	const size_t next = (size_t)(function - f->function) + 1;
	uint64_t gap;

	if (function->bytes)
		return function->bytes;
	gap = next < f->count ? f->function[next].start - function->start : FUNCTIONS_UNSIZED;
	return gap < FUNCTIONS_UNSIZED ? gap : FUNCTIONS_UNSIZED;
}

const struct function *functions_find(const struct functions *f, uint64_t at)
{
	size_t low = 0, high = f->count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (f->function[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t back = 0; low && back < FUNCTIONS_BACK; low--, back++)
		if (at - f->function[low - 1].start < functions_bytes_of(f, &f->function[low - 1]))
			return &f->function[low - 1];
	return NULL;
}

const char *functions_name(const struct functions *f, const struct function *function)
{
	return f->names + function->name;
}

size_t functions_count(const struct functions *f)
{
	return f->count;
}

const struct function *functions_at(const struct functions *f, size_t index)
{
	return &f->function[index];
}
