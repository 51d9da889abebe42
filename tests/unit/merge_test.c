// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of events of several streams: equal times, streams in several files, inputs that give piece by piece. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "report_scene.h"

/* All that is left, in order. Number of events. */
static uint64_t merge_rest(struct merge *m)
{
	uint64_t last = 0, events = 0;
	struct event e;
	int got;

	while ((got = merge_next(m, MERGE_ALL, &e)) == 1) {
		assert_true(e.time_ns >= last);
		last = e.time_ns;
		events++;
	}
	assert_int_equal(got, -ENODATA);
	return events;
}

/* Streams in several files; times that are equal keep the order of the streams. */
static void test_chunks(void **state)
{
	const char *dir = ((struct scene *)*state)->dir;
	struct make_trace t;
	struct make_stream *s;
	char first[300], second[300], error[INPUT_TRACE_ERROR];
	struct input *in;
	struct merge *m;

	make_begin(&t, dir);
	for (unsigned int i = 0; i < 3; i++) {
		char name[20];

		snprintf(name, sizeof(name), "stream_0_%u.0", i);
		s = make_stream(&t, name, i);
	}
	for (unsigned int i = 0; i < 1000; i++) {
		make_clock_ns += i % 3;
		make_ev(&t.stream[i * 7 % 3], irq_softirq_raise, .vec = i);
	}
	/* The rest of stream 1 goes into another file. */
	make_path(first, dir, "stream_0_1.0");
	make_path(second, dir, "stream_0_1.10");
	s = &t.stream[1];
	make_drain(s);
	strcpy(s->path, second);
	for (unsigned int i = 1000; i < 2000; i++) {
		make_clock_ns += i % 3;
		make_ev(&t.stream[i * 7 % 3], irq_softirq_raise, .vec = i);
	}
	make_end(&t);
	in = input_trace_open(dir, error);
	assert_non_null(in);
	assert_int_equal(in->streams, 3);
	assert_string_equal(input_trace_stream_name(in, 1), "stream_0_1");
	m = merge_create(in);
	assert_int_equal(merge_rest(m), 2000);
	assert_int_equal(input_trace_read(in), input_trace_bytes(in));
	assert_null(input_trace_note(in, 0));
	merge_destroy(m);
	in->ops->destroy(in);
}

/* A trace that gives one stretch of each stream in a pass, as the module's rings do. */
struct once {
	struct input in;
	struct input *trace;
	bool given[8];
	bool held;
	struct stretch stretch;
};

static int once_next(struct input *in, struct stretch *out)
{
	struct once *o = (struct once *)in;
	int got = 1;

	if (!o->held)
		got = o->trace->ops->next(o->trace, &o->stretch);
	o->held = got == 1 && o->given[o->stretch.stream];
	if (o->held || got != 1) {
		memset(o->given, 0, sizeof(o->given));
		return o->held ? 0 : got;
	}
	*out = o->stretch;
	o->given[out->stream] = true;
	return 1;
}

static void once_release(struct input *in, const struct stretch *stretch)
{
	struct once *o = (struct once *)in;

	o->trace->ops->release(o->trace, stretch);
}

/* An empty packet is not all that its stream has. */
static void test_passes(void **state)
{
	static const struct input_ops ops = { .name = "once", .next = once_next, .release = once_release };
	struct once once = { .in.ops = &ops };
	char error[INPUT_TRACE_ERROR];
	const char *dir = ((struct scene *)*state)->dir;
	struct make_trace t;
	struct merge *m;

	make_begin(&t, dir);
	make_stream(&t, "stream_0_0", 0);
	make_stream(&t, "stream_0_1", 1);
	for (unsigned int i = 0; i < 1000; i++) {
		make_clock_ns += i % 3;
		make_ev(&t.stream[i * 7 % 2], irq_softirq_raise, .vec = i);
	}
	make_end(&t);
	once.trace = input_trace_open(dir, error);
	assert_non_null(once.trace);
	once.in.catalogue = once.trace->catalogue;
	once.in.streams = once.trace->streams;
	m = merge_create(&once.in);
	assert_int_equal(merge_rest(m), 1000);
	merge_destroy(m);
	once.trace->ops->destroy(once.trace);
}

/* A watermark holds back what is later. */
static void test_watermark(void **state)
{
	const char *dir = ((struct scene *)*state)->dir;
	struct make_trace t;
	struct make_stream *s;
	char error[INPUT_TRACE_ERROR];
	struct input *in;
	struct merge *m;
	struct event e;

	make_begin(&t, dir);
	s = make_stream(&t, "stream_0_0", 0);
	for (unsigned int i = 1; i <= 5; i++) {
		make_clock_ns = 6000000000 + i;
		make_ev(s, irq_softirq_raise, .vec = i);
	}
	make_end(&t);
	in = input_trace_open(dir, error);
	m = merge_create(in);
	assert_int_equal(merge_next(m, 6000000000, &e), 0);
	assert_int_equal(merge_next(m, 6000000002, &e), 1);
	assert_int_equal(merge_next(m, 6000000002, &e), 1);
	assert_int_equal(merge_next(m, 6000000002, &e), 0);
	assert_int_equal(merge_next(m, MERGE_ALL, &e), 1);
	assert_int_equal(e.time_ns, 6000000003);
	merge_destroy(m);
	in->ops->destroy(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_chunks), SCENE_TEST(test_passes), SCENE_TEST(test_watermark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
