/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All event types and their sources; who wants which. Its mutex covers the list, every type's `subs` and all hooks
 * of sources. Taken after the session's mutex, before the CPU hotplug lock; nobody copies from or to user memory
 * under it.
 */
#ifndef KYMO_CATALOGUE_H
#define KYMO_CATALOGUE_H

#include <linux/mutex.h>
#include "type.h"

extern struct mutex kymo_catalogue_lock;

int kymo_catalogue_init(struct kymo_source *const *source, unsigned int sources);
void kymo_catalogue_fini(void);

/* In order of coming; under the mutex. */
extern struct list_head kymo_catalogue_types;
#define kymo_catalogue_for_each(type) list_for_each_entry(type, &kymo_catalogue_types, in_catalogue)

/* Asks the sources for an event type by this name, if it is not there yet. Under the mutex. */
void kymo_catalogue_make(const char *name);

/* Publishes, takes back. Under the mutex. After _withdraw the caller waits for a grace period before it frees the sub. */
int kymo_catalogue_publish(struct kymo_sub *sub);
void kymo_catalogue_withdraw(struct kymo_sub *sub);

/* Entries from index *next on into buf, as many as fit; used bytes, or -ENOSPC: not even one. *next: 0 at the end. */
ssize_t kymo_catalogue_read(struct kymo_session *session, void *buf, size_t bytes, u32 *next);
unsigned int kymo_catalogue_count(void);
u64 kymo_catalogue_generation(void);

#endif
