// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The feed of a session that runs now. What is up to a time T is in the rings when SYNC has answered T; so each tick is:
 * counters, SYNC, everything up to T, snapshot. In between the rings are emptied in the same way when they are half full.
 * With a recording every stretch goes into it as it is taken from the rings: it holds what was shown, and nothing else.
 */
#include "feed_part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../catalogue.h"
#include "../recording.h"
#include "../symbol/names.h"

enum {
	FEED_BUFFER_BYTES = 2 << 20,
	FEED_PACKET_BYTES = 64 << 10,
	FEED_WAIT_MS = 500,		/* rings of CPUs that came online are looked for at least so often */
};

struct feed_live {
	struct feed feed;		/* first */
	struct collection_options options;
	struct collection collection;
	struct input tee;		/* hands on the collection's stretches and records them */
	struct recording_options recording_options;
	struct recording recording;
	bool records, ended;
	char hostname[72], release[72];
	char note[1200], missing[600];
};

static struct feed_live *feed_live_of(const struct feed *f)
{
	return (struct feed_live *)f;	/* its first member */
}

/* ---- the tee ---- */

static struct feed_live *feed_tee_of(struct input *in)
{
	return (struct feed_live *)((char *)in - offsetof(struct feed_live, tee));
}

static int feed_tee_wait(struct input *in, int timeout_ms)
{
	struct feed_live *k = feed_tee_of(in);
	int err = k->collection.in.ops->wait(&k->collection.in, timeout_ms);

	in->streams = k->collection.in.streams;
	return err;
}

static int feed_tee_next(struct input *in, struct stretch *out)
{
	struct feed_live *k = feed_tee_of(in);
	int got = k->collection.in.ops->next(&k->collection.in, out);

	in->streams = k->collection.in.streams;
	/* A recording that ends early takes nothing more; what is shown goes on. */
	if (got == 1 && k->records && recording_take(&k->recording, out) && !k->note[0])
		snprintf(k->note, sizeof(k->note), "the recording has ended early: %s", k->recording.why);
	return got;
}

static void feed_tee_release(struct input *in, const struct stretch *stretch)
{
	struct feed_live *k = feed_tee_of(in);

	k->collection.in.ops->release(&k->collection.in, stretch);
}

static void feed_tee_stream(struct input *in, unsigned int stream, struct input_stream *out)
{
	struct feed_live *k = feed_tee_of(in);

	k->collection.in.ops->stream(&k->collection.in, stream, out);
}

static void feed_tee_init(struct feed_live *k)
{
	static const struct input_ops ops = {
		.name = "tee", .wait = feed_tee_wait, .next = feed_tee_next, .release = feed_tee_release,
		.stream = feed_tee_stream,
	};

	k->tee = k->collection.in;
	k->tee.ops = &ops;
	k->feed.in = &k->tee;
	k->feed.own_stream = COLLECTION_OWN_STREAM;
}

/* ---- while it runs ---- */

static int feed_live_failed(struct feed *f, int err)
{
	return err ? feed_failed(f, err, feed_live_of(f)->collection.why) : 0;
}

static unsigned int feed_live_fds(const struct feed *f, struct pollfd fds[FEED_FDS])
{
	fds[0] = (struct pollfd){ .fd = tracer_fd(feed_live_of(f)->collection.tracer), .events = POLLIN };
	return 1;
}

/* Everything up to now, which is told. */
static int feed_live_take(struct feed *f, uint64_t *now_ns)
{
	struct collection *c = &feed_live_of(f)->collection;
	int err = f->in->ops->wait(f->in, 0);

	if (!err || err == -EINTR)
		err = collection_sync(c, now_ns);
	if (err)
		return feed_live_failed(f, err);
	err = feed_take(f, *now_ns);
	if (feed_live_of(f)->records)
		recording_watched(&feed_live_of(f)->recording, *now_ns);
	return err;
}

static int feed_live_drain(struct feed *f)
{
	uint64_t now_ns;

	return feed_live_of(f)->ended ? 0 : feed_live_take(f, &now_ns);
}

/* What is resident of us; the rings are mapped, and so among it. */
static void feed_live_own(struct feed *f)
{
	struct vitals *v = &f->snapshot->vitals;
	struct rusage usage;

	if (!getrusage(RUSAGE_SELF, &usage))
		v->own_memory_bytes = (uint64_t)usage.ru_maxrss * 1024;
	v->own_kernel_bytes = tracer_memory(feed_live_of(f)->collection.tracer);
}

static int feed_live_tick(struct feed *f, uint64_t step_ns)
{
	struct feed_live *k = feed_live_of(f);
	uint64_t now_ns;
	int err;

	(void)step_ns;
	if (k->ended)
		return -ENODATA;
	err = feed_live_failed(f, collection_account(&k->collection));
	if (!err)
		err = feed_live_take(f, &now_ns);
	if (!err)
		err = feed_shoot(f, now_ns);
	if (!err)
		feed_live_own(f);
	return err;
}

/* ---- begin and end ---- */

/* The start dump goes into rings that are emptied in between. */
static int feed_live_dump(struct feed *f)
{
	struct collection *c = &feed_live_of(f)->collection;
	uint64_t now_ns;
	int err = 0;

	while (!err && c->dumping) {
		err = feed_live_failed(f, collection_dump(c));
		if (!err)
			err = feed_live_take(f, &now_ns);
	}
	return err;
}

