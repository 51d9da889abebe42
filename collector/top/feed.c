// SPDX-License-Identifier: GPL-2.0-or-later
/* From an input to snapshots, and the calls that depend on the kind of feed. */
#include "feed_part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int feed_failed(struct feed *f, int err, const char *why)
{
	if (!f->why[0])
		snprintf(f->why, sizeof(f->why), "%s", why && why[0] ? why : strerror(-err));
	return err;
}

int feed_begin(struct feed *f)
{
	f->merge = merge_create(f->in);
	f->tally = tally_create();
	if (!f->merge || !f->tally)
		return feed_failed(f, -ENOMEM, NULL);
	tally_window(f->tally, f->start_ns, f->stop_ns);
	tally_own(f->tally, f->own_pid);
	f->begun = false;
	f->ticked_ns = f->start_ns;
	f->upto_ns = 0;	/* START is on before it returns: what comes before start_ns is not late */
	f->late = f->late_told = 0;
	memset(&f->totals, 0, sizeof(f->totals));
	memset(f->load, 0, sizeof(f->load));
	return 0;
}

void feed_fini(struct feed *f)
{
	snapshot_destroy(f->snapshot);
	tally_destroy(f->tally);
	merge_destroy(f->merge);
	f->snapshot = NULL;
	f->tally = NULL;
	f->merge = NULL;
}

/* Its files are opened, its rings made before the session starts: nobody's CPU time. */
uint64_t feed_stream_begin(const struct feed *f, unsigned int stream)
{
	const uint64_t begin_ns = stream < merge_streams(f->merge) ? merge_stream(f->merge, stream)->begin_ns : 0;

	/* A session's CPUs are there from its begin on, also those whose rings were made later. */
	if (f->facts.live || begin_ns < f->start_ns)
		return f->start_ns;
	return f->stop_ns && begin_ns > f->stop_ns ? f->stop_ns : begin_ns;
}

int feed_take(struct feed *f, uint64_t until_ns)
{
	struct event e;
	int got;

	while ((got = merge_next(f->merge, until_ns, &e)) == 1) {
		if (!f->begun && f->ops->begun && f->ops->begun(f, e.time_ns))
			return -ENOMEM;
		f->begun = true;
		f->late += e.time_ns < f->upto_ns;
		tally_event(f->tally, &e, feed_stream_begin(f, e.stream));
	}
	if (until_ns != MERGE_ALL && until_ns > f->upto_ns)
		f->upto_ns = until_ns;
	return got && got != -ENODATA ? feed_failed(f, got, NULL) : got;
}

/* ---- snapshots ---- */

static int feed_snapshot(struct feed *f, uint64_t now_ns)
{
	struct snapshot *s = snapshot_create(f->tally, f->ticked_ns, now_ns);

	if (!s)
		return feed_failed(f, -ENOMEM, NULL);
	s->here = f->facts.live;
	feed_vitals(f, s);
	f->totals = s->totals;
	f->late_told = f->late;
	f->ticked_ns = now_ns;
	snapshot_destroy(f->snapshot);
	f->snapshot = s;
	return 0;
}

static uint32_t feed_stream_cpu(const struct feed *f, unsigned int stream)
{
	struct input_stream info;

	if (!f->in->ops->stream)
		return merge_stream(f->merge, stream)->cpu;
	f->in->ops->stream(f->in, stream, &info);
	return info.cpu;
}

static bool feed_stream_counts(const struct feed *f, unsigned int stream)
{
	return (int)stream != f->own_stream && (f->in->ops->stream || merge_stream(f->merge, stream)->end_ns);
}

/* In a trace the instance tells: set * cpus + cpu. */
static unsigned int feed_stream_set(const struct feed *f, unsigned int stream)
{
	return f->facts.cpus ? (unsigned int)(merge_stream(f->merge, stream)->instance / f->facts.cpus) : 0;
}

static void feed_rings(struct feed *f)
{
	for (unsigned int i = 0; i < merge_streams(f->merge); i++) {
		const struct merge_stream *seen = merge_stream(f->merge, i);
		struct input_stream info = { .set = feed_stream_set(f, i), .cpu = seen->cpu, .lost = seen->lost };
		const bool own = (int)i == f->own_stream;

		if (f->in->ops->stream)
			f->in->ops->stream(f->in, i, &info);
		tally_ring(f->tally, &(struct tally_ring_key){ own, own ? 0 : info.set, own ? 0 : info.cpu },
			   &(struct tally_ring){ info.ring_bytes, info.unread_bytes },
			   (const uint64_t[RING_COLUMNS]){ seen->content_bytes, seen->events, seen->packets, seen->lost });
	}
}

int feed_shoot(struct feed *f, uint64_t now_ns)
{
	int err;

	for (unsigned int i = 0; i < merge_streams(f->merge); i++)
		if (feed_stream_counts(f, i))
			tally_advance(f->tally, i, feed_stream_cpu(f, i), merge_stream(f->merge, i)->gaps, feed_stream_begin(f, i),
				      now_ns);
	tally_moment(f->tally, now_ns);
	feed_rings(f);
	err = feed_snapshot(f, now_ns);
	tally_age(f->tally);
	return err;
}

/* As report does it. */
int feed_shoot_last(struct feed *f)
{
	const unsigned int streams = merge_streams(f->merge);

	tally_window(f->tally, f->start_ns, f->stop_ns);
	for (unsigned int i = 0; i < streams; i++)
		tally_stream_end(f->tally, i, feed_stream_cpu(f, i), merge_stream(f->merge, i)->gaps);
	for (unsigned int i = 0; i < streams; i++) {
		const uint64_t end_ns = merge_stream(f->merge, i)->end_ns;

		if (feed_stream_counts(f, i))
			tally_cpu_end(f->tally, feed_stream_cpu(f, i), feed_stream_begin(f, i),
				      f->facts.live || end_ns > f->stop_ns ? f->stop_ns : end_ns);
	}
	tally_finish(f->tally);
	feed_rings(f);
	f->upto_ns = f->stop_ns;
	return feed_snapshot(f, f->stop_ns);
}

/* ---- what depends on the kind ---- */

const struct feed_facts *feed_facts(const struct feed *f)
{
	return &f->facts;
}

const char *feed_note(const struct feed *f, unsigned int index)
{
	return f->ops->note(f, index);
}

unsigned int feed_fds(const struct feed *f, struct pollfd fds[FEED_FDS])
{
	return f->ops->fds ? f->ops->fds(f, fds) : 0;
}

int feed_wait_ms(const struct feed *f)
{
	return f->wait_ms;
}

int feed_drain(struct feed *f)
{
	return f->ops->drain ? f->ops->drain(f) : 0;
}

int feed_tick(struct feed *f, uint64_t step_ns, const struct snapshot **out)
{
	int err = f->ops->tick(f, step_ns);

	*out = f->snapshot;
	return err;
}

int feed_seek(struct feed *f, uint64_t time_ns, uint64_t step_ns, const struct snapshot **out)
{
	int err = f->ops->seek ? f->ops->seek(f, time_ns, step_ns) : -ENOTSUP;

	*out = f->snapshot;
	return err;
}

int feed_end(struct feed *f, const struct snapshot **out)
{
	int err = f->ops->end ? f->ops->end(f) : 0;

	*out = f->snapshot;
	return err;
}

const char *feed_why(const struct feed *f)
{
	return f->why;
}

void feed_destroy(struct feed *f)
{
	if (f)
		f->ops->destroy(f);
}
