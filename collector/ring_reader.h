/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reading side of one ring in discard mode, by the rules of uapi/kymo.h: from three maps to stretches. Knows
 * neither where the maps come from nor who reads.
 */
#ifndef KYMO_RING_READER_H
#define KYMO_RING_READER_H

#include "input.h"

struct ring_reader {
	const struct kymo_ring_control *control;
	struct kymo_ring_tail *tail;
	const uint8_t *data;
	uint32_t packet_bytes;
	uint64_t ring_bytes;
	uint64_t start;			/* position of the packet that is being read */
	uint32_t done;			/* bytes of it that were released */
	/* What ring_reader_look() saw. */
	uint64_t head, closed;
	uint64_t lost;
	uint64_t least_ns;		/* no record at or above head is older */
	uint64_t most_ns;		/* no record below head is younger */
};

/* -EINVAL: the control page makes no sense. */
int ring_reader_init(struct ring_reader *r, const struct kymo_ring_control *control, struct kymo_ring_tail *tail,
		     const void *data);

/* Looks at the writer's positions; ring_reader_next() goes no further than what was seen. */
void ring_reader_look(struct ring_reader *r);

/* The next stretch (all but `stream`); open: also of a packet that is still open. False: nothing. */
bool ring_reader_next(const struct ring_reader *r, bool open, struct stretch *out);

void ring_reader_release(struct ring_reader *r, const struct stretch *s);

#endif
