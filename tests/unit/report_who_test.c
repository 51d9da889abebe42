// SPDX-License-Identifier: GPL-2.0-or-later
/* Who it was: numbers that are given again, tasks that only the recorder knew, threads past their exit. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "report_scene.h"

static struct kymo_ev_net_send sent(int32_t tid, int32_t pid, uint32_t bytes)
{
	return (struct kymo_ev_net_send){ .tid = tid, .pid = pid, .cookie = 9, .netns = 4, .family = 2, .protocol = 6,
					  .bytes = bytes };
}

/* Only net is recorded: a number that is given again is seen by its process alone. */
static void test_number_again(void **state)
{
	struct scene *scene = scene_begin(state);
	struct make_stream *s = scene->cpu;
	struct kymo_ev_net_send ev;

	at_ms(1);
	ev = sent(100, 50, 10);
	make_event(s, KYMO_ID_net_send, &ev, sizeof(ev));
	at_ms(2);
	ev = sent(100, 100, 7);
	make_event(s, KYMO_ID_net_send, &ev, sizeof(ev));
	at_ms(3);
	scene_read(scene);
	assert_int_equal(number(row(scene, "tasks", "pid", 50), "tx_bytes"), 10);
	assert_int_equal(number(row(scene, "tasks", "pid", 100), "tx_bytes"), 7);
}

/* The dump is gone with the oldest files; the recorder has kept who was there. */
static void test_recalled(void **state)
{
	static const char tasks[] = "kymo-tasks 1\n"
		"process 100 77 0 3 0 0 server\nthread 100 77 0 server\nthread 101 78 0 worker\n"
		"process 200 90 5005000000 100 0 0 first\nthread 200 90 5005000000 first\n"
		"process 200 5006000000 0 100 0 0 second\nthread 200 5006000000 0 second\n";
	struct scene *scene = scene_begin(state);
	struct make_stream *s = scene->cpu;
	struct kymo_ev_net_send ev = sent(200, 200, 5);
	json_t *o;

	make_file(scene->dir, "kymo/tasks", tasks, sizeof(tasks) - 1);
	make_file(scene->dir, "kymo/mappings", "kymo-mappings", 13);	/* damaged: noted */
	at_ms(4);
	make_event(s, KYMO_ID_net_send, &ev, sizeof(ev));
	at_ms(10);
	switched(s, 101, "worker", 0, 200, "second");
	ev = sent(200, 200, 6);
	make_event(s, KYMO_ID_net_send, &ev, sizeof(ev));
	at_ms(20);
	scene_read(scene);
	o = row(scene, "tasks", "pid", 100);
	assert_string_equal(string(o, "command"), "server");
	assert_int_equal(number(o, "ppid"), 3);
	assert_int_equal(number(o, "cpu_ns"), 10 * MS);
	assert_string_equal(string(row(scene, "threads", "tid", 101), "command"), "worker");
	assert_int_equal(number(scene->totals, "unknown_tasks"), 0);
	assert_non_null(strstr(scene_warning(scene),
			       "kymo/mappings is damaged"));
}

/*
 * Two threads past their exits when the recording begins. Both leave their CPU; the one had to wait for a lock on its
 * way out and comes back. What has no event of its own any more says at its end whose thread it was.
 */
static void test_past_exit(void **state)
{
	struct scene *scene = scene_begin(state);
	struct make_stream *s = scene->cpu;

	at_ms(10);
	switched(s, 61, "a", 0x10, 62, "b");
	at_ms(20);
	switched(s, 62, "b", 0x12, 0, "swapper/0");
	at_ms(30);
	switched(s, 0, "swapper/0", 0, 62, "b");
	at_ms(40);
	switched(s, 62, "b", 0x20, 0, "swapper/0");
	make_record(s, KYMO_ID_lttng_statedump_process_state,
		    &(struct kymo_ev_lttng_statedump_process_state){ .tid = 60, .pid = 60, .name = "p", .start_ns = 5 },
		    sizeof(struct kymo_ev_lttng_statedump_process_state));
	for (int32_t tid = 61; tid <= 62; tid++) {
		struct kymo_ev_sched_process_free ev = { .comm = "a", .tid = tid, .pid = 60 };

		make_record(s, KYMO_ID_sched_process_free, &ev, sizeof(ev));
	}
	at_ms(50);
	scene_read(scene);
	assert_int_equal(number(scene->totals, "unknown_tasks"), 0);
	assert_int_equal(number(row(scene, "tasks", "pid", 60), "cpu_ns"), 30 * MS);
	assert_int_equal(number(row(scene, "threads", "tid", 62), "cpu_ns"), 20 * MS);
	assert_int_equal(number(row(scene, "threads", "tid", 62), "pid"), 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_number_again), SCENE_TEST(test_recalled), SCENE_TEST(test_past_exit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
