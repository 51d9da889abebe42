/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a live view gets its snapshots from: a session (of the module, or of BPF) that runs now, or a trace that is
 * gone through once more at a virtual clock. Whoever shows them does not know which it is but by feed_facts. One
 * thread; nothing here prints or reads keys.
 *
 *	f = feed_live(...) or feed_trace(...)
 *	until the end:
 *		poll feed_fds() (and the keyboard) until the next tick is due, at most feed_wait_ms()
 *		feed_drain()		whenever poll has returned: rings must not run full, also while the view is paused
 *		feed_tick()		when it is due: a snapshot
 *	feed_end()			stops the session: the last snapshot, in which everything is
 *	feed_destroy()
 */
#ifndef KYMO_FEED_H
#define KYMO_FEED_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct feed;
struct snapshot;

enum { FEED_WHY = 1024, FEED_FDS = 4 };

struct feed_options {
	char **events;			/* -e; none: the defaults */
	unsigned int events_count;
	const char *input;		/* "kmod", "bpf"; NULL: the one that works */
	uint64_t rate_hz;		/* of cpu_sample; 0: the default */
	uint64_t buffer_bytes;		/* of ring memory for each CPU; 0: the default */
	uint32_t packet_bytes;		/* 0: the default */
	const char *record_dir;		/* everything that is shown is recorded there, too; NULL: not */
	uint64_t record_max_bytes;	/* 0: no limit */
	int argc;			/* as typed: for the recording */
	char **argv;
};

/* NULL: not possible; why then holds a sentence (without a full stop) that says what the user can do. */
struct feed *feed_live(const struct feed_options *options, char why[FEED_WHY]);
struct feed *feed_trace(const char *dir, char why[FEED_WHY]);
void feed_destroy(struct feed *f);

/* What does not change, but for end_ns and the notes. */
struct feed_facts {
	bool live;
	const char *input;		/* "kmod", "bpf"; "replay": a trace */
	const char *name;		/* of the trace or the host; not cleaned */
	const char *hostname, *release;	/* not cleaned; "": unknown */
	unsigned int cpus;		/* CPU numbers are below this */
	uint64_t begin_ns;		/* of the session */
	uint64_t end_ns;		/* the trace's end; live: 0 */
	uint64_t wall_offset_ns;	/* add to a time: CLOCK_REALTIME. 0: unknown */
	const char *record_dir;		/* NULL: nothing is recorded */
};

const struct feed_facts *feed_facts(const struct feed *f);

/* Sentences about what is not as one would expect (event types that do not work here, damage of a trace, a recording
 * that ended early), by index from 0; NULL: no more. */
const char *feed_note(const struct feed *f, unsigned int index);

/* For poll(2): the number of entries, at most FEED_FDS; a trace has none. */
unsigned int feed_fds(const struct feed *f, struct pollfd fds[FEED_FDS]);
int feed_wait_ms(const struct feed *f);	/* drain at least so often; -1: no need */

/* All: 0, or -errno with a sentence in feed_why(); -EINTR is not among them. */
int feed_drain(struct feed *f);

/*
 * The next snapshot. Live: of everything up to this moment (it waits some 20 ms for the kernel; step_ns means nothing).
 * A trace: the virtual clock goes on by step_ns. Valid until the next tick, seek or end. -ENODATA: the trace's end was
 * reached before; *out is the last one.
 */
int feed_tick(struct feed *f, uint64_t step_ns, const struct snapshot **out);

/* A trace only (else -ENOTSUP): the snapshot at time_ns, what was added counted from step_ns before it. Any direction. */
int feed_seek(struct feed *f, uint64_t time_ns, uint64_t step_ns, const struct snapshot **out);

/* Live: stops the session, takes the rest, closes the recording. The last snapshot; its sums are what report finds. */
int feed_end(struct feed *f, const struct snapshot **out);

const char *feed_why(const struct feed *f);	/* the sentence after an error, without a full stop */

#endif
