// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets out of single records. */
#include "packet_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int packet_writer_init(struct packet_writer *w, const struct input_stream *stream, const uint8_t uuid[16])
{
	*w = (struct packet_writer){ .packet = malloc(stream->packet_bytes), .packet_bytes = stream->packet_bytes };
	if (!w->packet)
		return -ENOMEM;
	w->begin = (struct kymo_packet){ .magic = KYMO_CTF_MAGIC, .stream_instance_id = stream->instance,
					 .packet_size = (uint64_t)stream->packet_bytes * 8, .cpu_id = stream->cpu };
	memcpy(w->begin.uuid, uuid, sizeof(w->begin.uuid));
	return 0;
}

void packet_writer_fini(struct packet_writer *w)
{
	free(w->packet);
}

uint32_t packet_writer_most(const struct packet_writer *w)
{
	const uint32_t room = w->packet_bytes - (uint32_t)(sizeof(struct kymo_packet) + sizeof(struct kymo_record));

	return room < UINT16_MAX ? room : UINT16_MAX;
}

static struct kymo_packet *packet_writer_head(const struct packet_writer *w)
{
	return (struct kymo_packet *)w->packet;
}

static void packet_writer_open(struct packet_writer *w, uint64_t time_ns)
{
	struct kymo_packet p = w->begin;

	p.timestamp_begin = time_ns;
	p.packet_seq_num = ++w->sequence;
	memcpy(w->packet, &p, sizeof(p));
	w->used = w->done = sizeof(p);
}

void packet_writer_close(struct packet_writer *w, uint64_t lost)
{
	struct kymo_packet *p = packet_writer_head(w);

	if (!w->used || w->closed)
		return;
	p->timestamp_end = w->last_ns;
	p->content_size = (uint64_t)w->used * 8;
	p->events_discarded = lost;
	w->closed = true;
}

/* A record's time is the low half: the packet's begin must be less than 2^32 ns away. */
static bool packet_writer_fits(const struct packet_writer *w, uint64_t time_ns, uint32_t bytes)
{
	return w->used + sizeof(struct kymo_record) + bytes <= w->packet_bytes &&
	       time_ns - packet_writer_head(w)->timestamp_begin <= UINT32_MAX;
}

uint8_t *packet_writer_put(struct packet_writer *w, uint64_t time_ns, uint16_t id, uint32_t bytes, uint64_t lost)
{
	const struct kymo_record record = { .time_low = (uint32_t)time_ns, .id = id, .len = (uint16_t)bytes };
	uint8_t *at;

	if (w->closed)
		return NULL;
	if (!w->used)
		packet_writer_open(w, time_ns);
	else if (!packet_writer_fits(w, time_ns, bytes)) {
		packet_writer_close(w, lost);
		return NULL;
	}
	at = w->packet + w->used;
	memcpy(at, &record, sizeof(record));
	w->used += (uint32_t)sizeof(record) + bytes;
	w->last_ns = time_ns;
	return at + sizeof(record);
}

bool packet_writer_next(const struct packet_writer *w, bool open, uint64_t end_ns, uint64_t lost, struct stretch *out)
{
	if (!w->used || (!w->closed && (!open || w->used == w->done)))
		return false;
	*out = (struct stretch){ .packet = packet_writer_head(w), .from = w->done, .to = w->used, .closed = w->closed,
				 .end_ns = w->closed ? w->last_ns : end_ns, .last_ns = w->last_ns,
				 .lost = w->closed ? packet_writer_head(w)->events_discarded : lost };
	return true;
}

void packet_writer_release(struct packet_writer *w, const struct stretch *s)
{
	w->done = s->to;
	if (!s->closed)
		return;
	w->used = w->done = 0;
	w->closed = false;
}
