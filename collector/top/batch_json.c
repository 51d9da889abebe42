// SPDX-License-Identifier: GPL-2.0-or-later
/* A snapshot as one line of JSON. As ASCII: no name in it reaches a terminal as a control character. */
#include "batch_json.h"

#include <errno.h>

#include "../view_json.h"

struct batch_number {
	const char *key;
	uint64_t value;
};

static void batch_json_numbers(json_t *object, const struct batch_number *number, size_t count)
{
	for (size_t i = 0; i < count; i++)
		json_object_set_new(object, number[i].key, json_integer((json_int_t)number[i].value));
}

#define BATCH_NUMBERS(object, ...) batch_json_numbers(object, (const struct batch_number[]){ __VA_ARGS__ }, \
	sizeof((const struct batch_number[]){ __VA_ARGS__ }) / sizeof(struct batch_number))

static json_t *batch_json_machine(const struct vitals *v)
{
	json_t *o = json_object(), *load = json_array();

	BATCH_NUMBERS(o, { "cpus", v->cpus }, { "processes", v->processes }, { "threads", v->threads },
		{ "user_ns", v->user_ns }, { "system_ns", v->system_ns }, { "irq_ns", v->irq_ns },
		{ "softirq_ns", v->softirq_ns }, { "idle_ns", v->idle_ns }, { "unclear_ns", v->unclear_ns },
		{ "uncharged_ns", (uint64_t)v->uncharged_ns });
	json_object_set_new(o, "split", json_boolean(v->split));
	BATCH_NUMBERS(o, { "running", v->running }, { "runnable", v->runnable });
	for (unsigned int i = 0; i < VITALS_LOADS; i++)
		json_array_append_new(load, json_real(v->load[i]));
	json_object_set_new(o, "load", load);
	BATCH_NUMBERS(o, { "waits", v->waits }, { "wait_p50_ns", v->wait_p50_ns }, { "wait_p99_ns", v->wait_p99_ns },
		{ "wait_max_ns", v->wait_max_ns }, { "switches", v->switches }, { "processes_created", v->forks },
		{ "threads_created", v->threads_made }, { "rx_bytes", v->rx_bytes }, { "tx_bytes", v->tx_bytes },
		{ "drops", v->drops }, { "retransmits", v->retransmits }, { "events", v->events },
		{ "event_bytes", v->event_bytes }, { "lost", v->lost }, { "late", v->late }, { "lost_ever", v->lost_ever },
		{ "late_ever", v->late_ever });
	return o;
}

static json_t *batch_json_own(const struct vitals *v)
{
	json_t *o = json_object();

	BATCH_NUMBERS(o, { "cpu_ns", v->own_cpu_ns }, { "events", v->own_events }, { "memory_bytes", v->own_memory_bytes },
		{ "kernel_bytes", v->own_kernel_bytes });
	return o;
}

int batch_json(const struct feed *f, const struct batch_options *o, const struct snapshot *s, bool last, FILE *to)
{
	json_t *root = json_object(), *all = json_object();
	int err;

	BATCH_NUMBERS(root, { "time_ns", s->end_ns }, { "wall_ns", s->end_ns + feed_facts(f)->wall_offset_ns },
		{ "interval_ns", s->end_ns - s->begin_ns }, { "elapsed_ns", s->vitals.elapsed_ns });
	json_object_set_new(root, "last", json_boolean(last));
	json_object_set_new(root, "input", json_string(feed_facts(f)->input));
	json_object_set_new(root, "machine", batch_json_machine(&s->vitals));
	json_object_set_new(root, "own", batch_json_own(&s->vitals));
	for (unsigned int i = 0; i < views_count; i++)
		if (!o->view || o->view == &views[i])
			json_object_set_new(all, views[i].name, view_json(s, &views[i], o->rows, true));
	json_object_set_new(root, "views", all);
	err = json_dumpf(root, to, JSON_COMPACT | JSON_ENSURE_ASCII) || fputc('\n', to) == EOF || fflush(to) ? -EIO : 0;
	json_decref(root);
	return err;
}
