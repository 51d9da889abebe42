/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces: which executable file is mapped where in which process, as the stream of events tells it, in order.
 * Nobody tells when something is unmapped: what is mapped later in the same place takes it over. Bounded in processes
 * and in mappings of each. A leaf: knows neither events nor what the files are.
 */
#ifndef KYMO_SYMBOL_SPACES_H
#define KYMO_SYMBOL_SPACES_H

#include "binary.h"

struct spaces;

struct spaces *spaces_create(unsigned int processes_max);	/* NULL: no memory */
void spaces_destroy(struct spaces *s);

void spaces_map(struct spaces *s, int32_t pid, const struct binary_map *map);

/* A new process begins with a copy of its parent's mappings. */
void spaces_forked(struct spaces *s, int32_t parent, int32_t child);

/*
 * exec renames the task, maps the new program and is told last: what was mapped before the last renaming is gone. If no
 * renaming was seen, it all stays until something is mapped over it.
 */
void spaces_renamed(struct spaces *s, int32_t pid);
void spaces_execed(struct spaces *s, int32_t pid);

/* It has exited, samples may still come: it stays until it is freed, or there is need of room. */
void spaces_exited(struct spaces *s, int32_t pid);
void spaces_freed(struct spaces *s, int32_t pid);

/* False: nothing that we know is mapped there. */
bool spaces_find(const struct spaces *s, int32_t pid, uint64_t address, struct binary_map *out);
bool spaces_known(const struct spaces *s, int32_t pid);		/* something of it is known */
unsigned int spaces_count(const struct spaces *s);
uint64_t spaces_refused(const struct spaces *s);	/* mappings for which there was no room */

/* Every mapping, for who stores them. */
void spaces_each(const struct spaces *s, void (*tell)(void *context, int32_t pid, const struct binary_map *map), void *context);

#endif
