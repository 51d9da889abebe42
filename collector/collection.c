// SPDX-License-Identifier: GPL-2.0-or-later
/* A session, step by step. Keeps the first sentence of what went wrong. */
#include "collection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "collection_input.h"

/* The tracer refused; what: a verb. */
static int collection_failed(struct collection *c, const char *what, int err)
{
	if (!c->why[0])
		tracer_sentence(c->tracer, what, err, c->why, sizeof(c->why));
	return err;
}

/* ---- open ---- */

static int collection_select(struct collection *c)
{
	const struct collection_options *o = c->options;
	int err = 0;

	if (!o->events_count)
		err = selection_add_defaults(&c->selection, c->in.catalogue);
	for (unsigned int i = 0; i < o->events_count && !err; i++)
		err = selection_add(&c->selection, c->in.catalogue, o->events[i]);
	if (!err)
		err = selection_complete(&c->selection, c->in.catalogue);
	if (err)
		snprintf(c->why, sizeof(c->why), "%s", c->selection.why[0] ? c->selection.why : strerror(-err));
	return err;
}

/* Ring sets for the classes that are in use, with equal shares of the memory. */
static int collection_setup(struct collection *c)
{
	const struct collection_options *o = c->options;
	struct kymo_setup setup = {};
	uint32_t packets = 1;
	int err;

	for (int class = 0; class < SELECTION_CLASSES; class++)
		if (selection_uses(&c->selection, class))
			c->set_of_class[class] = c->sets++;
	/* The product fits into 64 bits: a packet has 20 of them at most, and there are few sets. */
	while (c->sets && packets < 1u << 30 && (uint64_t)packets * 2 * o->packet_bytes * c->sets <= o->buffer_bytes)
		packets *= 2;
	if (packets < KYMO_PACKETS_MIN)
		return collection_failed(c, "set up", -ENOSPC);
	setup.sets = c->sets;
	for (unsigned int i = 0; i < c->sets; i++)
		setup.set[i] = (struct kymo_set){ .packet_bytes = o->packet_bytes, .packets = packets };
	setup.budget_bytes = (uint64_t)packets * o->packet_bytes * c->sets * tracer_info(c->tracer)->cpus;
	err = tracer_setup(c->tracer, &setup);
	if (err)
		return collection_failed(c, "set up", err);
	memcpy(c->in.uuid, c->tracer->uuid, sizeof(c->in.uuid));
	return 0;
}

static int collection_own(struct collection *c)
{
	const struct kymo_info *info = tracer_info(c->tracer);

	c->loss = loss_create(c->in.catalogue, c->in.uuid, (uint64_t)KYMO_SETS_MAX * info->cpus);
	if (!c->loss)
		return collection_failed(c, "set up", -ENOMEM);
	collection_input_follow(c);
	return 0;
}

/* Why nothing of what an item means works here. */
static int collection_unavailable(struct collection *c, const struct selection_item *item, int err)
{
	const struct event_type *t = catalogue_by_name(c->in.catalogue, item->glob);

	if (err == -ENOENT)
		snprintf(c->why, sizeof(c->why), "-e '%s' matches nothing: %s", item->glob,
			 strchr(item->glob, ':') ? "the kernel has no such tracepoint" : "'kymo list' shows what there is");
	else if (t && t->reason[0])
		snprintf(c->why, sizeof(c->why), "'%s' does not work here: %s", item->glob, t->reason);
	else
		snprintf(c->why, sizeof(c->why), "'%s' does not work here (%s): 'kymo list' tells why", item->glob,
			 strerror(-err));
	return err;
}

