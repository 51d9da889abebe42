// SPDX-License-Identifier: GPL-2.0-or-later
/* The loop of a batch: ticks at a steady rate, draining in between; a tick that came late is not made up for. */
#include "batch.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "../clock.h"
#include "../text.h"
#include "../view_text.h"
#include "batch_json.h"

enum { BATCH_MS = 1000000 };		/* ns */

/* ---- text ---- */

static double batch_share(const struct vitals *v, uint64_t ns)
{
	return v->interval_ns && v->cpus ? (double)ns * 100 / ((double)v->interval_ns * v->cpus) : 0;
}

static void batch_head(const struct feed *f, const struct vitals *v, FILE *to)
{
	const time_t s = (time_t)((v->time_ns + feed_facts(f)->wall_offset_ns) / 1000000000);
	char rx[TEXT_NUMBER], tx[TEXT_NUMBER], wait[TEXT_NUMBER], memory[TEXT_NUMBER];
	char when[32];
	struct tm tm;

	if (!localtime_r(&s, &tm) || !strftime(when, sizeof(when), "%H:%M:%S", &tm))
		snprintf(when, sizeof(when), "?");
	fprintf(to, "%s  %s  load %.2f %.2f %.2f  cpu: ", when, feed_facts(f)->input, v->load[0], v->load[1], v->load[2]);
	if (v->split)
		fprintf(to, "%.1f %% user, %.1f %% system", batch_share(v, v->user_ns), batch_share(v, v->system_ns));
	else
		fprintf(to, "%.1f %% tasks", batch_share(v, v->system_ns));
	fprintf(to, ", %.1f %% irq, %.1f %% softirq  run queue p99 %s\n", batch_share(v, v->irq_ns),
		batch_share(v, v->softirq_ns), text_ns(wait, sizeof(wait), v->wait_p99_ns));
	fprintf(to, "net: rx %s, tx %s, %llu drops, %llu retransmits  events: %llu, lost %llu, late %llu",
		text_bytes(rx, sizeof(rx), v->rx_bytes), text_bytes(tx, sizeof(tx), v->tx_bytes),
		(unsigned long long)v->drops, (unsigned long long)v->retransmits, (unsigned long long)v->events,
		(unsigned long long)v->lost, (unsigned long long)v->late);
	if (feed_facts(f)->live)
		fprintf(to, "  kymo: %.1f %%, %s", v->interval_ns ? (double)v->own_cpu_ns * 100 / (double)v->interval_ns : 0,
			text_bytes(memory, sizeof(memory), v->own_memory_bytes));
	fputc('\n', to);
}

static int batch_show(const struct feed *f, const struct batch_options *o, const struct snapshot *s, bool last, FILE *to)
{
	if (o->json)
		return batch_json(f, o, s, last, to);
	batch_head(f, &s->vitals, to);
	view_text(s, o->view ? o->view : &views[0], o->rows, to);
	return fputc('\n', to) == EOF || fflush(to) ? -EIO : 0;
}

/* ---- the loop ---- */

/* Until the tick is due; the rings are emptied as they fill. */
static int batch_wait(const struct batch_options *o, struct feed *f, uint64_t due_ns)
{
	struct pollfd fds[FEED_FDS];
	int err = 0;

	for (;;) {
		const uint64_t now_ns = clock_now_ns();
		const unsigned int count = feed_fds(f, fds);
		int wait_ms = feed_wait_ms(f), left_ms;

		if (*o->stop || now_ns >= due_ns || err)
			return err;
		left_ms = due_ns - now_ns > 3600ull * 1000 * BATCH_MS ? 3600 * 1000 : (int)((due_ns - now_ns) / BATCH_MS) + 1;
		if (poll(fds, count, wait_ms >= 0 && wait_ms < left_ms ? wait_ms : left_ms) < 0)
			continue;
		if (clock_now_ns() < due_ns)
			err = feed_drain(f);
	}
}

/* *last: no other comes. */
static int batch_tick(const struct batch_options *o, struct feed *f, uint64_t n, const struct snapshot **s, bool *last)
{
	const struct feed_facts *facts = feed_facts(f);
	const uint64_t elapsed_ns = n * o->interval_ns;
	int err;

	*last = *o->stop || n == o->count || (o->duration_ns && elapsed_ns >= o->duration_ns);
	err = *last && facts->live ? feed_end(f, s) : feed_tick(f, o->interval_ns, s);
	if (!err && !facts->live && (*s)->end_ns >= facts->end_ns)
		*last = true;
	return err;
}

int batch_run(struct feed *f, const struct batch_options *o, FILE *to, char why[FEED_WHY])
{
	const bool live = feed_facts(f)->live;
	uint64_t due_ns = feed_facts(f)->begin_ns;
	const struct snapshot *s;
	bool last = false;
	int err = 0, shown = 0;

	for (uint64_t n = 1; !err && !shown && !last; n++) {
		due_ns += o->interval_ns;
		if (live && clock_now_ns() > due_ns + o->interval_ns)
			due_ns = clock_now_ns();
		if (live)
			err = batch_wait(o, f, due_ns);
		if (!err)
			err = batch_tick(o, f, n, &s, &last);
		if (!err)
			shown = batch_show(f, o, s, last, to);
	}
	if (shown)
		snprintf(why, FEED_WHY, "cannot write the output: %s", strerror(errno));
	else if (err)
		snprintf(why, FEED_WHY, "%s", feed_why(f));
	return shown ? shown : err;
}
