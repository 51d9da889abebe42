// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces made by hand, read from the directory and counted: every number of the tables is known beforehand. Then the
 * same trace with damage of all kinds: an error or a note, never a crash (the sanitizers watch).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "trace_make.h"
#include "report.h"

enum { MS = 1000000 };

static const char session[] = "{\"hostname\": \"h\\u001bx\", \"command\": [\"kymo\", \"record\\n\"], \"stop_ns\": 1}";

static int room_make(void **state)
{
	char *dir = malloc(200);

	make_clock_ns = 5000000000;
	make_room(dir);
	*state = dir;
	return 0;
}

static int room_remove(void **state)
{
	make_remove(*state);
	free(*state);
	return 0;
}

static void at_ms(uint64_t ms)
{
	make_clock_ns = 5000000000 + ms * MS;
}

static void switched(struct make_stream *s, int32_t prev, const char *prev_comm, int64_t state, int32_t next, const char *next_comm)
{
	struct kymo_ev_sched_switch ev = { .prev_tid = prev, .prev_state = state, .next_tid = next };

	strncpy(ev.prev_comm, prev_comm, 15);
	strncpy(ev.next_comm, next_comm, 15);
	make_event(s, KYMO_ID_sched_switch, &ev, sizeof(ev));
}

/*
 * CPU 0: thread 101 of process 100 runs when the recording begins, is preempted, comes back, forks 200 (with threads)
 * and runs at the end. CPU 1: idle, then 200 until its exit.
 */
static void make_story(const char *dir)
{
	struct make_trace t;
	struct make_stream *c0, *c1, *own;

	make_begin(&t, dir);
	make_file(dir, "kymo/session.json", session, sizeof(session) - 1);
	c0 = make_stream(&t, "stream_0_0", 0);
	c1 = make_stream(&t, "stream_0_1", 1);
	own = make_stream(&t, "stream_kymo", 0);
	at_ms(10);
	switched(c0, 101, "worker", 0, 0, "swapper/0");		/* preempted: waits from here */
	at_ms(12);
	make_ev(c1, lttng_statedump_process_state, .tid = 100, .pid = 100, .ppid = 1, .name = "server", .start_ns = 77);
	make_ev(c1, lttng_statedump_process_state, .tid = 101, .pid = 100, .ppid = 1, .name = "worker", .start_ns = 78);
	at_ms(15);
	switched(c0, 0, "swapper/0", 0, 101, "worker");		/* waited 5 ms */
	at_ms(20);
	make_ev(c0, sched_process_fork, .parent_tid = 101, .parent_pid = 100, .parent_comm = "worker", .child_comm = "worker",
		.child_tid = 200, .child_pid = 200, .child_start_ns = 500);
	make_ev(c0, sched_process_fork, .parent_tid = 101, .parent_pid = 100, .parent_comm = "worker", .child_comm = "worker",
		.child_tid = 102, .child_pid = 100, .clone_flags = 0x10000, .child_start_ns = 501);
	make_ev(c0, sched_wakeup_new, .tid = 200, .comm = "worker", .target_cpu = 1);
	at_ms(21);
	switched(c1, 0, "swapper/1", 0, 200, "worker");		/* waited 1 ms */
	make_ev_string(c1, sched_process_exec, "/bin/true", .tid = 200, .old_tid = 200, .comm = "true");
	make_ev(c1, net_send, .tid = 200, .pid = 200, .cookie = 9, .netns = 4, .family = 2, .protocol = 6, .bytes = 1000,
		.saddr = { [10] = 0xff, [11] = 0xff, 127, 0, 0, 1 }, .daddr = { [10] = 0xff, [11] = 0xff, 127, 0, 0,
			2 }, .sport = 80, .dport = 81);
	make_ev(c1, net_recv, .tid = 200, .pid = 200, .cookie = 9, .netns = 4, .family = 2, .protocol = 6, .bytes = 24);
	at_ms(22);
	make_ev_string(c1, irq_handler_entry, "eth0", .irq = 7);
	at_ms(23);
	make_ev(c1, irq_handler_exit, .irq = 7);
	make_ev(c1, irq_softirq_raise, .vec = 3);
	at_ms(24);
	make_ev(c1, irq_softirq_entry, .vec = 3);
	at_ms(25);
	make_ev_string(c1, irq_handler_entry, "eth0", .irq = 7);
	at_ms(27);
	make_ev(c1, irq_handler_exit, .irq = 7);
	at_ms(28);
	make_ev(c1, irq_softirq_exit, .vec = 3);
	make_ev(c1, net_dev_xmit, .ifindex = 2, .name = "eth0", .netns = 4, .len = 60);
	make_ev_string(c1, skb_kfree, "NO_SOCKET", .ifindex = 2, .name = "eth0", .netns = 4, .len = 50, .reason = 3);
	make_ev(c1, cpu_sample, 0);				/* broken: without its lists; its packet is cut there */
	make_ev_string(own, kymo_loss, "sched_switch\0full", .type_id = 48, .cause = 0, .count = 12);
	at_ms(31);
	make_end(&t);
}

