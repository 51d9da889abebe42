// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any static tracepoint of the kernel, as "system:name". It comes through a perf counter on every CPU for each
 * session, so the kernel's own code makes the record and the session gets it without a probe of ours that would
 * have to know the tracepoint's prototype. What perf leaves out (an event while it handles another one in the same
 * context) nobody counts: the types are marked inexact.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include "counter.h"
#include "emit.h"
#include "layout.h"

struct tracepoint_type {
	struct kymo_type type;
	struct list_head in_source;
	struct kymo_layout *layout;	/* NULL: unavailable */
	u64 event;			/* the kernel's number now; the tracepoint's module may have come again */
	char name[KYMO_NAME_BYTES];	/* system:name */
	char system[KYMO_NAME_BYTES];
};

/* All types that were ever made; under the catalogue's mutex. */
static LIST_HEAD(tracepoint_types);
static unsigned int tracepoint_count;

static struct tracepoint_type *tracepoint_of(const struct kymo_type *type)
{
	return container_of(type, struct tracepoint_type, type);
}

/* Keeps the tracepoint (and its module) in place until trace_put_event_file. */
static struct trace_event_file *tracepoint_get(const struct tracepoint_type *tp)
{
	struct trace_event_file *file = trace_get_event_file(NULL, tp->system, tp->name + strlen(tp->system) + 1);

	return PTR_ERR_OR_ZERO(file) == -EINVAL ? ERR_PTR(-ENOENT) : file;
}

static void tracepoint_overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct kymo_sub *sub = event->overflow_handler_context;
	const struct perf_raw_frag *record = &data->raw->frag;
	struct kymo_layout_parts parts;
	unsigned int count = kymo_layout_convert(tracepoint_of(sub->type)->layout, record->data, record->size, &parts);

	if (likely(count))
		kymo_emit_sub(sub, parts.part, count);
	else
		kymo_emit_sub_lost(sub, KYMO_LOSS_PROBE_MISSED);
}

static struct perf_event *tracepoint_make_counter(struct kymo_sub *sub, unsigned int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = tracepoint_of(sub->type)->event,
		.sample_period = 1,
		/* PERIOD: once for each event, also where the tracepoint gives perf a count of its own. */
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, tracepoint_overflow, sub);
}

/* The tracepoint's module may have gone and come again, as another version even. */
static int tracepoint_check(struct tracepoint_type *tp, struct trace_event_call *call)
{
	const char *reason;
	struct kymo_layout *layout = kymo_layout_create(call, &reason);
	bool equal;

	if (IS_ERR(layout))
		return PTR_ERR(layout);
	equal = kymo_layout_equal(layout, tp->layout);
	kfree(layout);
	if (!equal)
		return -ESTALE;
	tp->event = call->event.type;
	return 0;
}

static int tracepoint_sub_on(struct kymo_sub *sub)
{
	struct tracepoint_type *tp = tracepoint_of(sub->type);
	struct trace_event_file *file = tracepoint_get(tp);
	int err;

	if (IS_ERR(file))
		return PTR_ERR(file);
	err = tracepoint_check(tp, file->event_call) ?: kymo_counters_on(sub, tracepoint_make_counter);
	trace_put_event_file(file);
	return err;
}

static void tracepoint_sub_online(struct kymo_sub *sub, unsigned int cpu)
{
	kymo_counters_cpu_online(sub, cpu, tracepoint_make_counter);
}

static void tracepoint_free(struct tracepoint_type *tp)
{
	kfree(tp->layout);
	kfree(tp);
}

static int tracepoint_describe(struct tracepoint_type *tp)
{
	struct trace_event_file *file = tracepoint_get(tp);
	const char *reason = NULL;
	struct kymo_layout *layout;

	if (IS_ERR(file))
		return PTR_ERR(file);
	layout = kymo_layout_create(file->event_call, &reason);
	trace_put_event_file(file);
	if (PTR_ERR_OR_ZERO(layout) == -EOPNOTSUPP) {
		kymo_type_unavailable(&tp->type, reason);
		return 0;
	}
	if (IS_ERR(layout))
		return PTR_ERR(layout);
	tp->layout = layout;
	tp->type.fields = layout->fields;
	tp->type.field = layout->field;
	tp->type.flags = KYMO_TYPE_INEXACT;
	tp->type.reason = "comes through perf, which drops it uncounted while perf handles another event in the same context";
	return 0;
}

static struct kymo_type *tracepoint_make(const char *name)
{
	const char *colon = strchr(name, ':');
	struct tracepoint_type *tp;
	int err = -ENOENT;

	if (!colon || colon == name || strlen(name) >= KYMO_NAME_BYTES)
		return ERR_PTR(-ENOENT);
	if (tracepoint_count == KYMO_ID_MARKER - KYMO_ID_TRACEPOINT)
		return ERR_PTR(-ENOSPC);
	tp = kzalloc(sizeof(*tp), GFP_KERNEL);
	if (!tp)
		return ERR_PTR(-ENOMEM);
	strscpy(tp->name, name, sizeof(tp->name));
	memcpy(tp->system, name, colon - name);
	tp->type.name = tp->name;
	tp->type.source = &kymo_source_tracepoint;
	tp->type.id = KYMO_ID_TRACEPOINT + tracepoint_count;
	err = tracepoint_describe(tp) ?: kymo_type_add(&tp->type);
	if (err) {
		tracepoint_free(tp);
		return ERR_PTR(err);
	}
	tracepoint_count++;
	list_add(&tp->in_source, &tracepoint_types);
	return &tp->type;
}

static void tracepoint_fini(void)
{
	struct tracepoint_type *tp, *next;

	list_for_each_entry_safe(tp, next, &tracepoint_types, in_source)
		tracepoint_free(tp);
}

struct kymo_source kymo_source_tracepoint = {
	.name = "tracepoint",
	.fini = tracepoint_fini,
	.sub_on = tracepoint_sub_on,
	.sub_off = kymo_counters_off,
	.cpu_online = tracepoint_sub_online,
	.make = tracepoint_make,
};
