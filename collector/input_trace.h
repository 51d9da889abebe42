/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace directory as an input. Files are read, not mapped: one that shrinks under us is a short read, no SIGBUS,
 * and memory is one packet for each stream. Half a packet at a stream's end, as a killed recorder leaves it, is cut off
 * where we may write, else left out; either way it is noted.
 */
#ifndef KYMO_INPUT_TRACE_H
#define KYMO_INPUT_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include "input.h"
#include "machine_file.h"

enum { INPUT_TRACE_ERROR = 512 };

/* NULL: it cannot be read; `error` is a sentence that says why and what can be done. */
struct input *input_trace_open(const char *path, char error[INPUT_TRACE_ERROR]);

uint64_t input_trace_bytes(const struct input *in);	/* of all stream files */
uint64_t input_trace_read(const struct input *in);	/* of these, passed so far */
const char *input_trace_stream_name(const struct input *in, unsigned int stream);

/* What is wrong with the files, sentences cleaned for display, as far as they have been read; NULL: no more. */
const char *input_trace_note(const struct input *in, unsigned int index);

/* Adds what the trace's files know of who was there, if they are there (a killed recorder leaves none). Damage is noted. */
void input_trace_machine(struct input *in, struct machine *m);

/* The text of another file of the trace (TRACE_SESSION, ...), NUL-terminated, for free(); NULL: not there. */
char *input_trace_text(const struct input *in, const char *name, size_t *bytes);

#endif
