// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace gone through at a virtual clock: the intervals' sums are what a report says of the whole, in steps of any
 * size, forward and back.
 */
#include "trace_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>

#include "report.h"
#include "top/feed.h"

enum { MS = 1000000 };

static char room[200];

static void switched(struct make_stream *s, int32_t prev, int64_t state, int32_t next)
{
	struct kymo_ev_sched_switch ev = { .prev_tid = prev, .prev_state = state, .next_tid = next };

	snprintf(ev.prev_comm, sizeof(ev.prev_comm), "t%d", prev);
	snprintf(ev.next_comm, sizeof(ev.next_comm), "t%d", next);
	make_event(s, KYMO_ID_sched_switch, &ev, sizeof(ev));
}

/* 100 ms from 1000 ms on: on CPU 0 two tasks share the time; CPU 1 idles till 70 ms. */
static int room_make(void **state)
{
	static const char session[] = "{\"start_ns\": 1000000000, \"stop_ns\": 1100000000, \"cpus\": 2, \"hostname\": \"h\"}";
	struct make_stream *cpu[2], *own;
	struct make_trace t;

	make_room(room);
	make_clock_ns = 999 * (uint64_t)MS;
	make_begin(&t, room);
	make_file(room, "kymo/session.json", session, sizeof(session) - 1);
	cpu[0] = make_stream(&t, "stream_0_0", 0);
	cpu[1] = make_stream(&t, "stream_0_1", 1);
	own = make_stream(&t, "stream_kymo", 0);
	/* START is on before it returns, and with it start_ns. */
	make_clock_ns = 1000 * (uint64_t)MS - 1;
	make_ev(cpu[0], net_send, .tid = 11, .pid = 10, .cookie = 1, .protocol = 6);
	for (unsigned int ms = 1; ms < 100; ms++) {
		make_clock_ns = (1000 + ms) * (uint64_t)MS;
		switched(cpu[0], ms % 2 ? 11 : 12, 0, ms % 2 ? 12 : 11);
		make_ev(cpu[0], net_send, .tid = ms % 2 ? 12 : 11, .pid = 10, .cookie = 1 + ms / 50, .bytes = ms, .protocol = 6);
	}
	make_clock_ns = 1070 * (uint64_t)MS;
	switched(cpu[1], 0, 1, 13);
	make_clock_ns = 1100 * (uint64_t)MS;
	make_ev_string(own, kymo_loss, "net_recv\0full", .type_id = KYMO_ID_net_recv, .count = 7);
	make_end(&t);
	return 0;
}

static int room_remove(void **state)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -r '%s'", room);
	return system(command);
}

static struct feed *replay(void)
{
	char why[FEED_WHY];
	struct feed *f = feed_trace(room, why);

	if (!f)
		fail_msg("%s", why);
	return f;
}

static void add(uint64_t sum[TALLY_TABLES][TABLE_COLUMNS], const struct snapshot *s)
{
	for (unsigned int i = 0; i < TALLY_TABLES; i++)
		for (unsigned int r = 0; r < s->table[i].rows; r++)
			for (unsigned int k = 0; k < s->table[i].columns; k++)
				sum[i][k] += s->table[i].row[r].value[k];
}

static void test_steps(void **state)
{
	static const uint64_t steps[] = { 1 * MS, 7 * MS, 33 * MS, 100 * MS, 5000ull * MS };
	char error[INPUT_TRACE_ERROR];
	struct report report;

	assert_int_equal(report_read(&report, room, NULL, error), 0);
	for (unsigned int i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		uint64_t got[TALLY_TABLES][TABLE_COLUMNS] = {}, want[TALLY_TABLES][TABLE_COLUMNS] = {}, time_ns = 0;
		struct feed *f = replay();
		const struct snapshot *s;

		while (!feed_tick(f, steps[i], &s)) {
			const struct vitals *v = &s->vitals;

			add(got, s);
			time_ns += v->interval_ns;
			assert_int_equal(v->time_ns, 1000 * (uint64_t)MS + time_ns);
			assert_int_equal(v->user_ns + v->system_ns + v->irq_ns + v->softirq_ns + v->idle_ns + v->unclear_ns,
					 v->interval_ns * v->cpus);
		}
		assert_int_equal(feed_tick(f, steps[i], &s), -ENODATA);
		assert_int_equal(time_ns, 100 * MS);
		add(want, report.snapshot);
		assert_memory_equal(got, want, sizeof(got));
		assert_int_equal(s->totals.busy_ns, 130 * MS);
		assert_int_equal(s->totals.idle_ns, 70 * MS);
		assert_int_equal(s->vitals.lost_ever, 7);
		assert_int_equal(s->vitals.late_ever, 0);
		feed_destroy(f);
	}
	report_fini(&report);
}

static void test_vitals(void **state)
{
	struct feed *f = replay();
	const struct snapshot *s;

	assert_int_equal(feed_tick(f, 50 * MS, &s), 0);
	assert_int_equal(s->vitals.cpus, 2);
	assert_int_equal(s->vitals.running, 1);
	assert_int_equal(s->vitals.runnable, 1);
	assert_int_equal(s->vitals.tx_bytes, 50 * 51 / 2);
	assert_int_equal(s->vitals.idle_ns, 50 * MS);
	/* One on the CPU, the other waits for it. */
	assert_true(s->vitals.load[0] > 1.9 && s->vitals.load[0] < 2.01);
	assert_true(s->vitals.wait_p99_ns > MS * 31 / 32 && s->vitals.wait_p99_ns < MS * 33ull / 32);
	assert_int_equal(feed_facts(f)->cpus, 2);
	assert_string_equal(feed_facts(f)->hostname, "h");
	feed_destroy(f);
}

static uint64_t sent_at(struct feed *f, uint64_t ms, uint64_t step_ms)
{
	const struct snapshot *s;

	assert_int_equal(feed_seek(f, (1000 + ms) * MS, step_ms * MS, &s), 0);
	assert_int_equal(s->end_ns, (1000 + ms) * (uint64_t)MS);
	return s->vitals.tx_bytes;
}

static void test_seek(void **state)
{
	struct feed *f = replay();
	const struct snapshot *s;

	assert_int_equal(sent_at(f, 60, 10), 60 * 61 / 2 - 50 * 51 / 2);
	assert_int_equal(sent_at(f, 50, 10), 50 * 51 / 2 - 40 * 41 / 2);	/* back */
	assert_int_equal(sent_at(f, 40, 40), 40 * 41 / 2);
	assert_int_equal(sent_at(f, 100, 5), 99 * 100 / 2 - 95 * 96 / 2);	/* the end */
	assert_int_equal(sent_at(f, 10, 100), 10 * 11 / 2);
	assert_int_equal(feed_tick(f, 10 * MS, &s), 0);
	assert_int_equal(s->vitals.tx_bytes, 20 * 21 / 2 - 10 * 11 / 2);
	assert_int_equal(feed_seek(f, UINT64_MAX, MS, &s), 0);			/* no further than the end */
	assert_int_equal(s->end_ns, 1100 * (uint64_t)MS);
	feed_destroy(f);
}

static void test_refused(void **state)
{
	char why[FEED_WHY];

	assert_null(feed_trace("/nowhere", why));
	assert_non_null(strstr(why, "/nowhere"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_steps, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_vitals, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_seek, room_make, room_remove),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
