// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares a session's counters with those of the last time and writes the difference down. */
#include <kymo/event.h>
#include <kymo/ring.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loss.h"

enum {
	LOSS_PACKET_BYTES = 64 << 10,
	LOSS_PACKETS = 16,		/* more than all types and causes at once */
	LOSS_TYPES = 1 << 16,
};

struct loss {
	struct kymo_ring ring;
	struct kymo_ring_control control;
	struct kymo_ring_tail tail;
	struct ring_reader reader;
	uint64_t instance, told_ns, total, events;
	struct loss_seen {
		uint64_t lost[KYMO_LOSS_CAUSES];
	} *seen[LOSS_TYPES];		/* by id; made at the first loss of a type */
};

static const char *const loss_causes[KYMO_LOSS_CAUSES] = {
	[KYMO_LOSS_FULL] = "full", [KYMO_LOSS_OVERWRITTEN] = "overwritten", [KYMO_LOSS_NESTED] = "nested",
	[KYMO_LOSS_TOO_BIG] = "too big", [KYMO_LOSS_NO_RING] = "no ring", [KYMO_LOSS_PAUSED] = "paused",
	[KYMO_LOSS_WRITER_DIED] = "writer died", [KYMO_LOSS_PROBE_MISSED] = "probe missed", [KYMO_LOSS_RATE] = "rate",
	[KYMO_LOSS_THREADS] = "too many threads",
};

const char *loss_cause(unsigned int cause)
{
	return cause < KYMO_LOSS_CAUSES ? loss_causes[cause] : "unknown";
}

static int loss_add_type(struct catalogue *catalogue)
{
	static const struct kymo_field fields[] = { KYMO_EVENT_FIELDS(kymo_loss) };
	struct {
		struct kymo_event_type head;
		struct kymo_field field[sizeof(fields) / sizeof(fields[0])];
	} e = { .head = { .size = sizeof(e), .id = KYMO_ID_kymo_loss, .fields = sizeof(fields) / sizeof(fields[0]),
			  .source = "kymo", .name = "kymo_loss" } };

	if (catalogue_by_id(catalogue, KYMO_ID_kymo_loss))
		return 0;
	memcpy(e.field, fields, sizeof(fields));
	return catalogue_add(catalogue, &e, sizeof(e));
}

struct loss *loss_create(struct catalogue *catalogue, const uint8_t uuid[16], uint64_t instance)
{
	struct loss *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->instance = instance;
	l->control.packet_bytes = LOSS_PACKET_BYTES;
	l->control.packets = LOSS_PACKETS;
	l->control.stream_instance_id = instance;
	memcpy(l->control.uuid, uuid, sizeof(l->control.uuid));
	l->ring = (struct kymo_ring){ .control = &l->control, .tail = &l->tail, .packets = LOSS_PACKETS,
				      .packet_shift = __builtin_ctz(LOSS_PACKET_BYTES) };
	l->ring.data = calloc(LOSS_PACKETS, LOSS_PACKET_BYTES);
	if (!l->ring.data || loss_add_type(catalogue) < 0 ||
	    ring_reader_init(&l->reader, &l->control, &l->tail, l->ring.data)) {
		loss_destroy(l);
		return NULL;
	}
	ring_init(&l->ring);
	l->told_ns = l->control.last_ns;
	return l;
}

void loss_destroy(struct loss *l)
{
	if (!l)
		return;
	for (unsigned int i = 0; i < LOSS_TYPES; i++)
		free(l->seen[i]);
	free(l->ring.data);
	free(l);
}

static bool loss_write(struct loss *l, const struct kymo_ev_kymo_loss *ev, const char *type)
{
	const char *cause = loss_cause(ev->cause);
	const size_t type_bytes = strlen(type) + 1, cause_bytes = strlen(cause) + 1;
	struct kymo_slot slot;

	if (ring_reserve(&l->ring, KYMO_ID_kymo_loss, (uint32_t)(sizeof(*ev) + type_bytes + cause_bytes), &slot) !=
	    KYMO_RING_OK)
		return false;
	memcpy(slot.payload, ev, sizeof(*ev));
	memcpy(slot.payload + sizeof(*ev), type, type_bytes);
	memcpy(slot.payload + sizeof(*ev) + type_bytes, cause, cause_bytes);
	ring_commit(&l->ring);
	l->events++;
	return true;
}

static int loss_update_type(struct loss *l, const struct catalogue *catalogue, const struct kymo_type_stats *s,
			    uint64_t time_ns)
{
	const struct event_type *type = catalogue_by_id(catalogue, (uint16_t)s->id);
	struct loss_seen **seen = &l->seen[s->id & (LOSS_TYPES - 1)];

	for (unsigned int cause = 0; cause < KYMO_LOSS_CAUSES; cause++) {
		const uint64_t before = *seen ? (*seen)->lost[cause] : 0;
		struct kymo_ev_kymo_loss ev = { .type_id = (uint16_t)s->id, .cause = (uint16_t)cause,
						.count = s->lost[cause] - before, .begin_ns = l->told_ns,
						.end_ns = time_ns };

		if (s->lost[cause] <= before)
			continue;
		if (!*seen && !(*seen = calloc(1, sizeof(**seen))))
			return -ENOMEM;
		if (!loss_write(l, &ev, type ? type->name : ""))
			return 0;	/* the ring is full: next time */
		(*seen)->lost[cause] = s->lost[cause];
		l->total += ev.count;
	}
	return 0;
}

void loss_begin(struct loss *l, uint64_t time_ns)
{
	l->told_ns = time_ns;
}

int loss_update(struct loss *l, const struct catalogue *catalogue, const struct kymo_type_stats *stats,
		unsigned int count, uint64_t time_ns)
{
	int err = 0;

	for (unsigned int i = 0; i < count && !err; i++)
		err = loss_update_type(l, catalogue, &stats[i], time_ns);
	l->told_ns = time_ns;
	return err;
}

void loss_finish(struct loss *l)
{
	ring_close(&l->ring);
}

struct ring_reader *loss_reader(struct loss *l)
{
	return &l->reader;
}

void loss_stream(const struct loss *l, struct input_stream *out)
{
	*out = (struct input_stream){ .instance = l->instance, .packet_bytes = LOSS_PACKET_BYTES };
}

uint64_t loss_total(const struct loss *l)
{
	return l->total;
}

uint64_t loss_events(const struct loss *l)
{
	return l->events;
}
