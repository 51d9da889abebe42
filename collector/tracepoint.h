/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracepoint of the kernel as tracefs describes it: the fields of its event type, the same as the module gives it,
 * and how the kernel's record becomes a payload of these. Knows neither BPF nor sessions.
 */
#ifndef KYMO_TRACEPOINT_FILE_H
#define KYMO_TRACEPOINT_FILE_H

#include <kymo/tracepoint.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACEPOINT_FIELDS_MAX = 64, TRACEPOINT_REASON_BYTES = 100 };

struct tracepoint {
	uint64_t event;			/* the kernel's number, for perf_event_open() */
	unsigned int fields, takes;
	uint16_t fixed_bytes;		/* of the record */
	struct kymo_field field[TRACEPOINT_FIELDS_MAX];
	struct kymo_take take[TRACEPOINT_FIELDS_MAX];
};

/* Where tracefs shows the kernel's tracepoints; NULL: it is not mounted, or not for us to read. */
const char *tracepoint_folder(void);

/* name: SYSTEM:NAME. -ENOENT: there is none; -EOPNOTSUPP: why says what makes it unfit; -EACCES, -ENOMEM. */
int tracepoint_read(struct tracepoint *t, const char *name, char why[TRACEPOINT_REASON_BYTES]);

/*
 * Makes the payload of a record; its bytes, or 0 if the record is shorter than its fixed fields or `to` too small.
 * Lengths inside the record are not believed: a string or sequence that does not lie in it is empty.
 */
size_t tracepoint_payload(const struct tracepoint *t, const uint8_t *record, size_t bytes, uint8_t *to, size_t room);

#endif
