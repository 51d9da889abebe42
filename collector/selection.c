// SPDX-License-Identifier: GPL-2.0-or-later
/* From the words of a command line to what the module is asked to enable. */
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selection.h"
#include "tracepoint.h"

static const char *const selection_default_args[] = { "task", "sched", "cpu", "irq_*", "signal", "net" };
const char selection_defaults[] = "task, sched, cpu, irq_*, signal, net";

static const char *const selection_floods[] = { "sched", "irq", "syscall", "tracepoint" };

void selection_init(struct selection *s)
{
	memset(s, 0, sizeof(*s));
}

void selection_fini(struct selection *s)
{
	free(s->items);
	s->items = NULL;
}

static int selection_class(const char *source)
{
	for (size_t i = 0; i < sizeof(selection_floods) / sizeof(selection_floods[0]); i++)
		if (!strcmp(source, selection_floods[i]))
			return SELECTION_FLOOD;
	return SELECTION_REST;
}

static int selection_item(struct selection *s, const char *glob, uint32_t flags, int class)
{
	struct selection_item *more = realloc(s->items, (s->count + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	s->items = more;
	more[s->count] = (struct selection_item){ .flags = flags, .class = class };
	if (snprintf(more[s->count].glob, sizeof(more[s->count].glob), "%s", glob) >= KYMO_GLOB_BYTES) {
		snprintf(s->why, sizeof(s->why), "-e '%.40s...' is longer than %d characters", glob, KYMO_GLOB_BYTES - 1);
		return -ENAMETOOLONG;
	}
	s->count++;
	return 0;
}

static int selection_nothing(struct selection *s, const char *arg, const char *hint)
{
	snprintf(s->why, sizeof(s->why), "-e '%.*s' matches nothing: %s", KYMO_GLOB_BYTES, arg, hint);
	return -ENOENT;
}

/* ---- kernel tracepoints ---- */

static int selection_expand(struct selection *s, const char *arg, const char *system, const char *name)
{
	const char *tracefs = tracepoint_folder();
	char pattern[512], full[KYMO_GLOB_BYTES];
	glob_t found;
	int err = 0;

	if (!tracefs)
		return selection_nothing(s, arg, "tracefs, which lists the kernel's tracepoints, is not mounted: "
					 "sudo mount -t tracefs nodev /sys/kernel/tracing");
	snprintf(pattern, sizeof(pattern), "%s/%s/%s/format", tracefs, system, name);
	if (glob(pattern, GLOB_NOSORT, NULL, &found))
		return selection_nothing(s, arg, "the kernel has no such tracepoint");
	for (size_t i = 0; i < found.gl_pathc && !err; i++) {
		char *path = found.gl_pathv[i] + strlen(tracefs) + 1;
		char *slash = strchr(path, '/');
		char *end = slash ? strchr(slash + 1, '/') : NULL;

		if (!end)
			continue;
		*slash = ':';
		*end = 0;
		if (snprintf(full, sizeof(full), "%s", path) >= (int)sizeof(full))
			continue;
		err = selection_item(s, full, 0, SELECTION_FLOOD);
		if (!err)	/* of many, some may be unavailable */
			s->items[s->count - 1].optional = found.gl_pathc > 1;
	}
	globfree(&found);
	return err;
}

static int selection_tracepoint(struct selection *s, const char *arg)
{
	const char *spec = strncmp(arg, "tracepoint:", 11) ? arg : arg + 11;
	const char *colon = strchr(spec, ':');
	char system[KYMO_GLOB_BYTES];

	if (!colon || colon == spec || !colon[1] || strchr(spec, '/') || strchr(colon + 1, ':') ||
	    (size_t)(colon - spec) >= sizeof(system))
		return selection_nothing(s, arg, "a tracepoint is written tracepoint:SYSTEM:NAME");
	if (!strpbrk(spec, "*?["))
		return selection_item(s, spec, 0, SELECTION_FLOOD);
	memcpy(system, spec, (size_t)(colon - spec));
	system[colon - spec] = 0;
	return selection_expand(s, arg, system, colon + 1);
}

/* ---- event types of the catalogue ---- */

static const struct event_type *selection_source(const struct catalogue *c, const char *name)
{
	for (unsigned int i = 0; i < catalogue_count(c); i++)
		if (!strcmp(catalogue_at(c, i)->source, name))
			return catalogue_at(c, i);
	return NULL;
}

static bool selection_matches(const struct event_type *t, const char *glob)
{
	return strcmp(t->source, "kymo") && !fnmatch(glob, t->name, 0);
}

/* One request if all that match belong to one class; else each by its name. */
static int selection_types(struct selection *s, const struct catalogue *c, const char *arg)
{
	bool class[SELECTION_CLASSES] = {};
	int err = 0;

	for (unsigned int i = 0; i < catalogue_count(c); i++)
		if (selection_matches(catalogue_at(c, i), arg))
			class[selection_class(catalogue_at(c, i)->source)] = true;
	if (!class[SELECTION_FLOOD] && !class[SELECTION_REST])
		return selection_nothing(s, arg, "'kymo list' shows what there is");
	if (class[SELECTION_FLOOD] != class[SELECTION_REST])
		return selection_item(s, arg, 0, class[SELECTION_FLOOD] ? SELECTION_FLOOD : SELECTION_REST);
	for (unsigned int i = 0; i < catalogue_count(c) && !err; i++) {
		const struct event_type *t = catalogue_at(c, i);

		if (selection_matches(t, arg)) {
			err = selection_item(s, t->name, 0, selection_class(t->source));
			if (!err)	/* of many, some may be unavailable */
				s->items[s->count - 1].optional = true;
		}
	}
	return err;
}

int selection_add(struct selection *s, const struct catalogue *c, const char *arg)
{
	if (!*arg)
		return selection_nothing(s, arg, "it is empty");
	if (strchr(arg, ':'))
		return selection_tracepoint(s, arg);
	if (selection_source(c, arg) && strcmp(arg, "kymo"))
		return selection_item(s, arg, KYMO_ENABLE_SOURCE, selection_class(arg));
	return selection_types(s, c, arg);
}

int selection_add_defaults(struct selection *s, const struct catalogue *c)
{
	for (size_t i = 0; i < sizeof(selection_default_args) / sizeof(selection_default_args[0]); i++) {
		const unsigned int before = s->count;
		int err = selection_add(s, c, selection_default_args[i]);

		if (err && err != -ENOENT)
			return err;
		for (unsigned int j = before; j < s->count; j++)
			s->items[j].optional = true;
	}
	return 0;
}

/* Is a type of this source asked for? */
static bool selection_covers(const struct selection *s, const struct catalogue *c, const char *source)
{
	for (unsigned int i = 0; i < catalogue_count(c); i++) {
		const struct event_type *t = catalogue_at(c, i);

		for (unsigned int j = 0; j < s->count && !strcmp(t->source, source); j++)
			if (!fnmatch(s->items[j].glob, s->items[j].flags & KYMO_ENABLE_SOURCE ? t->source : t->name, 0))
				return true;
	}
	return false;
}

int selection_complete(struct selection *s, const struct catalogue *c)
{
	int err;

	if (!selection_covers(s, c, "cpu") || selection_covers(s, c, "task"))
		return 0;
	err = selection_item(s, "task", KYMO_ENABLE_SOURCE, SELECTION_REST);
	if (!err)
		s->items[s->count - 1].optional = true;
	return err;
}

bool selection_uses(const struct selection *s, int class)
{
	for (unsigned int i = 0; i < s->count; i++)
		if (s->items[i].class == class)
			return true;
	return false;
}
