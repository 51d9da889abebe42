// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One sequence of events out of all streams: a heap of those streams that have an event at hand. The input gives no
 * second stretch of a stream before the first is released, so after a pass over its next() every stream either has a
 * stretch here or has nothing at this time.
 */
#include "merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merge_source {
	struct merge_stream seen;
	struct stretch stretch;
	struct packet_walk walk;
	struct event event;		/* the next one */
	uint64_t seq;			/* of the current packet */
	bool begun;
	bool moved;			/* its opening packet stands for deleted ones: the stream begins behind it */
};

struct merge {
	struct input *in;
	struct merge_source *source;	/* by stream index */
	unsigned int sources;
	unsigned int *heap;		/* stream indexes; the earliest event first */
	unsigned int heaped;
	bool popped;			/* the heap's first has been handed out */
	bool refill;			/* ask the input before the next event: a stretch was released, or time went on */
	uint64_t until_ns;
	bool ended;
	char damage[256];
};

struct merge *merge_create(struct input *in)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (m) {
		m->in = in;
		m->refill = true;
	}
	return m;
}

void merge_destroy(struct merge *m)
{
	if (!m)
		return;
	free(m->source);
	free(m->heap);
	free(m);
}

static bool merge_before(const struct merge *m, unsigned int a, unsigned int b)
{
	const struct merge_source *x = &m->source[a], *y = &m->source[b];

	if (x->event.time_ns != y->event.time_ns)
		return x->event.time_ns < y->event.time_ns;
	/* Indexes may differ between a session and its recording. */
	if (x->seen.instance != y->seen.instance)
		return x->seen.instance < y->seen.instance;
	return a < b;
}

static void merge_sift_down(struct merge *m, unsigned int at)
{
	const unsigned int moving = m->heap[at];

	for (;;) {
		unsigned int child = 2 * at + 1;

		if (child >= m->heaped)
			break;
		if (child + 1 < m->heaped && merge_before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!merge_before(m, m->heap[child], moving))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moving;
}

static void merge_push(struct merge *m, unsigned int stream)
{
	unsigned int at = m->heaped++;

	while (at && merge_before(m, stream, m->heap[(at - 1) / 2])) {
		m->heap[at] = m->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	m->heap[at] = stream;
}

static int merge_grow(struct merge *m, unsigned int streams)
{
	void *source, *heap;

	if (streams <= m->sources)
		return 0;
	source = realloc(m->source, streams * sizeof(*m->source));
	if (source)
		m->source = source;
	heap = realloc(m->heap, streams * sizeof(*m->heap));
	if (heap)
		m->heap = heap;
	if (!source || !heap)
		return -ENOMEM;
	memset(m->source + m->sources, 0, (streams - m->sources) * sizeof(*m->source));
	m->sources = streams;
	return 0;
}

/* The packet's numbers, when its first stretch comes. */
static void merge_packet_begins(struct merge_source *s)
{
	const struct kymo_packet *p = s->stretch.packet;

	if (!s->begun || s->moved) {
		s->moved = !s->begun && p->packet_seq_num && s->stretch.to == s->stretch.from;
		s->seen.instance = p->stream_instance_id;
		s->seen.cpu = p->cpu_id;
		s->seen.begin_ns = p->timestamp_begin;
	} else if (p->packet_seq_num > s->seq + 1) {
		s->seen.missing += p->packet_seq_num - s->seq - 1;
		s->seen.gaps++;
	}
	s->seq = p->packet_seq_num;
}

/* Nothing is left in the stretch. */
static void merge_stretch_ends(struct merge *m, struct merge_source *s)
{
	s->seen.unknown += s->walk.unknown;
	s->seen.end_ns = s->stretch.end_ns;
	/* Behind its last record, mostly. What the opening packet counts is gone with the deleted files. */
	s->seen.gaps += s->stretch.lost > s->seen.lost && !s->moved;
	s->seen.lost = s->stretch.lost;
	if (!s->begun)
		s->seen.first_lost = s->stretch.lost;
	s->begun = true;
	s->seen.packets += s->stretch.closed;
	s->seen.content_bytes += s->stretch.to - s->stretch.from;
	m->in->ops->release(m->in, &s->stretch);
	m->refill = true;
}

/* True: the stretch has another event, now in s->event. Else it is released. */
static bool merge_advance(struct merge *m, struct merge_source *s)
{
	const int got = packet_walk_next(&s->walk, &s->event);

	if (got == 1) {
		s->event.gaps = s->seen.gaps;
		return true;
	}
	if (got < 0) {
		s->seen.damaged++;
		if (!m->damage[0])
			snprintf(m->damage, sizeof(m->damage), "stream %u, packet %llu, %s", s->stretch.stream,
				 (unsigned long long)s->seq, s->walk.error);
	}
	merge_stretch_ends(m, s);
	return false;
}

/*
 * Takes from the input what it has. 0, or -errno; m->ended when that was all. A stretch without an event (the end of a
 * packet that was read while it was open) is released at once: then its stream may have more, in another pass.
 */
static int merge_fill(struct merge *m)
{
	struct stretch stretch;

	m->refill = false;
	for (;;) {
		const int got = m->in->ops->next(m->in, &stretch);
		struct merge_source *s;
		int err;

		if (got == 0 || got == -ENODATA) {
			m->ended = got == -ENODATA;
			if (m->ended || !m->refill)
				return 0;
			m->refill = false;
			continue;
		}
		if (got < 0)
			return got;
		err = merge_grow(m, stretch.stream >= m->in->streams ? stretch.stream + 1 : m->in->streams);
		if (err)
			return err;
		s = &m->source[stretch.stream];
		s->stretch = stretch;
		if (!s->begun || stretch.packet->packet_seq_num != s->seq)
			merge_packet_begins(s);
		packet_walk_init(&s->walk, m->in->catalogue, stretch.packet, stretch.from, stretch.to, stretch.last_ns);
		s->walk.stream = stretch.stream;
		if (merge_advance(m, s))
			merge_push(m, stretch.stream);
	}
}

int merge_next(struct merge *m, uint64_t until_ns, struct event *e)
{
	if (m->popped) {
		m->popped = false;
		if (merge_advance(m, &m->source[m->heap[0]])) {
			merge_sift_down(m, 0);
		} else {
			m->heap[0] = m->heap[--m->heaped];
			if (m->heaped)
				merge_sift_down(m, 0);
		}
	}
	if (until_ns > m->until_ns) {
		m->until_ns = until_ns;
		m->refill = true;
	}
	if (m->refill || !m->heaped) {
		const int err = merge_fill(m);

		if (err)
			return err;
	}
	if (!m->heaped)
		return m->ended ? -ENODATA : 0;
	if (m->source[m->heap[0]].event.time_ns > until_ns)
		return 0;
	m->popped = true;
	m->source[m->heap[0]].seen.events++;
	*e = m->source[m->heap[0]].event;
	return 1;
}

unsigned int merge_streams(const struct merge *m)
{
	return m->sources;
}

const struct merge_stream *merge_stream(const struct merge *m, unsigned int stream)
{
	return &m->source[stream].seen;
}

const char *merge_damage(const struct merge *m)
{
	return m->damage;
}
