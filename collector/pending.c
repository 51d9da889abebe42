// SPDX-License-Identifier: GPL-2.0-or-later
/* Single records, in order. */
#include "pending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUE_ROOM_LEAST = 64 };

void pending_fini(struct pending *q)
{
	for (size_t i = q->first; i < q->records; i++)
		free(q->record[i]);
	free(q->record);
	*q = (struct pending){};
}

static int pending_room(struct pending *q)
{
	const size_t room = q->room ? 2 * q->room : QUEUE_ROOM_LEAST;
	void *more;

	if (q->records < q->room)
		return 0;
	if (q->first > q->room / 2) {
		memmove(q->record, q->record + q->first, (q->records - q->first) * sizeof(*q->record));
		q->records -= q->first;
		q->first = 0;
		return 0;
	}
	more = realloc(q->record, room * sizeof(*q->record));
	if (!more)
		return -ENOMEM;
	q->record = more;
	q->room = room;
	return 0;
}

int pending_put(struct pending *q, uint64_t time_ns, uint16_t id, const void *data, size_t bytes)
{
	struct pending_record *r = malloc(sizeof(*r) + bytes);
	size_t at;

	if (!r || pending_room(q)) {
		free(r);
		return -ENOMEM;
	}
	*r = (struct pending_record){ .time_ns = time_ns, .id = id, .bytes = (uint32_t)bytes };
	memcpy(r->data, data, bytes);
	for (at = q->records++; at > q->first && q->record[at - 1]->time_ns > time_ns; at--)
		q->record[at] = q->record[at - 1];
	q->record[at] = r;
	return 0;
}

const struct pending_record *pending_first(const struct pending *q)
{
	return q->first < q->records ? q->record[q->first] : NULL;
}

void pending_pop(struct pending *q)
{
	free(q->record[q->first++]);
	if (q->first == q->records)
		q->first = q->records = 0;
}
