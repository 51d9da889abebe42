// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From addresses of a round to places (binary and offset), each once; from places to functions as soon as the file has
 * been read; the functions are what is kept.
 */
#include "sampled.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "input.h"
#include "machine.h"
#include "packet.h"
#include "symbol/names.h"
#include "symbol/stored.h"

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) ((entry)->refused = true)
#include <uthash.h>

enum {
	SAMPLED_SLOTS = 1 << 14,	/* for the addresses of a round, half of them used */
	SAMPLED_PLACES = 1 << 18,
	SAMPLED_FUNCTIONS = 1 << 16,
};

/* An address as it came. pid 0: an empty slot; kernel threads have no user stack. */
struct sampled_address {
	int32_t pid;
	bool innermost;
	uint64_t address, time_ns;
};

/* A place that has been seen; the name is not known yet while it is in the list. */
struct sampled_key {
	uint64_t at;
	int32_t pid;			/* of a JIT's; else 0 */
	uint32_t binary;
};

struct sampled_place {
	struct sampled_key key;
	struct names_place place;
	struct sampled_place *next_pending;
	bool refused;
	UT_hash_handle hh;
};

struct sampled_function {
	struct sampled_key key;		/* at: its start */
	uint64_t bytes;
	bool refused;
	UT_hash_handle hh;
	char name[];
};

struct sampled {
	const struct catalogue *catalogue;
	struct builtin *builtin;
	struct names *names;
	struct sampled_address slot[SAMPLED_SLOTS];
	unsigned int slots_used;
	struct sampled_place *place, *pending;
	struct sampled_function *function;
	uint64_t left_out;
};

struct sampled *sampled_create(const struct catalogue *c)
{
	struct sampled *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->catalogue = c;
	s->builtin = builtin_create();
	s->names = names_create();
	if (s->builtin && s->names && !names_go_live(s->names, &locate_default))
		return s;
	sampled_destroy(s);
	return NULL;
}

void sampled_destroy(struct sampled *s)
{
	struct sampled_place *place, *next_place;
	struct sampled_function *function, *next_function;

	if (!s)
		return;
	HASH_ITER(hh, s->place, place, next_place) {
		HASH_DELETE(hh, s->place, place);
		free(place);
	}
	HASH_ITER(hh, s->function, function, next_function) {
		HASH_DELETE(hh, s->function, function);
		free(function);
	}
	names_destroy(s->names);
	builtin_destroy(s->builtin);
	free(s);
}

/* ---- packets ---- */

static void sampled_address(struct sampled *s, int32_t pid, uint64_t address, uint64_t time_ns, bool innermost)
{
	uint64_t at = (address * 31 + (uint32_t)pid) * 0x9e3779b97f4a7c15ull >> 50;

	if (pid <= 0)
		return;
	while (s->slot[at].pid && (s->slot[at].pid != pid || s->slot[at].address != address))
		at = (at + 1) % SAMPLED_SLOTS;
	if (s->slot[at].pid) {
		s->slot[at].time_ns = time_ns;
	} else if (s->slots_used < SAMPLED_SLOTS / 2) {
		s->slot[at] = (struct sampled_address){ pid, innermost, address, time_ns };
		s->slots_used++;
	} else {
		s->left_out++;
	}
}

static void sampled_stack(struct sampled *s, const struct event *e)
{
	const struct kymo_ev_cpu_sample *ev = (const void *)e->data;
	const int field = event_type_field(e->type, "ustack");
	struct packet_field stack;

	if (field < 0 || !packet_field(e, (unsigned int)field, &stack))
		return;
	for (uint32_t i = 0; i < stack.count; i++)
		sampled_address(s, ev->pid, packet_unsigned(&stack, i), e->time_ns, !i);
}

