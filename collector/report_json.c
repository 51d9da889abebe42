// SPDX-License-Identifier: GPL-2.0-or-later
/* A report as JSON: the same views with raw numbers (ns, bytes), all rows unless told otherwise. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "view_json.h"

static json_t *report_json_streams(const struct report *r)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < merge_streams(r->merge); i++) {
		const struct merge_stream *s = merge_stream(r->merge, i);

		json_array_append_new(array, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
			"name", input_trace_stream_name(r->in, i), "cpu", (json_int_t)s->cpu, "begin_ns", (json_int_t)s->begin_ns,
			"end_ns", (json_int_t)s->end_ns, "packets", (json_int_t)s->packets,
			"missing_packets", (json_int_t)s->missing, "events", (json_int_t)s->events,
			"discarded", (json_int_t)s->lost, "damaged_packets", (json_int_t)s->damaged));
	}
	return array;
}

static json_t *report_json_totals(const struct report *r)
{
	const struct tally_totals *t = tally_totals(r->tally);

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I,"
		" s:b}",
		"events", (json_int_t)t->events, "bytes", (json_int_t)t->bytes, "file_bytes", (json_int_t)input_trace_bytes(r->in),
		"first_event_ns", (json_int_t)t->first_ns, "last_event_ns", (json_int_t)t->last_ns,
		"lost", (json_int_t)r->lost, "lost_told", (json_int_t)r->lost_told, "lost_counted", (json_int_t)r->lost_counted,
		"cpus", (json_int_t)t->cpus, "cpu_window_ns", (json_int_t)t->cpu_window_ns, "busy_ns", (json_int_t)t->busy_ns,
		"idle_ns", (json_int_t)t->idle_ns, "unclear_ns", (json_int_t)t->unclear_ns,
		"unknown_tasks", (json_int_t)t->unknown_tasks, "samples", (json_int_t)t->samples,
		"sample_weight", (json_int_t)t->sample_weight, "samples_in_cycles", (json_int_t)t->sample_cycles,
		"samples_unnamed", (json_int_t)t->samples_unnamed, "stacks_broken", (json_int_t)t->stacks_broken,
		"stacks_cut", (json_int_t)t->stacks_cut, "incomplete", report_incomplete(r));
}

static json_t *report_json_warnings(const struct report *r)
{
	json_t *array = json_array();
	char buffer[512];

	for (unsigned int i = 0;; i++) {
		const char *warning = report_warning(r, i, buffer, sizeof(buffer));

		if (!warning)
			return array;
		json_array_append_new(array, json_string(warning));
	}
}

int report_json(const struct report *r, const struct view *only, unsigned int top, FILE *to)
{
	json_t *root = json_object(), *all = json_object();
	int err;

	json_object_set_new(root, "begin_ns", json_integer((json_int_t)r->begin_ns));
	json_object_set_new(root, "end_ns", json_integer((json_int_t)r->end_ns));
	json_object_set_new(root, "duration_ns", json_integer((json_int_t)(r->end_ns - r->begin_ns)));
	if (r->session)
		json_object_set(root, "session", r->session);
	json_object_set_new(root, "totals", report_json_totals(r));
	json_object_set_new(root, "warnings", report_json_warnings(r));
	json_object_set_new(root, "streams", report_json_streams(r));
	for (unsigned int i = 0; i < views_count; i++)
		if (!only || only == &views[i])
			json_object_set_new(all, views[i].name, view_json(r->snapshot, &views[i], top, false));
	json_object_set_new(root, "views", all);
	/* The session's strings are a stranger's: as ASCII none of them reaches a terminal as a control character. */
	err = json_dumpf(root, to, JSON_INDENT(1) | JSON_ENSURE_ASCII) ? -EIO : 0;
	fputc('\n', to);
	json_decref(root);
	return err;
}
