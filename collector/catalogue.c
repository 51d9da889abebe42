// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event types that an input knows. Entries may come from a file of a stranger: nothing in them is believed
 * before it was checked, and what is kept is a copy. Knows neither devices nor files nor how records are decoded.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"

enum {
	CATALOGUE_SHELF = 256,		/* ids on one shelf; as many shelves */
	CATALOGUE_FIELDS_MAX = 512,
	CATALOGUE_RECORD_MAX = 0xffff,	/* struct kymo_record's len */
};

/* Type and fields are one allocation, so pointers to them stay valid while the catalogue grows. */
struct catalogue_type {
	struct event_type type;
	size_t entry;			/* where its raw entry begins */
	struct kymo_field field[];
};

struct catalogue {
	struct catalogue_type **types;	/* in order of arrival */
	unsigned int count, capacity;
	char *entries;
	size_t entries_bytes, entries_capacity;
	struct catalogue_type **shelf[CATALOGUE_SHELF];	/* by id; a shelf is made at its first type */
};

struct catalogue *catalogue_create(void)
{
	return calloc(1, sizeof(struct catalogue));
}

void catalogue_destroy(struct catalogue *c)
{
	if (!c)
		return;
	for (unsigned int i = 0; i < c->count; i++)
		free(c->types[i]);
	for (unsigned int i = 0; i < CATALOGUE_SHELF; i++)
		free(c->shelf[i]);
	free(c->types);
	free(c->entries);
	free(c);
}

/* ---- checks ---- */

static bool catalogue_text_ok(const char *text, size_t bytes)
{
	size_t length = strnlen(text, bytes);

	if (length == bytes)
		return false;
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return false;
	return true;
}

/* A C identifier: it becomes one in the metadata. */
static bool catalogue_identifier_ok(const char *name, size_t bytes)
{
	size_t length = strnlen(name, bytes);

	if (!length || length == bytes || isdigit((unsigned char)name[0]))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return true;
}

static bool catalogue_variable(const struct kymo_field *f)
{
	return f->kind == KYMO_FIELD_STRING || (f->flags & KYMO_FIELD_SEQUENCE);
}

static bool catalogue_field_ok(const struct kymo_field *f)
{
	const unsigned int known = KYMO_FIELD_HEX | KYMO_FIELD_SEQUENCE | KYMO_FIELD_ADDRESS | KYMO_FIELD_BIG_ENDIAN;

	if (!catalogue_identifier_ok(f->name, sizeof(f->name)) || (f->flags & ~known))
		return false;
	if (f->bytes != 1 && f->bytes != 2 && f->bytes != 4 && f->bytes != 8)
		return false;
	if ((f->flags & KYMO_FIELD_ADDRESS) &&
	    (f->kind != KYMO_FIELD_UNSIGNED || f->bytes != 1 || f->count != 16 || (f->flags & KYMO_FIELD_SEQUENCE)))
		return false;
	switch (f->kind) {
	case KYMO_FIELD_STRING:
		return f->bytes == 1 && f->count == 1 && !(f->flags & KYMO_FIELD_SEQUENCE);
	case KYMO_FIELD_TEXT:
		if (f->bytes != 1)
			return false;
		break;
	case KYMO_FIELD_UNSIGNED:
	case KYMO_FIELD_SIGNED:
		break;
	default:
		return false;
	}
	if (f->flags & KYMO_FIELD_SEQUENCE)
		return f->count == 0;
	return f->count >= 1 && f->count <= CATALOGUE_RECORD_MAX;
}

/* No two fields of one name; nor one that is called like the length that precedes a sequence in the metadata. */
static bool catalogue_names_differ(const struct kymo_field *a, const struct kymo_field *b)
{
	size_t length = strlen(a->name);

	if (!strcmp(a->name, b->name))
		return false;
	return !(a->flags & KYMO_FIELD_SEQUENCE) || strncmp(a->name, b->name, length) || strcmp(b->name + length, "_length");
}

/* -1: not acceptable. Else the bytes of the fields before the first of variable size. */
static long catalogue_check_fields(const struct kymo_field *field, unsigned int fields)
{
	unsigned long fixed = 0, least = 0;
	bool variable = false;

	for (unsigned int i = 0; i < fields; i++) {
		const struct kymo_field *f = &field[i];

		if (!catalogue_field_ok(f))
			return -1;
		for (unsigned int j = 0; j < i; j++)
			if (!catalogue_names_differ(f, &field[j]) || !catalogue_names_differ(&field[j], f))
				return -1;
		variable = variable || catalogue_variable(f);
		least += f->flags & KYMO_FIELD_SEQUENCE ? 2 : (unsigned long)f->bytes * f->count;
		if (least > CATALOGUE_RECORD_MAX)
			return -1;
		if (!variable)
			fixed = least;
	}
	return (long)fixed;
}

static bool catalogue_head_ok(const struct kymo_event_type *e, size_t bytes)
{
	if (bytes < sizeof(*e) || e->fields > CATALOGUE_FIELDS_MAX)
		return false;
	if (e->size != sizeof(*e) + e->fields * sizeof(struct kymo_field) || e->size > bytes)
		return false;
	return e->name[0] && catalogue_text_ok(e->name, sizeof(e->name)) &&
	       e->source[0] && catalogue_text_ok(e->source, sizeof(e->source)) &&
	       catalogue_text_ok(e->reason, sizeof(e->reason));
}