/* A file that nobody has mapped before may be gone when the first sample in it comes. */
static void sampled_mapped(struct sampled *s, const struct event *e)
{
	const struct kymo_ev_task_mmap *ev = (const void *)e->data;
	const struct binary_map map = { .start = ev->start, .end = ev->end, .offset = ev->offset };
	struct binary_id id = { .inode = ev->inode, .dev = ev->dev };

	id.build_id_bytes = ev->build_id_bytes < BINARY_BUILD_ID ? ev->build_id_bytes : BINARY_BUILD_ID;
	memcpy(id.build_id, ev->build_id, id.build_id_bytes);
	names_binary(s->names, ev->pid, &map, &id, (const char *)(ev + 1), true);
}

static bool sampled_wants(struct sampled *s, uint16_t id)
{
	const struct event_type *type;

	if (id != KYMO_ID_cpu_sample && id != KYMO_ID_task_mmap)
		return false;
	type = catalogue_by_id(s->catalogue, id);
	return type && builtin_id(s->builtin, type) == id;
}

void sampled_take(struct sampled *s, const struct stretch *stretch)
{
	const uint8_t *packet = (const uint8_t *)stretch->packet;
	struct packet_walk walk;
	struct kymo_record record;
	struct event e;

	for (uint32_t at = stretch->from; stretch->to - at >= sizeof(record); at += (uint32_t)sizeof(record) + record.len) {
		memcpy(&record, packet + at, sizeof(record));
		if (record.len > stretch->to - at - sizeof(record))
			return;	/* readers will complain */
		if (!sampled_wants(s, record.id))
			continue;
		packet_walk_init(&walk, s->catalogue, stretch->packet, at, at + (uint32_t)sizeof(record) + record.len,
				 stretch->last_ns);
		if (packet_walk_next(&walk, &e) != 1)
			return;
		if (record.id == KYMO_ID_cpu_sample)
			sampled_stack(s, &e);
		else
			sampled_mapped(s, &e);
	}
}

/* ---- functions ---- */

static void sampled_keep(struct sampled *s, const struct sampled_place *place, const struct names_function *f)
{
	/* Of files with one build-id a reader looks for one list. */
	const struct sampled_key key = { .at = f->start, .pid = place->key.pid,
					 .binary = binaries_same(names_binaries(s->names), place->key.binary) };
	const size_t bytes = strlen(f->name) + 1;
	struct sampled_function *known;

	HASH_FIND(hh, s->function, &key, sizeof(key), known);
	if (known)
		return;
	known = HASH_COUNT(s->function) < SAMPLED_FUNCTIONS ? calloc(1, sizeof(*known) + bytes) : NULL;
	if (!known) {
		s->left_out++;
		return;
	}
	known->key = key;
	known->bytes = f->bytes;
	memcpy(known->name, f->name, bytes);
	HASH_ADD(hh, s->function, key, sizeof(key), known);
	if (known->refused)
		free(known);
}

/* Those that are still pending stay in the list. */
static void sampled_settle(struct sampled *s)
{
	struct sampled_place **at = &s->pending;

	while (*at) {
		struct sampled_place *place = *at;
		struct names_function f;
		const enum names_state state = names_find(s->names, &place->place, &f);

		if (state == NAMES_PENDING) {
			at = &place->next_pending;
			continue;
		}
		if (state == NAMES_NAMED)
			sampled_keep(s, place, &f);
		*at = place->next_pending;
		place->next_pending = NULL;
	}
}

/* ---- places ---- */

static void sampled_add_place(struct sampled *s, const struct names_place *place)
{
	const struct sampled_key key = { .at = place->at, .pid = place->kind == NAMES_ANONYMOUS ? place->pid : 0,
					 .binary = place->map.binary };
	struct sampled_place *known;

	HASH_FIND(hh, s->place, &key, sizeof(key), known);
	if (known)
		return;
	known = HASH_COUNT(s->place) < SAMPLED_PLACES ? calloc(1, sizeof(*known)) : NULL;
	if (!known) {
		s->left_out++;
		return;
	}
	known->key = key;
	known->place = *place;
	HASH_ADD(hh, s->place, key, sizeof(key), known);
	if (known->refused) {
		free(known);
		return;
	}
	known->next_pending = s->pending;
	s->pending = known;
}

