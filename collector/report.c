// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace read from end to end and counted. Prints nothing. */
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "trace.h"
#include "trace_names.h"

enum { REPORT_TELL_EVERY = 1 << 16 };	/* events between two words about progress */

/* The causes that a ring itself counts: they are in CTF's events_discarded. */
static bool report_ring_counts(unsigned int cause)
{
	return cause == KYMO_LOSS_FULL || cause == KYMO_LOSS_NESTED || cause == KYMO_LOSS_TOO_BIG;
}

static void report_read_session(struct report *r)
{
	size_t bytes;
	char *text = input_trace_text(r->in, TRACE_SESSION, &bytes);

	if (text)
		r->session = json_loadb(text, bytes, 0, NULL);
	free(text);
	r->start_ns = (uint64_t)json_integer_value(json_object_get(r->session, "start_ns"));
	r->stop_ns = (uint64_t)json_integer_value(json_object_get(r->session, "stop_ns"));
	if (!r->start_ns || r->stop_ns <= r->start_ns)
		r->start_ns = r->stop_ns = 0;
}

/* The recorder opens its files before the session starts and closes them after it: nobody's CPU time. */
static uint64_t report_inside(const struct report *r, uint64_t ns)
{
	if (!r->stop_ns)
		return ns;
	return ns < r->start_ns ? r->start_ns : ns > r->stop_ns ? r->stop_ns : ns;
}

static int report_read_events(struct report *r, const struct report_progress *progress)
{
	uint64_t until_told = 0;
	bool begun = false;
	struct event e;
	int got;

	while ((got = merge_next(r->merge, MERGE_ALL, &e)) == 1) {
		if (!begun && trace_names(r->tally, r->in, e.time_ns))
			return -ENOMEM;
		begun = true;
		tally_event(r->tally, &e, report_inside(r, merge_stream(r->merge, e.stream)->begin_ns));
		if (!until_told-- && progress) {
			progress->tell(progress->context, input_trace_read(r->in), input_trace_bytes(r->in));
			until_told = REPORT_TELL_EVERY;
		}
	}
	return got == -ENODATA ? 0 : got;
}

/* Whose set it is the instance tells: set * cpus + cpu. */
static void report_add_ring(struct report *r, const struct merge_stream *s, bool own)
{
	const uint64_t cpus = (uint64_t)json_integer_value(json_object_get(r->session, "cpus"));
	const struct tally_ring_key key = { own, own || !cpus ? 0 : (uint32_t)(s->instance / cpus), own ? 0 : s->cpu };

	tally_ring(r->tally, &key, &(struct tally_ring){},
		   (const uint64_t[RING_COLUMNS]){ s->content_bytes, s->events, s->packets, s->lost });
}

static void report_add_stream(struct report *r, unsigned int stream)
{
	const struct merge_stream *s = merge_stream(r->merge, stream);
	const uint64_t begin_ns = report_inside(r, s->begin_ns), end_ns = report_inside(r, s->end_ns);
	const bool own = !strcmp(input_trace_stream_name(r->in, stream), "stream_kymo");

	if (!s->packets)
		return;
	r->packets += s->packets;
	r->missing += s->missing;
	r->damaged += s->damaged;
	r->unknown += s->unknown;
	r->lost_counted += s->lost;
	/* The collector's own is the last. It counts only alone: after --max-size it reaches back to what is gone. */
	if (!r->begin_ns || (!own && begin_ns < r->begin_ns))
		r->begin_ns = begin_ns;
	if (end_ns > r->end_ns)
		r->end_ns = end_ns;
	/* Nor does it stand for a CPU. */
	if (!own)
		tally_cpu_end(r->tally, s->cpu, begin_ns, end_ns);
	report_add_ring(r, s, own);
}

static int report_finish(struct report *r)
{
	for (unsigned int i = 0; i < merge_streams(r->merge); i++)
		tally_stream_end(r->tally, i, merge_stream(r->merge, i)->cpu, merge_stream(r->merge, i)->gaps);
	for (unsigned int i = 0; i < merge_streams(r->merge); i++)
		report_add_stream(r, i);
	tally_finish(r->tally);
	for (unsigned int i = 0; i < KYMO_LOSS_CAUSES; i++) {
		r->lost += tally_totals(r->tally)->lost[i];
		if (report_ring_counts(i))
			r->lost_told += tally_totals(r->tally)->lost[i];
	}
	r->snapshot = snapshot_create(r->tally, r->begin_ns, r->end_ns);
	return r->snapshot ? 0 : -ENOMEM;
}

