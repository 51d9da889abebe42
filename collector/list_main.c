// SPDX-License-Identifier: GPL-2.0-or-later
/* kymo list: the event types of the module or of BPF, their fields, and what does not work here and why. */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"
#include "main.h"
#include "selection.h"
#include "tracer.h"

static void list_help(void)
{
	printf("Usage: kymo list [-e GLOB]... [--input kmod|bpf] [--json]\n\n"
	       "Shows the event types, by source: name, fields, and whether they work here.\n\n"
	       "  -e, --event GLOB  only those whose name or source matches (*, ?, [a-z])\n"
	       "      --input NAME  those of the module (kmod) or of BPF (bpf), whichever of them would be used without this\n"
	       "      --json        as JSON\n\n"
	       "Any other tracepoint of the kernel can be shown and recorded as tracepoint:SYSTEM:NAME (wildcards in quotes).\n");
}

/* Types that are made when they are asked for. The word is replaced by a glob of their names. */
static int list_describe(struct input *in, char **word, char why[TRACER_WHY_BYTES])
{
	struct selection selection;
	int err;

	selection_init(&selection);
	err = selection_add(&selection, in->catalogue, *word);
	if (err)
		snprintf(why, TRACER_WHY_BYTES, "%s", selection.why);
	for (unsigned int i = 0; i < selection.count && !err; i++) {
		err = tracer_describe(in, selection.items[i].glob);
		if (err == -ENOENT)
			snprintf(why, TRACER_WHY_BYTES, "'%s': the kernel has no such tracepoint", selection.items[i].glob);
		else if (err)
			tracer_sentence(in, "ask", err, why, TRACER_WHY_BYTES);
	}
	selection_fini(&selection);
	if (!strncmp(*word, "tracepoint:", 11))
		*word += 11;
	return err;
}

static int list_describe_all(struct input *in, char **globs, int count, char why[TRACER_WHY_BYTES])
{
	int err = 0;

	for (int i = 0; i < count && !err; i++)
		if (strchr(globs[i], ':'))
			err = list_describe(in, &globs[i], why);
	return err;
}

static bool list_wanted(const struct event_type *t, char **globs, int count)
{
	for (int i = 0; i < count; i++)
		if (!fnmatch(globs[i], t->name, 0) || !fnmatch(globs[i], t->source, 0))
			return true;
	return !count;
}

/* ---- text ---- */

static void list_field_type(const struct kymo_field *f, char *out, size_t bytes)
{
	int n;

	if (f->flags & KYMO_FIELD_ADDRESS)
		n = snprintf(out, bytes, "address");
	else if (f->kind == KYMO_FIELD_STRING)
		n = snprintf(out, bytes, "string");
	else if (f->kind == KYMO_FIELD_TEXT)
		n = snprintf(out, bytes, "text");
	else
		n = snprintf(out, bytes, "%c%u%s", f->kind == KYMO_FIELD_SIGNED ? 's' : 'u', f->bytes * 8,
			     f->flags & KYMO_FIELD_HEX ? " hex" : "");
	if (f->flags & KYMO_FIELD_SEQUENCE)
		snprintf(out + n, bytes - (size_t)n, "[]");
	else if (f->count > 1 && !(f->flags & KYMO_FIELD_ADDRESS))
		snprintf(out + n, bytes - (size_t)n, "[%u]", f->count);
}

static void list_print_fields(const struct event_type *t)
{
	const int indent = 6, width = 100;
	int column = indent;

	printf("%*s", indent, "");
	for (unsigned int i = 0; i < t->fields; i++) {
		char type[32];
		int n;

		list_field_type(&t->field[i], type, sizeof(type));
		n = (int)(strlen(t->field[i].name) + strlen(type)) + 3;
		if (column + n > width && column > indent) {
			printf("\n%*s", indent, "");
			column = indent;
		}
		printf("%s %s%s", t->field[i].name, type, i + 1 < t->fields ? ", " : "");
		column += n;
	}
	putchar('\n');
}

static void list_print_type(const struct event_type *t)
{
	printf("  %s%s%s\n", t->name, t->flags & KYMO_TYPE_DUMP ? "  (at start)" : "",
	       t->flags & KYMO_TYPE_RATE ? "  (samples; record -F)" : "");
	if (t->flags & KYMO_TYPE_UNAVAILABLE)
		printf("      not available: %s\n", t->reason[0] ? t->reason : "no reason is given");
	else if (t->flags & KYMO_TYPE_INEXACT)
		printf("      can miss events without counting them: %s\n", t->reason);
	if (t->fields)
		list_print_fields(t);
}

static bool list_source_is_new(const struct catalogue *c, unsigned int index)
{
	for (unsigned int i = 0; i < index; i++)
		if (!strcmp(catalogue_at(c, i)->source, catalogue_at(c, index)->source))
			return false;
	return true;
}

