/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which built-in event type of kymo/event.h an event is, and that its fields lie as struct kymo_ev_<name> says. A
 * trace may come from another version: its catalogue decides, not the id alone. After that e->data may be read as
 * that struct; the strings follow it, NUL-terminated. A leaf.
 */
#ifndef KYMO_BUILTIN_H
#define KYMO_BUILTIN_H

#include <kymo/event.h>
#include "packet.h"

struct builtin; /* remembers the answer for each id of one catalogue */

struct builtin *builtin_create(void); /* NULL: no memory */
void builtin_destroy(struct builtin *b);

/* enum kymo_event_id; 0: a type of another origin, or one whose fields this program does not know. */
uint16_t builtin_id(struct builtin *b, const struct event_type *type);

/* Has the name of a built-in event type, but other fields. */
bool builtin_differs(const struct event_type *type);

/* The built-in types as catalogue entries, for catalogue_add: for who has no module to ask. For free(); NULL: no memory. */
void *builtin_entries(size_t *bytes);

#endif
