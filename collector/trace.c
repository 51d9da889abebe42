// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of a trace's files, and the repair of one whose recorder was killed: the packet that it was just writing
 * was never promised to anybody and is cut off. What looks otherwise is damage, and is left as it is: there may be
 * whole packets behind it. Packets' headers are all it looks at.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace.h"

enum { TRACE_TEXT_MAX = 64 << 20 };	/* of metadata and catalogue */

/* Decimal without sign or leading zeros, up to a limit no machine reaches. */
static const char *trace_number(const char *at, unsigned int *out)
{
	unsigned long value = 0;
	const char *begin = at;

	while (*at >= '0' && *at <= '9') {
		value = value * 10 + (unsigned long)(*at - '0');
		if (value > 100000000 || (at > begin && *begin == '0'))
			return NULL;
		at++;
	}
	*out = (unsigned int)value;
	return at > begin ? at : NULL;
}

bool trace_file_parse(const char *name, struct trace_file *out)
{
	struct trace_file f = { .chunk = -1 };
	unsigned int chunk;

	if (strncmp(name, "stream_", 7))
		return false;
	name += 7;
	if (!strncmp(name, "kymo", 4)) {
		f.own = true;
		name += 4;
	} else {
		name = trace_number(name, &f.set);
		if (!name || *name++ != '_')
			return false;
		name = trace_number(name, &f.cpu);
		if (!name)
			return false;
	}
	if (*name == '.') {
		name = trace_number(name + 1, &chunk);
		if (!name)
			return false;
		f.chunk = (int)chunk;
	}
	if (*name)
		return false;
	*out = f;
	return true;
}

void trace_file_name(const struct trace_file *f, char name[TRACE_NAME_BYTES])
{
	int n;

	if (f->own)
		n = snprintf(name, TRACE_NAME_BYTES, "stream_kymo");
	else
		n = snprintf(name, TRACE_NAME_BYTES, "stream_%u_%u", f->set, f->cpu);
	if (f->chunk >= 0)
		snprintf(name + n, TRACE_NAME_BYTES - (size_t)n, ".%d", f->chunk);
}

static int trace_file_compare(const void *left, const void *right)
{
	const struct trace_file *a = left, *b = right;

	if (a->own != b->own)
		return a->own ? 1 : -1;
	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->chunk < b->chunk ? -1 : a->chunk > b->chunk;
}

int trace_files(int dir, struct trace_file **out)
{
	struct trace_file *files = NULL, f;
	int count = 0, capacity = 0, err = 0;
	struct dirent *entry;
	DIR *d;
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*out = NULL;
	if (fd < 0)
		return -errno;
	d = fdopendir(fd);
	if (!d) {
		err = -errno;
		close(fd);
		return err;
	}
	while ((entry = readdir(d))) {
		struct stat st;

		if (!trace_file_parse(entry->d_name, &f))
			continue;
		/* A pipe or a directory is no stream, whatever its name. A link stays: to open it fails, and tells. */
		if (!fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
			continue;
		if (count == capacity) {
			void *more = realloc(files, (size_t)(capacity = capacity * 2 + 16) * sizeof(*files));

			if (!more) {
				err = -ENOMEM;
				break;
			}
			files = more;
		}
		files[count++] = f;
	}
	closedir(d);
	if (err) {
		free(files);
		return err;
	}
	if (count)
		qsort(files, (size_t)count, sizeof(*files), trace_file_compare);
	*out = files;
	return count;
}

bool trace_packet_ok(const struct kymo_packet *packet, const uint8_t *uuid, uint64_t bytes)
{
	const uint64_t least = sizeof(*packet) * 8;

	return packet->magic == KYMO_CTF_MAGIC && packet->stream_id == 0 &&
	       packet->packet_size % 8 == 0 && packet->packet_size >= least && packet->packet_size / 8 <= bytes &&
	       packet->content_size % 8 == 0 && packet->content_size >= least &&
	       packet->content_size <= packet->packet_size && packet->timestamp_begin <= packet->timestamp_end &&
	       (!uuid || !memcmp(packet->uuid, uuid, sizeof(packet->uuid)));
}

int64_t trace_whole_bytes(int fd, const uint8_t *uuid)
{
	struct kymo_packet packet;
	uint8_t first[sizeof(packet.uuid)];
	struct stat st;
	int64_t at = 0;

	if (fstat(fd, &st))
		return -errno;
	while (at < st.st_size) {
		ssize_t n = pread(fd, &packet, sizeof(packet), at);

		if (n < 0)
			return -errno;
		if (n < (ssize_t)sizeof(packet) || !trace_packet_ok(&packet, uuid, (uint64_t)(st.st_size - at)))
			break;
		if (!uuid)
			uuid = memcpy(first, packet.uuid, sizeof(first));
		at += (int64_t)(packet.packet_size / 8);
	}
	return at;
}

/*
 * Is this what a kill leaves of one packet? It can be shorter than its header says, or have no header yet: room for
 * it comes first, the header last. No other packet begins in it.
 */
static bool trace_is_torn(const char *tail, size_t bytes)
{
	static const struct kymo_packet none;
	const uint32_t magic = KYMO_CTF_MAGIC;
	struct kymo_packet p;

	if (bytes < sizeof(p))
		return !memcmp(tail, &magic, bytes < sizeof(magic) ? bytes : sizeof(magic));
	memcpy(&p, tail, sizeof(p));
	if (memcmp(&p, &none, sizeof(p)) && !trace_packet_ok(&p, NULL, UINT64_MAX))
		return false;
	for (size_t at = 1; at + sizeof(p) <= bytes; at++) {
		if (tail[at] != (char)(KYMO_CTF_MAGIC & 0xff))
			continue;
		memcpy(&p, tail + at, sizeof(p));
		if (trace_packet_ok(&p, NULL, UINT64_MAX))
			return false;
	}
	return true;
}

/* 1: the bytes from `from` on are a torn packet; 0: they are not; -errno. */
static int trace_tail_is_torn(int fd, int64_t from, int64_t bytes)
{
	char *tail;
	ssize_t n;
	int err;

	if (bytes > KYMO_PACKET_BYTES_MAX)
		return 0;
	tail = malloc((size_t)bytes);
	if (!tail)
		return -ENOMEM;
	n = pread(fd, tail, (size_t)bytes, from);
	err = n < 0 ? -errno : n == bytes && trace_is_torn(tail, (size_t)bytes);
	free(tail);
	return err;
}

static int trace_cut(int dir, const char *name, int64_t whole, int64_t bytes, struct trace_repair *done)
{
	int fd = openat(dir, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), err;

	if (fd < 0)
		return -errno;
	err = ftruncate(fd, whole) ? -errno : 0;
	close(fd);
	if (!err) {
		done->files++;
		done->bytes += (uint64_t)(bytes - whole);
	}
	return err;
}

static int trace_repair_file(int dir, const char *name, struct trace_repair *done)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), err = 0;
	struct stat st;
	int64_t whole;

	if (fd < 0)
		return -errno;
	whole = trace_whole_bytes(fd, NULL);
	if (whole < 0 || fstat(fd, &st))
		err = whole < 0 ? (int)whole : -errno;
	else if (whole < st.st_size)
		err = trace_tail_is_torn(fd, whole, st.st_size - whole);
	close(fd);
	return err <= 0 ? err : trace_cut(dir, name, whole, st.st_size, done);
}

