/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reading side of one ring of the BPF programs: the ring of one CPU and one set. Hands out records in order of
 * time. A leaf: knows the layout of records, not their meaning.
 *
 * A program reserves first and takes the time then. A program that interrupts another one between the two writes its
 * record behind the other's, with an earlier time. So records are put in order before they are handed out, and that
 * needs a time before which nothing more can come. It is the time of a look at the ring: whoever has not reserved
 * when the reader sees the writers' position reserves later, and takes its time later still. What has reserved by
 * then but is not committed stops the reader anyway, at its place; whatever is at that place or behind it was
 * reserved after the last look that did not see that place. Handed out is the longest run of records of which none is
 * younger than any record behind it, or that time. It does not matter how deep programs nest, nor in what order they
 * finish.
 *
 * A writer's reservation may be in the store buffer of its CPU while it reads the clock: BPF_RING_VISIBLE_NS is far
 * longer than any such buffer keeps it.
 */
#ifndef KYMO_BPF_RING_H
#define KYMO_BPF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bpf/layout.h"

enum { BPF_RING_VISIBLE_NS = 100000 };

struct bpf_slot {
	uint64_t time_ns;
	uint64_t at;			/* position of the record */
	uint64_t mark;			/* scratch: most time before it; later: least position at or behind it */
};

struct bpf_ring {
	uint64_t *consumer;		/* the page that the reader writes */
	const uint8_t *producer;	/* a page, then the data, twice in a row */
	uint64_t bytes;
	long page_bytes;
	struct bpf_slot *slot;		/* [emit, ready) are in order; [ready, slots) have been seen */
	size_t emit, ready, slots, room;
	uint64_t seen;			/* position up to which records are in slots */
	uint64_t bound_ns;		/* no record that is not in slots is older */
	uint64_t look_ns, look_at;	/* of the last look: its time, the writers' position */
};

/* fd: of the ring's map, which the caller keeps. 0 or -errno. */
int bpf_ring_init(struct bpf_ring *r, int fd, size_t bytes);
void bpf_ring_fini(struct bpf_ring *r);

/*
 * Sees what is there. promise_ns: every program that had begun before this time has ended (0: nothing is known).
 * -ENOMEM.
 */
int bpf_ring_look(struct bpf_ring *r, uint64_t promise_ns);

/* The next record in order; NULL: none, as of the last look. It stays until bpf_ring_pop(). */
const struct bpf_head *bpf_ring_next(const struct bpf_ring *r);
void bpf_ring_pop(struct bpf_ring *r);
void bpf_ring_free(struct bpf_ring *r);	/* what was popped: its memory may be used again */

uint64_t bpf_ring_least_ns(const struct bpf_ring *r);	/* no record that was not popped is older */

/* For tests: as bpf_ring_look() does, of a ring in this memory and at this time. */
int bpf_ring_look_at(struct bpf_ring *r, uint64_t now_ns, uint64_t promise_ns);

#endif
