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

/* Ring sets for the classes that are in use, with equal shares of the memory. */
static int recording_setup(struct recording *r)
{
	const struct recording_options *o = r->options;
	struct kymo_setup setup = {};
	uint32_t packets = 1;
	int err;

	for (int class = 0; class < SELECTION_CLASSES; class++)
		if (selection_uses(&r->selection, class))
			r->set_of_class[class] = r->sets++;
	/* The product fits into 64 bits: a packet has 20 of them at most, and there are few sets. */
	while (r->sets && packets < 1u << 30 && (uint64_t)packets * 2 * o->packet_bytes * r->sets <= o->buffer_bytes)
		packets *= 2;
	if (packets < KYMO_PACKETS_MIN)
		return recording_failed(r, "set up", -ENOSPC);
	setup.sets = r->sets;
	for (unsigned int i = 0; i < r->sets; i++)
		setup.set[i] = (struct kymo_set){ .packet_bytes = o->packet_bytes, .packets = packets };
	setup.budget_bytes = (uint64_t)packets * o->packet_bytes * r->sets * input_kmod_info(r->input)->cpus;
	err = input_kmod_setup(r->input, &setup);
	return err ? recording_failed(r, "set up", err) : 0;
}

/* Why nothing of what an item means works here. */
static int recording_unavailable(struct recording *r, const struct selection_item *item, int err)
{
	const struct event_type *t = catalogue_by_name(r->input->catalogue, item->glob);

	if (err == -ENOENT)
		snprintf(r->why, sizeof(r->why), "-e '%s' matches nothing: %s", item->glob,
			 strchr(item->glob, ':') ? "the kernel has no such tracepoint" : "'kymo list' shows what there is");
	else if (t && t->reason[0])
		snprintf(r->why, sizeof(r->why), "'%s' does not work here: %s", item->glob, t->reason);
	else
		snprintf(r->why, sizeof(r->why), "'%s' does not work here (%s): 'kymo list' tells why", item->glob,
			 strerror(-err));
	return err;
}

static int recording_enable(struct recording *r)
{
	unsigned int enabled = 0;

	for (unsigned int i = 0; i < r->selection.count; i++) {
		const struct selection_item *item = &r->selection.items[i];
		struct kymo_enable ask = { .set = r->set_of_class[item->class], .flags = item->flags,
					   .rate_hz = r->options->rate_hz };
		int err;

		memcpy(ask.glob, item->glob, sizeof(ask.glob));
		err = input_kmod_enable(r->input, &ask);
		if (err && !(item->optional && err == -EOPNOTSUPP))
			return recording_unavailable(r, item, err);
		enabled += ask.matched;
	}
	if (!enabled) {
		snprintf(r->why, sizeof(r->why), "none of the event types works here: 'kymo list' tells why");
		return -EOPNOTSUPP;
	}
	return input_kmod_catalogue(r->input);
}

static int recording_select(struct recording *r)
{
	const struct recording_options *o = r->options;
	int err = 0;

	if (!o->events_count)
		err = selection_add_defaults(&r->selection, r->input->catalogue);
	for (unsigned int i = 0; i < o->events_count && !err; i++)
		err = selection_add(&r->selection, r->input->catalogue, o->events[i]);
	if (err)
		snprintf(r->why, sizeof(r->why), "%s", r->selection.why[0] ? r->selection.why : strerror(-err));
	return err;
}

static int recording_check_size(struct recording *r)
{
	const unsigned int streams = r->sets * input_kmod_info(r->input)->cpus + 1;
	const uint64_t least = record_least_bytes(streams, r->options->packet_bytes);

	if (!r->options->max_bytes || r->options->max_bytes >= least)
		return 0;
	snprintf(r->why, sizeof(r->why), "--max-size is too small: %u streams with packets of %u bytes need %llu bytes at least",
		 streams, r->options->packet_bytes, (unsigned long long)least);
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
	const struct catalogue *c = r->input->catalogue;
	int err = 0;

	for (unsigned int i = 0; i < catalogue_count(c) && !err; i++) {
		const struct event_type *t = catalogue_at(c, i);

		if ((t->flags & KYMO_TYPE_ENABLED) || !strcmp(t->source, "kymo"))
			err = record_type(r->record, t);
	}
	return err ? recording_disk_failed(r, err) : 0;
}

int recording_streams(struct recording *r)
{
	struct input_stream stream;
	unsigned int *more;
	int err = 0;

	if (r->streams == r->input->streams)
		return 0;
	more = realloc(r->stream_of, r->input->streams * sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->stream_of = more;
	for (; r->streams < r->input->streams && !err; r->streams++) {
		r->input->ops->stream(r->input, r->streams, &stream);
		more[r->streams] = record_streams(r->record);
		err = record_stream(r->record, &stream, false);
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
	struct metadata m = { .hostname = r->hostname, .release = r->release, .clock = r->start_clock };
	const char *slash = strrchr(r->options->dir, '/');
	char boot_id[40], created[40];
	time_t wall = (time_t)(r->start_clock.realtime_ns / 1000000000);
	struct tm tm;
	int err;

	memcpy(m.uuid, r->input->uuid, sizeof(m.uuid));
	recording_boot_id(boot_id);
	strftime(created, sizeof(created), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&wall, &tm));
	m.boot_id = boot_id;
	m.created = created;
	m.trace_name = slash && slash[1] ? slash + 1 : r->options->dir;
	err = record_begin(r->record, &m, r->start_ns);
	return err ? recording_disk_failed(r, err) : 0;
}

static int recording_own_stream(struct recording *r)
{
	const struct kymo_info *info = input_kmod_info(r->input);
	struct input_stream stream;
	int err;

	r->loss = loss_create(r->input->catalogue, r->input->uuid, (uint64_t)KYMO_SETS_MAX * info->cpus);
	if (!r->loss)
		return -ENOMEM;
	loss_stream(r->loss, &stream);
	r->own_stream = record_streams(r->record);
	err = record_stream(r->record, &stream, true);
	return err ? recording_disk_failed(r, err) : 0;
}

static int recording_open(struct recording *r)
{
	int err = input_kmod_open(&r->input);

	return err ? recording_failed(r, "open", err) : 0;
}

static int recording_start(struct recording *r)
{
	int err = input_kmod_map(r->input);

	if (!err)
		err = recording_streams(r);
	if (!err)
		err = input_kmod_start(r->input);
	if (err)
		return recording_failed(r, "start", err);
	r->start_ns = clock_now_ns();	/* START switches on as its last act */
	r->dumping = true;
	return 0;
}

int recording_begin(struct recording *r, const struct recording_options *options)
{
	static int (*const steps[])(struct recording *) = {
		recording_open, recording_select, recording_setup, recording_check_size, recording_enable, recording_create,
		recording_metadata, recording_own_stream, recording_types, session_file_write, recording_start,
	};
	struct utsname host;
	int err = 0;

	*r = (struct recording){ .options = options, .guard.pipe = -1 };
	uname(&host);
	snprintf(r->hostname, sizeof(r->hostname), "%s", host.nodename);
	snprintf(r->release, sizeof(r->release), "%s", host.release);
	clock_pair_read(&r->start_clock);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !err; i++) {
		r->start_ns = clock_now_ns();
		err = steps[i](r);
	}
	if (err && !r->why[0])
		snprintf(r->why, sizeof(r->why), "cannot begin the recording: %s", strerror(-err));
	return err;
}
