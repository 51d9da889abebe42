// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a reader needs elsewhere and later, stored when all events are in: the names of the kernel addresses in the
 * trace, who was there, what was mapped where, which modules. None of it is worth more than an event: a disk that is
 * full now is told, but the trace is whole.
 */
#include <kymo/event.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "machine_file.h"
#include "notes.h"
#include "recording_internal.h"
#include "sampled.h"
#include "symbols.h"

enum {
	LATER_SYMBOLS_BYTES = 160 << 10,	/* of text, under a size limit */
	LATER_MACHINE_BYTES = 1 << 28,
	LATER_FUNCTIONS_SHARE = 4,	/* of the room for the machine one part of so many is for names of user functions */
	LATER_WAIT_MS = 200,		/* for a file that names are being read from, */
	LATER_WAITS = 50,		/* so often */
};

#define LATER_SCAN_BYTES	(512ull << 20)	/* of the trace, for kernel addresses */

int recording_watch(struct recording *r)
{
	const struct catalogue *c = r->collection->in.catalogue;
	bool wanted = false, samples = false;

	for (unsigned int i = 0; i < catalogue_count(c); i++) {
		const struct event_type *t = catalogue_at(c, i);

		wanted |= !strcmp(t->source, "task") && t->flags & KYMO_TYPE_ENABLED;
		samples |= t->id == KYMO_ID_cpu_sample && t->flags & KYMO_TYPE_ENABLED;
	}
	if (!wanted)
		return 0;
	r->machine = machine_create();
	r->feed = r->machine ? machine_feed_create(r->machine, c) : NULL;
	r->sampled = r->feed && samples ? sampled_create(c) : NULL;
	return r->feed && (r->sampled || !samples) ? 0 : -ENOMEM;
}

/* Who is there is said in the set of the rarer events, and by BPF in one of its own. */
int recording_watch_stretch(struct recording *r, const struct stretch *s)
{
	struct input_stream stream;

	if (s->stream == COLLECTION_OWN_STREAM)
		return 0;
	r->collection->in.ops->stream(&r->collection->in, s->stream, &stream);
	if (selection_uses(&r->collection->selection, SELECTION_FLOOD) &&
	    stream.set == r->collection->set_of_class[SELECTION_FLOOD])
		return 0;
	if (r->sampled)
		sampled_take(r->sampled, s);
	return machine_feed_take(r->feed, s);
}

void recording_watched(struct recording *r, uint64_t until_ns)
{
	if (r->feed)
		machine_feed_tell(r->feed, until_ns);
	if (r->sampled)
		sampled_place(r->sampled, r->machine, until_ns);
}

static int later_failed(struct recording *r, int err)
{
	if (!r->why[0])
		snprintf(r->why, sizeof(r->why), "cannot write %s: %s. All events are in the trace, what names them is not",
			 record_where(r->record), strerror(-err));
	return err;
}

static int later_symbols(struct recording *r)
{
	struct symbols symbols;
	int err = symbols_collect(&symbols, record_dir(r->record), &(struct symbols_limits){ .scan_bytes = LATER_SCAN_BYTES,
		.text_bytes = r->options->max_bytes ? LATER_SYMBOLS_BYTES : SIZE_MAX, .signals = r->options->signals,
		.before = r->signals_before });

	r->kernel_base = symbols.kernel_base;
	r->symbols_cut = symbols.cut;
	/* A kernel that hides its addresses, no memory: they stay numbers. */
	err = err ? 0 : record_own_file(r->record, TRACE_SYMBOLS, symbols.text, symbols.bytes);
	free(symbols.text);
	return err ? later_failed(r, err) : 0;
}

/* The machine's modules as names; to change it while it is walked would not do. */
struct later_modules {
	char (*name)[MACHINE_MODULE_NAME];
	size_t count;
};

static void later_module(void *context, const struct machine_module *module)
{
	struct later_modules *l = context;
	void *more = realloc(l->name, (l->count + 1) * sizeof(*l->name));

	if (!more)
		return;
	l->name = more;
	memcpy(l->name[l->count++], module->name, MACHINE_MODULE_NAME);
}

static void later_identify_modules(struct machine *m)
{
	struct later_modules l = {};
	uint8_t id[MACHINE_BUILD_ID];

	machine_each(m, &(struct machine_visit){ .context = &l, .module = later_module });
	for (size_t i = 0; i < l.count; i++)
		machine_identify_module(m, l.name[i], id, notes_module(l.name[i], id));
	free(l.name);
}

static uint64_t later_room(const struct recording *r)
{
	return r->options->max_bytes ? record_machine_bytes(r->options->max_bytes) : LATER_MACHINE_BYTES;
}

/* Files that were sampled last are still being read: a moment, unless somebody is in a hurry. */
static int later_functions(struct recording *r)
{
	const volatile sig_atomic_t *signals = r->options->signals;
	char *text = NULL;
	size_t bytes;
	int err;

	if (!r->sampled)
		return 0;
	for (int i = 0; i < LATER_WAITS && (!signals || *signals == r->signals_before); i++)
		if (sampled_wait(r->sampled, LATER_WAIT_MS))
			break;
	err = sampled_write(r->sampled, later_room(r) / LATER_FUNCTIONS_SHARE, &text, &bytes);
	if (!err)
		err = record_own_file(r->record, TRACE_FUNCTIONS, text, bytes);
	free(text);
	return err ? later_failed(r, err) : 0;
}

static int later_machine(struct recording *r)
{
	static const char *const names[MACHINE_FILES] = { [MACHINE_FILE_TASKS] = TRACE_TASKS,
		[MACHINE_FILE_MAPPINGS] = TRACE_MAPPINGS, [MACHINE_FILE_MODULES] = TRACE_MODULES };
	const uint64_t room = later_room(r) - later_room(r) / LATER_FUNCTIONS_SHARE;
	struct machine_texts texts;
	int err;

	if (!r->feed)
		return 0;
	later_identify_modules(r->machine);
	err = machine_write(r->machine, room, &texts);
	for (int i = 0; i < MACHINE_FILES && !err; i++)
		err = record_own_file(r->record, names[i], texts.text[i], texts.bytes[i]);
	machine_texts_fini(&texts);
	return err ? later_failed(r, err) : 0;
}

int recording_store_for_later(struct recording *r)
{
	int machine, functions, symbols;

	recording_watched(r, UINT64_MAX);
	machine = later_machine(r);
	functions = later_functions(r);
	symbols = later_symbols(r);
	return machine ? machine : functions ? functions : symbols;
}
