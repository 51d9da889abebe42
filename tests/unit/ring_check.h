/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A writer of numbered and checksummed records, and a reader that believes nothing: for the ring's tests, in user
 * space and in a test module of the kernel. Written from uapi/kymo.h's rules, it shares no code with the collector's
 * reader. Who includes it has snprintf, and owns the memory of the ring.
 */
#ifndef RING_CHECK_H
#define RING_CHECK_H

#include <kymo/ring.h>

enum { FIXTURE_WRITERS = 8, FIXTURE_PAYLOAD_MIN = 24, FIXTURE_PAYLOAD_MAX = 88 };

struct fixture {
	struct kymo_ring ring;
	struct kymo_ring_control *control;
	struct kymo_ring_tail *tail;
};

/* The payload; filler follows up to the record's length. */
struct fixture_record {
	__u64 number;
	__u64 check;
	__u32 writer;
	__u32 bytes;
};

struct fixture_reader {
	struct fixture *f;
	__u64 packet, at;		/* the packet that is being read, and how far */
	__u64 last_ns, end_ns, discarded;
	__u64 found[FIXTURE_WRITERS], sum[FIXTURE_WRITERS];
	__u64 packets, skipped;		/* overwrite mode: given up before or while they were copied */
	bool live;			/* frees what it has read of an open packet at once */
	char fault[160];
};

/* The constants of a ring whose control, tail and zeroed data are there. */
static inline void fixture_setup(struct fixture *f, __u32 packet_shift, __u32 packets, enum kymo_mode mode, __u32 watermark)
{
	memset(f->control->uuid, 0x5a, sizeof(f->control->uuid));
	f->control->cpu = 5;
	f->control->stream_instance_id = 42;
	f->ring.control = f->control;
	f->ring.tail = f->tail;
	f->ring.packet_shift = packet_shift;
	f->ring.packets = packets;
	f->ring.mode = mode;
	f->ring.watermark = watermark;
	ring_init(&f->ring);
}

static inline __u64 fixture_check(__u64 number, __u32 writer, __u32 bytes)
{
	__u64 h = (number + 1) * 0x9e3779b97f4a7c15ull ^ (__u64)writer << 56 ^ bytes;

	return h ^ h >> 32;
}

/* Lengths that differ from record to record. */
static inline __u32 fixture_bytes(__u64 number, __u32 writer)
{
	return FIXTURE_PAYLOAD_MIN + (__u32)((number * 7 + writer * 13) % (FIXTURE_PAYLOAD_MAX - FIXTURE_PAYLOAD_MIN + 1));
}

static inline void fixture_fill(__u8 *payload, __u64 number, __u32 writer, __u32 bytes)
{
	struct fixture_record record = { number, fixture_check(number, writer, bytes), writer, bytes };

	memcpy(payload, &record, sizeof(record));
	memset(payload + sizeof(record), (int)(number & 0xff), bytes - sizeof(record));
}

static inline int fixture_write(struct fixture *f, __u32 writer, __u64 number, bool *crossed)
{
	const __u32 bytes = fixture_bytes(number, writer);
	struct kymo_slot slot;
	int cause = ring_reserve(&f->ring, (__u16)writer, bytes, &slot);

	if (cause != KYMO_RING_OK)
		return cause;
	fixture_fill(slot.payload, number, writer, bytes);
	ring_commit(&f->ring);
	if (crossed && slot.crossed)
		*crossed = true;
	return KYMO_RING_OK;
}

/* ---- reader ---- */

#define FIXTURE_FAULT(rd, ...) do { \
	if (!(rd)->fault[0]) \
		snprintf((rd)->fault, sizeof((rd)->fault), __VA_ARGS__); \
	return false; \
} while (0)

static inline void fixture_reader_init(struct fixture_reader *rd, struct fixture *f)
{
	memset(rd, 0, sizeof(*rd));
	rd->f = f;
}

