// SPDX-License-Identifier: GPL-2.0-or-later
/* The BPF input's event types: the built-in ones, with what this kernel lacks, and which are enabled. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "catalogue.h"
#include "input_bpf_internal.h"

/* What the collector itself writes, needs no program of its name. */
static bool bpf_is_own(const struct kymo_event_type *t)
{
	return t->flags & KYMO_TYPE_DUMP || t->id == KYMO_ID_task_mmap;
}

static struct kymo_event_type *bpf_entry_first(const struct bpf *b)
{
	return (struct kymo_event_type *)b->entries;
}

static struct kymo_event_type *bpf_entry_next(const struct bpf *b, struct kymo_event_type *t)
{
	uint8_t *next = (uint8_t *)t + t->size;

	return next < b->entries + b->entries_bytes ? (struct kymo_event_type *)next : NULL;
}

/* What it takes; NULL: nothing. */
static const char *bpf_entry_program(const struct kymo_event_type *t)
{
	switch (t->id) {
	case KYMO_ID_lttng_statedump_process_state:
	case KYMO_ID_lttng_statedump_process_pid_ns:
		return "dump_task";
	case KYMO_ID_lttng_statedump_vm_map:
		return "dump_vma";
	case KYMO_ID_syscall_entry_unknown:
		return "syscall_entry";
	case KYMO_ID_syscall_exit_unknown:
		return "syscall_exit";
	default:
		if (t->id >= KYMO_ID_SYSCALL_ENTRY)
			return t->id < KYMO_ID_SYSCALL_EXIT ? "syscall_entry" : "syscall_exit";
		return bpf_is_own(t) ? NULL : t->name;
	}
}

const char *bpf_program_name(const struct bpf *b, unsigned int id)
{
	for (const struct kymo_event_type *t = bpf_entry_first(b); t; t = bpf_entry_next(b, (struct kymo_event_type *)t))
		if (t->id == id)
			return bpf_entry_program(t);
	return NULL;
}

static void bpf_entry_probe(const struct bpf *b, struct kymo_event_type *t)
{
	const char *program = bpf_entry_program(t), *reason = program ? bpf_programs_reason(b->programs, program) : NULL;

	if (t->id == KYMO_ID_task_mmap && bpf_mmaps_try())
		reason = "perf does not tell mappings here (perf_event_open is refused)";
	if (!reason && t->id == KYMO_ID_net_recv) {
		t->flags |= KYMO_TYPE_INEXACT;
		snprintf(t->reason, sizeof(t->reason), "splice from a TCP socket is not seen");
	}
	if (!reason)
		return;
	t->flags |= KYMO_TYPE_UNAVAILABLE;
	snprintf(t->reason, sizeof(t->reason), "%.120s", reason);
}

int bpf_entry_add(struct bpf *b, const struct kymo_event_type *t, const struct kymo_field *field)
{
	const size_t bytes = sizeof(*t) + t->fields * sizeof(*field);
	uint8_t *more = realloc(b->entries, b->entries_bytes + bytes);
	struct kymo_event_type *to;

	if (!more)
		return -ENOMEM;
	b->entries = more;
	to = (struct kymo_event_type *)(more + b->entries_bytes);
	memcpy(to, t, sizeof(*t));
	memcpy(to->field, field, t->fields * sizeof(*field));
	to->size = (uint32_t)bytes;
	b->entries_bytes += bytes;
	return 0;
}

static int bpf_catalogue_tell(struct bpf *b)
{
	int err = catalogue_add(b->in.catalogue, b->entries, b->entries_bytes);

	return err < 0 ? err : 0;
}

/* All but the collector's kymo_loss, the first: who needs that adds it. */
int bpf_catalogue_init(struct bpf *b)
{
	size_t bytes, loss_bytes;
	uint8_t *all = builtin_entries(&bytes);

	if (!all)
		return -ENOMEM;
	loss_bytes = ((struct kymo_event_type *)all)->size;
	b->entries_bytes = bytes - loss_bytes;
	b->entries = malloc(b->entries_bytes);
	if (b->entries)
		memcpy(b->entries, all + loss_bytes, b->entries_bytes);
	free(all);
	if (!b->entries || bpf_syscalls_add(b))
		return -ENOMEM;
	for (struct kymo_event_type *t = bpf_entry_first(b); t; t = bpf_entry_next(b, t))
		bpf_entry_probe(b, t);
	return bpf_catalogue_tell(b);
}

static int bpf_type_enable(struct bpf *b, struct kymo_event_type *t, const struct kymo_enable *ask)
{
	const unsigned int slot = bpf_slot(t->id);
	struct bpf_type *type = b->type[slot];
	void *more;

	if (type)
		return 0;
	type = calloc(1, sizeof(*type));
	more = realloc(b->stats, (b->types + 1) * sizeof(*b->stats));
	if (more)
		b->stats = more;
	if (!type || !more) {
		free(type);
		return -ENOMEM;
	}
	type->stats.id = t->id;
	type->set = ask->set;
	type->own = bpf_is_own(t);
	b->type[slot] = type;
	b->types++;
	if (t->flags & KYMO_TYPE_RATE)
		b->rate_hz = ask->rate_hz;
	t->flags |= KYMO_TYPE_ENABLED;
	type->stats.flags = t->flags;
	bpf_programs_set(b->programs, slot, ask->set);
	return 0;
}

static int bpf_enable_matching(struct bpf *b, struct kymo_enable *ask)
{
	int err = 0;

	for (struct kymo_event_type *t = bpf_entry_first(b); t && !err; t = bpf_entry_next(b, t)) {
		const bool by_source = ask->flags & KYMO_ENABLE_SOURCE;

		if (fnmatch(ask->glob, by_source ? t->source : t->name, 0))
			continue;
		if (t->flags & KYMO_TYPE_UNAVAILABLE) {
			ask->unavailable++;
			continue;
		}
		err = bpf_type_enable(b, t, ask);
		ask->matched += !err;
	}
	return err;
}

static int bpf_enable_made(struct bpf *b, struct kymo_enable *ask)
{
	const int id = bpf_made_type(b, ask->glob);
	int err;

	if (id < 0)
		return id;
	for (struct kymo_event_type *t = bpf_entry_first(b); t; t = bpf_entry_next(b, t)) {
		if (t->id != id)
			continue;
		err = bpf_made_attach(b, t);
		if (t->flags & KYMO_TYPE_UNAVAILABLE)
			ask->unavailable++;
		else
			ask->matched++;
		return err || ask->unavailable ? err : bpf_type_enable(b, t, ask);
	}
	return -ENOENT;
}

int bpf_catalogue_describe(struct bpf *b, const char *name)
{
	const int id = bpf_made_type(b, name);

	return id < 0 ? id : bpf_catalogue_tell(b);
}

int bpf_catalogue_enable(struct bpf *b, struct kymo_enable *ask)
{
	int err;

	ask->matched = ask->unavailable = 0;
	err = strchr(ask->glob, ':') ? bpf_enable_made(b, ask) : bpf_enable_matching(b, ask);
	if (!err)
		err = bpf_catalogue_tell(b);
	if (err)
		return err;
	return ask->matched ? 0 : ask->unavailable ? -EOPNOTSUPP : -ENOENT;
}
