/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CTF 1.8 metadata of a trace, as text, from the catalogue. First the head, then event types in any order and at
 * any time: text is only ever appended. A leaf: knows neither inputs nor files' names.
 */
#ifndef KYMO_METADATA_H
#define KYMO_METADATA_H

#include <stdio.h>

#include "catalogue.h"
#include "clock.h"

struct metadata {
	uint8_t uuid[16];		/* of the trace: stands in every packet */
	const char *boot_id;		/* uuid as text, or empty: makes traces of one boot comparable */
	const char *hostname, *release;	/* of the machine that was recorded */
	const char *trace_name, *created;	/* created: ISO 8601 */
	struct clock_pair clock;
};

void metadata_write_head(FILE *to, const struct metadata *m);
void metadata_write_type(FILE *to, const struct event_type *type);

#endif