static inline bool fixture_take_records(struct fixture_reader *rd, const __u8 *base, __u64 begin_ns, __u32 from, __u32 to)
{
	while (from < to) {
		struct kymo_record header;
		struct fixture_record record;
		__u64 time;
		__u32 i;

		memcpy(&header, base + from, sizeof(header));
		from += sizeof(header);
		if (header.len < sizeof(record) || from + header.len > to)
			FIXTURE_FAULT(rd, "a record of %u bytes at %u of %u", header.len, from, to);
		memcpy(&record, base + from, sizeof(record));
		if (record.bytes != header.len || record.writer != header.id || record.writer >= FIXTURE_WRITERS ||
		    record.check != fixture_check(record.number, record.writer, record.bytes))
			FIXTURE_FAULT(rd, "torn record: writer %u, number %llu", record.writer, record.number);
		for (i = sizeof(record); i < header.len; i++)
			if (base[from + i] != (__u8)record.number)
				FIXTURE_FAULT(rd, "torn record: writer %u, number %llu, byte %u", record.writer, record.number, i);
		time = begin_ns + (__u32)(header.time_low - (__u32)begin_ns);
		if (time < rd->last_ns)
			FIXTURE_FAULT(rd, "time goes back: %llu after %llu", time, rd->last_ns);
		rd->last_ns = time;
		rd->found[record.writer]++;
		rd->sum[record.writer] += record.number;
		from += header.len;
	}
	return true;
}

#define FIXTURE_FIELD(base, member) ({ \
	__typeof__(((struct kymo_packet *)0)->member) field_; \
	memcpy(&field_, (base) + offsetof(struct kymo_packet, member), sizeof(field_)); \
	field_; \
})

static inline bool fixture_take_begin(struct fixture_reader *rd, const __u8 *base, __u64 packet)
{
	const struct kymo_ring *r = &rd->f->ring;

	if (FIXTURE_FIELD(base, magic) != KYMO_CTF_MAGIC || FIXTURE_FIELD(base, stream_id) || base[4] != 0x5a || base[19] != 0x5a ||
	    FIXTURE_FIELD(base, stream_instance_id) != 42 || FIXTURE_FIELD(base, cpu_id) != 5 ||
	    FIXTURE_FIELD(base, packet_size) != 8ull << r->packet_shift ||
	    FIXTURE_FIELD(base, packet_seq_num) != (packet >> r->packet_shift) + 1)
		FIXTURE_FAULT(rd, "begin fields of packet %llu", packet >> r->packet_shift);
	if (FIXTURE_FIELD(base, timestamp_begin) < rd->end_ns)
		FIXTURE_FAULT(rd, "packet %llu begins before the last one ended", packet >> r->packet_shift);
	return true;
}

static inline bool fixture_take_end(struct fixture_reader *rd, const __u8 *base, __u64 packet)
{
	const __u64 end_ns = FIXTURE_FIELD(base, timestamp_end), discarded = FIXTURE_FIELD(base, events_discarded);

	if (end_ns < rd->last_ns)
		FIXTURE_FAULT(rd, "packet %llu ends before its last record", packet);
	if (discarded < rd->discarded)
		FIXTURE_FAULT(rd, "packet %llu: %llu discarded after %llu", packet, discarded, rd->discarded);
	rd->end_ns = rd->last_ns = end_ns;
	rd->discarded = discarded;
	rd->packets++;
	return true;
}

/* Discard mode: takes all that is published and frees it. False: rd->fault says what is wrong. */
static inline bool fixture_take(struct fixture_reader *rd)
{
	struct fixture *f = rd->f;
	const __u64 head = __atomic_load_n(&f->control->head, __ATOMIC_ACQUIRE);
	const __u64 stopped = __atomic_load_n(&f->control->closed, __ATOMIC_ACQUIRE), size = ring_packet_bytes(&f->ring);

	for (;;) {
		const __u8 *base = ring_at(&f->ring, rd->packet);
		bool closed = head > rd->packet + size || stopped >= rd->packet + size;
		__u64 to = head < rd->packet + size ? head : rd->packet + size;

		if (!closed && to <= rd->at)
			break;
		if (rd->at == rd->packet) {
			if (!fixture_take_begin(rd, base, rd->packet))
				return false;
			rd->at += sizeof(struct kymo_packet);
		}
		if (closed) {
			to = rd->packet + FIXTURE_FIELD(base, content_size) / 8;
			if (to > rd->packet + size || to < rd->at)
				FIXTURE_FAULT(rd, "content ends at %llu of the packet at %llu", to, rd->packet);
		}
		if (!fixture_take_records(rd, base, FIXTURE_FIELD(base, timestamp_begin),
					  (__u32)(rd->at - rd->packet), (__u32)(to - rd->packet)))
			return false;
		rd->at = to;
		if (!closed)
			break;
		if (!fixture_take_end(rd, base, rd->packet))
			return false;
		rd->at = rd->packet += size;
		__atomic_store_n(&f->tail->tail, rd->packet, __ATOMIC_RELEASE);
	}
	/* At its very end a packet is not given back before it is closed: the close fields are still to come. */
	if (rd->live && rd->at < rd->packet + size)
		__atomic_store_n(&f->tail->tail, rd->at, __ATOMIC_RELEASE);
	return true;
}

#endif
