// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The beginning of a recording, step by step: what can be refused is asked for before the directory is made, and the
 * guard is there before the first packet.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "catalogue.h"
#include "recording_internal.h"
#include "session_file.h"

static int recording_check_size(struct recording *r)
{
	const struct collection *c = r->collection;
	const unsigned int streams = c->sets * tracer_info(c->tracer)->cpus + 1;
	const struct catalogue *types = c->in.catalogue;
	uint64_t types_bytes = 0, least;

	for (unsigned int i = 0; i < catalogue_count(types); i++)
		if (catalogue_at(types, i)->flags & KYMO_TYPE_ENABLED)
			types_bytes += record_type_bytes(catalogue_at(types, i));
	least = record_least_bytes(streams, c->options->packet_bytes, types_bytes);
	if (!r->options->max_bytes || r->options->max_bytes >= least)
		return 0;
	snprintf(r->why, sizeof(r->why), "--max-size is too small: %u streams with packets of %u bytes and the description of "
		 "the event types need %llu bytes at least", streams, c->options->packet_bytes, (unsigned long long)least);
	return -EINVAL;
}

static int recording_create(struct recording *r)
{
	int err = record_create(&r->record, r->options->dir, r->options->max_bytes);

	if (err == -ENOTEMPTY)
		snprintf(r->why, sizeof(r->why), "%s is not empty: a trace needs a directory of its own", r->options->dir);
	else if (err)
		snprintf(r->why, sizeof(r->why), "cannot create the trace %s: %s",
			 r->record ? record_where(r->record) : r->options->dir, strerror(-err));
	else
		err = guard_start(&r->guard, record_dir(r->record), record_lock(r->record));
	if (err && !r->why[0])
		snprintf(r->why, sizeof(r->why), "cannot start the guard process: %s", strerror(-err));
	return err;
}

int recording_types(struct recording *r)
{
	const struct catalogue *c = r->collection->in.catalogue;
	int err = 0;

	if (r->types == catalogue_count(c))
		return 0;

	for (unsigned int i = 0; i < catalogue_count(c) && !err; i++) {
		const struct event_type *t = catalogue_at(c, i);

		if ((t->flags & KYMO_TYPE_ENABLED) || !strcmp(t->source, "kymo"))
			err = record_type(r->record, t);
	}
	r->types = catalogue_count(c);
	return err ? recording_disk_failed(r, err) : 0;
}

int recording_streams(struct recording *r)
{
	struct input *in = &r->collection->in;
	struct input_stream stream;
	unsigned int *more;
	int err = 0;

	if (r->streams == in->streams)
		return 0;
	more = realloc(r->stream_of, in->streams * sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->stream_of = more;
	for (; r->streams < in->streams && !err; r->streams++) {
		in->ops->stream(in, r->streams, &stream);
		more[r->streams] = record_streams(r->record);
		err = record_stream(r->record, &stream, r->streams == COLLECTION_OWN_STREAM);
	}
	return err ? recording_disk_failed(r, err) : 0;
}

static void recording_boot_id(char out[40])
{
	FILE *from = fopen("/proc/sys/kernel/random/boot_id", "re");

	out[0] = 0;
	if (!from)
		return;
	if (fgets(out, 40, from))
		out[strcspn(out, "\n")] = 0;
	fclose(from);
}

static int recording_metadata(struct recording *r)
{
	struct metadata m = { .hostname = r->hostname, .release = r->release, .clock = r->collection->start_clock };
	const char *slash = strrchr(r->options->dir, '/');
	char boot_id[40], created[40];
	time_t wall = (time_t)(m.clock.realtime_ns / 1000000000);
	struct tm tm;
	int err;

	memcpy(m.uuid, r->collection->in.uuid, sizeof(m.uuid));
	recording_boot_id(boot_id);
	strftime(created, sizeof(created), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&wall, &tm));
	m.boot_id = boot_id;
	m.created = created;
	m.trace_name = slash && slash[1] ? slash + 1 : r->options->dir;
	err = record_begin(r->record, &m, r->collection->open_ns);
	return err ? recording_disk_failed(r, err) : 0;
}

void recording_abandon(struct recording *r)
{
	guard_dismiss(&r->guard);
	if (r->record)
		record_discard(r->record);
}

int recording_begin(struct recording *r, const struct recording_options *options, struct collection *c)
{
	static int (*const steps[])(struct recording *) = {
		recording_check_size, recording_watch, recording_create, recording_metadata, recording_streams, recording_types,
		session_file_write,
	};
	struct utsname host;
	int err = 0;

	*r = (struct recording){ .options = options, .collection = c, .guard.pipe = -1 };
	uname(&host);
	snprintf(r->hostname, sizeof(r->hostname), "%s", host.nodename);
	snprintf(r->release, sizeof(r->release), "%s", host.release);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !err; i++)
		err = steps[i](r);
	if (err && !r->why[0])
		snprintf(r->why, sizeof(r->why), "cannot begin the recording: %s", strerror(-err));
	return err;
}
