// SPDX-License-Identifier: GPL-2.0-or-later
/* libFuzzer: any bytes as the content of a packet. All that is handed out must be readable to its last field. */
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "packet.h"

static struct catalogue *fuzz_catalogue(void)
{
	struct catalogue *c = catalogue_create();
	size_t bytes;
	void *entries = builtin_entries(&bytes);

	if (catalogue_add(c, entries, bytes) <= 0)
		abort();
	free(entries);
	return c;
}

static void fuzz_read_fields(const struct event *e)
{
	struct packet_field f;
	char text[300];

	for (unsigned int i = 0; packet_field(e, i, &f); i++) {
		packet_field_text(&f, text, sizeof(text));
		for (const char *at = text; *at; at++)
			if ((unsigned char)*at < ' ')
				abort();
		if (f.field->kind <= KYMO_FIELD_SIGNED)
			for (uint32_t k = 0; k < f.count; k++)
				packet_unsigned(&f, k);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct catalogue *c;
	struct packet_walk w;
	struct event e;
	uint64_t last = 0;
	uint8_t *packet;

	c = c ? c : fuzz_catalogue();
	if (size > 65536)
		return 0;
	/* Of exactly this size, so that the sanitizer sees every byte beyond. */
	packet = calloc(1, PACKET_HEADER + size);
	if (size)
		memcpy(packet + PACKET_HEADER, data, size);
	packet_walk_init(&w, c, (struct kymo_packet *)packet, PACKET_HEADER, (uint32_t)(PACKET_HEADER + size), UINT64_MAX);
	while (packet_walk_next(&w, &e) == 1) {
		if (e.time_ns < last)
			abort();
		last = e.time_ns;
		fuzz_read_fields(&e);
	}
	free(packet);
	return 0;
}
