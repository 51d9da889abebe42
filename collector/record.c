// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes a trace directory: metadata before data, packets as they lie, files within the size limit. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record.h"
#include "stream_file.h"

enum {
	RECORD_CHUNKS = 4,		/* of a stream, that fit into the size limit together with those of the others */
	RECORD_OWN_BYTES = 256 << 10,	/* kept free under a size limit for symbols and session at the end, */
	RECORD_MACHINE_SHARE = 16,	/* and one part of so many for who was there */
};

struct record {
	int dir, metadata, catalogue;
	const char *path;
	bool made;			/* the directory was not there */
	struct rotation rotation;
	struct stream_file *streams;
	unsigned int count;
	uint8_t uuid[16];
	uint64_t begin_ns;
	char where[PATH_MAX];		/* of the last error */
	uint8_t typed[(1 << 16) / 8];	/* ids that the metadata has */
};

static int record_failed(struct record *r, const char *name, int err)
{
	snprintf(r->where, sizeof(r->where), "%s%s%s", r->path, *name ? "/" : "", name);
	return err;
}

static int record_stream_failed(struct record *r, const struct stream_file *f, int err)
{
	char name[TRACE_NAME_BYTES];

	trace_file_name(&f->file, name);
	snprintf(r->where, sizeof(r->where), "%s/%s at byte %llu", r->path, name, (unsigned long long)f->at);
	return err;
}

/* ---- the directory ---- */