int report_read(struct report *r, const char *path, const struct report_progress *progress, char error[INPUT_TRACE_ERROR])
{
	int err;

	memset(r, 0, sizeof(*r));
	r->in = input_trace_open(path, error);
	if (!r->in)
		return -EINVAL;
	report_read_session(r);
	r->merge = merge_create(r->in);
	r->machine = machine_create();
	r->tally = tally_create();
	if (r->machine)
		input_trace_machine(r->in, r->machine);
	if (r->tally) {
		tally_machine(r->tally, r->machine);
		tally_window(r->tally, r->start_ns, r->stop_ns);
	}
	err = r->merge && r->machine && r->tally ? report_read_events(r, progress) : -ENOMEM;
	if (!err)
		err = report_finish(r);
	if (err) {
		snprintf(error, INPUT_TRACE_ERROR, "reading the trace failed: %s.", strerror(-err));
		report_fini(r);
		return err;
	}
	return 0;
}

void report_fini(struct report *r)
{
	snapshot_destroy(r->snapshot);
	tally_destroy(r->tally);
	machine_destroy(r->machine);
	merge_destroy(r->merge);
	if (r->in)
		r->in->ops->destroy(r->in);
	json_decref(r->session);
	memset(r, 0, sizeof(*r));
}

bool report_incomplete(const struct report *r)
{
	return r->damaged || r->unknown || input_trace_note(r->in, 0);
}

/* Records that the module says it wrote and that are not in the trace: none unless the trace has lost files or packets. */
static uint64_t report_absent(const struct report *r)
{
	const json_t *types = json_object_get(r->session, "events"), *type;
	uint64_t absent = 0;
	size_t i;

	json_array_foreach(types, i, type) {
		const json_int_t hits = json_integer_value(json_object_get(type, "hits"));
		const struct tally_type_key key = { .id = (uint16_t)json_integer_value(json_object_get(type, "id")) };
		const struct table_row *row = table_find(tally_table(r->tally, TALLY_TYPES), &key);
		const uint64_t here = row ? table_value(row, TYPE_COUNT) : 0;

		absent += hits > 0 && (uint64_t)hits > here ? (uint64_t)hits - here : 0;
	}
	return absent;
}

/* The sentences about the numbers themselves; those about files come from the input. */
static const char *report_doubt(const struct report *r, unsigned int doubt, char *buffer, size_t size)
{
	const struct tally_totals *t = tally_totals(r->tally);
	char a[TEXT_NUMBER], b[TEXT_NUMBER];

	switch (doubt) {
	case 0:
		if (r->damaged)
			snprintf(buffer, size, "%s damaged packets; the first: %s.",
				 text_count(a, sizeof(a), r->damaged), merge_damage(r->merge));
		break;
	case 1:
		if (r->unknown)
			snprintf(buffer, size, "%s records are of event types that are not in the trace's catalogue.",
				text_count(a, sizeof(a), r->unknown));
		break;
	case 2:
		if (r->missing)
			snprintf(buffer, size,
				"%s packets are missing between others: overwritten, or their files were removed.",
				text_count(a, sizeof(a), r->missing));
		break;
	case 3:
		if (r->lost_told != r->lost_counted)
			snprintf(buffer, size,
				"the two accounts of loss differ: kymo_loss events say %s, the packets' counters %s.",
				 text_count(a, sizeof(a), r->lost_told), text_count(b, sizeof(b), r->lost_counted));
		break;
	case 4:
		if (t->unclear_ns || t->unclear_waits)
			snprintf(buffer, size,
				"%s of CPU time and %s times of waiting cannot be given to a task: switches were lost.",
				 text_ns(a, sizeof(a), t->unclear_ns), text_count(b, sizeof(b), t->unclear_waits));
		break;
	case 5:
		if (t->foreign_types)
			snprintf(buffer, size,
				"%u event types have other fields than this version of kymo knows: they are only counted.",
				 t->foreign_types);
		break;
	case 6:
		if (t->unknown_tasks)
			snprintf(buffer, size,
				"of %s tasks nothing is known but the number: their begin is not in the trace.",
				text_count(a, sizeof(a), t->unknown_tasks));
		break;
	case 7:
		if (!json_object_get(r->session, "stop_ns"))
			snprintf(buffer, size,
				"the recorder has not ended this trace: the last second may be missing, and so may its losses.");
		break;
	case 8:
		if (report_absent(r))
			snprintf(buffer, size, "%s records that the module wrote are not in these files.",
				text_count(a, sizeof(a), report_absent(r)));
		break;
	case 9:
		if (json_object_get(r->session, "deleted"))
			snprintf(buffer, size,
				"--max-size has deleted the oldest files: each CPU's times begin where its files do.");
		break;
	default:
		return NULL;
	}
	return buffer;
}

const char *report_warning(const struct report *r, unsigned int index, char *buffer, size_t size)
{
	unsigned int notes = 0;
	const char *doubt;

	while (input_trace_note(r->in, notes))
		notes++;
	if (index < notes)
		return input_trace_note(r->in, index);
	index -= notes;
	for (unsigned int i = 0;; i++) {
		buffer[0] = 0;
		doubt = report_doubt(r, i, buffer, size);
		if (!doubt || (*doubt && !index--))
			return doubt;
	}
}