/* Streams without an event. */
static void make_silence(const char *dir)
{
	struct make_trace t;

	make_begin(&t, dir);
	make_file(dir, "kymo/session.json", session, sizeof(session) - 1);
	make_stream(&t, "stream_0_0", 0);
	make_stream(&t, "stream_0_1", 1);
	make_stream(&t, "stream_kymo", 0);
	make_end(&t);
}

static json_t *read_json(const char *dir, int *status)
{
	char error[INPUT_TRACE_ERROR];
	struct report r;
	char *text = NULL;
	size_t bytes = 0;
	json_t *root;
	FILE *f;

	*status = report_read(&r, dir, NULL, error);
	if (*status) {
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

static json_t *row(json_t *root, const char *view, const char *key, json_int_t value)
{
	json_t *rows = json_object_get(json_object_get(root, "views"), view), *object;
	size_t i;

	json_array_foreach(rows, i, object) {
		if (json_integer_value(json_object_get(object, key)) == value)
			return object;
	}
	fail_msg("%s has no row with %s %lld", view, key, (long long)value);
	return NULL;
}

static json_int_t number(json_t *object, const char *key)
{
	assert_true(json_is_integer(json_object_get(object, key)));
	return json_integer_value(json_object_get(object, key));
}

static const char *string(json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static void test_story(void **state)
{
	int status;
	json_t *root, *totals, *o;

	make_story(*state);
	root = read_json(*state, &status);
	assert_int_equal(status, 0);
	totals = json_object_get(root, "totals");
	assert_int_equal(number(root, "duration_ns"), 31 * MS);
	/* Two CPUs, 31 ms each: 101 ran 10 + 16, 200 10 (till the end), the rest is idle. */
	assert_int_equal(number(totals, "cpu_window_ns"), 62 * MS);
	assert_int_equal(number(totals, "busy_ns") + number(totals, "idle_ns"), 62 * MS);
	assert_int_equal(number(totals, "unclear_ns"), 0);
	assert_int_equal(number(totals, "lost_told"), 12);
	assert_int_equal(number(totals, "lost_counted"), 0);
	assert_int_equal(number(totals, "unknown_tasks"), 0);

	o = row(root, "tasks", "pid", 100);
	assert_string_equal(string(o, "command"), "server");
	assert_int_equal(number(o, "cpu_ns"), 26 * MS);
	assert_int_equal(number(o, "wait_ns"), 5 * MS);
	assert_int_equal(number(o, "wait_max_ns"), 5 * MS);
	assert_int_equal(number(o, "switches"), 1);
	assert_int_equal(number(o, "threads_created"), 1);
	assert_int_equal(number(o, "processes_created"), 1);
	assert_int_equal(number(o, "ppid"), 1);
	assert_int_equal(number(o, "start_ns"), 77);
	o = row(root, "threads", "tid", 101);
	assert_int_equal(number(o, "pid"), 100);			/* though it ran before the dump told */
	assert_int_equal(number(o, "cpu_ns"), 26 * MS);
	assert_string_equal(string(o, "command"), "worker");
	o = row(root, "tasks", "pid", 200);
	assert_string_equal(string(o, "command"), "true");
	assert_int_equal(number(o, "ppid"), 100);
	assert_int_equal(number(o, "cpu_ns"), 10 * MS);
	assert_int_equal(number(o, "wait_ns"), 1 * MS);
	assert_int_equal(number(o, "tx_bytes"), 1000);
	assert_int_equal(number(o, "rx_bytes"), 24);
	o = row(root, "tasks", "pid", 0);
	assert_string_equal(string(o, "command"), "idle");
	assert_int_equal(number(o, "cpu_ns"), (5 + 21) * MS);

	o = row(root, "flows", "cookie", 9);
	assert_int_equal(number(o, "tx_bytes"), 1000);
	assert_int_equal(number(o, "rx_calls"), 1);
	assert_string_equal(string(o, "protocol"), "tcp");
	assert_string_equal(string(o, "command"), "true");
	o = row(root, "interfaces", "ifindex", 2);
	assert_string_equal(string(o, "interface"), "eth0");
	assert_int_equal(number(o, "tx_bytes"), 60);
	assert_int_equal(number(o, "drops"), 1);
	o = row(root, "drops", "reason_number", 3);
	assert_string_equal(string(o, "reason"), "NO_SOCKET");
	o = row(root, "irqs", "number", 7);
	assert_int_equal(number(o, "count"), 2);
	assert_int_equal(number(o, "time_ns"), 3 * MS);
	assert_int_equal(number(o, "time_max_ns"), 2 * MS);
	o = row(root, "irqs", "number", 3);
	assert_string_equal(string(o, "name"), "NET_RX");
	assert_int_equal(number(o, "time_ns"), 2 * MS);
	assert_int_equal(number(o, "delay_p50_ns"), 1 * MS);
	o = row(root, "events", "id", KYMO_ID_sched_switch);
	assert_int_equal(number(o, "count"), 3);
	assert_int_equal(number(o, "lost"), 12);
	assert_int_equal(number(o, "lost_full"), 12);
	/* The broken sample, and that the rings know nothing of the loss. */
	assert_int_equal(json_array_size(json_object_get(root, "warnings")), 2);
	json_decref(root);
}

/* CPU 0, only irq_* and sched_switch; the session is not told: a stream's time is from its first packet to its last. */
static struct make_stream *begin_cpu(struct make_trace *t, const char *dir, struct make_stream **own)
{
	struct make_stream *s;

	make_begin(t, dir);
	make_file(dir, "kymo/session.json", session, sizeof(session) - 1);
	s = make_stream(t, "stream_0_0", 0);
	*own = make_stream(t, "stream_kymo", 0);
	return s;
}

/* Exits that were lost: what was entered does not last until the next exit of that number. */
static void test_lost_exits(void **state)
{
	struct make_trace t;
	struct make_stream *own, *s = begin_cpu(&t, *state, &own);
	json_t *root, *o;
	int status;

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
	make_end(&t);
	root = read_json(*state, &status);
	o = row(root, "irqs", "number", 7);
	assert_int_equal(number(o, "count"), 2);
	assert_int_equal(number(o, "time_ns"), 1 * MS);
	assert_int_equal(number(o, "time_max_ns"), 1 * MS);
	o = row(root, "irqs", "number", 8);
	assert_int_equal(number(o, "count"), 1);
	assert_int_equal(number(o, "time_ns"), 0);
	json_decref(root);
}

/* Switches are lost between two of the same task, and after the last one: that time is nobody's. */
static void test_lost_switches(void **state)
{
	struct make_trace t;
	struct make_stream *own, *s = begin_cpu(&t, *state, &own);
	json_t *root, *totals;
	int status;

	at_ms(10);
	switched(s, 0, "swapper/0", 0, 6, "six");
	at_ms(20);
	switched(s, 6, "six", 1, 0, "swapper/0");
	/* Full while six, or anybody, may have run. */
	while (s->control->lost < 2)
		make_record(s, KYMO_ID_irq_softirq_raise, &(struct kymo_ev_irq_softirq_raise){ 1 }, 4);
	at_ms(120);
	switched(s, 0, "swapper/0", 0, 6, "six");
	at_ms(130);
	switched(s, 6, "six", 1, 0, "swapper/0");
	make_drain(s);
	while (s->control->lost < 3)
		make_record(s, KYMO_ID_irq_softirq_raise, &(struct kymo_ev_irq_softirq_raise){ 1 }, 4);
	at_ms(160);
	make_end(&t);
	root = read_json(*state, &status);
	totals = json_object_get(root, "totals");
	assert_int_equal(number(row(root, "tasks", "pid", 6), "cpu_ns"), 20 * MS);
	assert_int_equal(number(totals, "idle_ns"), 10 * MS);
	assert_int_equal(number(totals, "unclear_ns"), 130 * MS);
	assert_int_equal(number(totals, "cpu_window_ns"), 160 * MS);
	json_decref(root);
}

/* On another CPU switches are lost while a task waits: it may have run there, and how long it waited is not known. */
static void test_lost_wait(void **state)
{
	struct make_trace t;
	struct make_stream *own, *s = begin_cpu(&t, *state, &own), *other = make_stream(&t, "stream_0_1", 1);
	json_t *root, *o;
	int status;

	at_ms(5);
	switched(other, 0, "swapper/1", 0, 7, "seven");
	at_ms(10);
	switched(s, 6, "six", 0, 0, "swapper/0");		/* preempted: waits from here */
	while (other->control->lost < 1)
		make_record(other, KYMO_ID_irq_softirq_raise, &(struct kymo_ev_irq_softirq_raise){ 1 }, 4);
	at_ms(40);
	switched(other, 7, "seven", 1, 0, "swapper/1");
	at_ms(50);
	switched(s, 0, "swapper/0", 0, 6, "six");
	at_ms(60);
	switched(s, 6, "six", 0, 0, "swapper/0");
	at_ms(70);
	switched(s, 0, "swapper/0", 0, 6, "six");
	at_ms(80);
	make_end(&t);
	root = read_json(*state, &status);
	o = row(root, "tasks", "pid", 6);
	assert_int_equal(number(o, "wait_ns"), 10 * MS);
	assert_int_equal(number(o, "wait_max_ns"), 10 * MS);
	assert_int_equal(number(o, "cpu_ns"), 30 * MS);
	json_decref(root);
}

static struct kymo_ev_net_send sent(int32_t tid, int32_t pid, uint32_t bytes)
{
	return (struct kymo_ev_net_send){ .tid = tid, .pid = pid, .cookie = 9, .netns = 4, .family = 2, .protocol = 6,
					  .bytes = bytes };
}

/* Only net is recorded: a number that is given again is seen by its process alone. */
static void test_number_again(void **state)
{
	struct make_trace t;
	struct make_stream *own, *s = begin_cpu(&t, *state, &own);
	struct kymo_ev_net_send ev;
	json_t *root;
	int status;

	at_ms(1);
	ev = sent(100, 50, 10);
	make_event(s, KYMO_ID_net_send, &ev, sizeof(ev));
	at_ms(2);
	ev = sent(100, 100, 7);
	make_event(s, KYMO_ID_net_send, &ev, sizeof(ev));
	at_ms(3);
	make_end(&t);
	root = read_json(*state, &status);
	assert_int_equal(number(row(root, "tasks", "pid", 50), "tx_bytes"), 10);
	assert_int_equal(number(row(root, "tasks", "pid", 100), "tx_bytes"), 7);
	json_decref(root);
}

/* The dump is gone with the oldest files; the recorder has kept who was there. */
static void test_recalled(void **state)
{
	static const char tasks[] = "kymo-tasks 1\n"
		"process 100 77 0 3 0 0 server\nthread 100 77 0 server\nthread 101 78 0 worker\n"
		"process 200 90 5005000000 100 0 0 first\nthread 200 90 5005000000 first\n"
		"process 200 5006000000 0 100 0 0 second\nthread 200 5006000000 0 second\n";
	struct make_trace t;
	struct make_stream *own, *s = begin_cpu(&t, *state, &own);
	struct kymo_ev_net_send ev = sent(200, 200, 5);
	json_t *root, *o;
	int status;

	make_file(*state, "kymo/tasks", tasks, sizeof(tasks) - 1);
	make_file(*state, "kymo/mappings", "kymo-mappings", 13);	/* damaged: noted */
	at_ms(4);
	make_event(s, KYMO_ID_net_send, &ev, sizeof(ev));
	at_ms(10);
	switched(s, 101, "worker", 0, 200, "second");
	ev = sent(200, 200, 6);
	make_event(s, KYMO_ID_net_send, &ev, sizeof(ev));
	at_ms(20);
	make_end(&t);
	root = read_json(*state, &status);
	o = row(root, "tasks", "pid", 100);
	assert_string_equal(string(o, "command"), "server");
	assert_int_equal(number(o, "ppid"), 3);
	assert_int_equal(number(o, "cpu_ns"), 10 * MS);
	assert_string_equal(string(row(root, "threads", "tid", 101), "command"), "worker");
	assert_int_equal(number(json_object_get(root, "totals"), "unknown_tasks"), 0);
	assert_non_null(strstr(json_string_value(json_array_get(json_object_get(root, "warnings"), 0)),
			       "kymo/mappings is damaged"));
	json_decref(root);
}

/* A stream is of one CPU: a packet that says otherwise is damage, and cannot make reading slow. */
static void test_other_cpu(void **state)
{
	struct make_trace t;
	struct make_stream *own, *s = begin_cpu(&t, *state, &own);
	json_t *root;
	int status;

	for (int i = 0; i < 200; i++) {
		at_ms(1 + (uint64_t)i);
		make_ev(s, irq_softirq_raise, .vec = 3);
		s->ring.begin.cpu_id = i > 50 ? 60000 : 0;
		if (i % 10 == 9)
			while (s->control->head % MAKE_PACKET_BYTES)
				if (make_record(s, KYMO_ID_irq_softirq_raise, &(struct kymo_ev_irq_softirq_raise){ 1 }, 4))
					break;
	}
	make_end(&t);
	root = read_json(*state, &status);
	assert_non_null(strstr(json_string_value(json_array_get(json_object_get(root, "warnings"), 0)), "of another CPU"));
	json_decref(root);
}

/* The recorder reads the clock just after START and just before STOP: switches lie outside, their time does not count. */
static void test_window(void **state)
{
	static const char told[] = "{\"start_ns\": 5010000000, \"stop_ns\": 5090000000}";
	struct make_trace t;
	struct make_stream *own, *s = begin_cpu(&t, *state, &own);
	json_t *root, *totals;
	int status;

	make_file(*state, "kymo/session.json", told, sizeof(told) - 1);
	at_ms(5);
	switched(s, 6, "six", 1, 0, "swapper/0");
	at_ms(20);
	switched(s, 0, "swapper/0", 0, 7, "seven");
	at_ms(95);
	switched(s, 7, "seven", 0, 8, "eight");
	at_ms(99);
	make_end(&t);
	root = read_json(*state, &status);
	totals = json_object_get(root, "totals");
	assert_int_equal(number(root, "duration_ns"), 80 * MS);
	assert_int_equal(number(totals, "cpu_window_ns"), 80 * MS);
	assert_int_equal(number(totals, "idle_ns"), 10 * MS);
	assert_int_equal(number(row(root, "tasks", "pid", 7), "cpu_ns"), 70 * MS);
	assert_int_equal(number(totals, "busy_ns"), 70 * MS);
	json_decref(root);
}

/*
 * Two threads past their exits when the recording begins. Both leave their CPU; the one had to wait for a lock on its
 * way out and comes back. What has no event of its own any more says at its end whose thread it was.
 */
static void test_past_exit(void **state)
{
	struct make_trace t;
	struct make_stream *own, *s = begin_cpu(&t, *state, &own);
	json_t *root;
	int status;

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
	make_end(&t);
	root = read_json(*state, &status);
	assert_int_equal(number(json_object_get(root, "totals"), "unknown_tasks"), 0);
	assert_int_equal(number(row(root, "tasks", "pid", 60), "cpu_ns"), 30 * MS);
	assert_int_equal(number(row(root, "threads", "tid", 62), "cpu_ns"), 20 * MS);
	assert_int_equal(number(row(root, "threads", "tid", 62), "pid"), 60);
	json_decref(root);
}

/* --max-size has deleted the first packets: their time is nobody's, and the trace begins behind them. */
static void test_rotated(void **state)
{
	struct make_trace t;
	struct make_stream *own, *s = begin_cpu(&t, *state, &own);
	json_t *root, *totals;
	int status;

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
	make_end(&t);
	root = read_json(*state, &status);
	totals = json_object_get(root, "totals");
	assert_int_equal(number(row(root, "tasks", "pid", 7), "cpu_ns"), 0);
	assert_int_equal(number(row(root, "tasks", "pid", 8), "cpu_ns"), 20 * MS);
	assert_int_equal(number(totals, "idle_ns"), 10 * MS);
	assert_int_equal(number(totals, "cpu_window_ns"), 30 * MS);
	assert_int_equal(number(root, "duration_ns"), 30 * MS);
	json_decref(root);
}

static void test_empty(void **state)
{
	int status;
	json_t *root;

	make_silence(*state);
	root = read_json(*state, &status);
	assert_int_equal(status, 0);
	assert_int_equal(number(json_object_get(root, "totals"), "events"), 0);
	json_decref(root);
}

/* Overflow of the rings: what the writer counted as lost is what the last packet says. */
static void test_full(void **state)
{
	struct make_trace t;
	struct make_stream *s;
	const struct kymo_ev_irq_softirq_raise ev = { 1 };
	json_int_t lost = 0;
	json_t *root;
	int status;

	make_begin(&t, *state);
	s = make_stream(&t, "stream_0_0", 0);
	for (unsigned int i = 0; i < 5000; i++) {
		make_clock_ns += 1000;
		lost += make_record(s, KYMO_ID_irq_softirq_raise, &ev, sizeof(ev)) != KYMO_RING_OK;
		if (i % 2000 == 1999)
			make_drain(s);
	}
	make_end(&t);
	assert_true(lost > 0);
	root = read_json(*state, &status);
	assert_int_equal(number(json_object_get(root, "totals"), "lost_counted"), lost);
	assert_int_equal(number(json_object_get(root, "totals"), "events"), 5000 - lost);
	json_decref(root);
}

/* Streams in several files; times that are equal keep the order of the streams. */
static void test_chunks(void **state)
{
	struct make_trace t;
	struct make_stream *s;
	char first[300], second[300], error[INPUT_TRACE_ERROR];
	struct input *in;
	struct merge *m;
	struct event e;
	uint64_t last = 0, events = 0;
	int got;

	make_begin(&t, *state);
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
	make_path(first, *state, "stream_0_1.0");
	make_path(second, *state, "stream_0_1.10");
	s = &t.stream[1];
	make_drain(s);
	strcpy(s->path, second);
	for (unsigned int i = 1000; i < 2000; i++) {
		make_clock_ns += i % 3;
		make_ev(&t.stream[i * 7 % 3], irq_softirq_raise, .vec = i);
	}
	make_end(&t);
	in = input_trace_open(*state, error);
	assert_non_null(in);
	assert_int_equal(in->streams, 3);
	assert_string_equal(input_trace_stream_name(in, 1), "stream_0_1");
	m = merge_create(in);
	while ((got = merge_next(m, MERGE_ALL, &e)) == 1) {
		assert_true(e.time_ns >= last);
		last = e.time_ns;
		events++;
	}
	assert_int_equal(got, -ENODATA);
	assert_int_equal(events, 2000);
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
	struct make_trace t;
	struct merge *m;
	struct event e;
	uint64_t last = 0, events = 0;
	int got;

	make_begin(&t, *state);
	make_stream(&t, "stream_0_0", 0);
	make_stream(&t, "stream_0_1", 1);
	for (unsigned int i = 0; i < 1000; i++) {
		make_clock_ns += i % 3;
		make_ev(&t.stream[i * 7 % 2], irq_softirq_raise, .vec = i);
	}
	make_end(&t);
	once.trace = input_trace_open(*state, error);
	assert_non_null(once.trace);
	once.in.catalogue = once.trace->catalogue;
	once.in.streams = once.trace->streams;
	m = merge_create(&once.in);
	while ((got = merge_next(m, MERGE_ALL, &e)) == 1) {
		assert_true(e.time_ns >= last);
		last = e.time_ns;
		events++;
	}
	assert_int_equal(got, -ENODATA);
	assert_int_equal(events, 1000);
	merge_destroy(m);
	once.trace->ops->destroy(once.trace);
}

/* A watermark holds back what is later. */
static void test_watermark(void **state)
{
	struct make_trace t;
	struct make_stream *s;
	char error[INPUT_TRACE_ERROR];
	struct input *in;
	struct merge *m;
	struct event e;

	make_begin(&t, *state);
	s = make_stream(&t, "stream_0_0", 0);
	for (unsigned int i = 1; i <= 5; i++) {
		make_clock_ns = 6000000000 + i;
		make_ev(s, irq_softirq_raise, .vec = i);
	}
	make_end(&t);
	in = input_trace_open(*state, error);
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

static void test_foreign(void **state)
{
	const char *dir = *state;
	int status;

	assert_null(read_json("/nonexistent", &status));
	assert_null(read_json("/dev/null", &status));
	assert_null(read_json(dir, &status));
	make_file(dir, "metadata", "garbage", 7);
	assert_null(read_json(dir, &status));
	make_file(dir, "metadata", "trace { uuid = \"ab010203-0405-0607-0809-0a0b0c0d0e0f\"; }", 56);
	assert_null(read_json(dir, &status));
	make_silence(dir);
	make_file(dir, "kymo/catalogue", "garbage", 7);
	assert_null(read_json(dir, &status));
	make_file(dir, "kymo/catalogue", "", 0);
	assert_null(read_json(dir, &status));
}

static uint32_t random_state = 1;

static uint32_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	return random_state ^= random_state << 5;
}

static void load(const char *dir, const char *name, uint8_t **data, size_t *bytes)
{
	char path[300];
	FILE *f;

	make_path(path, dir, name);
	f = fopen(path, "re");
	*data = malloc(1 << 20);
	*bytes = fread(*data, 1, 1 << 20, f);
	fclose(f);
}

/* One file after the other with bytes changed, pieces cut out and ends cut off; headers more than the rest. */
static void test_mutations(void **state)
{
	static const char *const name[] = { "stream_0_0", "stream_0_1", "stream_kymo", "metadata", "kymo/catalogue",
		"kymo/session.json" };
	const char *dir = *state;
	unsigned int opened = 0;

	make_story(dir);
	for (unsigned int round = 0; round < 1200; round++) {
		const char *victim = name[round % 6];
		uint8_t *data, *copy;
		size_t bytes, left;
		int status;

		load(dir, victim, &data, &bytes);
		copy = malloc(bytes + 1);
		memcpy(copy, data, bytes);
		left = bytes;
		for (unsigned int i = random_next() % 4 + 1; i && bytes; i--) {
			const size_t at = random_next() % 2 ? random_next() % bytes : random_next() % (bytes < 300 ? bytes : 300);

			switch (random_next() % 4) {
			case 0:
				copy[at] = (uint8_t)random_next();
				break;
			case 1:
				copy[at] ^= (uint8_t)(1u << random_next() % 8);
				break;
			case 2:
				copy[at] = random_next() % 2 ? 0xff : 0;
				break;
			case 3:
				if (random_next() % 4 == 0)
					left = at;
				break;
			}
		}
		make_file(dir, victim, copy, left);
		json_decref(read_json(dir, &status));
		opened += !status;
		make_file(dir, victim, data, bytes);
		free(copy);
		free(data);
	}
	assert_true(opened > 600 && opened < 1200);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, room_make, room_remove)
	const struct CMUnitTest tests[] = {
		TEST(test_story), TEST(test_lost_exits), TEST(test_rotated), TEST(test_lost_switches), TEST(test_window),
		TEST(test_past_exit),
		TEST(test_lost_wait), TEST(test_number_again), TEST(test_recalled), TEST(test_other_cpu),
		TEST(test_empty), TEST(test_full), TEST(test_chunks), TEST(test_passes), TEST(test_watermark), TEST(test_foreign),
		TEST(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
