// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine as a whole over one interval: sums over a snapshot's tables, and what the totals have grown by. */
#include "feed_part.h"

#include <math.h>
#include <string.h>

static void feed_vitals_cpu(struct vitals *v, const struct snapshot_row *row)
{
	const uint64_t *value = row->value, sampled = value[CPU_USER_SAMPLED] + value[CPU_KERNEL_SAMPLED];
	const uint64_t user = sampled ? (uint64_t)((double)value[CPU_TASK_NS] * (double)value[CPU_USER_SAMPLED] /
						   (double)sampled) : 0;

	if (!(row->total[CPU_TASK_NS] + row->total[CPU_IDLE_NS] + row->total[CPU_UNCLEAR_NS]))
		return;		/* named by an event, but it has told nothing itself */
	v->cpus++;
	v->user_ns += user;
	v->system_ns += value[CPU_TASK_NS] - user;
	v->irq_ns += value[CPU_IRQ_NS];
	v->softirq_ns += value[CPU_SOFTIRQ_NS];
	v->idle_ns += value[CPU_IDLE_NS];
	v->unclear_ns += value[CPU_UNCLEAR_NS];
}

static void feed_vitals_cpus(struct vitals *v, const struct snapshot *s)
{
	const struct snapshot_table *t = &s->table[TALLY_CPUS];
	struct histogram waits = {};

	for (unsigned int i = 0; i < t->rows; i++) {
		feed_vitals_cpu(v, &t->row[i]);
		if (t->row[i].histogram[CPU_WAIT_NS])
			histogram_merge(&waits, t->row[i].histogram[CPU_WAIT_NS]);
	}
	v->split = s->totals.samples > 0;
	v->waits = waits.count;
	v->wait_p50_ns = histogram_quantile(&waits, 0.5);
	v->wait_p99_ns = histogram_quantile(&waits, 0.99);
	v->wait_max_ns = waits.max;
	histogram_fini(&waits);
}

/*
 * The average of the interval goes into the exponential one as if it had been so all the time. What is kept begins at 0;
 * the share that this 0 still has is divided out.
 */
static void feed_vitals_load(struct feed *f, struct vitals *v, const struct tally_totals *now)
{
	static const double minutes[VITALS_LOADS] = { 1, 5, 15 };
	const double seconds = (double)v->interval_ns / 1e9, elapsed = (double)v->elapsed_ns / 1e9;
	const uint64_t task_ns = now->busy_ns + now->runnable_ns - f->totals.busy_ns - f->totals.runnable_ns;
	const double tasks = v->interval_ns && (int64_t)task_ns > 0 ? (double)task_ns / (double)v->interval_ns : 0;

	for (unsigned int i = 0; i < VITALS_LOADS; i++) {
		const double stays = exp(-seconds / (minutes[i] * 60)), begin = exp(-elapsed / (minutes[i] * 60));

		f->load[i] = f->load[i] * stays + tasks * (1 - stays);
		v->load[i] = begin < 1 ? f->load[i] / (1 - begin) : 0;
	}
}

static uint64_t feed_vitals_own(const struct feed *f, const struct snapshot *s)
{
	const struct snapshot_table *t = &s->table[TALLY_PROCESSES];
	uint64_t ns = 0;

	for (unsigned int i = 0; f->own_pid && i < t->rows; i++)
		if (((const struct tally_process_key *)t->row[i].key)->pid == f->own_pid)
			ns += t->row[i].value[TASK_CPU_NS];
	return ns;
}

static uint64_t feed_vitals_lost(const struct tally_totals *t)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < KYMO_LOSS_CAUSES; i++)
		lost += t->lost[i];
	return lost;
}

void feed_vitals(struct feed *f, struct snapshot *s)
{
	const struct tally_totals *now = &s->totals, *then = &f->totals;
	struct vitals *v = &s->vitals;

	*v = (struct vitals){
		.time_ns = s->end_ns, .interval_ns = s->end_ns - s->begin_ns, .elapsed_ns = s->end_ns - f->start_ns,
		.processes = now->processes, .threads = now->threads, .running = now->running, .runnable = now->runnable,
		.switches = now->switches - then->switches, .forks = now->forks - then->forks,
		.threads_made = now->threads_made - then->threads_made, .rx_bytes = now->rx_bytes - then->rx_bytes,
		.tx_bytes = now->tx_bytes - then->tx_bytes, .drops = now->drops - then->drops,
		.retransmits = now->retransmits - then->retransmits, .events = now->events - then->events,
		.event_bytes = now->bytes - then->bytes, .lost_ever = feed_vitals_lost(now), .late_ever = f->late,
		.uncharged_ns = (int64_t)(now->unclear_ns - then->unclear_ns),
		.late = f->late - f->late_told, .own_events = now->own_events - then->own_events,
	};
	v->lost = v->lost_ever - feed_vitals_lost(then);
	v->own_cpu_ns = feed_vitals_own(f, s);
	feed_vitals_cpus(v, s);
	feed_vitals_load(f, v, now);
}
