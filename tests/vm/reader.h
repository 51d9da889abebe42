/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the readers of the guest tests share: a session, its maps, and a drain that believes nothing: lengths chain,
 * times never go back, sequence numbers have no gap, every record is of an enabled type; in the end the records found
 * are the hits of KYMO_IOC_STATS and the discarded ones its losses. From uapi/kymo.h alone. Discard mode.
 */
#ifndef READER_H
#define READER_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <uapi/kymo.h>

#define CHECK(what) do { \
	if (!(what)) \
		errx(1, "%s:%d: failed: %s (errno %d)", __FILE__, __LINE__, #what, errno); \
} while (0)

/* The call must fail in exactly this way. */
#define CHECK_ERRNO(what, error) do { \
	errno = 0; \
	long got_ = (long)(what); \
	if (got_ != -1 || errno != (error)) \
		errx(1, "%s:%d: %s: result %ld, errno %d (%s), want %s", __FILE__, __LINE__, #what, got_, \
		     errno, strerror(errno), #error); \
} while (0)

enum { READER_RINGS = 4 * 256, READER_TYPES_MAX = 4096 };

struct reader_ring {
	const struct kymo_ring_control *control;
	struct kymo_ring_tail *tail;
	const unsigned char *data;
	unsigned long long at;		/* all below is read */
	unsigned long long last_ns;
	unsigned long long lost;	/* events_discarded of the last closed packet */
};

struct reader {
	int fd;
	struct kymo_info info;
	struct kymo_setup setup;
	struct reader_ring ring[READER_RINGS];
	unsigned long long found[1 << 16];
	struct kymo_type_stats stats[READER_TYPES_MAX];
};

/* EPERM and the like are the caller's. */
static inline int reader_open(struct reader *r, const struct kymo_setup *setup)
{
	memset(r, 0, sizeof(*r));
	r->fd = open(KYMO_DEVICE, O_RDWR | O_CLOEXEC);
	if (r->fd < 0)
		return -1;
	r->setup = *setup;
	CHECK(!ioctl(r->fd, KYMO_IOC_INFO, &r->info));
	CHECK(!ioctl(r->fd, KYMO_IOC_SETUP, &r->setup));
	CHECK(r->setup.cpus == r->info.cpus && r->setup.sets * r->setup.cpus <= READER_RINGS);
	return 0;
}

/* Number of types that are now enabled, or -1. */
static inline int reader_enable(struct reader *r, const char *glob, unsigned int set)
{
	struct kymo_enable enable = { .set = set };

	snprintf(enable.glob, sizeof(enable.glob), "%s", glob);
	return ioctl(r->fd, KYMO_IOC_ENABLE, &enable) ? -1 : (int)enable.matched;
}

static inline int reader_disable(struct reader *r, const char *glob)
{
	struct kymo_enable enable = { 0 };

	snprintf(enable.glob, sizeof(enable.glob), "%s", glob);
	return ioctl(r->fd, KYMO_IOC_DISABLE, &enable) ? -1 : (int)enable.matched;
}

/* The id of an event type, 0: not there. */
static inline unsigned int reader_type(struct reader *r, const char *name)
{
	static char buf[1 << 18];
	struct kymo_catalogue c = { .buf = (unsigned long)buf, .buf_bytes = sizeof(buf) };
	const struct kymo_event_type *t;

	do {
		CHECK(!ioctl(r->fd, KYMO_IOC_CATALOGUE, &c));
		for (unsigned int at = 0; at < c.used_bytes; at += t->size) {
			t = (const void *)(buf + at);
			CHECK(t->size == sizeof(*t) + t->fields * sizeof(t->field[0]));
			if (!strcmp(t->name, name))
				return t->id;
		}
		c.first = c.next;
	} while (c.next);
	return 0;
}

