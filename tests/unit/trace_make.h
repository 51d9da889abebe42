/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes traces by hand for tests: records go through the real ring into files as the recorder lays them out, with the
 * built-in types' real catalogue entries and a clock that the test sets. Included by a test, which defines nothing before.
 */
#ifndef KYMO_TRACE_MAKE_H
#define KYMO_TRACE_MAKE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t make_clock_ns = 1000000000;
#define KYMO_RING_CLOCK() make_clock_ns
#include <kymo/ring.h>
#include "builtin.h"

enum { MAKE_PACKET_BYTES = 4096, MAKE_PACKETS = 4, MAKE_STREAMS = 260 };

static const uint8_t make_uuid[16] = { 0xab, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

struct make_stream {
	struct kymo_ring ring;
	struct kymo_ring_control *control;
	struct kymo_ring_tail tail;
	uint8_t *data;
	uint64_t begin_ns[MAKE_PACKETS];
	uint64_t written;	/* into the file */
	char path[300];
	uint64_t seq;		/* of the last packet in the file */
};

struct make_trace {		/* large: not for a stack that is used otherwise */
	char dir[200];
	struct make_stream stream[MAKE_STREAMS];
	unsigned int streams;
};

static inline void make_path(char path[300], const char *dir, const char *name)
{
	const size_t n = strlen(dir), m = strlen(name);

	if (n + m + 2 > 300)
		abort();
	memcpy(path, dir, n);
	path[n] = '/';
	memcpy(path + n + 1, name, m + 1);
}

static inline void make_file(const char *dir, const char *name, const void *data, size_t bytes)
{
	char path[300];
	FILE *f;

	make_path(path, dir, name);
	f = fopen(path, "we");
	if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f))
		abort();
}

static inline void make_append(const struct make_stream *s, const void *data, size_t bytes)
{
	FILE *f = fopen(s->path, "ae");

	if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f))
		abort();
}

/* An empty packet at the beginning and at the end, as the recorder makes them. */
static inline void make_edge(struct make_stream *s, uint64_t seq, uint64_t lost)
{
	struct kymo_packet p = s->ring.begin;

	p.timestamp_begin = p.timestamp_end = make_clock_ns;
	p.content_size = p.packet_size = sizeof(p) * 8;
	p.packet_seq_num = seq;
	p.events_discarded = lost;
	make_append(s, &p, sizeof(p));
}

static inline void make_begin(struct make_trace *t, const char *dir)
{
	static const char metadata[] =
		"/* CTF 1.8 */\ntrace { major = 1; minor = 8; uuid = \"ab010203-0405-0607-0809-0a0b0c0d0e0f\"; };\n";
	char path[300];
	size_t bytes;
	void *entries = builtin_entries(&bytes);

	memset(t, 0, sizeof(*t));
	snprintf(t->dir, sizeof(t->dir), "%s", dir);
	make_path(path, dir, "kymo");
	mkdir(path, 0700);
	make_file(dir, "metadata", metadata, sizeof(metadata) - 1);
	make_file(dir, "kymo/catalogue", entries, bytes);
	free(entries);
}

static inline struct make_stream *make_stream(struct make_trace *t, const char *name, uint32_t cpu)
{
	struct make_stream *s = &t->stream[t->streams++];

	s->control = calloc(1, sizeof(*s->control));
	s->data = calloc(MAKE_PACKETS, MAKE_PACKET_BYTES);
	s->control->packet_bytes = MAKE_PACKET_BYTES;
	s->control->packets = MAKE_PACKETS;
	s->control->cpu = cpu;
	s->control->stream_instance_id = t->streams - 1;
	memcpy(s->control->uuid, make_uuid, 16);
	s->ring = (struct kymo_ring){
		.control = s->control, .tail = &s->tail, .data = s->data, .packets = MAKE_PACKETS,
		.packet_shift = (uint32_t)__builtin_ctz(MAKE_PACKET_BYTES),
	};
	ring_init(&s->ring);
	make_path(s->path, t->dir, name);
	make_file(t->dir, name, "", 0);
	make_edge(s, 0, 0);
	return s;
}

/* Closed packets go to the file. */
static inline void make_drain(struct make_stream *s)
{
	const uint64_t head = s->control->head;

	while (s->written + MAKE_PACKET_BYTES < head || s->control->closed >= s->written + MAKE_PACKET_BYTES) {
		make_append(s, ring_at(&s->ring, s->written), MAKE_PACKET_BYTES);
		s->written += MAKE_PACKET_BYTES;
		s->seq++;
		s->tail.tail = s->written;
	}
}

static inline int make_record(struct make_stream *s, uint16_t id, const void *data, uint32_t bytes)
{
	struct kymo_slot slot;
	const int cause = ring_reserve(&s->ring, id, bytes, &slot);

	if (cause == KYMO_RING_OK) {
		memcpy(slot.payload, data, bytes);
		ring_commit(&s->ring);
	}
	return cause;
}

static inline int make_event(struct make_stream *s, uint16_t id, const void *data, uint32_t bytes)
{
	make_drain(s);
	return make_record(s, id, data, bytes);
}

/* make_ev(s, sched_switch, .prev_tid = 1, ...) */
#define make_ev(s, name, ...) ({ \
	const struct kymo_ev_##name ev_ = { __VA_ARGS__ }; \
	make_event(s, KYMO_ID_##name, &ev_, sizeof(ev_)); \
})

/* The same with strings (each NUL-terminated, the last NUL is the literal's) behind the fixed part. */
#define make_ev_string(s, name, string, ...) ({ \
	struct { struct kymo_ev_##name ev; char text[sizeof(string)]; } __attribute__((packed)) ev_ = { .ev = { __VA_ARGS__ } }; \
	memcpy(ev_.text, string, sizeof(string)); \
	make_event(s, KYMO_ID_##name, &ev_, sizeof(ev_)); \
})

static inline void make_end(struct make_trace *t)
{
	for (unsigned int i = 0; i < t->streams; i++) {
		struct make_stream *s = &t->stream[i];

		ring_close(&s->ring);
		make_drain(s);
		make_edge(s, s->seq + 1, s->control->lost);
		free(s->control);
		free(s->data);
	}
}

/* What has been written goes, as --max-size deletes it: the opening packet takes the place of it all, but keeps its time. */
static inline void make_rotate(struct make_stream *s, uint64_t begin_ns)
{
	const uint64_t now_ns = make_clock_ns;

	make_drain(s);
	if (truncate(s->path, 0))
		abort();
	make_clock_ns = begin_ns;
	make_edge(s, s->seq, s->control->lost);
	make_clock_ns = now_ns;
}

/* A directory of a test that goes with make_remove. */
static inline void make_room(char dir[200])
{
	snprintf(dir, 200, "%s/kymo-test-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(dir))
		abort();
}

static inline void make_remove(const char *dir)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command))
		abort();
}

#endif