/* ---- metadata and catalogue ---- */

size_t trace_metadata_whole(const char *text, size_t bytes)
{
	static const char end[] = "\n};\n\n", begin[] = "event {\n";
	const size_t end_bytes = sizeof(end) - 1;
	size_t at = bytes, rest;

	/* No white space is missed at the end. */
	while (bytes && at && text[at - 1] == '\n')
		at--;
	if (at >= 3 && !memcmp(text + at - 3, "\n};", 3))
		return bytes;
	for (at = bytes; at >= end_bytes && memcmp(text + at - end_bytes, end, end_bytes); at--)
		;
	if (at < end_bytes)
		return bytes;
	rest = bytes - at < sizeof(begin) - 1 ? bytes - at : sizeof(begin) - 1;
	return memcmp(text + at, begin, rest) ? bytes : at;
}

size_t trace_catalogue_whole(const char *entries, size_t bytes)
{
	struct kymo_event_type e;
	size_t at = 0;

	while (bytes - at >= sizeof(e)) {
		memcpy(&e, entries + at, sizeof(e));
		if (e.size != sizeof(e) + e.fields * sizeof(struct kymo_field))
			return bytes;
		if (e.size > bytes - at)
			break;
		at += e.size;
	}
	return at;
}

/* Cuts a text of ours, if `whole` finds that its last part is half written. */
static int trace_repair_text(int dir, const char *name, size_t (*whole)(const char *, size_t), struct trace_repair *done)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), err = 0;
	char *text = NULL;
	struct stat st;
	size_t bytes;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISREG(st.st_mode) && st.st_size && st.st_size <= TRACE_TEXT_MAX)
		text = malloc((size_t)st.st_size);
	if (text && pread(fd, text, (size_t)st.st_size, 0) == st.st_size) {
		bytes = whole(text, (size_t)st.st_size);
		if (bytes < (size_t)st.st_size)
			err = trace_cut(dir, name, (int64_t)bytes, st.st_size, done);
	}
	free(text);
	close(fd);
	return err;
}

static void trace_delete_unfinished(int dir)
{
	static const char *const names[] = { TRACE_SESSION TRACE_UNFINISHED, TRACE_TASKS TRACE_UNFINISHED,
		TRACE_MAPPINGS TRACE_UNFINISHED, TRACE_MODULES TRACE_UNFINISHED, TRACE_FUNCTIONS TRACE_UNFINISHED,
		TRACE_SYMBOLS TRACE_UNFINISHED };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlinkat(dir, names[i], 0);	/* where that is not allowed it hurts nobody */
}

int trace_lock(int metadata)
{
	return flock(metadata, LOCK_EX | LOCK_NB) && errno != ENOSYS ? -errno : 0;
}

int trace_repair(int dir, bool locked, struct trace_repair *done)
{
	struct trace_file *files;
	char name[TRACE_NAME_BYTES];
	int lock = -1, count, err = 0;

	*done = (struct trace_repair){};
	if (!locked) {
		lock = openat(dir, TRACE_METADATA, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (lock < 0)
			return -errno;
		err = trace_lock(lock);
		if (err) {
			close(lock);
			return err == -EWOULDBLOCK ? -EBUSY : err;
		}
	}
	count = trace_files(dir, &files);
	/* One file that cannot be cut does not keep the others from it. */
	for (int i = 0; i < count; i++) {
		int failed;

		trace_file_name(&files[i], name);
		failed = trace_repair_file(dir, name, done);
		if (failed)
			err = failed;
	}
	free(files);
	if (count >= 0 && !err)
		err = trace_repair_text(dir, TRACE_METADATA, trace_metadata_whole, done);
	if (count >= 0 && !err)
		err = trace_repair_text(dir, TRACE_CATALOGUE, trace_catalogue_whole, done);
	trace_delete_unfinished(dir);
	if (lock >= 0)
		close(lock);
	return count < 0 ? count : err;
}
