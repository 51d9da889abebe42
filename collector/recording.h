/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording: a trace directory, its guard and what is told in it of a collection, whose stretches it takes; and, for
 * who wants nothing else, the loop that pumps them until somebody says stop. Prints nothing.
 */
#ifndef KYMO_RECORDING_H
#define KYMO_RECORDING_H

#include <signal.h>

#include "collection.h"
#include "guard.h"
#include "machine_feed.h"
#include "record.h"

struct recording_options {
	const char *dir;
	uint64_t duration_ns;		/* 0: until a signal */
	uint64_t max_bytes;		/* 0: no limit */
	const volatile sig_atomic_t *signals; /* how many came; may be NULL. One that comes during the end cuts it short */
	int argc;			/* as typed, for session.json */
	char **argv;
};

struct recording {
	const struct recording_options *options;
	struct collection *collection;
	struct record *record;
	struct guard guard;
	unsigned int *stream_of;	/* record's stream of each of the collection's */
	unsigned int streams;
	unsigned int types;		/* of the catalogue, as of the last look */
	bool disk_failed;		/* nothing more is written */
	struct machine *machine;	/* who is there; NULL: no event tells */
	struct machine_feed *feed;
	struct sampled *sampled;	/* the names of sampled user functions; NULL: there are no samples */
	sig_atomic_t signals_before;	/* the end began */
	bool symbols_cut;		/* by a signal: not all kernel addresses were looked for */
	uint64_t kernel_base;		/* 0: unknown */
	char release[72], hostname[72];
	char why[1024];			/* a sentence, after an error */
};

/*
 * The directory, up to the first event: between collection_open() and collection_start(). 0 or -errno, with a sentence
 * in why, as for all of them.
 */
int recording_begin(struct recording *r, const struct recording_options *options, struct collection *c);

/* It does not begin: the directory goes as it came. */
void recording_abandon(struct recording *r);

/* The next stretch of the collection, in the order in which it came. After an error nothing more is written. */
int recording_take(struct recording *r, const struct stretch *s);

/* All that is older than until_ns has been taken: now and then, by who takes by himself. */
void recording_watched(struct recording *r, uint64_t until_ns);

/* Pumps until *stop or the duration is over. -errno: why the recording ended early. */
int recording_run(struct recording *r, const volatile sig_atomic_t *stop);

/* Stops the session, writes what is left, closes the trace. Also after an error of run. */
int recording_end(struct recording *r);

/* The same for who has taken the rest out of the stopped collection already. */
int recording_close(struct recording *r);

void recording_fini(struct recording *r);

#endif
