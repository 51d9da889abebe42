// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop of a recording. It waits for the module, writes whole packets as they are closed, those that are still
 * open at least every half second, asks for the counters, and in between lets the start dump go on: each step of it
 * fills what room there is, and the next comes after the rings were emptied.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "recording_internal.h"
#include "sampled.h"
#include "session_file.h"

enum {
	RECORDING_WAIT_MS = 100,
	RECORDING_FLUSH_MS = 250,	/* open packets; twice this is what a kill may cost */
	RECORDING_STATS_MS = 500,
};

/* The collection has told why. */
static int recording_failed(struct recording *r, int err)
{
	if (!r->why[0])
		snprintf(r->why, sizeof(r->why), "%s", r->collection->why);
	return err;
}

int recording_disk_failed(struct recording *r, int err)
{
	r->disk_failed = true;
	if (r->why[0])
		return err;
	if (err == -EFBIG && r->options->max_bytes)
		snprintf(r->why, sizeof(r->why), "--max-size is too small for %u streams: %s", record_streams(r->record),
			 record_where(r->record));
	else
		snprintf(r->why, sizeof(r->why), "cannot write %s: %s. All that was written before is whole and readable",
			 record_where(r->record), strerror(-err));
	return err;
}

/* ---- run ---- */

int recording_take(struct recording *r, const struct stretch *s)
{
	int err = recording_streams(r);

	/* Whoever hands out stretches has read the catalogue after the heads: nothing in them is of a type unknown now. */
	if (!err)
		err = recording_types(r);
	if (err || r->disk_failed)
		return err;
	err = record_put(r->record, r->stream_of[s->stream], s);
	if (err)
		return recording_disk_failed(r, err);
	return r->feed ? recording_watch_stretch(r, s) : 0;
}

/* One round. 0: all was taken that was there; -ENODATA: the end. */
static int recording_drain(struct recording *r, bool open_packets)
{
	struct input *in = &r->collection->in;
	const uint64_t begun_ns = clock_now_ns();
	struct stretch s;
	int err;

	collection_open_packets(r->collection, open_packets);
	while ((err = in->ops->next(in, &s)) == 1) {
		const int put = recording_take(r, &s);

		in->ops->release(in, &s);
		if (put)
			return put;
	}
	/* A round that takes the open packets has all that is older than its begin. */
	if (open_packets && (!err || err == -ENODATA))
		recording_watched(r, begun_ns);
	return err;
}

/* One turn: waits, or lets the start dump go a step further (into rings that the next round empties). */
static int recording_turn(struct recording *r, uint64_t wait_ms)
{
	struct collection *c = r->collection;
	int err;

	if (c->dumping)
		err = collection_dump(c);
	else
		err = c->in.ops->wait(&c->in, (int)wait_ms);
	return err == -EINTR ? 0 : err;
}

int recording_run(struct recording *r, const volatile sig_atomic_t *stop)
{
	struct collection *c = r->collection;
	const uint64_t ms = 1000000;
	uint64_t now = clock_now_ns(), flushed = now, counted = now;
	const uint64_t end = r->options->duration_ns ? c->start_ns + r->options->duration_ns : UINT64_MAX;
	int err = 0;

	while (!err && !*stop && now < end) {
		bool flush;

		err = recording_turn(r, (end - now) / ms < RECORDING_WAIT_MS ? (end - now) / ms + 1 : RECORDING_WAIT_MS);
		if (err)
			break;
		now = clock_now_ns();
		flush = c->dumping || now - flushed >= RECORDING_FLUSH_MS * ms;
		if (flush)
			flushed = now;
		err = recording_drain(r, flush);
		if (!err && now - counted >= RECORDING_STATS_MS * ms) {
			counted = now;
			err = collection_account(c);
		}
		now = clock_now_ns();
	}
	if (err && !r->why[0])
		recording_failed(r, err);
	if (err && !r->why[0])
		snprintf(r->why, sizeof(r->why), "the recording ended early: %s", strerror(-err));
	return err;
}

/* ---- end ---- */

static int recording_finish_streams(struct recording *r)
{
	struct input *in = &r->collection->in;
	struct input_stream stream;
	int err = 0;

	for (unsigned int i = 0; i < r->streams && !err; i++) {
		in->ops->stream(in, i, &stream);
		err = record_finish(r->record, r->stream_of[i], r->collection->stop_ns, stream.lost);
	}
	return err ? recording_disk_failed(r, err) : 0;
}

static int recording_drain_rest(struct recording *r)
{
	int err;

	do
		err = recording_drain(r, true);
	while (!err);
	return err == -ENODATA ? 0 : err;
}

int recording_close(struct recording *r)
{
	int err, later;

	if (r->disk_failed) {
		struct trace_repair done;

		trace_repair(record_dir(r->record), true, &done);
		session_file_write(r);	/* if there is room for it; else that of the beginning stays */
		return 0;
	}
	err = recording_streams(r);	/* of CPUs that have told nothing */
	if (!err)
		err = recording_finish_streams(r);
	if (err)
		return err;
	later = recording_store_for_later(r);
	err = session_file_write(r);
	if (!err && (err = record_close(r->record)))
		recording_disk_failed(r, err);
	return err ? err : later;
}

int recording_end(struct recording *r)
{
	int err;

	r->signals_before = r->options->signals ? *r->options->signals : 0;
	err = collection_stop(r->collection);
	if (err)
		return recording_failed(r, err);
	if (!r->disk_failed)
		err = recording_drain_rest(r);
	return err ? err : recording_close(r);
}

void recording_fini(struct recording *r)
{
	guard_dismiss(&r->guard);
	sampled_destroy(r->sampled);
	machine_feed_destroy(r->feed);
	machine_destroy(r->machine);
	record_destroy(r->record);
	free(r->stream_of);
}
