// SPDX-License-Identifier: GPL-2.0-or-later
/* A report as text for people: aligned columns. All that comes from the trace has been cleaned or is cleaned here. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report.h"
#include "text.h"
#include "view_text.h"

enum { REPORT_CELL = 260 };

/* ---- the head ---- */

static void report_line(FILE *to, const char *head, const char *text)
{
	fprintf(to, "%-9s %s\n", head, text);
}

/* A text member of session.json, cleaned. Empty: not there. */
static const char *report_said(const struct report *r, const char *key, char *out, size_t size)
{
	const char *text = json_string_value(json_object_get(r->session, key));

	return text_clean(out, size, text ? text : "", text ? strlen(text) : 0);
}

static const char *report_command(const struct report *r, char *out, size_t size)
{
	const json_t *words = json_object_get(r->session, "command"), *word;
	size_t at = 0, i;

	out[0] = 0;
	json_array_foreach(words, i, word) {
		const char *text = json_string_value(word);

		if (!text || at + 2 >= size)
			break;
		if (i)
			out[at++] = ' ';
		at += strlen(text_clean(out + at, size - at, text, strlen(text)));
	}
	return out;
}

static void report_wall(uint64_t ns, char *out, size_t size)
{
	const time_t s = (time_t)(ns / 1000000000);
	struct tm tm;
	char when[40];

	if (!gmtime_r(&s, &tm) || !strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(out, size, "?");
	else
		snprintf(out, size, "%s.%03u UTC", when, (unsigned int)(ns / 1000000 % 1000));
}

static uint64_t report_number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static void report_head(const struct report *r, const char *path, FILE *to)
{
	const struct tally_totals *t = tally_totals(r->tally);
	const uint64_t ns = r->end_ns - r->begin_ns;
	char a[REPORT_CELL], b[REPORT_CELL], c[REPORT_CELL], d[TEXT_NUMBER], line[4 * REPORT_CELL];
	const json_t *clock = json_object_get(r->session, "clock_start");

	snprintf(line, sizeof(line), "%s, %s", text_clean(a, sizeof(a), path, strlen(path)), text_ns(b, sizeof(b), ns));
	if (clock) {
		report_wall(report_number(clock, "realtime_ns") + r->begin_ns - report_number(clock, "monotonic_ns"), b, sizeof(b));
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " from %s", b);
	}
	report_line(to, "trace", line);
	if (json_object_get(r->session, "release")) {
		snprintf(line, sizeof(line), "%s, Linux %s %s", report_said(r, "hostname", a, sizeof(a)),
			report_said(r, "release", b, sizeof(b)),
			 report_said(r, "machine", c, sizeof(c)));
		report_line(to, "host", line);
		report_line(to, "command", report_command(r, line, sizeof(line)));
	}
	snprintf(line, sizeof(line), "%s (%s per s), %s in %s packets of %u streams", text_count(a, sizeof(a), t->events),
		 text_count(b, sizeof(b), ns ? (uint64_t)((double)t->events * 1e9 / (double)ns) : 0),
		 text_bytes(c, sizeof(c), input_trace_bytes(r->in)), text_count(d, sizeof(d), r->packets), r->in->streams);
	report_line(to, "events", line);
	report_line(to, "lost", text_count(a, sizeof(a), r->lost > r->lost_counted ? r->lost : r->lost_counted));
	if (t->cpus) {
		snprintf(line, sizeof(line), "%u CPUs, %.1f %% busy: %s of %s; %s switches", t->cpus,
			 t->cpu_window_ns ? (double)t->busy_ns * 100 / (double)t->cpu_window_ns : 0.0,
			 text_ns(a, sizeof(a), t->busy_ns),
			 text_ns(b, sizeof(b), t->cpu_window_ns), text_count(c, sizeof(c), t->switches));
		report_line(to, "cpu", line);
	}
	if (t->samples) {
		snprintf(line, sizeof(line), "%s; of their stacks %s end early for want of frame pointers, %s are cut",
			 text_count(a, sizeof(a), t->samples), text_count(b, sizeof(b), t->stacks_broken),
			 text_count(c, sizeof(c), t->stacks_cut));
		report_line(to, "samples", line);
	}
	for (unsigned int i = 0;; i++) {
		const char *warning = report_warning(r, i, line, sizeof(line));

		if (!warning)
			break;
		report_line(to, "warning", warning);
	}
}

void report_text(const struct report *r, const char *path, const struct view *only, unsigned int top, FILE *to)
{
	report_head(r, path, to);
	for (unsigned int i = 0; i < views_count; i++)
		if (only ? only == &views[i] : !views[i].on_request)
			view_text(r->snapshot, &views[i], top, to);
}