static inline void *reader_map(struct reader *r, unsigned int index, unsigned long long offset, size_t bytes, int prot)
{
	void *at = mmap(NULL, bytes, prot, MAP_SHARED, r->fd, index * r->setup.ring_stride + offset);

	if (at == MAP_FAILED && errno == ENXIO)
		return NULL;
	if (at == MAP_FAILED)
		err(1, "mmap of ring %u at %llu", index, offset);
	return at;
}

static inline const struct kymo_set *reader_set(const struct reader *r, unsigned int index)
{
	return &r->setup.set[index / r->setup.cpus];
}

static inline unsigned long long reader_ring_bytes(const struct reader *r, unsigned int index)
{
	return (unsigned long long)reader_set(r, index)->packet_bytes * reader_set(r, index)->packets;
}

/* Maps the rings that are there and are not mapped yet; returns how many are mapped. */
static inline unsigned int reader_map_all(struct reader *r)
{
	const size_t page = r->info.page_bytes;
	unsigned int mapped = 0;

	for (unsigned int i = 0; i < r->setup.sets * r->setup.cpus; i++) {
		struct reader_ring *ring = &r->ring[i];

		if (!ring->control) {
			ring->control = reader_map(r, i, r->setup.control_offset, page, PROT_READ);
			if (!ring->control)
				continue;
			ring->tail = reader_map(r, i, r->setup.tail_offset, page, PROT_READ | PROT_WRITE);
			ring->data = reader_map(r, i, r->setup.data_offset, reader_ring_bytes(r, i), PROT_READ);
			CHECK(ring->control->stream_instance_id == i && ring->control->cpu == i % r->setup.cpus);
			CHECK(ring->control->packet_bytes == reader_set(r, i)->packet_bytes);
			CHECK(ring->control->packets == reader_set(r, i)->packets);
		}
		mapped++;
	}
	return mapped;
}

static inline void reader_packet_begins(struct reader *r, unsigned int index, const struct kymo_packet *p)
{
	struct reader_ring *ring = &r->ring[index];
	const unsigned int bytes = reader_set(r, index)->packet_bytes;

	CHECK(p->magic == KYMO_CTF_MAGIC && !memcmp(p->uuid, r->setup.uuid, sizeof(p->uuid)) && p->stream_id == 0);
	CHECK(p->stream_instance_id == index && p->cpu_id == index % r->setup.cpus && p->packet_size == bytes * 8ull);
	CHECK(p->packet_seq_num == ring->at / bytes + 1 && p->timestamp_begin >= ring->last_ns);
	ring->last_ns = p->timestamp_begin;
	ring->at += sizeof(*p);
}

static inline void reader_record(struct reader *r, struct reader_ring *ring, const struct kymo_packet *p, unsigned int room)
{
	const struct kymo_record *record = (const void *)((const char *)p + ring->at % (p->packet_size / 8));
	unsigned long long now = (ring->last_ns & ~0xffffffffull) | record->time_low;

	CHECK(room >= sizeof(*record) && room >= sizeof(*record) + record->len);
	if (now < ring->last_ns)
		now += 1ull << 32;
	CHECK(now - p->timestamp_begin < 1ull << 32);
	ring->last_ns = now;
	r->found[record->id]++;
	ring->at += sizeof(*record) + record->len;
}

