/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module as an input: a session at /dev/kymo. The only file that knows the device. In the order of a session's
 * life: open, setup, enable, map, start, (dump, sync, stats while it runs), stop, destroy. All return 0 or -errno;
 * input_kmod_sentence() makes of it what a user can act upon.
 */
#ifndef KYMO_INPUT_KMOD_H
#define KYMO_INPUT_KMOD_H

#include <stddef.h>

#include "input.h"

/* Opens a session and reads the catalogue. -EPROTO: the loaded module speaks another ABI. */
int input_kmod_open(struct input **out);

const struct kymo_info *input_kmod_info(const struct input *in);

/* Takes the sets from `setup`, fills in the rest of it. */
int input_kmod_setup(struct input *in, struct kymo_setup *setup);
int input_kmod_enable(struct input *in, struct kymo_enable *enable);
int input_kmod_describe(struct input *in, const char *name);
int input_kmod_map(struct input *in);	/* the rings of the CPUs that have been online up to now */
int input_kmod_start(struct input *in);
int input_kmod_stop(struct input *in);	/* what is left can be read with next() until -ENODATA */

/* A step of the start dump: as much as there is room for. */
int input_kmod_dump(struct input *in, bool *done);
int input_kmod_sync(struct input *in, uint64_t *time_ns);

/* Counts of all event types that were ever enabled; *stats belongs to the input. */
int input_kmod_stats(struct input *in, const struct kymo_type_stats **stats, unsigned int *count, uint64_t *time_ns);
uint64_t input_kmod_memory(const struct input *in);	/* the session's in the kernel, as of the last stats */

/* Whether next() hands out packets that are still open (yes at first). */
void input_kmod_open_packets(struct input *in, bool yes);

/* Reads the catalogue again: event types that were added, flags that changed. next() does so by itself. */
int input_kmod_catalogue(struct input *in);

/* For poll(2): readable when a ring is filled up to its watermark. */
int input_kmod_fd(const struct input *in);

/* What failed (`what`: "open", "setup", ...) and what the user can do, as one sentence. */
void input_kmod_sentence(const struct input *in, const char *what, int err, char *out, size_t bytes);

#endif
