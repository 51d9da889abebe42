/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a source writes an event: into the ring of this CPU of every session that wants it. Any context, NMI
 * included; never sleeps, faults, locks or allocates. What cannot be written is counted as loss.
 */
#ifndef KYMO_EMIT_H
#define KYMO_EMIT_H

#include <linux/string.h>
#include "type.h"

struct kymo_part {
	const void *data;
	u32 bytes;
};

/* To all sessions that want `type`; to one session (a hook of its own). Parts are written one after the other. */
void kymo_emit_parts(struct kymo_type *type, const struct kymo_part *part, unsigned int parts);
void kymo_emit_sub(struct kymo_sub *sub, const struct kymo_part *part, unsigned int parts);

/* Something happened that the source itself could not write (its hook had no room): cause, counted for all who want it
 * or for one session. */
void kymo_emit_lost(struct kymo_type *type, enum kymo_loss cause);
void kymo_emit_sub_lost(struct kymo_sub *sub, enum kymo_loss cause);

/* False: nobody wants it, spare the work. Only a hint: a session may come or go at any moment. */
static inline bool kymo_emit_wanted(const struct kymo_type *type)
{
	return rcu_access_pointer(type->subs) != NULL;
}

/* A fixed-size event: kymo_emit(sched_switch, &ev) with a struct kymo_ev_sched_switch. */
#define kymo_emit(name, ev) do { \
	const struct kymo_part part_ = { (ev), sizeof(struct kymo_ev_##name) }; \
	(void)sizeof((ev) == (struct kymo_ev_##name *)0); \
	kymo_emit_parts(&kymo_type_##name, &part_, 1); \
} while (0)

/* A fixed part and one string after it. */
#define kymo_emit_string(name, ev, string) do { \
	const char *string_ = (string); \
	const struct kymo_part part_[2] = { { (ev), sizeof(struct kymo_ev_##name) }, { string_, strlen(string_) + 1 } }; \
	(void)sizeof((ev) == (struct kymo_ev_##name *)0); \
	kymo_emit_parts(&kymo_type_##name, part_, 2); \
} while (0)

#endif