static unsigned int list_print_source(const struct catalogue *c, const char *source, char **globs, int count)
{
	unsigned int shown = 0;

	for (unsigned int i = 0; i < catalogue_count(c); i++) {
		const struct event_type *t = catalogue_at(c, i);

		if (strcmp(t->source, source) || !list_wanted(t, globs, count))
			continue;
		if (!shown++)
			printf("%s\n", source);
		list_print_type(t);
	}
	return shown;
}

static unsigned int list_print(const struct catalogue *c, char **globs, int count)
{
	unsigned int shown = 0;

	for (unsigned int i = 0; i < catalogue_count(c); i++)
		if (list_source_is_new(c, i))
			shown += list_print_source(c, catalogue_at(c, i)->source, globs, count);
	return shown;
}

/* ---- JSON ---- */

static json_t *list_json_field(const struct kymo_field *f)
{
	static const char *const kinds[] = { "unsigned", "signed", "text", "string" };
	json_t *o = json_object();

	json_object_set_new(o, "name", json_string(f->name));
	json_object_set_new(o, "kind", json_string(f->flags & KYMO_FIELD_ADDRESS ? "address" : kinds[f->kind]));
	json_object_set_new(o, "bytes", json_integer(f->bytes));
	json_object_set_new(o, "count", json_integer(f->count));
	json_object_set_new(o, "hex", json_boolean(f->flags & KYMO_FIELD_HEX));
	json_object_set_new(o, "sequence", json_boolean(f->flags & KYMO_FIELD_SEQUENCE));
	return o;
}

static json_t *list_json_type(const struct event_type *t)
{
	json_t *o = json_object(), *fields = json_array(), *reason = json_string(t->reason);

	for (unsigned int i = 0; i < t->fields; i++)
		json_array_append_new(fields, list_json_field(&t->field[i]));
	json_object_set_new(o, "id", json_integer(t->id));
	json_object_set_new(o, "name", json_string(t->name));
	json_object_set_new(o, "source", json_string(t->source));
	json_object_set_new(o, "available", json_boolean(!(t->flags & KYMO_TYPE_UNAVAILABLE)));
	json_object_set_new(o, "exact", json_boolean(!(t->flags & KYMO_TYPE_INEXACT)));
	json_object_set_new(o, "dump", json_boolean(t->flags & KYMO_TYPE_DUMP));
	if (t->reason[0])
		json_object_set_new(o, "reason", reason ? reason : json_string("?"));
	else
		json_decref(reason);
	json_object_set_new(o, "fields", fields);
	return o;
}

static unsigned int list_json(const struct catalogue *c, char **globs, int count)
{
	json_t *a = json_array();
	unsigned int shown;

	for (unsigned int i = 0; i < catalogue_count(c); i++)
		if (list_wanted(catalogue_at(c, i), globs, count))
			json_array_append_new(a, list_json_type(catalogue_at(c, i)));
	json_dumpf(a, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	putchar('\n');
	shown = (unsigned int)json_array_size(a);
	json_decref(a);
	return shown;
}

int list_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "event", required_argument, NULL, 'e' }, { "json", no_argument, NULL, 'j' },
		{ "input", required_argument, NULL, 'i' },
		{ "help", no_argument, NULL, 'h' }, {},
	};
	char **globs = calloc((size_t)argc, sizeof(*globs)), why[TRACER_WHY_BYTES];
	const char *input = NULL;
	struct input *in;
	bool json = false;
	int count = 0, c, err;
	unsigned int shown;

	if (!globs)
		return 1;
	while ((c = getopt_long(argc, argv, "e:h", options, NULL)) != -1) {
		if (c == 'e')
			globs[count++] = optarg;
		else if (c == 'j')
			json = true;
		else if (c == 'i')
			input = optarg;
		else if (c == 'h')
			list_help();
		if (c == 'h' || c == '?') {
			free(globs);
			if (c == '?')
				fputs("'kymo list --help' lists the options.\n", stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	for (; optind < argc; optind++)
		globs[count++] = argv[optind];
	err = tracer_open(&in, input, why);
	if (err) {
		fprintf(stderr, "kymo list: %s.\n", why);
		free(globs);
		return err == -EINVAL && input ? 2 : 1;
	}
	if (list_describe_all(in, globs, count, why)) {
		fprintf(stderr, "kymo list: %s.\n", why);
		in->ops->destroy(in);
		free(globs);
		return 1;
	}
	if (!json)
		printf("input: %s\n\n", tracer_about(in));
	shown = json ? list_json(in->catalogue, globs, count) : list_print(in->catalogue, globs, count);
	if (!shown)
		fprintf(stderr, "kymo list: no event type is called so. 'kymo list' without -e shows all.\n");
	in->ops->destroy(in);
	free(globs);
	return shown ? 0 : 1;
}