/* ---- adding ---- */

static struct catalogue_type *catalogue_find(const struct catalogue *c, uint16_t id)
{
	struct catalogue_type **shelf = c->shelf[id / CATALOGUE_SHELF];

	return shelf ? shelf[id % CATALOGUE_SHELF] : NULL;
}

static int catalogue_reserve(struct catalogue *c, uint16_t id, size_t entry_bytes)
{
	struct catalogue_type ***shelf = &c->shelf[id / CATALOGUE_SHELF];

	if (!*shelf) {
		*shelf = calloc(CATALOGUE_SHELF, sizeof(**shelf));
		if (!*shelf)
			return -ENOMEM;
	}
	if (c->count == c->capacity) {
		unsigned int capacity = c->capacity ? c->capacity * 2 : 64;
		void *types = realloc(c->types, capacity * sizeof(*c->types));

		if (!types)
			return -ENOMEM;
		c->types = types;
		c->capacity = capacity;
	}
	if (entry_bytes > c->entries_capacity - c->entries_bytes) {
		size_t capacity = (c->entries_capacity + entry_bytes) * 2;
		void *entries = realloc(c->entries, capacity);

		if (!entries)
			return -ENOMEM;
		c->entries = entries;
		c->entries_capacity = capacity;
	}
	return 0;
}

static void catalogue_set_state(struct event_type *t, const struct kymo_event_type *e)
{
	t->flags = e->flags;
	memcpy(t->reason, e->reason, sizeof(t->reason));
}

/* The id is known: the same event type with another state, or a contradiction. */
static int catalogue_replace(struct catalogue *c, struct catalogue_type *known, const struct kymo_event_type *e,
			     const void *raw)
{
	if (known->type.fields != e->fields || strcmp(known->type.name, e->name) || strcmp(known->type.source, e->source) ||
	    memcmp(known->field, (const char *)raw + sizeof(*e), e->fields * sizeof(struct kymo_field)))
		return -EBADMSG;
	catalogue_set_state(&known->type, e);
	memcpy(c->entries + known->entry, raw, e->size);
	return 0;
}

static int catalogue_add_one(struct catalogue *c, const void *raw, size_t bytes, size_t *used)
{
	struct kymo_event_type e;
	struct catalogue_type *t, *known;
	long fixed;
	int err;

	if (bytes < sizeof(e))
		return -EBADMSG;
	memcpy(&e, raw, sizeof(e));	/* entries in a file lie at any address */
	if (!catalogue_head_ok(&e, bytes))
		return -EBADMSG;
	*used = e.size;
	known = catalogue_find(c, e.id);
	if (known)
		return catalogue_replace(c, known, &e, raw);
	err = catalogue_reserve(c, e.id, e.size);
	if (err)
		return err;
	t = calloc(1, sizeof(*t) + e.fields * sizeof(struct kymo_field));
	if (!t)
		return -ENOMEM;
	memcpy(t->field, (const char *)raw + sizeof(e), e.fields * sizeof(struct kymo_field));
	fixed = catalogue_check_fields(t->field, e.fields);
	if (fixed < 0) {
		free(t);
		return -EBADMSG;
	}
	t->type = (struct event_type){ .id = e.id, .fields = e.fields, .field = t->field, .fixed_bytes = (uint32_t)fixed };
	memcpy(t->type.name, e.name, sizeof(e.name));
	memcpy(t->type.source, e.source, sizeof(e.source));
	catalogue_set_state(&t->type, &e);
	t->entry = c->entries_bytes;
	memcpy(c->entries + c->entries_bytes, raw, e.size);
	c->entries_bytes += e.size;
	c->types[c->count++] = t;
	c->shelf[e.id / CATALOGUE_SHELF][e.id % CATALOGUE_SHELF] = t;
	return 0;
}

int catalogue_add(struct catalogue *c, const void *entries, size_t bytes)
{
	const char *at = entries;
	int count = 0;

	while (bytes) {
		size_t used;
		int err = catalogue_add_one(c, at, bytes, &used);

		if (err)
			return err;
		at += used;
		bytes -= used;
		count++;
	}
	return count;
}

/* ---- asking ---- */

const void *catalogue_entries(const struct catalogue *c, size_t *bytes)
{
	*bytes = c->entries_bytes;
	return c->entries;
}

const struct event_type *catalogue_by_id(const struct catalogue *c, uint16_t id)
{
	const struct catalogue_type *t = catalogue_find(c, id);

	return t ? &t->type : NULL;
}

/* The youngest of that name: a marker's module that was loaded again has got a new id. */
const struct event_type *catalogue_by_name(const struct catalogue *c, const char *name)
{
	for (unsigned int i = c->count; i-- > 0;)
		if (!strcmp(c->types[i]->type.name, name))
			return &c->types[i]->type;
	return NULL;
}

unsigned int catalogue_count(const struct catalogue *c)
{
	return c->count;
}

const struct event_type *catalogue_at(const struct catalogue *c, unsigned int index)
{
	return index < c->count ? &c->types[index]->type : NULL;
}

int event_type_field(const struct event_type *t, const char *name)
{
	for (unsigned int i = 0; i < t->fields; i++)
		if (!strcmp(t->field[i].name, name))
			return (int)i;
	return -1;
}
