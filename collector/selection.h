/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which event types `-e` means, and into which ring set each goes: event types that come in floods share one set, so
 * that the others (who is there, network calls, samples) are not crowded out. Knows the catalogue and tracefs.
 */
#ifndef KYMO_SELECTION_H
#define KYMO_SELECTION_H

#include "catalogue.h"

enum { SELECTION_FLOOD = 0, SELECTION_REST = 1, SELECTION_CLASSES = 2 };

struct selection {
	struct selection_item {
		char glob[KYMO_GLOB_BYTES];
		uint32_t flags;		/* enum kymo_enable_flags */
		int class;
		bool optional;		/* one of the defaults: may be unavailable */
	} *items;
	unsigned int count;
	char why[512];			/* a sentence, after an error */
};

extern const char selection_defaults[];	/* for --help */

void selection_init(struct selection *s);
void selection_fini(struct selection *s);

/* An event glob, the name of a source, or [tracepoint:]SYSTEM:NAME. -ENOENT, with a sentence: nothing is called so. */
int selection_add(struct selection *s, const struct catalogue *c, const char *arg);
int selection_add_defaults(struct selection *s, const struct catalogue *c);

/* What was asked for is of no use without: samples without who was there and what was mapped. */
int selection_complete(struct selection *s, const struct catalogue *c);

bool selection_uses(const struct selection *s, int class);

#endif