static void sampled_locate(struct sampled *s, struct machine *m, const struct sampled_address *a)
{
	const struct machine_process *p = machine_process(m, a->pid, a->time_ns);
	/* A return address may be the first byte behind its function. */
	const uint64_t address = a->address - !a->innermost;
	const struct machine_mapping *mapping = p ? machine_mapping(p, address, a->time_ns) : NULL;
	struct names_place place = { .pid = a->pid };
	struct binary_id id = { .inode = 0 };

	if (!mapping)
		return;
	id.inode = mapping->object->inode;
	id.dev = mapping->object->dev;
	id.build_id_bytes = mapping->object->build_id_bytes;
	memcpy(id.build_id, mapping->object->build_id, sizeof(id.build_id));
	place.map = (struct binary_map){ .start = mapping->start, .end = mapping->end, .offset = mapping->offset };
	place.map.binary = names_binary(s->names, a->pid, &place.map, &id, mapping->object->path, false);
	place.kind = place.map.binary == BINARIES_NONE ? NAMES_ANONYMOUS : NAMES_FILE;
	place.at = place.kind == NAMES_FILE ? address - mapping->start + mapping->offset : address;
	sampled_add_place(s, &place);
}

void sampled_place(struct sampled *s, struct machine *m, uint64_t until_ns)
{
	struct sampled_address *later = NULL;
	unsigned int count = 0;

	if (s->slots_used)
		later = malloc(s->slots_used * sizeof(*later));
	for (unsigned int i = 0; s->slots_used && i < SAMPLED_SLOTS; i++) {
		if (!s->slot[i].pid)
			continue;
		if (s->slot[i].time_ns < until_ns)
			sampled_locate(s, m, &s->slot[i]);
		else if (later)
			later[count++] = s->slot[i];
	}
	if (s->slots_used)
		memset(s->slot, 0, sizeof(s->slot));
	s->slots_used = 0;
	for (unsigned int i = 0; i < count; i++)
		sampled_address(s, later[i].pid, later[i].address, later[i].time_ns, later[i].innermost);
	free(later);
	names_poll(s->names);
	sampled_settle(s);
}

bool sampled_wait(struct sampled *s, unsigned int wait_ms)
{
	if (!s->pending)
		return true;
	names_wait(s->names, wait_ms);
	names_poll(s->names);
	sampled_settle(s);
	return !s->pending;
}

/* ---- the text ---- */

static int sampled_compare(const struct sampled_function *a, const struct sampled_function *b)
{
	if (a->key.binary != b->key.binary)
		return a->key.binary < b->key.binary ? -1 : 1;
	if (a->key.pid != b->key.pid)
		return a->key.pid < b->key.pid ? -1 : 1;
	return a->key.at < b->key.at ? -1 : a->key.at > b->key.at;
}

static void sampled_write_owner(const struct sampled *s, FILE *to, const struct sampled_key *key)
{
	const struct binaries *b = names_binaries(s->names);

	if (key->binary == BINARIES_NONE)
		stored_write_process(to, key->pid);
	else
		stored_write_binary(to, binaries_id(b, key->binary), binaries_path(b, key->binary));
}

int sampled_write(struct sampled *s, size_t bytes_max, char **text, size_t *bytes)
{
	FILE *to = open_memstream(text, bytes);
	const struct sampled_function *before = NULL;
	size_t whole = 0;

	if (!to)
		return -ENOMEM;
	HASH_SORT(s->function, sampled_compare);
	for (struct sampled_function *f = s->function; f; f = f->hh.next) {
		if (!before || before->key.binary != f->key.binary || before->key.pid != f->key.pid)
			sampled_write_owner(s, to, &f->key);
		stored_write_function(to, f->key.at, f->bytes, f->name);
		before = f;
		if (fflush(to) || *bytes > bytes_max)
			break;
		whole = *bytes;
	}
	if (fclose(to))
		return -ENOMEM;
	s->left_out += *bytes - whole > 0;
	*bytes = whole;
	return 0;
}

uint64_t sampled_left_out(const struct sampled *s)
{
	return s->left_out;
}
