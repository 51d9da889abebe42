// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The BPF input's streams: each from a ring of the programs, or from the collector's own queue, to packets. Records
 * come in order; one that does not (it would be a fault in the reasoning of bpf_ring.h) gets the time of the one
 * before it, and is counted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "clock.h"
#include "cpu_list.h"
#include "input_bpf_internal.h"

#define BPF_GRACE_NS	200000000ull	/* how often the kernel is waited for, for the own stream */

static int bpf_stream_add(struct bpf *b, unsigned int set, unsigned int cpu, uint32_t packet_bytes)
{
	struct bpf_stream *s = &b->streams[b->in.streams];
	int err;

	*s = (struct bpf_stream){ .ring_fd = -1 };
	s->info = (struct input_stream){ .set = set, .cpu = cpu, .instance = (uint64_t)set * b->setup.cpus + cpu,
					 .packet_bytes = packet_bytes };
	err = packet_writer_init(&s->writer, &s->info, b->in.uuid);
	if (!err)
		b->in.streams++;
	return err;
}

static int bpf_stream_ring(struct bpf *b, struct bpf_stream *s)
{
	const struct kymo_set *set = &b->setup.set[s->info.set];
	const size_t bytes = (size_t)set->packet_bytes * set->packets;
	struct epoll_event when = { .events = EPOLLIN | EPOLLET };
	int err;

	s->ring_fd = bpf_programs_ring(b->programs, (unsigned int)s->info.instance, (uint32_t)bytes);
	if (s->ring_fd < 0)
		return s->ring_fd;
	err = bpf_ring_init(&s->ring, s->ring_fd, bytes);
	/* By edges: when the ring says so, not whenever there is something in it. */
	if (!err && epoll_ctl(b->epoll, EPOLL_CTL_ADD, s->ring_fd, &when))
		err = -errno;
	return err;
}

/* The own stream has the set behind those that were asked for, and the first CPU. */
int bpf_streams_init(struct bpf *b)
{
	const struct kymo_setup *setup = &b->setup;

	b->streams_room = setup->sets * setup->cpus + 1;
	b->streams = calloc(b->streams_room, sizeof(*b->streams));
	b->has_ring = calloc((size_t)setup->sets * setup->cpus, sizeof(*b->has_ring));
	if (!b->streams || !b->has_ring)
		return -ENOMEM;
	return bpf_stream_add(b, setup->sets, 0, setup->set[0].packet_bytes);
}

void bpf_streams_fini(struct bpf *b)
{
	for (unsigned int i = 0; i < b->in.streams; i++) {
		bpf_ring_fini(&b->streams[i].ring);
		packet_writer_fini(&b->streams[i].writer);
		if (b->streams[i].ring_fd >= 0)
			close(b->streams[i].ring_fd);
	}
	free(b->streams);
	free(b->has_ring);
}

struct bpf_follow {
	struct bpf *bpf;
	int err;
};

static void bpf_follow_cpu(void *context, unsigned int cpu)
{
	struct bpf_follow *f = context;
	struct bpf *b = f->bpf;

	for (unsigned int set = 0; set < b->setup.sets && !f->err && cpu < b->setup.cpus; set++) {
		bool *has = &b->has_ring[set * b->setup.cpus + cpu];

		if (*has)
			continue;
		f->err = bpf_stream_add(b, set, cpu, b->setup.set[set].packet_bytes);
		if (!f->err)
			f->err = bpf_stream_ring(b, &b->streams[b->in.streams - 1]);
		*has = !f->err;
	}
}

int bpf_streams_follow(struct bpf *b)
{
	struct bpf_follow f = { b, 0 };
	int got = cpu_list_read("online", bpf_follow_cpu, &f);

	b->looked_ms = clock_now_ns() / 1000000;
	if (got < 0 || f.err)
		return got < 0 ? got : f.err;
	if (!b->started || b->stopped)
		return 0;
	got = bpf_samples_follow(b);
	return got ? got : bpf_mmaps_follow(b);
}

static uint64_t bpf_own_lost(const struct bpf *b)
{
	uint64_t lost = 0;

	for (unsigned int id = 0; id < BPF_TYPES; id++)
		if (b->type[id] && b->type[id]->own)
			lost += b->type[id]->stats.lost[KYMO_LOSS_FULL] + b->type[id]->stats.lost[KYMO_LOSS_TOO_BIG];
	return lost;
}

uint64_t bpf_stream_lost(const struct bpf *b, const struct bpf_stream *s)
{
	const struct bpf_cpu_counts *counts;
	uint64_t lost = s->too_big;

	if (s->ring_fd < 0)
		return bpf_own_lost(b);
	counts = bpf_programs_counts(b->programs, s->info.cpu);
	for (unsigned int slot = 0; slot < BPF_TYPES; slot++) {
		const struct bpf_count *c = &counts->type[slot];

		if (b->type[slot] && !b->type[slot]->own && b->type[slot]->set == s->info.set)
			lost += __atomic_load_n(&c->full, __ATOMIC_RELAXED) + __atomic_load_n(&c->nested, __ATOMIC_RELAXED) +
				__atomic_load_n(&c->no_ring, __ATOMIC_RELAXED);
	}
	return lost;
}

/*
 * perf takes a record's time first and writes it then, with preemption off: after a grace period all is there that is
 * older than its begin. Now and then, and only if something waits.
 */
