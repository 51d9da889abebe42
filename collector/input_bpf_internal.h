/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the parts of the BPF input: its session (input_bpf), its streams and its catalogue. */
#ifndef KYMO_INPUT_BPF_INTERNAL_H
#define KYMO_INPUT_BPF_INTERNAL_H

#include <kymo/event.h>

#include "bpf_attachment.h"
#include "bpf_programs.h"
#include "bpf_ring.h"
#include "input_bpf.h"
#include "packet_writer.h"
#include "pending.h"
#include "tracepoint.h"

/* One ring of the programs, or (ring_fd -1) what the collector itself has to say: who is there, what was mapped. */
struct bpf_stream {
	struct input_stream info;
	int ring_fd;
	struct bpf_ring ring;
	struct packet_writer writer;
	uint64_t too_big;		/* records that fit into no packet */
	bool held;			/* its last stretch has not been released */
};

struct bpf_mmaps;

struct bpf_type {
	struct kymo_type_stats stats;	/* of the collector's own types: counted here; else as of the last asking */
	unsigned int set;
	bool own;			/* not written by a program into a ring */
	uint64_t too_big;		/* of what its program wrote: fits into no packet */
};

/* A type that was made when it was asked for. */
struct bpf_made {
	char request[KYMO_GLOB_BYTES];	/* by which words */
	struct tracepoint *tracepoint;	/* NULL: it is unavailable */
	struct bpf_attachment *attachment;
};

enum { BPF_FORM_BYTES = BPF_RECORD_BYTES + 1024 };	/* what is made of a record is that much longer at most */

/* Where a type stands in tables: those that are made have numbers beyond all others. */
static inline unsigned int bpf_slot(uint16_t id)
{
	return id < KYMO_ID_TRACEPOINT ? id : id - (unsigned int)KYMO_ID_TRACEPOINT + BPF_MADE_FIRST;
}

static inline bool bpf_slot_is_made(unsigned int slot)
{
	return slot >= BPF_MADE_FIRST && slot < BPF_MADE_FIRST + BPF_MADE;
}

static inline uint16_t bpf_slot_id(unsigned int slot)
{
	return (uint16_t)(bpf_slot_is_made(slot) ? slot - BPF_MADE_FIRST + KYMO_ID_TRACEPOINT : slot);
}

struct bpf {
	struct input in;
	struct kymo_info info;
	struct kymo_setup setup;
	struct bpf_programs *programs;
	uint8_t *entries;		/* the catalogue as it is told */
	size_t entries_bytes;
	struct bpf_type *type[BPF_TYPES];	/* by slot; that were ever enabled */
	struct bpf_made *made[BPF_MADE];	/* in the order of their numbers */
	unsigned int made_count;
	struct kymo_type_stats *stats;
	unsigned int types;
	struct bpf_stream *streams;	/* in.streams of them; the collector's own is the first */
	unsigned int streams_room;
	bool *has_ring;			/* by set * cpus + cpu */
	int epoll;
	struct pending queue;	/* for the own stream */
	uint64_t own_bound_ns;		/* what comes into the queue from now on is not older */
	uint64_t graced_ns;		/* when own_bound_ns was moved last */
	struct bpf_mmaps *mmaps;	/* by CPU */
	uint64_t start_ns;
	uint64_t rate_hz;		/* of cpu_sample; 0: the default */
	int *sample_fd;			/* by CPU; -1: none */
	bool sample_decided, sample_cycles;	/* it is known what the counters count; that is cycles */
	uint8_t form[BPF_FORM_BYTES];
	uint64_t looked_ms;		/* when CPUs were looked for last */
	uint64_t promise_ns;		/* all programs that had begun before have ended */
	uint64_t late;			/* records that came behind their place: 0, or the order is wrong */
	unsigned int cursor;
	bool in_round, closed_only, started, stopped;
	int dump_fd, dump_step;
};

static inline struct bpf *bpf_of(const struct input *in)
{
	return (struct bpf *)in;	/* its first member */
}

/* Catalogue. */
int bpf_catalogue_init(struct bpf *b);
int bpf_catalogue_enable(struct bpf *b, struct kymo_enable *ask);
int bpf_catalogue_describe(struct bpf *b, const char *name);

const char *bpf_program_name(const struct bpf *b, unsigned int id);	/* which serves a type of this name or kind */
int bpf_syscalls_add(struct bpf *b);	/* their entries */
int bpf_entry_add(struct bpf *b, const struct kymo_event_type *t, const struct kymo_field *field);

/*
 * The types that are made when asked for. bpf_made_type(): the number of the type that is meant, made if need be;
 * -ENOENT: nothing is called so, -E2BIG: there are too many. bpf_made_attach(): events come once the session runs. Where
 * that does not work here the entry is unavailable, and says why.
 */
int bpf_made_type(struct bpf *b, const char *request);
int bpf_made_attach(struct bpf *b, struct kymo_event_type *t);
void bpf_made_begin(struct bpf *b);
void bpf_made_end(struct bpf *b);
uint64_t bpf_made_missed(const struct bpf *b, unsigned int slot);
void bpf_made_fini(struct bpf *b);

/* Streams. */
int bpf_streams_init(struct bpf *b);
void bpf_streams_fini(struct bpf *b);
int bpf_streams_follow(struct bpf *b);	/* rings for the CPUs that are online now */
int bpf_streams_look(struct bpf *b);
int bpf_own_known(struct bpf *b, uint64_t until_ns);	/* perf has written all that is older */
bool bpf_streams_known(const struct bpf *b, uint64_t until_ns); /* every stream is known up to this time */
bool bpf_streams_empty(const struct bpf *b);
bool bpf_stream_next(struct bpf *b, unsigned int stream, struct stretch *out);
void bpf_stream_release(struct bpf *b, const struct stretch *s);
uint64_t bpf_stream_lost(const struct bpf *b, const struct bpf_stream *s);

/*
 * A record's fields as they go into the packet: what the program wrote, or what is made of it in b->form. *bytes: of
 * the result.
 */
const uint8_t *bpf_form(struct bpf *b, const struct bpf_head *head, uint32_t *bytes);

/* Counters that sample the CPUs, for those that are online and have none yet. */
int bpf_samples_follow(struct bpf *b);
void bpf_samples_fini(struct bpf *b);

/* Executable mappings as they are made: 0, or why perf does not tell them here. */
int bpf_mmaps_try(void);
int bpf_mmaps_follow(struct bpf *b);
int bpf_mmaps_drain(struct bpf *b);	/* into the queue */
void bpf_mmaps_fini(struct bpf *b);

/* The start dump: a step, into the queue. 1: done. */
int bpf_dump_step(struct bpf *b);

/* A record of the collector's own, if its type is enabled. */
int bpf_own_record(struct bpf *b, uint64_t time_ns, uint16_t id, const void *data, size_t bytes);

#endif
