// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hands kymo/symbols, kymo/functions and kymo/mappings to a tally. The mappings matter where the start dump is not in
 * the trace any more (--max-size), and for samples that came before it was complete.
 */
#include "trace_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input_trace.h"
#include "machine_file.h"
#include "symbol/names.h"
#include "symbol/spaces.h"
#include "tally.h"
#include "trace.h"

struct trace_moment {
	struct tally *tally;
	uint64_t ns;
};

static void trace_map(struct tally *t, int32_t pid, const struct machine_mapping *m)
{
	struct binary_map map = { .start = m->start, .end = m->end, .offset = m->offset };
	struct binary_id id = { .inode = m->object->inode, .dev = m->object->dev, .build_id_bytes = m->object->build_id_bytes };

	memcpy(id.build_id, m->object->build_id, sizeof(id.build_id));
	map.binary = names_binary(tally_names(t), pid, &map, &id, m->object->path, false);
	spaces_map(tally_spaces(t), pid, &map);
}

static void trace_process(void *context, const struct machine_process *p)
{
	const struct trace_moment *at = context;

	if (p->start_ns > at->ns || (p->until_ns && p->until_ns < at->ns))
		return;
	for (unsigned int i = 0; i < p->mappings; i++) {
		const struct machine_mapping *m = &p->mapping[i];

		if (m->from_ns < at->ns && (!m->until_ns || m->until_ns > at->ns))
			trace_map(at->tally, p->pid, m);
	}
}

static bool trace_read_machine(struct machine *m, const struct input *in, enum machine_file which, const char *name)
{
	size_t bytes;
	char *text = input_trace_text(in, name, &bytes);
	const int err = text ? machine_read(m, which, text, bytes) : 0;

	free(text);
	return err != -ENOMEM;
}

static int trace_mappings(struct tally *t, const struct input *in, uint64_t begin_ns)
{
	struct trace_moment at = { t, begin_ns };
	struct machine *m = machine_create();
	const bool whole = m && trace_read_machine(m, in, MACHINE_FILE_TASKS, TRACE_TASKS) &&
			   trace_read_machine(m, in, MACHINE_FILE_MAPPINGS, TRACE_MAPPINGS);

	if (whole)
		machine_each(m, &(struct machine_visit){ .context = &at, .process = trace_process });
	machine_destroy(m);
	return whole ? 0 : -ENOMEM;
}

int trace_names(struct tally *t, const struct input *in, uint64_t begin_ns)
{
	size_t kernel_bytes = 0, user_bytes = 0;
	char *kernel = input_trace_text(in, TRACE_SYMBOLS, &kernel_bytes);
	char *user = input_trace_text(in, TRACE_FUNCTIONS, &user_bytes);
	int err = names_read_stored(tally_names(t), kernel, kernel_bytes, user, user_bytes);

	free(kernel);
	free(user);
	return err ? err : trace_mappings(t, in, begin_ns);
}
