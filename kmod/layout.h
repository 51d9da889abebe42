/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of a kernel tracepoint: from the kernel's description of its record to fields of an event type, and
 * how a record becomes a payload of these. Knows neither perf nor sessions.
 */
#ifndef KYMO_LAYOUT_H
#define KYMO_LAYOUT_H

#include <kymo/tracepoint.h>
#include <linux/trace_events.h>
#include "emit.h"

enum kymo_layout_limits {
	KYMO_LAYOUT_FIELDS_MAX = 64,	/* no tracepoint of 6.1 has more than 40 */
	KYMO_LAYOUT_PARTS_MAX = 64,	/* of a payload; a field of variable size is two */
};

struct kymo_layout {
	unsigned int fields;
	unsigned int takes;
	struct kymo_field field[KYMO_LAYOUT_FIELDS_MAX];
	struct kymo_take take[KYMO_LAYOUT_FIELDS_MAX];
};

/* What lies in a payload but not in the record. */
struct kymo_layout_parts {
	struct kymo_part part[KYMO_LAYOUT_PARTS_MAX];
	u16 length[KYMO_LAYOUT_PARTS_MAX / 2];
};

/* ERR_PTR(-EOPNOTSUPP): *reason says why; the kernel does not describe this tracepoint to us. kfree it. */
struct kymo_layout *kymo_layout_create(struct trace_event_call *call, const char **reason);
bool kymo_layout_equal(const struct kymo_layout *a, const struct kymo_layout *b);

/*
 * The parts of a record's payload; their number, or 0: the record is shorter than its fixed fields. Lengths inside
 * the record are not believed: a string or sequence that does not lie in it is empty.
 */
unsigned int kymo_layout_convert(const struct kymo_layout *layout, const void *record, u32 bytes, struct kymo_layout_parts *out);

#endif
