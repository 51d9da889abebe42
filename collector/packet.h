/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes packets: walks the records of a stretch and finds their fields. Nothing in a packet is believed: every
 * length is checked against the content and against the catalogue before an event is handed out, so that access to
 * a field of it needs no check. A leaf: knows the catalogue and the layout, not where packets come from.
 */
#ifndef KYMO_PACKET_H
#define KYMO_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "catalogue.h"

struct event {
	const struct event_type *type;
	uint64_t time_ns;
	const uint8_t *data;	/* the fields: exactly those of the type, in order */
	uint32_t bytes;
	uint32_t cpu;
	unsigned int stream;	/* of the input */
	uint64_t gaps;		/* in the stream before it, where events were lost; set by merge */
};

enum { PACKET_HEADER = sizeof(struct kymo_packet) };

/*
 * The header of a packet that is closed and of which `bytes` are there. NULL: fine, content lies inside. Else what
 * is wrong, a piece of a sentence. The caller knows uuid and the packet before.
 */
const char *packet_wrong(const struct kymo_packet *p, uint64_t bytes);

struct packet_walk {
	const struct catalogue *catalogue;
	const uint8_t *packet;
	uint32_t at, to;	/* bytes from the packet's start */
	uint32_t cpu;
	unsigned int stream;
	uint64_t begin_ns, last_ns, end_ns;
	uint64_t unknown;	/* records passed over because the catalogue has no such type */
	char error[200];	/* after -EBADMSG: a sentence */
};

/* The records in [from, to) of a packet; none is later than end_ns. */
void packet_walk_init(struct packet_walk *w, const struct catalogue *c, const struct kymo_packet *p,
		      uint32_t from, uint32_t to, uint64_t end_ns);

/* 1: *e is the next event, valid as long as the packet; 0: no more; -EBADMSG: what follows cannot be read. */
int packet_walk_next(struct packet_walk *w, struct event *e);

/* One field of an event. */
struct packet_field {
	const struct kymo_field *field;
	const uint8_t *data;	/* the first element */
	uint32_t count;		/* elements; of text and strings the bytes before the NUL */
};

bool packet_field(const struct event *e, unsigned int index, struct packet_field *f); /* false: no such field */
uint64_t packet_unsigned(const struct packet_field *f, uint32_t element); /* a signed value is sign-extended */
int64_t packet_signed(const struct packet_field *f, uint32_t element);

/* For people: numbers, addresses, lists in brackets, text cleaned. Returns `out`. */
char *packet_field_text(const struct packet_field *f, char *out, size_t size);

/* An address of 16 bytes: IPv4 where it is a mapped one. Returns `out`; 46 bytes are enough. */
char *packet_address_text(const uint8_t address[16], char *out, size_t size);

#endif
