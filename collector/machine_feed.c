// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies the task source's records out of packets and sorts them by time. Records of other sources are passed over by
 * their lengths alone.
 */
#include "machine_feed.h"

#include "builtin.h"
#include "catalogue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FEED_UNASKED = 0xffff, FEED_MANY = 1 << 14 };

#define FEED_LATE_NS	2000000000ull	/* no ring is drained later than this after another */

struct feed_record {
	uint64_t time_ns;
	uint32_t at, bytes;		/* in the data */
	uint16_t id;
};

struct machine_feed {
	struct machine *m;
	const struct catalogue *catalogue;
	struct builtin *builtin;
	uint16_t type[1 << 16];		/* by id: the built-in type of the task source; 0: it is none */
	/* What was taken and not told yet. */
	struct feed_record *record;
	size_t records, capacity, many;
	uint64_t youngest_ns;
	uint8_t *data;
	size_t bytes, data_capacity;
};

struct machine_feed *machine_feed_create(struct machine *m, const struct catalogue *c)
{
	struct machine_feed *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->m = m;
	f->catalogue = c;
	f->many = FEED_MANY;
	memset(f->type, 0xff, sizeof(f->type));
	f->builtin = builtin_create();
	if (f->builtin)
		return f;
	free(f);
	return NULL;
}

void machine_feed_destroy(struct machine_feed *f)
{
	if (!f)
		return;
	builtin_destroy(f->builtin);
	free(f->record);
	free(f->data);
	free(f);
}

static bool feed_grow(void *array, size_t *capacity, size_t needed, size_t bytes)
{
	void **at = array, *more;

	if (needed <= *capacity)
		return true;
	more = realloc(*at, needed * 2 * bytes);
	if (!more)
		return false;
	*at = more;
	*capacity = needed * 2;
	return true;
}

static uint16_t feed_type(struct machine_feed *f, uint16_t id)
{
	if (f->type[id] == FEED_UNASKED) {
		const struct event_type *t = catalogue_by_id(f->catalogue, id);

		f->type[id] = t && !strcmp(t->source, "task") ? builtin_id(f->builtin, t) : 0;
	}
	return f->type[id];
}

static bool feed_keep(struct machine_feed *f, const struct event *e, uint16_t id)
{
	if (!feed_grow(&f->record, &f->capacity, f->records + 1, sizeof(*f->record)) ||
	    !feed_grow(&f->data, &f->data_capacity, f->bytes + e->bytes, 1))
		return false;
	f->record[f->records++] = (struct feed_record){ .time_ns = e->time_ns, .at = (uint32_t)f->bytes, .bytes = e->bytes,
							.id = id };
	memcpy(f->data + f->bytes, e->data, e->bytes);
	f->bytes += e->bytes;
	if (e->time_ns > f->youngest_ns)
		f->youngest_ns = e->time_ns;
	return true;
}

/* Of one ring they came in order: of equal times the first taken is the first. */
static int feed_compare(const void *left, const void *right)
{
	const struct feed_record *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static int feed_compare_place(const void *left, const void *right)
{
	const struct feed_record *a = left, *b = right;

	return a->at < b->at ? -1 : a->at > b->at;
}

/* What is left moves to the front. */
static void feed_drop(struct machine_feed *f, size_t records)
{
	f->records -= records;
	f->bytes = 0;
	if (!f->records)
		return;
	memmove(f->record, f->record + records, f->records * sizeof(*f->record));
	qsort(f->record, f->records, sizeof(*f->record), feed_compare_place);
	for (size_t i = 0; i < f->records; i++) {
		struct feed_record *r = &f->record[i];

		memmove(f->data + f->bytes, f->data + r->at, r->bytes);
		r->at = (uint32_t)f->bytes;
		f->bytes += r->bytes;
	}
}

void machine_feed_tell(struct machine_feed *f, uint64_t until_ns)
{
	size_t told = 0;

	if (f->records)
		qsort(f->record, f->records, sizeof(*f->record), feed_compare);
	for (; told < f->records && f->record[told].time_ns < until_ns; told++) {
		const struct feed_record *r = &f->record[told];
		const struct event e = { .time_ns = r->time_ns, .data = f->data + r->at, .bytes = r->bytes };

		machine_event(f->m, r->id, &e);
	}
	if (told)
		feed_drop(f, told);
}

int machine_feed_take(struct machine_feed *f, const struct stretch *s)
{
	const uint8_t *packet = (const uint8_t *)s->packet;
	struct kymo_record record;
	struct packet_walk walk;
	struct event e;

	for (uint32_t at = s->from; s->to - at >= sizeof(record); at += (uint32_t)sizeof(record) + record.len) {
		memcpy(&record, packet + at, sizeof(record));
		if (record.len > s->to - at - sizeof(record))
			break;	/* readers will complain */
		if (!feed_type(f, record.id))
			continue;
		packet_walk_init(&walk, f->catalogue, s->packet, at, at + (uint32_t)sizeof(record) + record.len, s->last_ns);
		if (packet_walk_next(&walk, &e) == 1 && !feed_keep(f, &e, f->type[record.id]))
			return -ENOMEM;
	}
	if (f->records >= f->many) {
		machine_feed_tell(f, f->youngest_ns > FEED_LATE_NS ? f->youngest_ns - FEED_LATE_NS : 0);
		f->many = f->records * 2 > FEED_MANY ? f->records * 2 : FEED_MANY;
	}
	return 0;
}
