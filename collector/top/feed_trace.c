// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The feed of a trace: the same events at a virtual clock. To go back is to begin anew. At the end of the trace it is
 * counted as a report counts it.
 */
#include "feed_part.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../input_trace.h"
#include "../trace.h"
#include "../trace_names.h"

struct feed_trace {
	struct feed feed;		/* first */
	const char *dir;
	json_t *session;		/* NULL: not there, or no JSON */
	bool at_end;
};

static struct feed_trace *feed_trace_of(const struct feed *f)
{
	return (struct feed_trace *)f;	/* its first member */
}

static void feed_trace_close(struct feed_trace *t)
{
	feed_fini(&t->feed);
	if (t->feed.in)
		t->feed.in->ops->destroy(t->feed.in);
	t->feed.in = NULL;
}

/* Its own stream stands for no CPU; files are known by name. */
static int feed_trace_own_stream(const struct input *in)
{
	for (unsigned int i = 0; i < in->streams; i++)
		if (!strcmp(input_trace_stream_name(in, i), "stream_kymo"))
			return (int)i;
	return -1;
}

static int feed_trace_open(struct feed_trace *t)
{
	char error[INPUT_TRACE_ERROR];

	t->at_end = false;
	t->feed.in = input_trace_open(t->dir, error);
	if (!t->feed.in)
		return feed_failed(&t->feed, -EINVAL, error);
	t->feed.own_stream = feed_trace_own_stream(t->feed.in);
	return feed_begin(&t->feed);
}

static int feed_trace_to(struct feed_trace *t, uint64_t time_ns)
{
	struct feed *f = &t->feed;
	int err;

	if (time_ns >= f->stop_ns) {
		do
			err = feed_take(f, MERGE_ALL);
		while (!err);
		t->at_end = true;
		return err == -ENODATA ? feed_shoot_last(f) : err;
	}
	err = feed_take(f, time_ns);
	return err && err != -ENODATA ? err : feed_shoot(f, time_ns);
}

static int feed_trace_tick(struct feed *f, uint64_t step_ns)
{
	struct feed_trace *t = feed_trace_of(f);

	return t->at_end ? -ENODATA : feed_trace_to(t, f->ticked_ns + step_ns);
}

static int feed_trace_seek(struct feed *f, uint64_t time_ns, uint64_t step_ns)
{
	struct feed_trace *t = feed_trace_of(f);
	uint64_t from_ns;
	int err = 0;

	time_ns = time_ns < f->start_ns ? f->start_ns : time_ns > f->stop_ns ? f->stop_ns : time_ns;
	from_ns = time_ns - f->start_ns > step_ns ? time_ns - step_ns : f->start_ns;
	if (t->at_end || from_ns < f->ticked_ns) {
		feed_trace_close(t);
		err = feed_trace_open(t);
	}
	if (!err && from_ns > f->ticked_ns)
		err = feed_trace_to(t, from_ns);
	return err || t->at_end ? err : feed_trace_to(t, time_ns);
}

static int feed_trace_begun(struct feed *f, uint64_t time_ns)
{
	const int err = trace_names(f->tally, f->in, time_ns);

	return err ? feed_failed(f, err, NULL) : 0;
}

static const char *feed_trace_note(const struct feed *f, unsigned int index)
{
	return f->in ? input_trace_note(f->in, index) : NULL;
}

static void feed_trace_destroy(struct feed *f)
{
	struct feed_trace *t = feed_trace_of(f);

	feed_trace_close(t);
	json_decref(t->session);
	free(t);
}

/* ---- begin ---- */

static uint64_t feed_trace_number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static const char *feed_trace_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static void feed_trace_session(struct feed_trace *t, struct input *in)
{
	size_t bytes;
	char *text = input_trace_text(in, TRACE_SESSION, &bytes);

	if (text)
		t->session = json_loadb(text, bytes, 0, NULL);
	free(text);
}

/* The recorder has not ended this trace: its begin and end are those of its packets. */
static int feed_trace_measure(struct feed_trace *t)
{
	struct feed *f = &t->feed;
	struct merge *merge = merge_create(f->in);
	struct event e;
	int got = merge ? 1 : -ENOMEM;

	while (got == 1)
		got = merge_next(merge, MERGE_ALL, &e);
	for (unsigned int i = 0; got == -ENODATA && i < merge_streams(merge); i++) {
		const struct merge_stream *s = merge_stream(merge, i);

		if (!s->packets)
			continue;
		if (!f->start_ns || s->begin_ns < f->start_ns)
			f->start_ns = s->begin_ns;
		if (s->end_ns > f->stop_ns)
			f->stop_ns = s->end_ns;
	}
	merge_destroy(merge);
	f->in->ops->destroy(f->in);
	f->in = NULL;
	return got == -ENODATA ? 0 : feed_failed(f, got, NULL);
}

static int feed_trace_begin(struct feed_trace *t)
{
	struct feed *f = &t->feed;
	struct feed_facts *facts = &f->facts;
	const json_t *clock;
	int err = feed_trace_open(t);

	if (err)
		return err;
	feed_trace_session(t, f->in);
	f->start_ns = feed_trace_number(t->session, "start_ns");
	f->stop_ns = feed_trace_number(t->session, "stop_ns");
	feed_fini(f);	/* the window was not known */
	if (!f->start_ns || f->stop_ns <= f->start_ns) {
		f->start_ns = f->stop_ns = 0;
		err = feed_trace_measure(t);
	}
	if (!err)
		err = f->in ? feed_begin(f) : feed_trace_open(t);
	clock = json_object_get(t->session, "clock_start");
	*facts = (struct feed_facts){
		.input = "replay", .name = t->dir, .hostname = feed_trace_text(t->session, "hostname"),
		.release = feed_trace_text(t->session, "release"), .cpus = (unsigned int)feed_trace_number(t->session, "cpus"),
		.begin_ns = f->start_ns, .end_ns = f->stop_ns,
		.wall_offset_ns = feed_trace_number(clock, "realtime_ns") - feed_trace_number(clock, "monotonic_ns"),
	};
	return err;
}

struct feed *feed_trace(const char *dir, char why[FEED_WHY])
{
	static const struct feed_ops ops = {
		.begun = feed_trace_begun, .tick = feed_trace_tick, .seek = feed_trace_seek, .note = feed_trace_note,
		.destroy = feed_trace_destroy,
	};
	struct feed_trace *t = calloc(1, sizeof(*t));
	size_t length;

	if (!t) {
		snprintf(why, FEED_WHY, "no memory");
		return NULL;
	}
	t->feed.ops = &ops;
	t->feed.wait_ms = -1;
	t->dir = dir;
	if (!feed_trace_begin(t))
		return &t->feed;
	snprintf(why, FEED_WHY, "%s", t->feed.why);
	length = strlen(why);
	if (length && why[length - 1] == '.')
		why[length - 1] = 0;
	feed_trace_destroy(&t->feed);
	return NULL;
}
