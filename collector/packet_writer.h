/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets out of single records, for inputs that do not get whole packets: one packet at a time, in memory of its own,
 * handed out as stretches. The same packets that the ring of kymo/ring.h makes. Knows not where records come from.
 */
#ifndef KYMO_PACKET_WRITER_H
#define KYMO_PACKET_WRITER_H

#include "input.h"

struct packet_writer {
	uint8_t *packet;
	uint32_t packet_bytes;
	uint32_t used;			/* 0: none is open */
	uint32_t done;			/* bytes that were handed out and released */
	uint64_t sequence;		/* of the packet */
	uint64_t last_ns;		/* of the last record ever */
	bool closed;
	struct kymo_packet begin;	/* what does not change */
};

/* -ENOMEM */
int packet_writer_init(struct packet_writer *w, const struct input_stream *stream, const uint8_t uuid[16]);
void packet_writer_fini(struct packet_writer *w);

/*
 * Where the `bytes` of fields of a record go; its time is not before that of the last one. NULL: the packet is full or
 * too old, and closed now: it must be handed out and released first. lost: in the stream up to here.
 */
uint8_t *packet_writer_put(struct packet_writer *w, uint64_t time_ns, uint16_t id, uint32_t bytes, uint64_t lost);

/* No more records will come, or not for long. */
void packet_writer_close(struct packet_writer *w, uint64_t lost);

/* What is new: as input_ops.next. end_ns: no record that is still to come is older. False: nothing. */
bool packet_writer_next(const struct packet_writer *w, bool open, uint64_t end_ns, uint64_t lost, struct stretch *out);
void packet_writer_release(struct packet_writer *w, const struct stretch *s);

/* The most bytes of fields that one record may have. */
uint32_t packet_writer_most(const struct packet_writer *w);

#endif
