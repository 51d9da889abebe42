/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single records in memory, in the order of their times, until they go into a packet. A leaf. */
#ifndef KYMO_PENDING_H
#define KYMO_PENDING_H

#include <stddef.h>
#include <stdint.h>

struct pending_record {
	uint64_t time_ns;
	uint16_t id;
	uint32_t bytes;
	uint8_t data[];
};

struct pending {
	struct pending_record **record;	/* [first, records) are there */
	size_t first, records, room;
};

void pending_fini(struct pending *q);

/* Behind all that are not younger. -ENOMEM. */
int pending_put(struct pending *q, uint64_t time_ns, uint16_t id, const void *data, size_t bytes);

const struct pending_record *pending_first(const struct pending *q); /* NULL: empty */
void pending_pop(struct pending *q);

#endif