static int collection_enable(struct collection *c)
{
	unsigned int enabled = 0;

	for (unsigned int i = 0; i < c->selection.count; i++) {
		const struct selection_item *item = &c->selection.items[i];
		struct kymo_enable ask = { .set = c->set_of_class[item->class], .flags = item->flags,
					   .rate_hz = c->options->rate_hz };
		int err;

		memcpy(ask.glob, item->glob, sizeof(ask.glob));
		err = tracer_enable(c->tracer, &ask);
		if (err && !(item->optional && err == -EOPNOTSUPP))
			return collection_unavailable(c, item, err);
		enabled += ask.matched;
	}
	if (!enabled) {
		snprintf(c->why, sizeof(c->why), "none of the event types works here: 'kymo list' tells why");
		return -EOPNOTSUPP;
	}
	return tracer_catalogue(c->tracer);
}

/* Before START: whoever records makes a file for each ring, and has no time for that later. */
static int collection_map(struct collection *c)
{
	int err = tracer_map(c->tracer);

	collection_input_follow(c);
	return err;
}

int collection_open(struct collection *c, const struct collection_options *options)
{
	static int (*const steps[])(struct collection *) = {
		collection_select, collection_setup, collection_own, collection_enable, collection_map,
	};
	int err;

	*c = (struct collection){ .options = options };
	clock_pair_read(&c->start_clock);
	c->open_ns = clock_now_ns();
	err = tracer_open(&c->tracer, options->input, c->why);
	if (err)
		return err;
	collection_input_init(c);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !err; i++)
		err = steps[i](c);
	if (err && !c->why[0])
		collection_failed(c, "set up", err);
	c->start_ns = clock_now_ns();	/* not before; collection_start() knows better */
	return err;
}

/* ---- while it runs ---- */

int collection_start(struct collection *c)
{
	int err = tracer_start(c->tracer);

	if (err)
		return collection_failed(c, "start", err);
	c->start_ns = clock_now_ns();	/* START switches on as its last act */
	loss_begin(c->loss, c->start_ns);
	c->dumping = true;
	return 0;
}

int collection_dump(struct collection *c)
{
	bool done;
	int err = tracer_dump(c->tracer, &done);

	if (err && err != -EINTR)
		return collection_failed(c, "dump the state of", err);
	c->dumping = !done;
	return 0;
}

int collection_account(struct collection *c)
{
	uint64_t time_ns;
	int err = tracer_stats(c->tracer, &c->stats, &c->stats_count, &time_ns);

	if (err)
		return collection_failed(c, "count", err);
	return loss_update(c->loss, c->in.catalogue, c->stats, c->stats_count, time_ns);
}

int collection_sync(struct collection *c, uint64_t *time_ns)
{
	int err;

	do
		err = tracer_sync(c->tracer, time_ns);
	while (err == -EINTR);
	return err ? collection_failed(c, "wait for", err) : 0;
}

void collection_open_packets(struct collection *c, bool yes)
{
	tracer_open_packets(c->tracer, yes);
}

bool collection_misses(const struct collection *c, const struct event_type *type)
{
	for (unsigned int i = 0; i < c->selection.count; i++) {
		const struct selection_item *item = &c->selection.items[i];

		if ((type->flags & KYMO_TYPE_UNAVAILABLE) && item->optional &&
		    !strcmp(item->glob, item->flags & KYMO_ENABLE_SOURCE ? type->source : type->name))
			return true;
	}
	return false;
}

uint64_t collection_lost(const struct collection *c)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < c->stats_count; i++)
		for (unsigned int cause = 0; cause < KYMO_LOSS_CAUSES; cause++)
			sum += c->stats[i].lost[cause];
	return sum;
}

/* ---- end ---- */

int collection_stop(struct collection *c)
{
	int err;

	c->stop_ns = clock_now_ns();	/* STOP switches off first: what it waits for then is nobody's CPU time */
	err = tracer_stop(c->tracer);
	clock_pair_read(&c->stop_clock);
	if (err)
		return collection_failed(c, "stop", err);
	err = collection_account(c);
	loss_finish(c->loss);
	collection_input_follow(c);
	return err;
}

void collection_fini(struct collection *c)
{
	loss_destroy(c->loss);
	selection_fini(&c->selection);
	if (c->tracer)
		c->tracer->ops->destroy(c->tracer);
}
