/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring_check.h's ring in plain memory of a program, and a reader for overwrite mode. */
#ifndef RING_FIXTURE_H
#define RING_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include "ring_check.h"

static inline void fixture_init(struct fixture *f, __u32 packet_shift, __u32 packets, enum kymo_mode mode, __u32 watermark)
{
	const size_t bytes = (size_t)packets << packet_shift;

	memset(f, 0, sizeof(*f));
	f->control = aligned_alloc(64, sizeof(*f->control));
	f->tail = aligned_alloc(64, sizeof(*f->tail));
	f->ring.data = aligned_alloc(64, (bytes + 63) & ~63ull);
	if (!f->control || !f->tail || !f->ring.data)
		abort();
	memset(f->control, 0, sizeof(*f->control));
	memset(f->tail, 0, sizeof(*f->tail));
	memset(f->ring.data, 0, bytes);
	fixture_setup(f, packet_shift, packets, mode, watermark);
}

static inline void fixture_fini(struct fixture *f)
{
	free(f->control);
	free(f->tail);
	free(f->ring.data);
}

/* Overwrite mode: copies closed packets while the writer runs and checks those that stayed whole. */
static inline bool fixture_snapshot(struct fixture_reader *rd, __u8 *copy)
{
	const struct kymo_ring *r = &rd->f->ring;
	const __u64 size = ring_packet_bytes(r), head = __atomic_load_n(&rd->f->control->head, __ATOMIC_ACQUIRE);

	if (head > ring_bytes(r) && rd->packet < ring_floor(r, head) - ring_bytes(r)) {
		rd->skipped += (ring_floor(r, head) - ring_bytes(r) - rd->packet) >> r->packet_shift;
		rd->packet = ring_floor(r, head) - ring_bytes(r);
	}
	for (; head > rd->packet + size; rd->packet += size) {
		__u64 reserve;

		memcpy(copy, ring_at(r, rd->packet), size);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		reserve = __atomic_load_n(&rd->f->control->reserve, __ATOMIC_RELAXED);
		if (rd->packet + ring_bytes(r) < ring_floor(r, reserve + size - 1)) {
			rd->skipped++;
			continue;
		}
		if (!fixture_take_begin(rd, copy, rd->packet))
			return false;
		if (FIXTURE_FIELD(copy, content_size) / 8 > size)
			FIXTURE_FAULT(rd, "content of %llu bytes", FIXTURE_FIELD(copy, content_size) / 8);
		if (!fixture_take_records(rd, copy, FIXTURE_FIELD(copy, timestamp_begin), sizeof(struct kymo_packet),
					  (__u32)(FIXTURE_FIELD(copy, content_size) / 8)) ||
		    !fixture_take_end(rd, copy, rd->packet))
			return false;
	}
	return true;
}

#endif
