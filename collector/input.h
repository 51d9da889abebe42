/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where packets come from: the module, a trace on disk, later BPF and clients. An input hands out stretches of
 * packets as they lie in its memory; who consumes them (record, report, top) does not know which input it is.
 */
#ifndef KYMO_INPUT_H
#define KYMO_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <uapi/kymo.h>

struct catalogue;

/* A stretch of one packet. Valid until release(). */
struct stretch {
	unsigned int stream;		/* index, below input->streams */
	const struct kymo_packet *packet; /* its begin fields are valid; the close fields only if closed */
	uint32_t from, to;		/* bytes from the packet's start that are new and hold whole records; from == to
					 * only when the packet was closed with nothing new in it */
	bool closed;			/* nothing follows in this packet */
	uint64_t end_ns;		/* no record at or after `to` is older (closed: timestamp_end) */
	uint64_t last_ns;		/* no record before `to` is younger (closed: timestamp_end) */
	uint64_t lost;			/* the ring's loss up to here */
};

/* A stream of packets: one ring. */
struct input_stream {
	unsigned int set, cpu;
	uint64_t instance;		/* stream_instance_id */
	uint32_t packet_bytes;
	uint64_t lost;			/* the ring's loss up to now */
	uint64_t ring_bytes, unread_bytes;	/* its memory, what of it has not been released; 0: not known */
};

struct input {
	const struct input_ops *ops;
	struct catalogue *catalogue;	/* owned by the input; grows (generation) */
	unsigned int streams;		/* may grow while it runs (CPU hotplug) */
	uint8_t uuid[16];
};

struct input_ops {
	const char *name;		/* kmod, trace, ... */
	/* Waits until there may be something, at most timeout_ms. 0, or -errno (-EINTR: a signal). */
	int (*wait)(struct input *in, int timeout_ms);
	/*
	 * 1: *out is the next stretch of some stream (in a stream in order), never of one whose last stretch has not
	 * been released: who merges holds one stretch of every stream. 0: nothing now in any other stream; -errno;
	 * -ENODATA: the end, all streams are read.
	 */
	int (*next)(struct input *in, struct stretch *out);
	/* The stretch's memory may be used again. Streams advance only by this. */
	void (*release)(struct input *in, const struct stretch *stretch);
	/* Of stream `stream`. NULL if the input does not know before it has read the packets. */
	void (*stream)(struct input *in, unsigned int stream, struct input_stream *out);
	void (*destroy)(struct input *in);
};

#endif
