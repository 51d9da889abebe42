// SPDX-License-Identifier: GPL-2.0-or-later
/* Deletes the oldest finished file of a trace when the next packet would not fit below the limit. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rotation.h"

void rotation_fini(struct rotation *r)
{
	free(r->finished);
	r->finished = NULL;
}

int rotation_finished(struct rotation *r, const struct trace_file *file, uint64_t bytes, uint64_t end_ns)
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
	r->finished[r->count++] = (struct rotation_file){ .file = *file, .bytes = bytes, .end_ns = end_ns };
	return 0;
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
	return 0;
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
