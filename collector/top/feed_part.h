/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two kinds of feed share: the way from an input to snapshots. Nobody but feed_*.c sees it. What differs:
 * whose time it is up to, and where the input comes from.
 */
#ifndef KYMO_FEED_PART_H
#define KYMO_FEED_PART_H

#include "feed.h"

#include "../merge.h"
#include "../snapshot.h"

struct feed_ops {
	unsigned int (*fds)(const struct feed *f, struct pollfd fds[FEED_FDS]);
	int (*drain)(struct feed *f);
	int (*tick)(struct feed *f, uint64_t step_ns);		/* sets snapshot */
	int (*seek)(struct feed *f, uint64_t time_ns, uint64_t step_ns);
	int (*begun)(struct feed *f, uint64_t time_ns);		/* before the first event */
	int (*end)(struct feed *f);
	const char *(*note)(const struct feed *f, unsigned int index);
	void (*destroy)(struct feed *f);			/* frees f */
};

struct feed {
	const struct feed_ops *ops;
	struct feed_facts facts;
	int wait_ms;
	struct input *in;
	int own_stream;			/* of the input: stands for no CPU; -1: none */
	struct merge *merge;
	struct tally *tally;
	bool begun;			/* an event has come */
	struct snapshot *snapshot;	/* the last */
	uint64_t start_ns, stop_ns;	/* of the session; 0: not known (yet) */
	uint64_t upto_ns;		/* all before it is counted */
	uint64_t ticked_ns;		/* the last snapshot's end */
	uint64_t late;			/* events that came behind upto_ns, ever */
	/* As of the last snapshot. */
	struct tally_totals totals;
	uint64_t late_told;
	double load[VITALS_LOADS];	/* not yet corrected for the time before the begin */
	int32_t own_pid;		/* 0: nobody's costs are ours */
	char why[FEED_WHY];
};

/* Merge and tally over f->in. -ENOMEM. */
int feed_begin(struct feed *f);
void feed_fini(struct feed *f);

/* Counts everything up to until_ns. 0, -ENODATA: that was the end; or -errno. */
int feed_take(struct feed *f, uint64_t until_ns);

/* A snapshot of everything up to now_ns, which has been taken. */
int feed_shoot(struct feed *f, uint64_t now_ns);

/* The last one, of everything there is: the session was from start_ns to stop_ns. */
int feed_shoot_last(struct feed *f);

/* The begin of a stream's CPU time. */
uint64_t feed_stream_begin(const struct feed *f, unsigned int stream);

/* Keeps the first sentence; returns err. */
int feed_failed(struct feed *f, int err, const char *why);

/* The snapshot's vitals but for own_memory_bytes and own_kernel_bytes. */
void feed_vitals(struct feed *f, struct snapshot *s);

#endif
