/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A test of reports: a trace made by hand in a folder of its own, read from there, and the report's numbers. The report
 * is read as JSON; its text is made, too, and must be clean of control characters. Behind cmocka's headers.
 */
#ifndef KYMO_REPORT_SCENE_H
#define KYMO_REPORT_SCENE_H

#include "trace_make.h"
#include "report.h"

enum { MS = 1000000 };

static const char scene_session[] = "{\"hostname\": \"h\\u001bx\", \"command\": [\"kymo\", \"record\\n\"], \"stop_ns\": 1}";

struct scene {
	char dir[200];
	struct make_trace trace;
	struct make_stream *cpu;	/* CPU 0's */
	json_t *root, *totals;		/* of the report */
};

static inline int scene_make(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	make_clock_ns = 5000000000;
	make_room(scene->dir);
	*state = scene;
	return 0;
}

static inline int scene_remove(void **state)
{
	struct scene *scene = *state;

	json_decref(scene->root);
	make_remove(scene->dir);
	free(scene);
	return 0;
}

#define SCENE_TEST(name) cmocka_unit_test_setup_teardown(name, scene_make, scene_remove)

static inline void at_ms(uint64_t ms)
{
	make_clock_ns = 5000000000 + ms * MS;
}

static inline void switched(struct make_stream *s, int32_t prev, const char *prev_comm, int64_t state, int32_t next,
			    const char *next_comm)
{
	struct kymo_ev_sched_switch ev = { .prev_tid = prev, .prev_state = state, .next_tid = next };

	strncpy(ev.prev_comm, prev_comm, 15);
	strncpy(ev.next_comm, next_comm, 15);
	make_event(s, KYMO_ID_sched_switch, &ev, sizeof(ev));
}

/* A softirq_raise: nobody's time, nothing that counts. */
static inline int scene_raise(struct make_stream *s)
{
	return make_record(s, KYMO_ID_irq_softirq_raise, &(struct kymo_ev_irq_softirq_raise){ 1 }, 4);
}

/* Until so many are lost in all. */
static inline void scene_lose(struct make_stream *s, uint64_t lost)
{
	while (s->control->lost < lost)
		scene_raise(s);
}

/* CPU 0 and the recorder's own stream; the session is not told: a stream's time is from its first packet to its last. */
static inline struct scene *scene_begin(void **state)
{
	struct scene *scene = *state;

	make_begin(&scene->trace, scene->dir);
	make_file(scene->dir, "kymo/session.json", scene_session, sizeof(scene_session) - 1);
	scene->cpu = make_stream(&scene->trace, "stream_0_0", 0);
	make_stream(&scene->trace, "stream_kymo", 0);
	return scene;
}

/* The report of a directory, NULL: what is wrong with it is told in a sentence. */
static inline json_t *scene_report(const char *dir)
{
	char error[INPUT_TRACE_ERROR];
	struct report r;
	char *text = NULL;
	size_t bytes = 0;
	json_t *root;
	FILE *f;

	if (report_read(&r, dir, NULL, error)) {
		assert_true(strlen(error) > 20 && error[strlen(error) - 1] == '.');
		return NULL;
	}
	f = open_memstream(&text, &bytes);
	assert_int_equal(report_json(&r, NULL, 0, f), 0);
	fclose(f);
	root = json_loads(text, 0, NULL);
	assert_non_null(root);
	free(text);
	text = NULL;
	f = open_memstream(&text, &bytes);
	report_text(&r, dir, NULL, 0, f);
	fclose(f);
	for (size_t i = 0; i < bytes; i++)
		assert_true(text[i] == '\n' || (unsigned char)text[i] >= ' ');
	free(text);
	report_fini(&r);
	return root;
}

static inline void scene_load(struct scene *scene)
{
	scene->root = scene_report(scene->dir);
	assert_non_null(scene->root);
	scene->totals = json_object_get(scene->root, "totals");
}

/* Ends the trace and reads its report. */
static inline void scene_read(struct scene *scene)
{
	make_end(&scene->trace);
	scene_load(scene);
}

static inline json_t *row(const struct scene *scene, const char *view, const char *key, json_int_t value)
{
	json_t *rows = json_object_get(json_object_get(scene->root, "views"), view), *object;
	size_t i;

	json_array_foreach(rows, i, object) {
		if (json_integer_value(json_object_get(object, key)) == value)
			return object;
	}
	fail_msg("%s has no row with %s %lld", view, key, (long long)value);
	return NULL;
}

static inline json_int_t number(json_t *object, const char *key)
{
	assert_true(json_is_integer(json_object_get(object, key)));
	return json_integer_value(json_object_get(object, key));
}

static inline const char *string(json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* The first of what the report has to say about the trace itself. */
static inline const char *scene_warning(const struct scene *scene)
{
	return json_string_value(json_array_get(json_object_get(scene->root, "warnings"), 0));
}

#endif
