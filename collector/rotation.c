// SPDX-License-Identifier: GPL-2.0-or-later
/* Deletes the oldest finished file of a trace when the next packet would not fit below the limit. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rotation.h"

void rotation_fini(struct rotation *r)
{
	free(r->finished);
	r->finished = NULL;
}

int rotation_finished(struct rotation *r, const struct rotation_file *file)
{
	if (r->first == r->count)
		r->first = r->count = 0;
	if (r->count == r->capacity && r->first) {
		memmove(r->finished, r->finished + r->first, (r->count - r->first) * sizeof(*r->finished));
		r->count -= r->first;
		r->first = 0;
	}
	if (r->count == r->capacity) {
		unsigned int capacity = r->capacity ? r->capacity * 2 : 64;
		void *more = realloc(r->finished, capacity * sizeof(*r->finished));

		if (!more)
			return -ENOMEM;
		r->finished = more;
		r->capacity = capacity;
	}
	r->finished[r->count++] = *file;
	return 0;
}

/*
 * The opening packet, which is chunk 0, takes the number and the loss of the last packet that is gone, so that what
 * is lost after that can still be numbered. Its time stays: babeltrace2 2.0 puts packets of equal begin in the order
 * in which it comes upon the files, and a packet's end is its successor's begin.
 */
static int rotation_move_opening(int dir, const struct rotation_file *f)
{
	struct trace_file opening = f->file;
	struct kymo_packet packet;
	char name[TRACE_NAME_BYTES];
	int fd, err = 0;

	opening.chunk = 0;
	trace_file_name(&opening, name);
	fd = openat(dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (pread(fd, &packet, sizeof(packet), 0) != (ssize_t)sizeof(packet))
		err = -EIO;
	packet.packet_seq_num = f->seq;
	packet.events_discarded = f->lost;
	if (!err && pwrite(fd, &packet, sizeof(packet), 0) != (ssize_t)sizeof(packet))
		err = -EIO;
	close(fd);
	return err;
}

static int rotation_delete_oldest(struct rotation *r, int dir)
{
	const struct rotation_file *f = &r->finished[r->first];
	char name[TRACE_NAME_BYTES];

	trace_file_name(&f->file, name);
	if (unlinkat(dir, name, 0) && errno != ENOENT)
		return -errno;
	r->first++;
	r->bytes -= f->bytes;
	r->deleted_files++;
	r->deleted_bytes += f->bytes;
	if (f->end_ns > r->deleted_until_ns)
		r->deleted_until_ns = f->end_ns;
	return rotation_move_opening(dir, f);
}

int rotation_room(struct rotation *r, int dir, uint64_t bytes)
{
	while (r->max_bytes && r->bytes + bytes > r->max_bytes) {
		int err = r->first < r->count ? rotation_delete_oldest(r, dir) : -EFBIG;

		if (err)
			return err;
	}
	r->bytes += bytes;
	return 0;
}
