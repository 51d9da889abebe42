/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One stream of a trace on disk: its file, or its files one after the other. A file opens with an empty packet and
 * ends, at a clean end, with another, so that a reader can number the first and the last loss. At every moment
 * whatever stands in the file is whole packets, except behind the last one (see trace.h). Knows no records.
 */
#ifndef KYMO_STREAM_FILE_H
#define KYMO_STREAM_FILE_H

#include "input.h"
#include "trace.h"

struct stream_file {
	int dir;			/* of the trace; not ours */
	int fd;
	struct trace_file file;
	struct kymo_packet begin;	/* the constant fields of packets */
	uint32_t packet_bytes;
	uint64_t at;			/* where in the file the packet begins that is being written */
	uint32_t put;			/* bytes of it that are on disk behind a valid header; 0: none */
	uint64_t seq, end_ns, lost;	/* of the last header written */
	uint64_t written;		/* bytes of all its files */
};

/*
 * Creates the file, and of chunks the first two: chunk 0 holds nothing but the opening packet, which then stands for
 * whatever was deleted behind it. begin_ns: of the opening packet, earlier than anything that follows.
 */
int stream_file_open(struct stream_file *f, int dir, const struct trace_file *file, const uint8_t uuid[16],
		     const struct input_stream *stream, uint64_t begin_ns);

/* Writes a stretch; an open packet gets a header that is valid now and is written again when it is longer. */
int stream_file_put(struct stream_file *f, const struct stretch *s);

/* Goes on in the file of the next chunk. Only between packets (put is 0). */
int stream_file_roll(struct stream_file *f);

/* The closing packet. lost: what the ring lost up to its end. */
int stream_file_finish(struct stream_file *f, uint64_t end_ns, uint64_t lost);

void stream_file_close(struct stream_file *f);

/* Of the present file. */
uint64_t stream_file_bytes(const struct stream_file *f);

#endif