static int feed_live_record(struct feed_live *k, const struct feed_options *o)
{
	int err;

	k->recording_options = (struct recording_options){
		.dir = o->record_dir, .max_bytes = o->record_max_bytes, .argc = o->argc, .argv = o->argv,
	};
	err = recording_begin(&k->recording, &k->recording_options, &k->collection);
	k->records = true;
	k->feed.facts.record_dir = o->record_dir;
	return err ? feed_failed(&k->feed, err, k->recording.why) : 0;
}

static void feed_live_facts(struct feed_live *k)
{
	const struct clock_pair *clock = &k->collection.start_clock;
	struct feed_facts *facts = &k->feed.facts;
	struct utsname host;

	uname(&host);
	snprintf(k->hostname, sizeof(k->hostname), "%s", host.nodename);
	snprintf(k->release, sizeof(k->release), "%s", host.release);
	facts->live = true;
	facts->input = k->collection.tracer->ops->name;
	facts->name = facts->hostname = k->hostname;
	facts->release = k->release;
	facts->cpus = tracer_info(k->collection.tracer)->cpus;
	facts->begin_ns = k->collection.start_ns;
	facts->wall_offset_ns = clock->realtime_ns - clock->monotonic_ns;
}

/* For a note. */
static void feed_live_missing(struct feed_live *k)
{
	const struct catalogue *c = k->collection.in.catalogue;
	size_t at = 0;

	for (unsigned int i = 0; i < catalogue_count(c) && at < sizeof(k->missing); i++)
		if (collection_misses(&k->collection, catalogue_at(c, i)))
			at += (size_t)snprintf(k->missing + at, sizeof(k->missing) - at, "%s%s", at ? ", " : "not here: ",
					       catalogue_at(c, i)->name);
	if (at && at < sizeof(k->missing))
		snprintf(k->missing + at, sizeof(k->missing) - at, " ('kymo list' tells why)");
}

static int feed_live_begin(struct feed_live *k, const struct feed_options *o)
{
	struct feed *f = &k->feed;
	int err = feed_live_failed(f, collection_open(&k->collection, &k->options));

	if (!err && o->record_dir)
		err = feed_live_record(k, o);
	if (!err)
		err = feed_live_failed(f, collection_start(&k->collection));
	if (err)
		return err;
	feed_tee_init(k);
	feed_live_facts(k);
	feed_live_missing(k);
	f->start_ns = k->collection.start_ns;
	f->own_pid = getpid();
	f->wait_ms = FEED_WAIT_MS;
	err = feed_begin(f);
	if (!err && names_go_live(tally_names(f->tally), &locate_default))
		err = feed_failed(f, -ENOMEM, NULL);
	return err ? err : feed_live_dump(f);
}

static int feed_live_end(struct feed *f)
{
	struct feed_live *k = feed_live_of(f);
	int err, closed = 0;

	if (k->ended)
		return 0;
	k->ended = true;
	err = feed_live_failed(f, collection_stop(&k->collection));
	if (err)
		return err;
	f->stop_ns = k->collection.stop_ns;
	tally_window(f->tally, f->start_ns, f->stop_ns);
	do
		err = feed_take(f, MERGE_ALL);
	while (!err);
	if (err == -ENODATA)
		err = feed_shoot_last(f);
	if (!err)
		feed_live_own(f);
	if (k->records)
		closed = recording_close(&k->recording);
	if (closed && !err)
		err = feed_failed(f, closed, k->recording.why);
	return err;
}

/* ---- notes ---- */

static const char *feed_live_note(const struct feed *f, unsigned int index)
{
	const struct feed_live *k = feed_live_of(f);

	if (k->note[0] && !index--)
		return k->note;
	return k->missing[0] && !index ? k->missing : NULL;
}

static void feed_live_destroy(struct feed *f)
{
	struct feed_live *k = feed_live_of(f);

	feed_fini(f);
	if (k->records)
		recording_fini(&k->recording);
	collection_fini(&k->collection);
	free(k);
}

struct feed *feed_live(const struct feed_options *o, char why[FEED_WHY])
{
	static const struct feed_ops ops = {
		.fds = feed_live_fds, .drain = feed_live_drain, .tick = feed_live_tick, .end = feed_live_end,
		.note = feed_live_note, .destroy = feed_live_destroy,
	};
	struct feed_live *k = calloc(1, sizeof(*k));

	if (!k) {
		snprintf(why, FEED_WHY, "no memory");
		return NULL;
	}
	k->feed.ops = &ops;
	k->options = (struct collection_options){
		.events = o->events, .events_count = o->events_count, .rate_hz = o->rate_hz,
		.input = o->input, .buffer_bytes = o->buffer_bytes ? o->buffer_bytes : FEED_BUFFER_BYTES,
		.packet_bytes = o->packet_bytes ? o->packet_bytes : FEED_PACKET_BYTES,
	};
	if (!feed_live_begin(k, o))
		return &k->feed;
	snprintf(why, FEED_WHY, "%s", k->feed.why);
	feed_live_destroy(&k->feed);
	return NULL;
}
