// SPDX-License-Identifier: GPL-2.0-or-later
/* From a ring's maps to stretches of packets. The writer runs meanwhile; see uapi/kymo.h for what may be read when. */
#include <errno.h>
#include <string.h>

#include "ring_reader.h"

int ring_reader_init(struct ring_reader *r, const struct kymo_ring_control *control, struct kymo_ring_tail *tail,
		     const void *data)
{
	const uint32_t bytes = control->packet_bytes, packets = control->packets;

	if (bytes < KYMO_PACKET_BYTES_MIN || bytes > KYMO_PACKET_BYTES_MAX || (bytes & (bytes - 1)) || !packets ||
	    (packets & (packets - 1)))
		return -EINVAL;
	*r = (struct ring_reader){ .control = control, .tail = tail, .data = data, .packet_bytes = bytes,
				   .ring_bytes = (uint64_t)bytes * packets };
	return 0;
}

void ring_reader_look(struct ring_reader *r)
{
	const struct kymo_ring_control *c = r->control;

	/*
	 * The time before head: whoever reserves later takes at least this time. The time after it: whoever was
	 * published below head has stored his time before. `lost` may run ahead of head; the close field is exact.
	 */
	r->least_ns = __atomic_load_n(&c->last_ns, __ATOMIC_ACQUIRE);
	r->head = __atomic_load_n(&c->head, __ATOMIC_ACQUIRE);		/* pairs with the release in ring_leave() */
	r->closed = __atomic_load_n(&c->closed, __ATOMIC_ACQUIRE);	/* and with that in ring_close() */
	r->most_ns = __atomic_load_n(&c->last_ns, __ATOMIC_RELAXED);
	r->lost = __atomic_load_n(&c->lost, __ATOMIC_RELAXED);
}

static void ring_reader_closed(const struct ring_reader *r, struct stretch *out)
{
	uint64_t content = out->packet->content_size / 8;

	/* The writer is trusted with its own numbers, but not with our memory. */
	if (content > r->packet_bytes)
		content = r->packet_bytes;
	out->closed = true;
	out->to = content < out->from ? out->from : (uint32_t)content;
	out->end_ns = out->last_ns = out->packet->timestamp_end;
	out->lost = out->packet->events_discarded;
}

bool ring_reader_next(const struct ring_reader *r, bool open, struct stretch *out)
{
	const uint64_t end = r->start + r->packet_bytes;

	*out = (struct stretch){ .packet = (const void *)(r->data + (r->start & (r->ring_bytes - 1))) };
	out->from = r->done ? r->done : sizeof(struct kymo_packet);
	if (r->head > end || r->closed >= end) {
		ring_reader_closed(r, out);
		return true;
	}
	if (!open || r->head <= r->start + out->from)
		return false;
	out->to = (uint32_t)(r->head - r->start);
	out->end_ns = r->least_ns;
	out->last_ns = r->most_ns;
	out->lost = r->lost;
	return true;
}

void ring_reader_release(struct ring_reader *r, const struct stretch *s)
{
	if (!s->closed) {
		/* The tail stays at the packet's start: a full packet's close fields are still to come. */
		r->done = s->to;
		return;
	}
	r->start += r->packet_bytes;
	r->done = 0;
	__atomic_store_n(&r->tail->tail, r->start, __ATOMIC_RELEASE);	/* pairs with the acquire in ring_freed() */
}
