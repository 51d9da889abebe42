/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session of the module or of BPF from open to stop, as an input: which event types, rings of which size, the start
 * dump, the counters and the clocks. What the session's counters say of losses comes out as kymo_loss events in a stream of its
 * own, so that whoever takes the events takes the losses with them. Knows nothing of who that is (record, top).
 *
 *	collection_open()	everything that can be refused is asked for; in.uuid and the catalogue are valid
 *	collection_start()	events come
 *	read `in`; collection_dump() until it is done, collection_account() now and then, collection_sync()
 *	collection_stop()	read the rest of `in` until -ENODATA
 *	collection_fini()
 *
 * All return 0 or -errno, with a sentence in why.
 */
#ifndef KYMO_COLLECTION_H
#define KYMO_COLLECTION_H

#include "clock.h"
#include "tracer.h"
#include "loss.h"
#include "selection.h"

struct collection_options {
	char **events;			/* -e; none: the defaults */
	unsigned int events_count;
	uint64_t buffer_bytes;		/* of ring memory for each CPU */
	uint32_t packet_bytes;
	uint64_t rate_hz;		/* of cpu_sample; 0: the default */
	const char *input;		/* "kmod", "bpf"; NULL: the one that works */
};

enum { COLLECTION_OWN_STREAM = 0 };	/* kymo_loss; the tracer's streams follow, as the CPUs come */

struct collection {
	struct input in;		/* first; has no destroy of its own: collection_fini */
	const struct collection_options *options;
	struct input *tracer;
	struct selection selection;
	struct loss *loss;
	bool own_held;			/* the own stream's last stretch has not been released */
	unsigned int sets, set_of_class[SELECTION_CLASSES];
	struct clock_pair start_clock, stop_clock;
	uint64_t open_ns;		/* before any record, the collector's own included */
	uint64_t start_ns, stop_ns;	/* of the session; stop_ns is 0 while it runs */
	bool dumping;			/* the start dump is not complete */
	const struct kymo_type_stats *stats; /* as of the last account; in the end exact */
	unsigned int stats_count;
	char why[TRACER_WHY_BYTES];
};

int collection_open(struct collection *c, const struct collection_options *options);
int collection_start(struct collection *c);

/* A step of the start dump, into rings that the caller must empty before the next one; sets dumping. */
int collection_dump(struct collection *c);

/* Asks for the counters. What was lost since the last time is in the own stream then. */
int collection_account(struct collection *c);

/* *time_ns: everything up to it is in the rings. */
int collection_sync(struct collection *c, uint64_t *time_ns);

int collection_stop(struct collection *c);
void collection_fini(struct collection *c);

/* Whether `in` hands out packets of the tracer that are still open (yes at first). */
void collection_open_packets(struct collection *c, bool yes);

/* One of the defaults asks for this event type, and it does not work here. */
bool collection_misses(const struct collection *c, const struct event_type *type);

uint64_t collection_lost(const struct collection *c); /* as of the last account */

#endif
