// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace made by hand, read from the directory and counted: every number of the tables is known beforehand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "report_story.h"

static void test_story(void **state)
{
	struct scene *scene = story_make(state);
	json_t *o;

	scene_load(scene);
	assert_int_equal(number(scene->root, "duration_ns"), 31 * MS);
	/* Two CPUs, 31 ms each: 101 ran 10 + 16, 200 10 (till the end), the rest is idle. */
	assert_int_equal(number(scene->totals, "cpu_window_ns"), 62 * MS);
	assert_int_equal(number(scene->totals, "busy_ns") + number(scene->totals, "idle_ns"), 62 * MS);
	assert_int_equal(number(scene->totals, "unclear_ns"), 0);
	assert_int_equal(number(scene->totals, "lost_told"), 12);
	assert_int_equal(number(scene->totals, "lost_counted"), 0);
	assert_int_equal(number(scene->totals, "unknown_tasks"), 0);

	o = row(scene, "tasks", "pid", 100);
	assert_string_equal(string(o, "command"), "server");
	assert_int_equal(number(o, "cpu_ns"), 26 * MS);
	assert_int_equal(number(o, "wait_ns"), 5 * MS);
	assert_int_equal(number(o, "wait_max_ns"), 5 * MS);
	assert_int_equal(number(o, "switches"), 1);
	assert_int_equal(number(o, "threads_created"), 1);
	assert_int_equal(number(o, "processes_created"), 1);
	assert_int_equal(number(o, "ppid"), 1);
	assert_int_equal(number(o, "start_ns"), 77);
	o = row(scene, "threads", "tid", 101);
	assert_int_equal(number(o, "pid"), 100);			/* though it ran before the dump told */
	assert_int_equal(number(o, "cpu_ns"), 26 * MS);
	assert_string_equal(string(o, "command"), "worker");
	o = row(scene, "tasks", "pid", 200);
	assert_string_equal(string(o, "command"), "true");
	assert_int_equal(number(o, "ppid"), 100);
	assert_int_equal(number(o, "cpu_ns"), 10 * MS);
	assert_int_equal(number(o, "wait_ns"), 1 * MS);
	assert_int_equal(number(o, "tx_bytes"), 1000);
	assert_int_equal(number(o, "rx_bytes"), 24);
	o = row(scene, "tasks", "pid", 0);
	assert_string_equal(string(o, "command"), "idle");
	assert_int_equal(number(o, "cpu_ns"), (5 + 21) * MS);

	o = row(scene, "flows", "cookie", 9);
	assert_int_equal(number(o, "tx_bytes"), 1000);
	assert_int_equal(number(o, "rx_calls"), 1);
	assert_string_equal(string(o, "protocol"), "tcp");
	assert_string_equal(string(o, "command"), "true");
	o = row(scene, "interfaces", "ifindex", 2);
	assert_string_equal(string(o, "interface"), "eth0");
	assert_int_equal(number(o, "tx_bytes"), 60);
	assert_int_equal(number(o, "drops"), 1);
	o = row(scene, "drops", "reason_number", 3);
	assert_string_equal(string(o, "reason"), "NO_SOCKET");
	o = row(scene, "irqs", "number", 7);
	assert_int_equal(number(o, "count"), 2);
	assert_int_equal(number(o, "time_ns"), 3 * MS);
	assert_int_equal(number(o, "time_max_ns"), 2 * MS);
	o = row(scene, "irqs", "number", 3);
	assert_string_equal(string(o, "name"), "NET_RX");
	assert_int_equal(number(o, "time_ns"), 2 * MS);
	assert_int_equal(number(o, "delay_p50_ns"), 1 * MS);
	o = row(scene, "events", "id", KYMO_ID_sched_switch);
	assert_int_equal(number(o, "count"), 3);
	assert_int_equal(number(o, "lost"), 12);
	assert_int_equal(number(o, "lost_full"), 12);
	/* The broken sample, and that the rings know nothing of the loss. */
	assert_int_equal(json_array_size(json_object_get(scene->root, "warnings")), 2);
}

static void test_empty(void **state)
{
	struct scene *scene = scene_begin(state);

	make_stream(&scene->trace, "stream_0_1", 1);
	scene_read(scene);
	assert_int_equal(number(scene->totals, "events"), 0);
}

/* Overflow of the rings: what the writer counted as lost is what the last packet says. */
static void test_full(void **state)
{
	struct scene *scene = scene_begin(state);
	struct make_stream *s = scene->cpu;
	json_int_t lost = 0;

	for (unsigned int i = 0; i < 5000; i++) {
		make_clock_ns += 1000;
		lost += scene_raise(s) != KYMO_RING_OK;
		if (i % 2000 == 1999)
			make_drain(s);
	}
	assert_true(lost > 0);
	scene_read(scene);
	assert_int_equal(number(scene->totals, "lost_counted"), lost);
	assert_int_equal(number(scene->totals, "events"), 5000 - lost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_story), SCENE_TEST(test_empty), SCENE_TEST(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