/* Reads all that is whole and frees it. Returns the number of records. */
static inline unsigned long long reader_drain_ring(struct reader *r, unsigned int index)
{
	struct reader_ring *ring = &r->ring[index];
	const unsigned int bytes = reader_set(r, index)->packet_bytes;
	unsigned long long head, start, end, records = 0;
	const struct kymo_packet *p;
	bool closed;

	head = __atomic_load_n(&ring->control->head, __ATOMIC_ACQUIRE);
	CHECK(head >= ring->at && head - ring->at <= reader_ring_bytes(r, index));
	while (ring->at < head) {
		start = ring->at - ring->at % bytes;
		p = (const void *)(ring->data + start % reader_ring_bytes(r, index));
		if (ring->at == start)
			reader_packet_begins(r, index, p);
		closed = head > start + bytes || __atomic_load_n(&ring->control->closed, __ATOMIC_ACQUIRE) >= start + bytes;
		CHECK(!closed || (p->content_size % 8 == 0 && p->content_size / 8 <= bytes));
		end = closed ? start + p->content_size / 8 : head;
		CHECK(ring->at <= end);
		for (; ring->at < end; records++)
			reader_record(r, ring, p, end - ring->at);
		CHECK(ring->at == end);
		if (!closed)
			break;
		CHECK(p->timestamp_end >= ring->last_ns && p->events_discarded >= ring->lost);
		ring->last_ns = p->timestamp_end;
		ring->lost = p->events_discarded;
		ring->at = start + bytes;
	}
	__atomic_store_n(&ring->tail->tail, ring->at, __ATOMIC_RELEASE);
	return records;
}

static inline unsigned long long reader_drain(struct reader *r)
{
	unsigned long long records = 0;

	for (unsigned int i = 0; i < r->setup.sets * r->setup.cpus; i++)
		if (r->ring[i].control)
			records += reader_drain_ring(r, i);
	return records;
}

static inline const struct kymo_type_stats *reader_stats(struct reader *r, unsigned int id)
{
	struct kymo_stats s = { .buf = (unsigned long)r->stats, .capacity = READER_TYPES_MAX };

	CHECK(!ioctl(r->fd, KYMO_IOC_STATS, &s) && s.count <= READER_TYPES_MAX);
	for (unsigned int i = 0; i < s.count; i++)
		if (r->stats[i].id == id)
			return &r->stats[i];
	return NULL;
}

/* Stops, reads the rest, compares everything that can be. Prints a line; returns the number of records. */
static inline unsigned long long reader_finish(struct reader *r)
{
	struct kymo_stats s = { .buf = (unsigned long)r->stats, .capacity = READER_TYPES_MAX };
	unsigned long long found = 0, hits = 0, lost = 0, discarded = 0, missed = 0, no_ring = 0;

	CHECK(!ioctl(r->fd, KYMO_IOC_STOP));
	reader_map_all(r);
	reader_drain(r);
	CHECK(!ioctl(r->fd, KYMO_IOC_STATS, &s) && s.count <= READER_TYPES_MAX);
	for (unsigned int i = 0; i < s.count; i++) {
		const struct kymo_type_stats *t = &r->stats[i];

		if (r->found[t->id] != t->hits)
			errx(1, "event type %u: %llu records found, %llu hits", t->id,
			     r->found[t->id], (unsigned long long)t->hits);
		found += r->found[t->id];
		r->found[t->id] = 0;
		hits += t->hits;
		for (int cause = 0; cause < KYMO_LOSS_SLOTS; cause++)
			lost += t->lost[cause];
		missed += t->lost[KYMO_LOSS_PROBE_MISSED];
		no_ring += t->lost[KYMO_LOSS_NO_RING];
	}
	for (unsigned int i = 0; i < 1 << 16; i++)
		if (r->found[i])
			errx(1, "%llu records of event type %u, which this session never enabled", r->found[i], i);
	for (unsigned int i = 0; i < r->setup.sets * r->setup.cpus; i++) {
		if (!r->ring[i].control)
			continue;
		discarded += r->ring[i].control->lost;
		CHECK(r->ring[i].control->nest == 0 && r->ring[i].control->reserve == r->ring[i].control->head);
	}
	printf("records %llu, hits %llu, lost %llu (missed %llu, no ring %llu), discarded %llu, memory %llu\n", found, hits, lost,
	       missed, no_ring, discarded, (unsigned long long)s.memory_bytes);
	/* Some misses of probes are known with their CPU and stand in a ring's sum, some are not. */
	CHECK(found == hits && discarded <= lost - no_ring && discarded >= lost - missed - no_ring);
	return found;
}

#endif
