// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tally for a live view against the tally for a report: asked in between at random moments, with losses and all,
 * the sums of what it told are those of one that was asked at the end only; rows that leave take nothing with them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "builtin.h"
#include "snapshot.h"

enum { CPUS = 3, TASKS = 12, EVENTS = 4000 };

static uint64_t random_state;

static uint64_t random_below(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

struct step {
	struct event event;
	uint8_t data[256];
};

/* A machine that never was: tasks switch, wake, fork, exit; interrupts; socket calls; some switches are lost. */
struct machine_made {
	struct catalogue *catalogue;
	struct step *step;
	unsigned int steps;
	uint64_t now_ns, gaps[CPUS];
	int32_t on[CPUS];
	bool queued[TASKS + 1];
	int32_t tid[TASKS + 1];		/* 0: this place is free */
	int32_t next_tid;
	bool in_irq[CPUS];
	bool lossless;
};

static void *made_event(struct machine_made *m, uint16_t id, unsigned int cpu, size_t bytes)
{
	struct step *s = &m->step[m->steps++];

	s->event = (struct event){ .type = catalogue_by_id(m->catalogue, id), .time_ns = m->now_ns, .data = s->data,
				   .bytes = (uint32_t)bytes, .cpu = cpu, .stream = cpu, .gaps = m->gaps[cpu] };
	assert_non_null(s->event.type);
	memset(s->data, 0, sizeof(s->data));
	return s->data;
}

static void made_switch(struct machine_made *m, unsigned int cpu)
{
	const unsigned int place = (unsigned int)random_below(TASKS + 1);
	const bool dies = m->on[cpu] && !random_below(12);
	struct kymo_ev_sched_switch *ev;
	int32_t next = m->tid[place];

	for (unsigned int i = 0; i < CPUS; i++)
		if (next && m->on[i] == next)
			return;
	if (next == m->on[cpu] || m->in_irq[cpu])
		return;
	if (!m->lossless && !random_below(15)) {	/* lost */
		m->gaps[cpu]++;
	} else {
		ev = made_event(m, KYMO_ID_sched_switch, cpu, sizeof(*ev));
		ev->prev_tid = m->on[cpu];
		ev->next_tid = next;
		ev->prev_state = dies ? 0x20 : random_below(2) ? 0 : 1;
		snprintf(ev->prev_comm, 16, "t%d", ev->prev_tid);
		snprintf(ev->next_comm, 16, "t%d", next);
	}
	if (dies)
		for (unsigned int i = 1; i <= TASKS; i++)
			if (m->tid[i] == m->on[cpu])
				m->tid[i] = ++m->next_tid;
	m->on[cpu] = next;
}

static void made_wakeup(struct machine_made *m, unsigned int cpu)
{
	struct kymo_ev_sched_wakeup *ev = made_event(m, KYMO_ID_sched_wakeup, cpu, sizeof(*ev));

	ev->tid = m->tid[1 + random_below(TASKS)];
	ev->target_cpu = (int32_t)random_below(CPUS);
	snprintf(ev->comm, 16, "t%d", ev->tid);
}

static void made_irq(struct machine_made *m, unsigned int cpu)
{
	struct kymo_ev_irq_softirq_entry *ev = made_event(m, m->in_irq[cpu] ? KYMO_ID_irq_softirq_exit :
							 KYMO_ID_irq_softirq_entry, cpu, sizeof(*ev));

	ev->vec = 3;
	m->in_irq[cpu] = !m->in_irq[cpu];
}

static void made_call(struct machine_made *m, unsigned int cpu)
{
	struct kymo_ev_net_send *ev = made_event(m, KYMO_ID_net_send, cpu, sizeof(*ev));

	ev->tid = m->on[cpu];
	ev->cookie = 1 + random_below(5);
	ev->protocol = 6;
	ev->family = 2;
	ev->bytes = random_below(9000);
}

static void made_sample(struct machine_made *m, unsigned int cpu)
{
	struct kymo_ev_cpu_sample *ev;

	if (!m->on[cpu])
		return;
	ev = made_event(m, KYMO_ID_cpu_sample, cpu, sizeof(*ev) + 4);
	ev->tid = ev->pid = m->on[cpu];
	ev->period = 10000;
	ev->flags = random_below(2) ? KYMO_SAMPLE_USER : 0;
}

static void machine_make(struct machine_made *m, bool lossless)
{
	static void (*const what[])(struct machine_made *, unsigned int) = {
		made_switch, made_switch, made_switch, made_wakeup, made_irq, made_call, made_sample,
	};
	size_t bytes;
	void *entries = builtin_entries(&bytes);

	memset(m, 0, sizeof(*m));
	m->lossless = lossless;
	m->catalogue = catalogue_create();
	assert_true(catalogue_add(m->catalogue, entries, bytes) > 0);
	free(entries);
	m->step = calloc(EVENTS + 1, sizeof(*m->step));
	m->now_ns = 1000000;
	m->next_tid = 100;
	for (unsigned int i = 1; i <= TASKS; i++)
		m->tid[i] = ++m->next_tid;
	while (m->steps < EVENTS) {
		m->now_ns += 1 + random_below(1000);
		/* The last CPU sleeps through the first half. */
		what[random_below(sizeof(what) / sizeof(what[0]))](m, (unsigned int)random_below(m->steps < EVENTS / 2 ? CPUS - 1 :
												  CPUS));
	}
}

static void machine_unmake(struct machine_made *m)
{
	catalogue_destroy(m->catalogue);
	free(m->step);
}

/* What one table said in all snapshots together. */
struct account {
	uint64_t sum[TALLY_TABLES][TABLE_COLUMNS];
};

static void account_add(struct account *a, const struct snapshot *s)
{
	for (unsigned int i = 0; i < TALLY_TABLES; i++)
		for (unsigned int r = 0; r < s->table[i].rows; r++)
			for (unsigned int k = 0; k < s->table[i].columns; k++)
				a->sum[i][k] += s->table[i].row[r].value[k];
}

static struct snapshot *tally_close(struct tally *t, const struct machine_made *m, uint64_t start_ns, uint64_t stop_ns)
{
	struct snapshot *s;

	tally_window(t, start_ns, stop_ns);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		tally_stream_end(t, cpu, cpu, m->gaps[cpu]);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		tally_cpu_end(t, cpu, start_ns, stop_ns);
	tally_finish(t);
	s = snapshot_create(t, start_ns, stop_ns);
	assert_non_null(s);
	return s;
}

/* The gaps of a stream that a live view has seen when everything up to now_ns has been given. */
static uint64_t gaps_seen(const struct machine_made *m, unsigned int cpu, unsigned int steps)
{
	for (unsigned int i = steps; i > 0; i--)
		if (m->step[i - 1].event.cpu == cpu)
			return m->step[i - 1].event.gaps;
	return 0;
}

static const struct snapshot_row *row_like(const struct snapshot *s, unsigned int table, const struct snapshot_row *row)
{
	for (unsigned int i = 0; i < s->table[table].rows; i++)
		if (!memcmp(s->table[table].row[i].key, row->key, s->table[table].key_bytes))
			return &s->table[table].row[i];
	return NULL;
}

static void check_totals(const struct tally_totals *a, const struct tally_totals *b)
{
	assert_int_equal(a->events, b->events);
	assert_int_equal(a->busy_ns, b->busy_ns);
	assert_int_equal(a->idle_ns, b->idle_ns);
	assert_int_equal(a->unclear_ns, b->unclear_ns);
	assert_int_equal(a->cpu_window_ns, b->cpu_window_ns);
	assert_int_equal(a->runnable_ns, b->runnable_ns);
	assert_int_equal(a->unknown_tasks, b->unknown_tasks);
	assert_int_equal(a->cpu_window_ns, a->busy_ns + a->idle_ns + a->unclear_ns);
}

/* age: rows may leave, so keys are compared no more, but the sums with those that left are. */
static void check_live(bool age, bool lossless)
{
	struct machine_made m;
	struct tally *live = tally_create(), *whole = tally_create();
	struct account account = {};
	struct snapshot *s, *report;
	uint64_t start_ns = 1000500, stop_ns;

	machine_make(&m, lossless);
	stop_ns = m.now_ns + 700;
	tally_window(live, start_ns, 0);
	tally_window(whole, start_ns, stop_ns);
	for (unsigned int i = 0; i < m.steps; i++) {
		const uint64_t now_ns = m.step[i].event.time_ns;

		tally_event(live, &m.step[i].event, start_ns);
		tally_event(whole, &m.step[i].event, start_ns);
		if (random_below(50) || now_ns <= start_ns)
			continue;
		for (unsigned int cpu = 0; cpu < CPUS; cpu++)
			tally_advance(live, cpu, cpu, gaps_seen(&m, cpu, i + 1), start_ns, now_ns);
		tally_moment(live, now_ns);
		s = snapshot_create(live, 0, now_ns);
		assert_non_null(s);
		account_add(&account, s);
		/* Each CPU's time is complete at any moment. */
		for (unsigned int r = 0; s->totals.switches && r < s->table[TALLY_CPUS].rows; r++) {
			const uint64_t *total = s->table[TALLY_CPUS].row[r].total;

			assert_int_equal(total[CPU_TASK_NS] + total[CPU_IDLE_NS] + total[CPU_IRQ_NS] + total[CPU_SOFTIRQ_NS] +
					 total[CPU_UNCLEAR_NS], now_ns - start_ns);
		}
		snapshot_destroy(s);
		if (age)
			tally_age(live);
	}
	s = tally_close(live, &m, start_ns, stop_ns);
	report = tally_close(whole, &m, start_ns, stop_ns);
	account_add(&account, s);
	check_totals(&s->totals, &report->totals);
	for (unsigned int i = 0; i < TALLY_TABLES; i++) {
		struct account both = {};

		account_add(&both, report);
		for (unsigned int k = 0; k < s->table[i].columns; k++) {
			uint64_t left = table_value(table_retired(tally_table(live, i)), k), total = left;

			for (unsigned int r = 0; r < s->table[i].rows; r++)
				total += s->table[i].row[r].total[k];
			assert_int_equal(total, both.sum[i][k]);
			if (lossless)
				assert_int_equal(account.sum[i][k], both.sum[i][k]);
		}
		for (unsigned int r = 0; !age && r < report->table[i].rows; r++) {
			const struct snapshot_row *want = &report->table[i].row[r], *got = row_like(s, i, want);

			if (i == TALLY_PROCESSES || i == TALLY_THREADS || i == TALLY_PROCESS_FUNCTIONS)
				continue;	/* their keys have serial numbers, given at the first sight */
			assert_non_null(got);
			assert_memory_equal(got->total, want->total, s->table[i].columns * sizeof(uint64_t));
		}
	}
	assert_true(!age || table_retired_rows(tally_table(live, TALLY_THREADS)) > 0);
	snapshot_destroy(s);
	snapshot_destroy(report);
	tally_destroy(live);
	tally_destroy(whole);
	machine_unmake(&m);
}

static void test_live(void **state)
{
	for (unsigned int seed = 1; seed <= 12; seed++) {
		random_state = seed * 88172645463325252ull;
		check_live(false, false);
		check_live(false, true);
	}
}

static void test_age(void **state)
{
	for (unsigned int seed = 1; seed <= 12; seed++) {
		random_state = seed * 88172645463325252ull;
		check_live(true, false);
		check_live(true, true);
	}
}

static void switched(struct machine_made *m, uint64_t ms, int32_t prev, int32_t next)
{
	struct kymo_ev_sched_switch *ev;

	m->now_ns = ms * 1000000;
	ev = made_event(m, KYMO_ID_sched_switch, 0, sizeof(*ev));
	ev->prev_tid = prev;
	ev->next_tid = next;
}

static void sampled(struct machine_made *m, uint64_t ms, int32_t tid)
{
	m->now_ns = ms * 1000000;
	m->on[0] = tid;
	made_sample(m, 0);
}

static uint64_t cpu_of(const struct snapshot *s, int32_t tid)
{
	const struct snapshot_table *t = &s->table[TALLY_THREADS];

	for (unsigned int r = 0; r < t->rows; r++)
		if (((const struct tally_thread_key *)t->row[r].key)->tid == tid)
			return t->row[r].total[TASK_CPU_NS];
	return 0;
}

/* Switches away from 1 are hidden. Two samples tell that 2 is on the CPU again; one of 1 behind its last switch nothing. */
static void test_hidden(void **state)
{
	struct tally *t = tally_create();
	struct machine_made m;
	struct snapshot *s;

	random_state = 1;
	machine_make(&m, true);
	m.steps = 0;
	switched(&m, 10, 0, 2);
	switched(&m, 20, 2, 1);
	sampled(&m, 30, 2);
	sampled(&m, 40, 2);
	sampled(&m, 50, 2);
	switched(&m, 90, 2, 3);
	sampled(&m, 91, 2);
	switched(&m, 95, 3, 2);
	sampled(&m, 96, 3);
	tally_window(t, 1, 100000000);
	for (unsigned int i = 0; i < m.steps; i++)
		tally_event(t, &m.step[i].event, 1);
	tally_cpu_end(t, 0, 1, 100000000);
	tally_finish(t);
	s = snapshot_create(t, 0, 100000000);
	assert_int_equal(s->totals.unclear_ns, 10000000);
	assert_int_equal(cpu_of(s, 1), 0);
	assert_int_equal(cpu_of(s, 2), (10 + 60 + 5) * 1000000ull);
	assert_int_equal(cpu_of(s, 3), 5 * 1000000ull);
	snapshot_destroy(s);
	tally_destroy(t);
	machine_unmake(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_age),
		cmocka_unit_test(test_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
