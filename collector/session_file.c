// SPDX-License-Identifier: GPL-2.0-or-later
/* The recording as JSON. Only tells what `struct recording` knows. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "catalogue.h"
#include "notes.h"
#include "recording.h"
#include "session_file.h"

static json_t *session_number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *session_clock(const struct clock_pair *pair)
{
	json_t *o = json_object();

	json_object_set_new(o, "monotonic_ns", session_number(pair->monotonic_ns));
	json_object_set_new(o, "realtime_ns", session_number(pair->realtime_ns));
	json_object_set_new(o, "width_ns", session_number(pair->width_ns));
	return o;
}

/* A command line need not be UTF-8. */
static json_t *session_text(const char *text)
{
	json_t *o = json_string(text);

	return o ? o : json_string("?");
}

static json_t *session_command(const struct recording_options *options)
{
	json_t *a = json_array();

	for (int i = 0; i < options->argc; i++)
		json_array_append_new(a, session_text(options->argv[i]));
	return a;
}

static json_t *session_lost(const struct kymo_type_stats *s)
{
	json_t *o = json_object();

	for (unsigned int cause = 0; cause < KYMO_LOSS_CAUSES; cause++)
		if (s->lost[cause])
			json_object_set_new(o, loss_cause(cause), session_number(s->lost[cause]));
	return o;
}

static json_t *session_events(const struct recording *r)
{
	const struct collection *c = r->collection;
	json_t *a = json_array();

	for (unsigned int i = 0; i < c->stats_count; i++) {
		const struct event_type *t = catalogue_by_id(c->in.catalogue, (uint16_t)c->stats[i].id);
		json_t *o = json_object();

		json_object_set_new(o, "id", session_number(c->stats[i].id));
		json_object_set_new(o, "name", session_text(t ? t->name : ""));
		json_object_set_new(o, "hits", session_number(c->stats[i].hits));
		json_object_set_new(o, "lost", session_lost(&c->stats[i]));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *session_deleted(const struct rotation *rotation)
{
	json_t *o = json_object();

	json_object_set_new(o, "files", session_number(rotation->deleted_files));
	json_object_set_new(o, "bytes", session_number(rotation->deleted_bytes));
	json_object_set_new(o, "until_ns", session_number(rotation->deleted_until_ns));
	return o;
}

/* Of the kernel: its debug information is found by it. */
static void session_build_id(json_t *o)
{
	uint8_t id[NOTES_BUILD_ID];
	const unsigned int bytes = notes_kernel(id);
	char text[2 * NOTES_BUILD_ID + 1] = "";

	for (unsigned int i = 0; i < bytes; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
	if (bytes)
		json_object_set_new(o, "kernel_build_id", json_string(text));
}

static json_t *session_json(const struct recording *r)
{
	const struct collection *c = r->collection;
	const struct kymo_info *info = tracer_info(c->tracer);
	json_t *o = json_object();
	struct utsname host;

	uname(&host);
	json_object_set_new(o, "kymo", json_string(KYMO_VERSION));
	json_object_set_new(o, "abi", session_number(info->abi));
	json_object_set_new(o, "input", json_string(c->tracer->ops->name));
	json_object_set_new(o, "command", session_command(r->options));
	json_object_set_new(o, "hostname", session_text(r->hostname));
	json_object_set_new(o, "release", session_text(r->release));
	json_object_set_new(o, "machine", session_text(host.machine));
	json_object_set_new(o, "cpus", session_number(info->cpus));
	json_object_set_new(o, "clock_start", session_clock(&c->start_clock));
	json_object_set_new(o, "start_ns", session_number(c->start_ns));
	if (r->kernel_base)	/* as text: JSON's integers end at 2^63 */
		json_object_set_new(o, "kernel_base", json_sprintf("0x%llx", (unsigned long long)r->kernel_base));
	session_build_id(o);
	if (!c->stop_ns)
		return o;
	json_object_set_new(o, "clock_stop", session_clock(&c->stop_clock));
	json_object_set_new(o, "stop_ns", session_number(c->stop_ns));
	json_object_set_new(o, "events", session_events(r));
	if (record_rotation(r->record)->deleted_files)
		json_object_set_new(o, "deleted", session_deleted(record_rotation(r->record)));
	return o;
}

int session_file_write(struct recording *r)
{
	json_t *o = session_json(r);
	char *text = json_dumps(o, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	int err = text ? record_own_file(r->record, TRACE_SESSION, text, strlen(text)) : -ENOMEM;

	free(text);
	json_decref(o);
	return err;
}
