// SPDX-License-Identifier: GPL-2.0-or-later
/* Decodes packets. Their layout is explained in uapi/kymo.h. */
#include "packet.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

const char *packet_wrong(const struct kymo_packet *p, uint64_t bytes)
{
	if (bytes < PACKET_HEADER)
		return "it is shorter than a packet's header";
	if (p->magic != KYMO_CTF_MAGIC)
		return "no packet begins there";
	if (p->stream_id != 0)
		return "it is of a stream class that kymo does not write";
	if (p->packet_size % 8 || p->content_size % 8)
		return "its size is no whole number of bytes";
	if (p->packet_size / 8 > KYMO_PACKET_BYTES_MAX)
		return "it claims to be larger than a packet can be";
	if (p->content_size < PACKET_HEADER * 8 || p->content_size > p->packet_size)
		return "its content does not fit into it";
	if (p->content_size / 8 > bytes)
		return "its content is cut off";
	if (p->timestamp_end < p->timestamp_begin)
		return "it ends before it begins";
	return NULL;
}

void packet_walk_init(struct packet_walk *w, const struct catalogue *c, const struct kymo_packet *p,
		      uint32_t from, uint32_t to, uint64_t end_ns)
{
	w->catalogue = c;
	w->packet = (const uint8_t *)p;
	w->at = from;
	w->to = to;
	w->cpu = p->cpu_id;
	w->stream = 0;
	w->begin_ns = w->last_ns = p->timestamp_begin;
	w->end_ns = end_ns;
	w->unknown = 0;
	w->error[0] = 0;
}

/* Elements of a field of variable size that begins at `data`; its bytes with all that belongs to it in *size. */
static bool packet_variable(const struct kymo_field *field, const uint8_t *data, uint32_t left, uint32_t *count, uint32_t *size)
{
	uint16_t n;

	if (field->kind == KYMO_FIELD_STRING) {
		const uint8_t *end = memchr(data, 0, left);

		if (!end)
			return false;
		*count = (uint32_t)(end - data);
		*size = *count + 1;
		return true;
	}
	if (left < sizeof(n))
		return false;
	memcpy(&n, data, sizeof(n));
	*count = n;
	*size = (uint32_t)sizeof(n) + n * (uint32_t)field->bytes;
	return *size <= left;
}

static bool packet_is_variable(const struct kymo_field *field)
{
	return field->kind == KYMO_FIELD_STRING || field->flags & KYMO_FIELD_SEQUENCE;
}

/* A CTF reader goes by the fields, not by `len`: both must agree to the byte. */
static bool packet_fits(const struct event_type *type, const uint8_t *data, uint32_t bytes)
{
	uint32_t at = 0;

	for (unsigned int i = 0; i < type->fields; i++) {
		const struct kymo_field *field = &type->field[i];
		uint32_t count, size = field->bytes * field->count;

		if (packet_is_variable(field)) {
			if (!packet_variable(field, data + at, bytes - at, &count, &size))
				return false;
		} else if (size > bytes - at) {
			return false;
		}
		at += size;
	}
	return at == bytes;
}

static int packet_bad(struct packet_walk *w, const char *what)
{
	snprintf(w->error, sizeof(w->error), "byte %u: %s", w->at, what);
	w->at = w->to;
	return -EBADMSG;
}

int packet_walk_next(struct packet_walk *w, struct event *e)
{
	struct kymo_record record;
	uint64_t time_ns;

	for (;;) {
		if (w->at >= w->to)
			return 0;
		if (w->to - w->at < sizeof(record))
			return packet_bad(w, "a record's header does not fit into the content");
		memcpy(&record, w->packet + w->at, sizeof(record));
		if (record.len > w->to - w->at - sizeof(record))
			return packet_bad(w, "a record is longer than the content");
		/* The begin is less than 2^32 ns before each record, so the low half says it all. */
		time_ns = w->begin_ns + (uint32_t)(record.time_low - (uint32_t)w->begin_ns);
		if (time_ns < w->last_ns)
			return packet_bad(w, "a record is older than the one before");
		if (time_ns > w->end_ns)
			return packet_bad(w, "a record is later than its packet's end");
		w->last_ns = time_ns;
		e->type = catalogue_by_id(w->catalogue, record.id);
		e->time_ns = time_ns;
		e->data = w->packet + w->at + sizeof(record);
		e->bytes = record.len;
		e->cpu = w->cpu;
		e->stream = w->stream;
		if (e->type && !packet_fits(e->type, e->data, e->bytes))
			return packet_bad(w, "a record's length and its fields do not agree");
		w->at += (uint32_t)sizeof(record) + record.len;
		if (e->type)
			return 1;
		w->unknown++;
	}
}

