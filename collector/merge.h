/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sequence of events out of all streams of an input, by (time, stream, position). A live view gives the
 * watermark: the time up to which everything is known to be in; a trace has none (MERGE_ALL). Knows inputs and
 * packets, not what is done with the events.
 */
#ifndef KYMO_MERGE_H
#define KYMO_MERGE_H

#include <stdint.h>
#include "input.h"
#include "packet.h"

#define MERGE_ALL UINT64_MAX

/* What was seen of one stream so far. */
struct merge_stream {
	uint64_t instance;		/* stream_instance_id */
	uint32_t cpu;
	uint64_t begin_ns, end_ns;	/* of its first packet; up to where it has been read */
	uint64_t first_lost, lost;	/* CTF's counter: at the first packet's end, the latest */
	uint64_t packets, missing;	/* read to the end; gaps in their numbers (overwritten, or their files are gone) */
	uint64_t gaps;			/* places where events were lost or packets are missing */
	uint64_t events, content_bytes;
	uint64_t unknown;		/* records of no known type */
	uint64_t damaged;		/* packets whose records could not be read to the end */
};

struct merge;

struct merge *merge_create(struct input *in); /* the input stays the caller's; NULL: no memory */
void merge_destroy(struct merge *m);

/*
 * 1: *e is the next event, valid until the next call; 0: nothing more up to until_ns at this time; -ENODATA: the
 * end; else -errno of the input. A damaged packet is passed over from the damage on, and counted.
 */
int merge_next(struct merge *m, uint64_t until_ns, struct event *e);

unsigned int merge_streams(const struct merge *m);
const struct merge_stream *merge_stream(const struct merge *m, unsigned int stream);
const char *merge_damage(const struct merge *m); /* the first one, a sentence; empty: none */

#endif
