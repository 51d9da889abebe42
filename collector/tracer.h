/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An input that observes this machine: the module or BPF, chosen here and nowhere else. In the order of a session's
 * life: open, setup, enable, map, start, (dump, sync, stats while it runs), stop, destroy. All return 0 or -errno;
 * tracer_sentence() makes of it what a user can act upon.
 */
#ifndef KYMO_TRACER_H
#define KYMO_TRACER_H

#include <stddef.h>
#include "input.h"

enum { TRACER_WHY_BYTES = 1024 };

/*
 * which: "kmod", "bpf", or NULL: the module where its device is there, else BPF. -EINVAL: no such input; why then, as
 * after every error, holds a sentence.
 */
int tracer_open(struct input **out, const char *which, char why[TRACER_WHY_BYTES]);
bool tracer_is_name(const char *which);

const struct kymo_info *tracer_info(const struct input *in);

/* For people: which input it is, and what the other one can do that this one cannot. */
const char *tracer_about(const struct input *in);

/* Takes the sets from `setup`, fills in the rest of it. */
int tracer_setup(struct input *in, struct kymo_setup *setup);
int tracer_enable(struct input *in, struct kymo_enable *enable);

/* A type with a colon in its name is made when it is asked for; this only puts it into the catalogue. No session then. */
int tracer_describe(struct input *in, const char *name);
int tracer_map(struct input *in);	/* the rings of the CPUs that have been online up to now */
int tracer_start(struct input *in);
int tracer_stop(struct input *in);	/* what is left can be read with next() until -ENODATA */

/* A step of the start dump: as much as there is room for. */
int tracer_dump(struct input *in, bool *done);
int tracer_sync(struct input *in, uint64_t *time_ns);

/* Counts of all event types that were ever enabled; *stats belongs to the input. */
int tracer_stats(struct input *in, const struct kymo_type_stats **stats, unsigned int *count, uint64_t *time_ns);
uint64_t tracer_memory(const struct input *in);	/* the session's in the kernel, as of the last stats */

/* Whether next() hands out packets that are still open (yes at first). */
void tracer_open_packets(struct input *in, bool yes);

/* Reads the catalogue again: event types that were added, flags that changed. next() does so by itself. */
int tracer_catalogue(struct input *in);

/* For poll(2): readable when a ring is filled so far that it should be read. */
int tracer_fd(const struct input *in);

/* What failed (`what`: "setup", ...) and what the user can do, as one sentence. */
void tracer_sentence(const struct input *in, const char *what, int err, char *out, size_t bytes);

#endif