bool packet_field(const struct event *e, unsigned int index, struct packet_field *f)
{
	const uint8_t *at = e->data;

	if (index >= e->type->fields)
		return false;
	for (unsigned int i = 0;; i++) {
		const struct kymo_field *field = &e->type->field[i];
		uint32_t count = field->count, size = field->bytes * field->count;

		if (packet_is_variable(field))
			packet_variable(field, at, (uint32_t)(e->data + e->bytes - at), &count, &size);
		if (i == index) {
			f->field = field;
			f->data = field->flags & KYMO_FIELD_SEQUENCE ? at + sizeof(uint16_t) : at;
			f->count = field->kind == KYMO_FIELD_TEXT ? (uint32_t)strnlen((const char *)f->data, count) : count;
			return true;
		}
		at += size;
	}
}

int64_t packet_signed(const struct packet_field *f, uint32_t element)
{
	const uint8_t *p = f->data + (size_t)element * f->field->bytes;
	const bool big = f->field->flags & KYMO_FIELD_BIG_ENDIAN, is_signed = f->field->kind == KYMO_FIELD_SIGNED;
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (f->field->bytes) {
	case 1:
		return is_signed ? (int8_t)*p : *p;
	case 2:
		memcpy(&v16, p, sizeof(v16));
		v16 = big ? be16toh(v16) : v16;
		return is_signed ? (int16_t)v16 : v16;
	case 4:
		memcpy(&v32, p, sizeof(v32));
		v32 = big ? be32toh(v32) : v32;
		return is_signed ? (int32_t)v32 : (int64_t)v32;
	default:
		memcpy(&v64, p, sizeof(v64));
		return (int64_t)(big ? be64toh(v64) : v64);
	}
}

uint64_t packet_unsigned(const struct packet_field *f, uint32_t element)
{
	return (uint64_t)packet_signed(f, element);
}

char *packet_address_text(const uint8_t address[16], char *out, size_t size)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const bool v4 = !memcmp(address, mapped, sizeof(mapped));

	if (!inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? address + 12 : address, out, (socklen_t)size) && size)
		out[0] = 0;
	return out;
}

static int packet_number_text(const struct packet_field *f, uint32_t element, char *out, size_t size)
{
	if (f->field->flags & KYMO_FIELD_HEX) {
		const uint64_t mask = f->field->bytes == 8 ? UINT64_MAX : (1ull << f->field->bytes * 8) - 1;

		return snprintf(out, size, "0x%" PRIx64, packet_unsigned(f, element) & mask);
	}
	if (f->field->kind == KYMO_FIELD_SIGNED)
		return snprintf(out, size, "%" PRId64, packet_signed(f, element));
	return snprintf(out, size, "%" PRIu64, packet_unsigned(f, element));
}

char *packet_field_text(const struct packet_field *f, char *out, size_t size)
{
	const struct kymo_field *field = f->field;
	size_t at = 0;

	if (!size)
		return out;
	if (field->kind == KYMO_FIELD_TEXT || field->kind == KYMO_FIELD_STRING)
		return text_clean(out, size, f->data, f->count);
	if (field->flags & KYMO_FIELD_ADDRESS && f->count == 16 && field->bytes == 1)
		return packet_address_text(f->data, out, size);
	if (field->count == 1 && !(field->flags & KYMO_FIELD_SEQUENCE)) {
		packet_number_text(f, 0, out, size);
		return out;
	}
	at += (size_t)snprintf(out, size, "[");
	for (uint32_t i = 0; i < f->count && at < size; i++) {
		at += (size_t)snprintf(out + at, size - at, i ? ", " : "");
		if (at < size)
			at += (size_t)packet_number_text(f, i, out + at, size - at);
	}
	if (at < size)
		snprintf(out + at, size - at, "]");
	return out;
}
