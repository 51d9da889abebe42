/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace being written: the directory, its metadata and its streams. A sink: takes stretches of packets, from
 * whatever input, and writes them as they lie; never looks at a record. All functions return 0 or -errno; after an
 * error record_where() tells where it happened, and what is on disk is whole.
 */
#ifndef KYMO_RECORD_H
#define KYMO_RECORD_H

#include "input.h"
#include "metadata.h"
#include "rotation.h"

struct record;

/*
 * Creates the directory, or takes an empty one. -ENOTEMPTY: there is something in it. max_bytes: 0, or the most that
 * the whole directory may ever hold.
 */
int record_create(struct record **out, const char *path, uint64_t max_bytes);
void record_destroy(struct record *r);
int record_close(struct record *r);	/* all is written: network file systems tell now that there was no room */
void record_discard(struct record *r);	/* before anything was recorded: what was made goes */
int record_dir(const struct record *r);	/* its fd */
int record_lock(const struct record *r);	/* the fd that holds the lock on the trace */

/* Metadata and own directory. begin_ns: the time of every stream's opening packet; before anything that is recorded. */
int record_begin(struct record *r, const struct metadata *head, uint64_t begin_ns);

/* Event types that may come from now on: metadata and kymo/catalogue get those that they have not got yet. */
int record_type(struct record *r, const struct event_type *type);

/* A new stream; it gets the next number, from 0. own: the collector's. */
int record_stream(struct record *r, const struct input_stream *stream, bool own);
unsigned int record_streams(const struct record *r);

int record_put(struct record *r, unsigned int stream, const struct stretch *s);

/* The stream's closing packet. */
int record_finish(struct record *r, unsigned int stream, uint64_t end_ns, uint64_t lost);

/* A file of ours, as a whole (kymo/...): appears at once or not at all. */
int record_own_file(struct record *r, const char *name, const char *text, size_t bytes);

const char *record_where(const struct record *r);
const struct rotation *record_rotation(const struct record *r);
uint64_t record_bytes(const struct record *r);	/* written, what was deleted since included */
unsigned int record_files(const struct record *r);	/* stream files that are there */

/* The least that max_bytes must be for so many streams; types_bytes: sum of record_type_bytes. */
uint64_t record_least_bytes(unsigned int streams, uint32_t packet_bytes, uint64_t types_bytes);
uint64_t record_type_bytes(const struct event_type *type);	/* what it takes in the metadata and the catalogue */

/* The part of max_bytes that is kept free for who was there and what was mapped. */
uint64_t record_machine_bytes(uint64_t max_bytes);

#endif
