// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stream on disk. Order of writes, for a kill at any instruction and a write(2) that is cut in two: a packet that
 * is appended in one go is whole when the file is long enough; one that grows in place has its room first, then the
 * new bytes, then in one write the header, which lies in one page (84 bytes behind a multiple of 4096).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "stream_file.h"

enum { STREAM_HOLE_BYTES = 4096 };	/* unused rest of a packet that is worth a hole in the file */

static int stream_pwrite(int fd, const void *data, size_t bytes, uint64_t at)
{
	const char *from = data;

	while (bytes) {
		ssize_t n = pwrite(fd, from, bytes, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		from += n;
		at += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

/* What was begun behind the last whole packet is taken back. */
static int stream_file_failed(struct stream_file *f, int err)
{
	if (!f->put && ftruncate(f->fd, (off_t)f->at))
		return err;	/* the reader's repair will do it */
	return err;
}

/* A packet without records. */
static int stream_file_empty_packet(struct stream_file *f, uint64_t seq, uint64_t ns, uint64_t lost)
{
	struct kymo_packet p = f->begin;
	int err;

	p.timestamp_begin = p.timestamp_end = ns;
	p.content_size = p.packet_size = sizeof(p) * 8;
	p.packet_seq_num = seq;
	p.events_discarded = lost;
	err = stream_pwrite(f->fd, &p, sizeof(p), f->at);
	if (err)
		return stream_file_failed(f, err);
	f->at += sizeof(p);
	f->written += sizeof(p);
	f->seq = seq;
	f->end_ns = ns;
	f->lost = lost;
	return 0;
}

static int stream_file_create(struct stream_file *f)
{
	char name[TRACE_NAME_BYTES];

	trace_file_name(&f->file, name);
	f->fd = openat(f->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (f->fd < 0)
		return -errno;
	f->at = 0;
	f->put = 0;
	return 0;
}

int stream_file_roll(struct stream_file *f)
{
	const struct stream_file old = *f;
	int err;

	f->file.chunk++;
	err = stream_file_create(f);
	if (err)
		*f = old;
	else if (close(old.fd))
		err = -errno;
	return err;
}

int stream_file_open(struct stream_file *f, int dir, const struct trace_file *file, const uint8_t uuid[16],
		     const struct input_stream *stream, uint64_t begin_ns)
{
	int err;

	*f = (struct stream_file){ .dir = dir, .file = *file, .packet_bytes = stream->packet_bytes };
	f->begin.magic = KYMO_CTF_MAGIC;
	memcpy(f->begin.uuid, uuid, sizeof(f->begin.uuid));
	f->begin.stream_instance_id = stream->instance;
	f->begin.cpu_id = stream->cpu;
	err = stream_file_create(f);
	if (!err)
		err = stream_file_empty_packet(f, 0, begin_ns, 0);
	return err || file->chunk < 0 ? err : stream_file_roll(f);
}

static void stream_file_header(struct kymo_packet *p, const struct stretch *s)
{
	memcpy(p, s->packet, sizeof(*p));
	if (s->closed)
		return;
	p->timestamp_end = s->last_ns > p->timestamp_begin ? s->last_ns : p->timestamp_begin;
	p->content_size = (uint64_t)s->to * 8;
	p->events_discarded = s->lost;
}

/* The packet grows where it stands: room, new bytes, header. */
static int stream_file_grow(struct stream_file *f, const struct stretch *s, const struct kymo_packet *header)
{
	const uint32_t from = f->put ? f->put : sizeof(*header);
	int err = 0;

	if (!f->put && ftruncate(f->fd, (off_t)(f->at + f->packet_bytes)))
		err = -errno;
	if (!err && s->to > from)
		err = stream_pwrite(f->fd, (const char *)s->packet + from, s->to - from, f->at + from);
	if (!err)
		err = stream_pwrite(f->fd, header, sizeof(*header), f->at);
	return err;
}

int stream_file_put(struct stream_file *f, const struct stretch *s)
{
	struct kymo_packet header;
	int err;

	stream_file_header(&header, s);
	if (s->closed && !f->put && f->packet_bytes - s->to < STREAM_HOLE_BYTES)
		err = stream_pwrite(f->fd, s->packet, f->packet_bytes, f->at);
	else
		err = stream_file_grow(f, s, &header);
	if (err)
		return stream_file_failed(f, err);
	f->written += f->put ? 0 : f->packet_bytes;
	f->put = s->to;
	f->seq = header.packet_seq_num;
	f->end_ns = header.timestamp_end;
	f->lost = header.events_discarded;
	if (s->closed) {
		f->at += f->packet_bytes;
		f->put = 0;
	}
	return 0;
}

int stream_file_finish(struct stream_file *f, uint64_t end_ns, uint64_t lost)
{
	int err;

	if (f->put) {
		f->at += f->packet_bytes;
		f->put = 0;
	}
	err = stream_file_empty_packet(f, f->seq + 1, end_ns > f->end_ns ? end_ns : f->end_ns,
				       lost > f->lost ? lost : f->lost);
	if (close(f->fd) && !err)	/* network file systems tell here that there was no room */
		err = -errno;
	f->fd = -1;
	return err;
}

void stream_file_close(struct stream_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

uint64_t stream_file_bytes(const struct stream_file *f)
{
	return f->at + (f->put ? f->packet_bytes : 0);
}