static int record_is_empty(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	struct dirent *entry;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d)
		return -errno;
	while (!err && (entry = readdir(d)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			err = -ENOTEMPTY;
	closedir(d);
	return err;
}

static int record_open(struct record *r)
{
	int err;

	r->made = !mkdir(r->path, 0755);
	if (!r->made && errno != EEXIST)
		return -errno;
	r->dir = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->dir < 0)
		return -errno;
	err = record_is_empty(r->dir);
	if (err)
		return err;
	r->metadata = openat(r->dir, TRACE_METADATA, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
	if (r->metadata < 0)
		return record_failed(r, TRACE_METADATA, -errno);
	err = trace_lock(r->metadata);
	if (err)
		return record_failed(r, TRACE_METADATA, err);
	if (mkdirat(r->dir, TRACE_OWN_DIR, 0755))
		return record_failed(r, TRACE_OWN_DIR, -errno);
	r->catalogue = openat(r->dir, TRACE_CATALOGUE, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
	return r->catalogue < 0 ? record_failed(r, TRACE_CATALOGUE, -errno) : 0;
}

int record_create(struct record **out, const char *path, uint64_t max_bytes)
{
	struct record *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	*out = r;
	r->path = path;
	r->dir = r->metadata = r->catalogue = -1;
	r->rotation.max_bytes = max_bytes ? max_bytes - RECORD_OWN_BYTES - record_machine_bytes(max_bytes) : 0;
	record_failed(r, "", 0);
	err = record_open(r);
	return err;
}

void record_destroy(struct record *r)
{
	if (!r)
		return;
	for (unsigned int i = 0; i < r->count; i++)
		stream_file_close(&r->streams[i]);
	free(r->streams);
	rotation_fini(&r->rotation);
	if (r->catalogue >= 0)
		close(r->catalogue);
	if (r->metadata >= 0)
		close(r->metadata);
	if (r->dir >= 0)
		close(r->dir);
	free(r);
}

int record_close(struct record *r)
{
	const int catalogue = r->catalogue, metadata = r->metadata;

	/* The guard still has the lock, which is the file's. */
	r->catalogue = r->metadata = -1;
	if (close(catalogue)) {
		const int err = -errno;

		close(metadata);
		return record_failed(r, TRACE_CATALOGUE, err);
	}
	return close(metadata) ? record_failed(r, TRACE_METADATA, -errno) : 0;
}

int record_dir(const struct record *r)
{
	return r->dir;
}

int record_lock(const struct record *r)
{
	return r->metadata;
}

/* ---- metadata and catalogue ---- */

/* All of it or nothing: half an event type would make the metadata unreadable. */
static int record_append(struct record *r, int fd, const char *name, const void *data, size_t bytes)
{
	off_t at = lseek(fd, 0, SEEK_END);
	int err = rotation_room(&r->rotation, r->dir, bytes);
	ssize_t n;

	if (err)
		return record_failed(r, name, err);
	n = write(fd, data, bytes);
	if (n == (ssize_t)bytes)
		return 0;
	err = n < 0 ? -errno : -ENOSPC;
	if (at >= 0 && ftruncate(fd, at))
		err = -errno;
	return record_failed(r, name, err);
}

int record_begin(struct record *r, const struct metadata *head, uint64_t begin_ns)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	int err;

	if (!to)
		return -ENOMEM;
	memcpy(r->uuid, head->uuid, sizeof(r->uuid));
	r->begin_ns = begin_ns;
	metadata_write_head(to, head);
	err = fclose(to) ? -ENOMEM : record_append(r, r->metadata, TRACE_METADATA, text, bytes);
	free(text);
	return err;
}

static int record_type_entry(struct record *r, const struct event_type *type)
{
	const size_t bytes = sizeof(struct kymo_event_type) + type->fields * sizeof(struct kymo_field);
	struct kymo_event_type *e = calloc(1, bytes);
	int err;

	if (!e)
		return -ENOMEM;
	e->size = (uint32_t)bytes;
	e->id = type->id;
	e->fields = (uint16_t)type->fields;
	e->flags = type->flags;
	memcpy(e->source, type->source, sizeof(e->source));
	memcpy(e->name, type->name, sizeof(e->name));
	memcpy(e->reason, type->reason, sizeof(e->reason));
	memcpy(e->field, type->field, type->fields * sizeof(struct kymo_field));
	err = record_append(r, r->catalogue, TRACE_CATALOGUE, e, bytes);
	free(e);
	return err;
}

int record_type(struct record *r, const struct event_type *type)
{
	uint8_t *typed = &r->typed[type->id / 8];
	char *text = NULL;
	size_t bytes;
	FILE *to;
	int err;

	if (*typed & (1 << type->id % 8))
		return 0;
	to = open_memstream(&text, &bytes);
	if (!to)
		return -ENOMEM;
	metadata_write_type(to, type);
	err = fclose(to) ? -ENOMEM : record_append(r, r->metadata, TRACE_METADATA, text, bytes);
	free(text);
	if (!err)
		err = record_type_entry(r, type);
	if (!err)
		*typed |= (uint8_t)(1 << type->id % 8);
	return err;
}

/* ---- streams ---- */

static void record_discard_stream(const struct record *r, const struct stream_file *f)
{
	struct trace_file file = f->file;
	char name[TRACE_NAME_BYTES];

	do {
		trace_file_name(&file, name);
		unlinkat(r->dir, name, 0);
	} while (file.chunk-- > 0);
}

int record_stream(struct record *r, const struct input_stream *stream, bool own)
{
	struct trace_file file = { .own = own, .set = own ? 0 : stream->set, .cpu = own ? 0 : stream->cpu,
				   .chunk = r->rotation.max_bytes ? 0 : -1 };
	struct stream_file *more = realloc(r->streams, (r->count + 1) * sizeof(*more));
	int err;

	if (!more)
		return -ENOMEM;
	r->streams = more;
	more[r->count] = (struct stream_file){ .fd = -1, .file = file };
	/* The closing packet is counted in already: it must never find the trace full. */
	err = rotation_room(&r->rotation, r->dir, 2 * sizeof(struct kymo_packet));
	if (!err)
		err = stream_file_open(&more[r->count], r->dir, &file, r->uuid, stream, r->begin_ns);
	if (err) {
		if (err != -EEXIST)	/* else it is somebody else's */
			record_discard_stream(r, &more[r->count]);
		return record_stream_failed(r, &more[r->count], err);
	}
	r->count++;
	return 0;
}

unsigned int record_streams(const struct record *r)
{
	return r->count;
}

static int record_roll(struct record *r, struct stream_file *f)
{
	const struct rotation_file old = { .file = f->file, .bytes = stream_file_bytes(f), .end_ns = f->end_ns,
					   .seq = f->seq, .lost = f->lost };
	int err = stream_file_roll(f);

	return err ? err : rotation_finished(&r->rotation, &old);
}

/* Room for one more packet of this stream, in this file or the next. */
static int record_room(struct record *r, struct stream_file *f)
{
	const uint64_t chunk = r->rotation.max_bytes / RECORD_CHUNKS / r->count;
	int err;

	if (!r->rotation.max_bytes)
		return 0;
	if (f->at && f->at + f->packet_bytes > chunk) {
		err = record_roll(r, f);
		if (err)
			return err;
	}
	return rotation_room(&r->rotation, r->dir, f->packet_bytes);
}

int record_put(struct record *r, unsigned int stream, const struct stretch *s)
{
	struct stream_file *f = &r->streams[stream];
	int err = f->put ? 0 : record_room(r, f);

	if (!err)
		err = stream_file_put(f, s);
	return err ? record_stream_failed(r, f, err) : 0;
}

int record_finish(struct record *r, unsigned int stream, uint64_t end_ns, uint64_t lost)
{
	struct stream_file *f = &r->streams[stream];
	int err = stream_file_finish(f, end_ns, lost);

	return err ? record_stream_failed(r, f, err) : 0;
}

void record_discard(struct record *r)
{
	if (r->metadata < 0)
		return;
	for (unsigned int i = 0; i < r->count; i++)
		record_discard_stream(r, &r->streams[i]);
	if (r->catalogue >= 0) {
		unlinkat(r->dir, TRACE_CATALOGUE, 0);
		unlinkat(r->dir, TRACE_SESSION, 0);
		unlinkat(r->dir, TRACE_OWN_DIR, AT_REMOVEDIR);
	}
	unlinkat(r->dir, TRACE_METADATA, 0);
	if (r->made)
		rmdir(r->path);
}

/* ---- the rest ---- */

int record_own_file(struct record *r, const char *name, const char *text, size_t bytes)
{
	char temporary[TRACE_NAME_BYTES];
	int fd, err = 0;

	snprintf(temporary, sizeof(temporary), "%s" TRACE_UNFINISHED, name);
	fd = openat(r->dir, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return record_failed(r, name, -errno);
	while (bytes && !err) {
		const ssize_t n = write(fd, text, bytes);

		if (n < 0 && errno != EINTR)
			err = -errno;
		if (!n)
			err = -EIO;
		text += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	if (close(fd) && !err)
		err = -errno;
	if (!err && renameat(r->dir, temporary, r->dir, name))
		err = -errno;
	if (!err)
		return 0;
	unlinkat(r->dir, temporary, 0);
	return record_failed(r, name, err);
}

const char *record_where(const struct record *r)
{
	return r->where;
}

const struct rotation *record_rotation(const struct record *r)
{
	return &r->rotation;
}

uint64_t record_bytes(const struct record *r)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < r->count; i++)
		bytes += r->streams[i].written;
	return bytes;
}

unsigned int record_files(const struct record *r)
{
	return r->count * (r->rotation.max_bytes ? 2 : 1) + r->rotation.count - r->rotation.first;
}

uint64_t record_machine_bytes(uint64_t max_bytes)
{
	return max_bytes / RECORD_MACHINE_SHARE;
}

uint64_t record_type_bytes(const struct event_type *type)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);

	if (to) {
		metadata_write_type(to, type);
		fclose(to);
	}
	free(text);
	return bytes + sizeof(struct kymo_event_type) + type->fields * sizeof(struct kymo_field);
}

uint64_t record_least_bytes(unsigned int streams, uint32_t packet_bytes, uint64_t types_bytes)
{
	const uint64_t head = 64 << 10;	/* of the metadata, and types that come later */
	const uint64_t files = (uint64_t)streams * 2 * (packet_bytes + 4 * sizeof(struct kymo_packet));

	return (RECORD_OWN_BYTES + head + types_bytes + files) * RECORD_MACHINE_SHARE / (RECORD_MACHINE_SHARE - 1) + 1;
}
