// SPDX-License-Identifier: GPL-2.0-or-later
/* Tracepoints by tracefs' format files, which libtraceevent reads. */
#include "tracepoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <traceevent/event-parse.h>

enum { TRACEPOINT_FORMAT_BYTES = 1 << 16, TRACEPOINT_PATH_BYTES = 512 };

const char *tracepoint_folder(void)
{
	static const char *const places[] = { "/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!access(places[i], R_OK | X_OK))
			return places[i];
	return NULL;
}

/* ---- the description ---- */

/* A file of a tracepoint, whole. Its bytes, or -errno. */
static ssize_t tracepoint_file(const char *name, const char *file, char *text, size_t bytes)
{
	const char *folder = tracepoint_folder(), *colon = strchr(name, ':');
	char path[TRACEPOINT_PATH_BYTES];
	size_t got;
	FILE *f;

	if (!colon || colon == name || !colon[1] || strchr(name, '/'))
		return -ENOENT;
	if (!folder)
		return -EACCES;
	snprintf(path, sizeof(path), "%s/%.*s/%s/%s", folder, (int)(colon - name), name, colon + 1, file);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	got = fread(text, 1, bytes - 1, f);
	fclose(f);
	text[got] = 0;
	return (ssize_t)got;
}

static int tracepoint_number(struct tracepoint *t, const char *name, char why[TRACEPOINT_REASON_BYTES])
{
	char text[32];
	ssize_t got = tracepoint_file(name, "id", text, sizeof(text));

	if (got == -ENOENT && !tracepoint_file(name, "format", text, 1)) {
		snprintf(why, TRACEPOINT_REASON_BYTES, "perf cannot attach to it");
		return -EOPNOTSUPP;
	}
	if (got < 0)
		return (int)got;
	t->event = strtoull(text, NULL, 10);
	return 0;
}

/* Names are the kernel's. One that is cut must not become equal to another. */
static void tracepoint_field_name(struct tracepoint *t, struct kymo_field *field, const char *name)
{
	const size_t most = sizeof(field->name) - 1, length = strlen(name);

	memcpy(field->name, name, length < most ? length : most);
	if (length > most)
		snprintf(field->name + most - 4, 5, "_%u", t->fields);
}

static struct kymo_take *tracepoint_add(struct tracepoint *t, const char *name, unsigned int offset)
{
	tracepoint_field_name(t, &t->field[t->fields++], name);
	t->take[t->takes].offset = (uint16_t)offset;
	return &t->take[t->takes++];
}

/* libtraceevent takes the brackets of an array off the type. */
static void tracepoint_type_name(const struct tep_format_field *from, char *type, size_t bytes)
{
	const bool array = (from->flags & TEP_FIELD_IS_ARRAY) && !(from->flags & TEP_FIELD_IS_DYNAMIC) && !strchr(from->type, '[');

	snprintf(type, bytes, "%s%s", from->type, array ? "[]" : "");
}

static bool tracepoint_add_field(struct tracepoint *t, const struct tep_format_field *from)
{
	struct kymo_field *field = &t->field[t->fields];
	struct kymo_take *take;
	char type[128];

	if (!from->size)
		return true;
	if (t->fields == TRACEPOINT_FIELDS_MAX || from->offset < 0 || from->offset + from->size > UINT16_MAX)
		return false;
	tracepoint_type_name(from, type, sizeof(type));
	take = tracepoint_add(t, from->name, (unsigned int)from->offset);
	kymo_tracepoint_describe(field, take, type, (unsigned int)from->size, from->flags & TEP_FIELD_IS_SIGNED);
	if (from->offset + from->size > t->fixed_bytes)
		t->fixed_bytes = (uint16_t)(from->offset + from->size);
	return true;
}

/* The number, then as many words as the call has arguments; what follows them is not for BPF. */
static bool tracepoint_add_call(struct tracepoint *t, const struct tep_format_field *from)
{
	struct kymo_take *take;

	if (!from || !tracepoint_add_field(t, from))
		return false;
	take = tracepoint_add(t, "args", (t->fixed_bytes + sizeof(long) - 1) & ~(sizeof(long) - 1));
	kymo_tracepoint_describe_arguments(&t->field[t->fields - 1], take);
	t->fixed_bytes = take->offset;
	for (from = from->next; from && from->offset == t->fixed_bytes && from->size == sizeof(long); from = from->next)
		t->fixed_bytes += sizeof(long);
	return true;
}

/* The fixed ones to the front; neighbours in the record become one. */
static void tracepoint_arrange(struct tracepoint *t)
{
	const struct tracepoint from = *t;

	t->fields = t->takes = 0;
	for (int pass = 0; pass < 2; pass++)
		for (unsigned int i = 0; i < from.takes; i++) {
			const struct kymo_take *take = &from.take[i];
			struct kymo_take *last = t->takes ? &t->take[t->takes - 1] : NULL;

			if ((take->kind == KYMO_TAKE_FIXED) != !pass)
				continue;
			t->field[t->fields++] = from.field[i];
			if (!pass && last && last->offset + last->bytes == take->offset)
				last->bytes += take->bytes;
			else
				t->take[t->takes++] = *take;
		}
}

static int tracepoint_describe(struct tracepoint *t, const struct tep_event *event, const char *name,
			       char why[TRACEPOINT_REASON_BYTES])
{
	const struct tep_format_field *from;
	bool fits = true;

	for (from = event->format.common_fields; from; from = from->next)
		if (!strcmp(from->name, "common_pid"))
			fits = tracepoint_add_field(t, from);
	from = event->format.fields;
	if (!strncmp(name, "syscalls:sys_enter_", 19))
		fits = fits && tracepoint_add_call(t, from);
	else
		for (; from && fits; from = from->next)
			fits = tracepoint_add_field(t, from);
	if (!fits) {
		snprintf(why, TRACEPOINT_REASON_BYTES, "it has more fields than fit into an event type");
		return -EOPNOTSUPP;
	}
	tracepoint_arrange(t);
	return 0;
}

static int tracepoint_parse(struct tracepoint *t, const char *name, const char *text, size_t bytes,
			    char why[TRACEPOINT_REASON_BYTES])
{
	struct tep_handle *tep = tep_alloc();
	const struct tep_event *event;
	char system[KYMO_NAME_BYTES];
	int err;

	if (!tep)
		return -ENOMEM;
	snprintf(system, sizeof(system), "%.*s", (int)strcspn(name, ":"), name);
	tep_set_loglevel(TEP_LOG_NONE);		/* how to print it is not asked, and it may not understand it */
	tep_set_long_size(tep, sizeof(long));
	tep_parse_event(tep, text, (unsigned long)bytes, system);
	event = tep_find_event(tep, (int)t->event);
	if (event) {
		err = tracepoint_describe(t, event, name, why);
	} else {
		snprintf(why, TRACEPOINT_REASON_BYTES, "libtraceevent does not understand its format file");
		err = -EOPNOTSUPP;
	}
	tep_free(tep);
	return err;
}

int tracepoint_read(struct tracepoint *t, const char *name, char why[TRACEPOINT_REASON_BYTES])
{
	char *text = malloc(TRACEPOINT_FORMAT_BYTES);
	ssize_t got;
	int err;

	if (!text)
		return -ENOMEM;
	memset(t, 0, sizeof(*t));
	err = tracepoint_number(t, name, why);
	got = err ? err : tracepoint_file(name, "format", text, TRACEPOINT_FORMAT_BYTES);
	err = got < 0 ? (int)got : tracepoint_parse(t, name, text, (size_t)got, why);
	free(text);
	return err;
}

/* ---- records ---- */

struct payload {
	uint8_t *to;
	size_t bytes, room;
};

static void payload_put(struct payload *p, const void *from, size_t bytes)
{
	if (p->bytes + bytes <= p->room)
		memcpy(p->to + p->bytes, from, bytes);
	p->bytes += bytes;		/* beyond the room: found in the end */
}

static void payload_sequence(struct payload *p, const uint8_t *from, size_t length, size_t element)
{
	const uint16_t count = (uint16_t)(length / element);

	payload_put(p, &count, sizeof(count));
	payload_put(p, from, count * element);
}

size_t tracepoint_payload(const struct tracepoint *t, const uint8_t *record, size_t bytes, uint8_t *to, size_t room)
{
	struct payload p = { .to = to, .room = room };

	if (bytes < t->fixed_bytes)
		return 0;
	for (unsigned int i = 0; i < t->takes; i++) {
		const struct kymo_take *take = &t->take[i];
		const uint8_t *from = record + take->offset;
		__u32 length;

		if (take->kind == KYMO_TAKE_FIXED) {
			payload_put(&p, from, take->bytes);
		} else if (take->kind == KYMO_TAKE_REST) {
			payload_sequence(&p, from, bytes - take->offset, take->bytes);
		} else {
			from = kymo_tracepoint_locate(take, record, (__u32)bytes, &length);
			if (take->kind == KYMO_TAKE_SEQUENCE) {
				payload_sequence(&p, from, length, take->bytes);
				continue;
			}
			payload_put(&p, from, strnlen((const char *)from, length));
			payload_put(&p, "", 1);
		}
	}
	return p.bytes <= room ? p.bytes : 0;
}
