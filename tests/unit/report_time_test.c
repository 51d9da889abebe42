// SPDX-License-Identifier: GPL-2.0-or-later
/* Time of tasks and interrupts where the trace does not tell all: lost events, deleted packets, what lies outside. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "report_scene.h"

/* Exits that were lost: what was entered does not last until the next exit of that number. */
static void test_lost_exits(void **state)
{
	struct scene *scene = scene_begin(state);
	struct make_stream *s = scene->cpu;
	json_t *o;

	at_ms(1);
	make_ev_string(s, irq_handler_entry, "eth0", .irq = 7);		/* its exit is lost */
	at_ms(1001);
	make_ev_string(s, irq_handler_entry, "eth0", .irq = 7);
	at_ms(1002);
	make_ev(s, irq_handler_exit, .irq = 7);
	at_ms(1003);
	make_ev_string(s, irq_handler_entry, "disk", .irq = 8);		/* its exit is lost */
	at_ms(1004);
	switched(s, 5, "five", 0, 0, "swapper/0");
	at_ms(2003);
	make_ev(s, irq_handler_exit, .irq = 8);				/* its entry was lost */
	make_ev(s, irq_handler_exit, .irq = 7);				/* its, too */
	scene_read(scene);
	o = row(scene, "irqs", "number", 7);
	assert_int_equal(number(o, "count"), 2);
	assert_int_equal(number(o, "time_ns"), 1 * MS);
	assert_int_equal(number(o, "time_max_ns"), 1 * MS);
	o = row(scene, "irqs", "number", 8);
	assert_int_equal(number(o, "count"), 1);
	assert_int_equal(number(o, "time_ns"), 0);
}

/* Switches are lost between two of the same task, and after the last one: that time is nobody's. */
static void test_lost_switches(void **state)
{
	struct scene *scene = scene_begin(state);
	struct make_stream *s = scene->cpu;

	at_ms(10);
	switched(s, 0, "swapper/0", 0, 6, "six");
	at_ms(20);
	switched(s, 6, "six", 1, 0, "swapper/0");
	/* Full while six, or anybody, may have run. */
	scene_lose(s, 2);
	at_ms(120);
	switched(s, 0, "swapper/0", 0, 6, "six");
	at_ms(130);
	switched(s, 6, "six", 1, 0, "swapper/0");
	make_drain(s);
	scene_lose(s, 3);
	at_ms(160);
	scene_read(scene);
	assert_int_equal(number(row(scene, "tasks", "pid", 6), "cpu_ns"), 20 * MS);
	assert_int_equal(number(scene->totals, "idle_ns"), 10 * MS);
	assert_int_equal(number(scene->totals, "unclear_ns"), 130 * MS);
	assert_int_equal(number(scene->totals, "cpu_window_ns"), 160 * MS);
}

/* On another CPU switches are lost while a task waits: it may have run there, and how long it waited is not known. */
static void test_lost_wait(void **state)
{
	struct scene *scene = scene_begin(state);
	struct make_stream *s = scene->cpu, *other = make_stream(&scene->trace, "stream_0_1", 1);
	json_t *o;

	at_ms(5);
	switched(other, 0, "swapper/1", 0, 7, "seven");
	at_ms(10);
	switched(s, 6, "six", 0, 0, "swapper/0");		/* preempted: waits from here */
	scene_lose(other, 1);
	at_ms(40);
	switched(other, 7, "seven", 1, 0, "swapper/1");
	at_ms(50);
	switched(s, 0, "swapper/0", 0, 6, "six");
	at_ms(60);
	switched(s, 6, "six", 0, 0, "swapper/0");
	at_ms(70);
	switched(s, 0, "swapper/0", 0, 6, "six");
	at_ms(80);
	scene_read(scene);
	o = row(scene, "tasks", "pid", 6);
	assert_int_equal(number(o, "wait_ns"), 10 * MS);
	assert_int_equal(number(o, "wait_max_ns"), 10 * MS);
	assert_int_equal(number(o, "cpu_ns"), 30 * MS);
}

/* The recorder reads the clock just after START and just before STOP: switches lie outside, their time does not count. */
static void test_window(void **state)
{
	static const char told[] = "{\"start_ns\": 5010000000, \"stop_ns\": 5090000000}";
	struct scene *scene = scene_begin(state);
	struct make_stream *s = scene->cpu;

	make_file(scene->dir, "kymo/session.json", told, sizeof(told) - 1);
	at_ms(5);
	switched(s, 6, "six", 1, 0, "swapper/0");
	at_ms(20);
	switched(s, 0, "swapper/0", 0, 7, "seven");
	at_ms(95);
	switched(s, 7, "seven", 0, 8, "eight");
	at_ms(99);
	scene_read(scene);
	assert_int_equal(number(scene->root, "duration_ns"), 80 * MS);
	assert_int_equal(number(scene->totals, "cpu_window_ns"), 80 * MS);
	assert_int_equal(number(scene->totals, "idle_ns"), 10 * MS);
	assert_int_equal(number(row(scene, "tasks", "pid", 7), "cpu_ns"), 70 * MS);
	assert_int_equal(number(scene->totals, "busy_ns"), 70 * MS);
}

/* --max-size has deleted the first packets: their time is nobody's, and the trace begins behind them. */
static void test_rotated(void **state)
{
	struct scene *scene = scene_begin(state);
	struct make_stream *s = scene->cpu;

	for (unsigned int i = 1; s->seq < 2; i++) {
		at_ms(i);
		switched(s, i % 2 ? 0 : 6, "a", 1, i % 2 ? 6 : 0, "b");
	}
	ring_close(&s->ring);
	make_rotate(s, 5000000000);
	at_ms(10000);
	switched(s, 7, "seven", 1, 0, "swapper/0");
	at_ms(10010);
	switched(s, 0, "swapper/0", 0, 8, "eight");
	at_ms(10030);
	scene_read(scene);
	assert_int_equal(number(row(scene, "tasks", "pid", 7), "cpu_ns"), 0);
	assert_int_equal(number(row(scene, "tasks", "pid", 8), "cpu_ns"), 20 * MS);
	assert_int_equal(number(scene->totals, "idle_ns"), 10 * MS);
	assert_int_equal(number(scene->totals, "cpu_window_ns"), 30 * MS);
	assert_int_equal(number(scene->root, "duration_ns"), 30 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_lost_exits), SCENE_TEST(test_lost_switches), SCENE_TEST(test_lost_wait),
		SCENE_TEST(test_window), SCENE_TEST(test_rotated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
