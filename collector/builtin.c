// SPDX-License-Identifier: GPL-2.0-or-later
/* Which built-in event type an event is. */
#include "builtin.h"

#include <stdlib.h>
#include <string.h>

#undef errno /* a field of signal_generate */

#define BUILTIN_FIELDS(id, name, source, flags) static const struct kymo_field builtin_##name[] = { KYMO_EVENT_FIELDS(name) };
KYMO_EVENTS(BUILTIN_FIELDS)

#define BUILTIN_TYPE(id, name, source, flags) \
	{ id, flags, #name, #source, builtin_##name, sizeof(builtin_##name) / sizeof(struct kymo_field) },
static const struct builtin_type {
	uint16_t id;
	uint32_t flags;
	const char *name, *source;
	const struct kymo_field *field;
	unsigned int fields;
} builtin_types[] = { KYMO_EVENTS(BUILTIN_TYPE) };

enum { BUILTIN_TYPES = sizeof(builtin_types) / sizeof(builtin_types[0]), BUILTIN_UNASKED = 0xffff };

struct builtin {
	uint16_t answer[1 << 16];
};

struct builtin *builtin_create(void)
{
	struct builtin *b = malloc(sizeof(*b));

	if (b)
		memset(b, 0xff, sizeof(*b));
	return b;
}

void builtin_destroy(struct builtin *b)
{
	free(b);
}

static const struct builtin_type *builtin_find(const char *name)
{
	for (unsigned int i = 0; i < BUILTIN_TYPES; i++)
		if (!strcmp(builtin_types[i].name, name))
			return &builtin_types[i];
	return NULL;
}

/* A newer version may have added fields behind those that we know. */
static bool builtin_fits(const struct builtin_type *known, const struct event_type *type)
{
	if (type->fields < known->fields)
		return false;
	for (unsigned int i = 0; i < known->fields; i++) {
		const struct kymo_field *a = &known->field[i], *b = &type->field[i];

		if (strcmp(a->name, b->name) || a->kind != b->kind || a->bytes != b->bytes || a->count != b->count ||
		    (a->flags ^ b->flags) & (KYMO_FIELD_SEQUENCE | KYMO_FIELD_BIG_ENDIAN))
			return false;
	}
	return true;
}

uint16_t builtin_id(struct builtin *b, const struct event_type *type)
{
	uint16_t *answer = &b->answer[type->id];

	if (*answer == BUILTIN_UNASKED) {
		const struct builtin_type *known = builtin_find(type->name);

		*answer = known && builtin_fits(known, type) ? known->id : 0;
	}
	return *answer;
}

bool builtin_differs(const struct event_type *type)
{
	const struct builtin_type *known = builtin_find(type->name);

	return known && !builtin_fits(known, type);
}

void *builtin_entries(size_t *bytes)
{
	uint8_t *entries, *at;

	*bytes = 0;
	for (unsigned int i = 0; i < BUILTIN_TYPES; i++)
		*bytes += sizeof(struct kymo_event_type) + builtin_types[i].fields * sizeof(struct kymo_field);
	entries = at = calloc(1, *bytes);
	if (!entries)
		return NULL;
	for (unsigned int i = 0; i < BUILTIN_TYPES; i++) {
		const struct builtin_type *t = &builtin_types[i];
		const size_t field_bytes = t->fields * sizeof(struct kymo_field);
		struct kymo_event_type entry = {
			.size = (uint32_t)(sizeof(entry) + field_bytes), .id = t->id,
			.fields = (uint16_t)t->fields, .flags = t->flags,
		};

		strncpy(entry.name, t->name, sizeof(entry.name) - 1);
		strncpy(entry.source, t->source, sizeof(entry.source) - 1);
		memcpy(at, &entry, sizeof(entry));
		if (field_bytes)
			memcpy(at + sizeof(entry), t->field, field_bytes);
		at += entry.size;
	}
	return entries;
}