static int bpf_own_look(struct bpf *b)
{
	const uint64_t now_ns = clock_now_ns();
	int err = bpf_mmaps_drain(b);

	if (err || !pending_first(&b->queue) || b->own_bound_ns == UINT64_MAX || now_ns - b->graced_ns < BPF_GRACE_NS)
		return err;
	err = bpf_programs_grace(b->programs);
	return err ? err : bpf_own_known(b, now_ns);
}

int bpf_own_known(struct bpf *b, uint64_t until_ns)
{
	b->own_bound_ns = until_ns;
	b->graced_ns = clock_now_ns();
	return bpf_mmaps_drain(b);
}

int bpf_streams_look(struct bpf *b)
{
	int err = bpf_own_look(b);

	for (unsigned int i = 0; i < b->in.streams && !err; i++) {
		struct bpf_stream *s = &b->streams[i];

		s->info.lost = bpf_stream_lost(b, s);
		if (s->ring_fd >= 0)
			err = bpf_ring_look(&s->ring, b->promise_ns);
	}
	return err;
}

bool bpf_streams_known(const struct bpf *b, uint64_t until_ns)
{
	for (unsigned int i = 0; i < b->in.streams; i++)
		if (b->streams[i].ring_fd >= 0 && b->streams[i].ring.bound_ns < until_ns)
			return false;
	return true;
}

static uint64_t bpf_stream_time(struct bpf *b, const struct bpf_stream *s, uint64_t time_ns)
{
	if (time_ns >= s->writer.last_ns)
		return time_ns;
	b->late++;
	return s->writer.last_ns;
}

static void bpf_stream_too_big(struct bpf *b, struct bpf_stream *s, unsigned int slot)
{
	b->type[slot]->too_big++;
	s->too_big++;
	s->info.lost++;
	bpf_ring_pop(&s->ring);
}

static void bpf_stream_fill_ring(struct bpf *b, struct bpf_stream *s)
{
	const struct bpf_head *head;

	while ((head = bpf_ring_next(&s->ring))) {
		const uint64_t time_ns = bpf_stream_time(b, s, head->time_ns);
		uint32_t bytes;
		const uint8_t *from = bpf_form(b, head, &bytes);
		uint8_t *to;

		if (bytes > packet_writer_most(&s->writer)) {
			bpf_stream_too_big(b, s, head->id);
			continue;
		}
		to = packet_writer_put(&s->writer, time_ns, bpf_slot_id(head->id), bytes, s->info.lost);
		if (!to)
			break;
		memcpy(to, from, bytes);
		bpf_ring_pop(&s->ring);
	}
	bpf_ring_free(&s->ring);
}

static void bpf_stream_fill_own(struct bpf *b, struct bpf_stream *s)
{
	const struct pending_record *r;

	while ((r = pending_first(&b->queue)) && r->time_ns <= b->own_bound_ns) {
		const uint64_t time_ns = bpf_stream_time(b, s, r->time_ns);
		uint8_t *to = packet_writer_put(&s->writer, time_ns, r->id, r->bytes, s->info.lost);

		if (!to)
			break;
		memcpy(to, r->data, r->bytes);
		pending_pop(&b->queue);
	}
}

static uint64_t bpf_stream_least_ns(const struct bpf *b, const struct bpf_stream *s)
{
	const struct pending_record *first = pending_first(&b->queue);

	if (s->ring_fd >= 0)
		return bpf_ring_least_ns(&s->ring);
	if (first && first->time_ns < b->own_bound_ns)
		return first->time_ns;
	return b->own_bound_ns > s->writer.last_ns ? b->own_bound_ns : s->writer.last_ns;
}

static bool bpf_stream_empty(const struct bpf *b, const struct bpf_stream *s)
{
	return s->ring_fd >= 0 ? !bpf_ring_next(&s->ring) : !pending_first(&b->queue);
}

bool bpf_stream_next(struct bpf *b, unsigned int stream, struct stretch *out)
{
	struct bpf_stream *s = &b->streams[stream];

	if (s->held)
		return false;
	if (s->ring_fd >= 0)
		bpf_stream_fill_ring(b, s);
	else
		bpf_stream_fill_own(b, s);
	if (b->stopped && bpf_stream_empty(b, s))
		packet_writer_close(&s->writer, s->info.lost);
	if (!packet_writer_next(&s->writer, !b->closed_only, bpf_stream_least_ns(b, s), s->info.lost, out))
		return false;
	out->stream = stream;
	s->held = true;
	return true;
}

void bpf_stream_release(struct bpf *b, const struct stretch *stretch)
{
	struct bpf_stream *s = &b->streams[stretch->stream];

	packet_writer_release(&s->writer, stretch);
	s->held = false;
}

bool bpf_streams_empty(const struct bpf *b)
{
	for (unsigned int i = 0; i < b->in.streams; i++)
		if (!bpf_stream_empty(b, &b->streams[i]))
			return false;
	return true;
}

int bpf_own_record(struct bpf *b, uint64_t time_ns, uint16_t id, const void *data, size_t bytes)
{
	int err;

	if (!b->type[id])
		return 0;
	if (bytes > packet_writer_most(&b->streams[0].writer)) {
		b->type[id]->stats.lost[KYMO_LOSS_TOO_BIG]++;
		return 0;
	}
	err = pending_put(&b->queue, time_ns, id, data, bytes);
	b->type[id]->stats.hits += !err;
	return err;
}
