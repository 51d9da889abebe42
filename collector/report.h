/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace read from end to end and counted, with all that must be said about how far it can be trusted: what the
 * files lack, and whether the two accounts of loss (kymo_loss events; CTF's counter in the packets) agree.
 */
#ifndef KYMO_REPORT_H
#define KYMO_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "input_trace.h"
#include "merge.h"
#include "snapshot.h"
#include "view.h"

struct report {
	struct input *in;
	struct merge *merge;
	struct machine *machine;	/* who was there, as far as the recorder has stored it */
	struct tally *tally;
	struct snapshot *snapshot;	/* of all of it */
	json_t *session;		/* kymo/session.json; NULL: not there, or no JSON */
	uint64_t start_ns, stop_ns;	/* of the session; 0: not told */
	uint64_t begin_ns, end_ns;	/* of all streams, inside the session */
	uint64_t lost;			/* told by kymo_loss events, all causes */
	uint64_t lost_told;		/* of these, the causes that the rings count too */
	uint64_t lost_counted;		/* by the rings, in the last packet of each stream */
	uint64_t packets, missing, damaged, unknown;
};

struct report_progress {
	void (*tell)(void *context, uint64_t done, uint64_t of);
	void *context;
};

/* 0; -errno with a sentence in `error`: nothing can be shown. progress may be NULL. */
int report_read(struct report *r, const char *path, const struct report_progress *progress, char error[INPUT_TRACE_ERROR]);
void report_fini(struct report *r);

/*
 * What a reader must know before believing the numbers, one sentence after the other (index from 0). NULL: no more.
 * `buffer` may hold the sentence.
 */
const char *report_warning(const struct report *r, unsigned int index, char *buffer, size_t size);
bool report_incomplete(const struct report *r); /* something in the files could not be read */

/* only: a single view; NULL: all. top: rows of each; 0: as many as the view says; UINT_MAX: all */
void report_text(const struct report *r, const char *path, const struct view *only, unsigned int top, FILE *to);
int report_json(const struct report *r, const struct view *only, unsigned int top, FILE *to); /* -errno */

#endif
