/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event types that an input knows: the only description of fields. Filled from KYMO_IOC_CATALOGUE or from the
 * copy in a trace (the same entries); CTF metadata is written from it, records are decoded by it. A leaf: knows
 * neither devices nor files.
 */
#ifndef KYMO_CATALOGUE_H
#define KYMO_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uapi/kymo.h>

struct event_type {
	uint16_t id;
	uint32_t flags;			/* enum kymo_type_flags */
	char name[KYMO_NAME_BYTES];	/* always terminated, and so are the others */
	char source[KYMO_SOURCE_BYTES];
	char reason[KYMO_REASON_BYTES];
	unsigned int fields;
	const struct kymo_field *field;
	uint32_t fixed_bytes;		/* of the fields before the first of variable size */
};

struct catalogue;

struct catalogue *catalogue_create(void);
void catalogue_destroy(struct catalogue *c);

/*
 * Takes entries as KYMO_IOC_CATALOGUE returns them. Every length, kind and name is checked: they may come from a
 * file. An id that is known already is replaced if the entry has other flags, refused if its fields differ.
 * Returns the number of entries, or -EBADMSG.
 */
int catalogue_add(struct catalogue *c, const void *entries, size_t bytes);

/* The entries as they came, in order of arrival: for the copy in a trace. */
const void *catalogue_entries(const struct catalogue *c, size_t *bytes);

const struct event_type *catalogue_by_id(const struct catalogue *c, uint16_t id);
const struct event_type *catalogue_by_name(const struct catalogue *c, const char *name);
unsigned int catalogue_count(const struct catalogue *c);
const struct event_type *catalogue_at(const struct catalogue *c, unsigned int index); /* in order of arrival */
int event_type_field(const struct event_type *t, const char *name); /* index, or -1 */

#endif
