// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace directory as an input: metadata (for the uuid), kymo/catalogue, stream_* files. Knows the directory's
 * layout; the records are packet's business.
 */
#include "input_trace.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalogue.h"
#include "packet.h"
#include "text.h"
#include "trace.h"

enum {
	TRACE_NOTES = 16,
	TRACE_TEXT_MAX = 64 << 20,	/* of a file in kymo/ */
};

/* A file of a stream. */
struct trace_chunk {
	char name[TRACE_NAME_BYTES];
	uint64_t bytes;
};

struct trace_stream {
	struct trace_chunk *chunk;	/* in order; a part of input_trace->chunk */
	unsigned int chunks, current;
	int fd;				/* of the current chunk; -1: not open */
	uint64_t at;			/* in the current chunk */
	char name[TRACE_NAME_BYTES];	/* without a chunk number */
	uint8_t *buffer;		/* the packet that is out */
	size_t buffer_bytes;
	uint64_t packet_bytes;		/* of the packet that is out, padding included */
	uint64_t end_ns, seq, lost;	/* of the packet before */
	uint32_t cpu;
	bool begun, out, ended;
};

struct input_trace {
	struct input in;
	int dir;
	char *path;			/* cleaned, for messages */
	struct trace_chunk *chunk;
	struct trace_stream *stream;
	unsigned int turn;		/* the stream that next() tries first */
	unsigned int live;		/* streams that have not ended */
	uint64_t bytes, read;
	char *note[TRACE_NOTES];
	unsigned int notes;
};

static struct input_trace *input_trace_of(const struct input *in)
{
	return (struct input_trace *)in;
}

__attribute__((format(printf, 2, 3)))
static void trace_note(struct input_trace *t, const char *format, ...)
{
	va_list args;

	if (t->notes == TRACE_NOTES)
		return;
	va_start(args, format);
	if (vasprintf(&t->note[t->notes], format, args) >= 0)
		t->notes++;
	va_end(args);
}

/* ---- the directory ---- */

/* A file's neighbours that differ from it in the chunk number only are of the same stream. */
static bool trace_same_stream(const struct trace_file *a, const struct trace_file *b)
{
	return a->own == b->own && a->set == b->set && a->cpu == b->cpu;
}

static int trace_make_streams(struct input_trace *t, const struct trace_file *file, unsigned int files)
{
	t->chunk = calloc(files + 1, sizeof(*t->chunk));
	t->stream = calloc(files + 1, sizeof(*t->stream));
	if (!t->chunk || !t->stream)
		return -ENOMEM;
	for (unsigned int i = 0; i < files; i++) {
		struct trace_file whole = file[i];
		struct trace_stream *s;
		struct stat st;

		trace_file_name(&file[i], t->chunk[i].name);
		if (fstatat(t->dir, t->chunk[i].name, &st, AT_SYMLINK_NOFOLLOW))
			return -errno;
		t->chunk[i].bytes = (uint64_t)st.st_size;
		t->bytes += t->chunk[i].bytes;
		if (!i || !trace_same_stream(&file[i], &file[i - 1])) {
			s = &t->stream[t->in.streams++];
			s->chunk = &t->chunk[i];
			s->fd = -1;
			whole.chunk = -1;
			trace_file_name(&whole, s->name);
		}
		t->stream[t->in.streams - 1].chunks++;
	}
	t->live = t->in.streams;
	return 0;
}

/* What a killed recorder left half written goes, as far as we may write; else packets are checked as they come. */
static void trace_cut_tails(struct input_trace *t)
{
	struct trace_repair done = { 0 };
	const int err = trace_repair(t->dir, false, &done);

	if (err == -EBUSY)
		trace_note(t, "it is still being recorded: this is what had been written when it was opened.");
	else if (!err && done.files)
		trace_note(t, "the recorder was killed: %llu half-written bytes were cut from %u files.",
			   (unsigned long long)done.bytes, done.files);
}

static int trace_find_streams(struct input_trace *t)
{
	struct trace_file *file = NULL;
	int files, err;

	trace_cut_tails(t);
	files = trace_files(t->dir, &file);
	err = files < 0 ? files : trace_make_streams(t, file, (unsigned int)files);
	free(file);
	return err;
}

static char *trace_read_text(int dir, const char *name, size_t *bytes)
{
	const int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);	/* it might be a pipe */
	char *text = NULL;
	size_t at = 0, capacity = 0;
	ssize_t got = 0;

	if (fd < 0)
		return NULL;
	do {
		at += (size_t)got;
		if (capacity - at < 4096) {
			void *grown = capacity > TRACE_TEXT_MAX ? NULL : realloc(text, capacity = capacity * 2 + 65536);

			if (!grown) {
				got = -1;
				break;
			}
			text = grown;
		}
		got = read(fd, text + at, capacity - at - 1);
	} while (got > 0);
	close(fd);
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[at] = 0;
	*bytes = at;
	return text;
}

/* The first quoted uuid of the metadata: the trace's, which stands in each packet too. */
static bool trace_parse_uuid(const char *metadata, uint8_t uuid[16])
{
	const char *at = strstr(metadata, "uuid");
	unsigned int n = 0;

	at = at ? strchr(at, '"') : NULL;
	if (!at++)
		return false;
	while (n < 32 && *at && *at != '"') {
		const char c = *at++;
		unsigned int digit;

		if (c == '-')
			continue;
		if (!isxdigit((unsigned char)c))
			return false;
		digit = (unsigned int)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
		uuid[n / 2] = (uint8_t)(uuid[n / 2] << 4 | digit);
		n++;
	}
	return n == 32;
}

/* Raises the limit of open files: one for each stream. */
static void trace_allow_files(unsigned int streams)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= streams + 64)
		return;
	limit.rlim_cur = limit.rlim_max < streams + 64 ? limit.rlim_max : streams + 64;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* ---- packets ---- */

static void trace_stream_end(struct input_trace *t, struct trace_stream *s)
{
	if (s->ended)
		return;
	s->ended = true;
	t->live--;
	/* What of its files will not be read counts as passed. */
	for (; s->current < s->chunks; s->current++) {
		t->read += s->chunk[s->current].bytes - s->at;
		s->at = 0;
	}
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static int trace_pread(int fd, void *to, size_t bytes, uint64_t at)
{
	for (size_t done = 0; done < bytes;) {
		const ssize_t got = pread(fd, (char *)to + done, bytes - done, (off_t)(at + done));

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			return -ENODATA;
		if (got > 0)
			done += (size_t)got;
	}
	return 0;
}

/* NULL: `p` may follow what was read before. */
static const char *trace_packet_misfit(const struct input_trace *t, const struct trace_stream *s, const struct kymo_packet *p)
{
	if (memcmp(p->uuid, t->in.uuid, sizeof(p->uuid)))
		return "the packet is of another trace";
	if (!s->begun)
		return NULL;
	if (p->cpu_id != s->cpu)
		return "the packet is of another CPU than the one before";
	if (p->timestamp_begin < s->end_ns)
		return "the packet begins before the end of the one before";
	if (p->packet_seq_num <= s->seq && p->packet_seq_num)
		return "the packet's number is not above that of the one before";
	if (p->events_discarded < s->lost)
		return "the packet's loss counter went back";
	return NULL;
}

static int trace_buffer(struct trace_stream *s, size_t bytes)
{
	void *grown;

	if (bytes <= s->buffer_bytes)
		return 0;
	grown = realloc(s->buffer, bytes);
	if (!grown)
		return -ENOMEM;
	s->buffer = grown;
	s->buffer_bytes = bytes;
	return 0;
}

/* A stream cannot be read further. At the end of its last file that is what a killed recorder leaves. */
static void trace_stream_cut(struct input_trace *t, struct trace_stream *s, const char *why)
{
	const struct trace_chunk *f = &s->chunk[s->current];

	trace_note(t, "%s: at byte %llu %s; the last %llu bytes of this file are left out.", f->name,
		   (unsigned long long)s->at, why, (unsigned long long)(f->bytes - s->at));
	if (s->current + 1 < s->chunks)
		trace_note(t, "%s: so are its %u following files.", s->name, s->chunks - s->current - 1);
	trace_stream_end(t, s);
}

/* Opens the file that is due. 1: its bytes are s->at .. bytes; 0: the stream has ended; -errno. */
static int trace_stream_file(struct input_trace *t, struct trace_stream *s)
{
	while (s->current < s->chunks && s->at >= s->chunk[s->current].bytes) {
		if (s->fd >= 0)
			close(s->fd);
		s->fd = -1;
		s->at = 0;
		s->current++;
	}
	if (s->current == s->chunks) {
		trace_stream_end(t, s);
		return 0;
	}
	if (s->fd < 0)
		s->fd = openat(t->dir, s->chunk[s->current].name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return s->fd < 0 ? -errno : 1;
}

/* 1: the next packet is in the buffer; 0: the stream has ended; -errno. */
static int trace_stream_load(struct input_trace *t, struct trace_stream *s)
{
	struct kymo_packet p;
	const char *why;
	uint64_t left;
	int got = trace_stream_file(t, s);

	if (got <= 0)
		return got;
	left = s->chunk[s->current].bytes - s->at;
	got = left < PACKET_HEADER ? 0 : trace_pread(s->fd, &p, PACKET_HEADER, s->at);
	if (got && got != -ENODATA)
		return got;
	why = got ? "the file has become shorter" : packet_wrong(&p, left);
	why = why ? why : trace_packet_misfit(t, s, &p);
	if (why) {
		trace_stream_cut(t, s, why);
		return 0;
	}
	got = trace_buffer(s, p.content_size / 8);
	if (got)
		return got;
	memcpy(s->buffer, &p, PACKET_HEADER);
	got = trace_pread(s->fd, s->buffer + PACKET_HEADER, p.content_size / 8 - PACKET_HEADER, s->at + PACKET_HEADER);
	if (got && got != -ENODATA)
		return got;
	if (got) {
		trace_stream_cut(t, s, "the file has become shorter");
		return 0;
	}
	s->packet_bytes = p.packet_size / 8 < left ? p.packet_size / 8 : left;
	s->end_ns = p.timestamp_end;
	s->seq = p.packet_seq_num;
	s->lost = p.events_discarded;
	s->cpu = p.cpu_id;
	s->begun = true;
	return 1;
}

/* ---- the input ---- */

static int input_trace_wait(struct input *in, int timeout_ms)
{
	(void)in;
	(void)timeout_ms;
	return 0;
}

static int input_trace_next(struct input *in, struct stretch *out)
{
	struct input_trace *t = input_trace_of(in);

	for (unsigned int i = 0; i < in->streams && t->live; i++) {
		const unsigned int index = (t->turn + i) % in->streams;
		struct trace_stream *s = &t->stream[index];
		const struct kymo_packet *p;
		int got;

		if (s->out || s->ended)
			continue;
		got = trace_stream_load(t, s);
		if (got < 0)
			return got;
		if (!got)
			continue;
		p = (const struct kymo_packet *)s->buffer;
		*out = (struct stretch){
			.stream = index, .packet = p, .from = PACKET_HEADER, .to = (uint32_t)(p->content_size / 8),
			.closed = true, .end_ns = p->timestamp_end, .last_ns = p->timestamp_end, .lost = p->events_discarded,
		};
		s->out = true;
		t->turn = (index + 1) % in->streams;
		return 1;
	}
	return t->live ? 0 : -ENODATA;
}

static void input_trace_release(struct input *in, const struct stretch *stretch)
{
	struct input_trace *t = input_trace_of(in);
	struct trace_stream *s = &t->stream[stretch->stream];

	s->at += s->packet_bytes;
	t->read += s->packet_bytes;
	s->out = false;
	t->turn = stretch->stream;
}

static void input_trace_destroy(struct input *in)
{
	struct input_trace *t = input_trace_of(in);

	for (unsigned int i = 0; t->stream && i < in->streams; i++) {
		if (t->stream[i].fd >= 0)
			close(t->stream[i].fd);
		free(t->stream[i].buffer);
	}
	for (unsigned int i = 0; i < t->notes; i++)
		free(t->note[i]);
	if (t->dir >= 0)
		close(t->dir);
	catalogue_destroy(in->catalogue);
	free(t->stream);
	free(t->chunk);
	free(t->path);
	free(t);
}

static const struct input_ops input_trace_ops = {
	.name = "trace",
	.wait = input_trace_wait,
	.next = input_trace_next,
	.release = input_trace_release,
	.destroy = input_trace_destroy,
};

/* Fills t; false: `error` says why not. */
static bool trace_load(struct input_trace *t, const char *path, char *error)
{
	char *text;
	size_t bytes;
	int err;

	t->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->dir < 0) {
		snprintf(error, INPUT_TRACE_ERROR,
			"cannot open %s: %s. Give the directory that 'kymo record -o' made.",
			t->path, strerror(errno));
		return false;
	}
	text = trace_read_text(t->dir, TRACE_METADATA, &bytes);
	if (!text) {
		snprintf(error, INPUT_TRACE_ERROR,
			"%s is no trace: it has no readable file 'metadata'. "
			"Give the directory that 'kymo record -o' made.", t->path);
		return false;
	}
	if (!trace_parse_uuid(text, t->in.uuid)) {
		snprintf(error, INPUT_TRACE_ERROR, "%s is no trace of kymo: its metadata has no uuid.", t->path);
		free(text);
		return false;
	}
	free(text);
	text = trace_read_text(t->dir, TRACE_CATALOGUE, &bytes);
	if (!text) {
		snprintf(error, INPUT_TRACE_ERROR,
			"%s was not recorded by kymo, or is not complete: it has no file 'kymo/catalogue'. "
			 "babeltrace2 reads any CTF trace.", t->path);
		return false;
	}
	err = catalogue_add(t->in.catalogue, text, trace_catalogue_whole(text, bytes));
	free(text);
	if (err == 0)
		err = -EBADMSG;
	if (err > 0)
		err = trace_find_streams(t);
	if (err == -EBADMSG)
		snprintf(error, INPUT_TRACE_ERROR,
			"%s: the event types in 'kymo/catalogue' cannot be read: "
			"the file is damaged or of another version of kymo.", t->path);
	else if (err)
		snprintf(error, INPUT_TRACE_ERROR, "cannot read %s: %s.", t->path, strerror(-err));
	else if (!t->in.streams)
		snprintf(error, INPUT_TRACE_ERROR, "%s has no stream files: nothing was recorded.", t->path);
	return !err && t->in.streams;
}

struct input *input_trace_open(const char *path, char error[INPUT_TRACE_ERROR])
{
	struct input_trace *t = calloc(1, sizeof(*t));

	error[0] = 0;
	if (t) {
		t->in.ops = &input_trace_ops;
		t->dir = -1;
		t->in.catalogue = catalogue_create();
		t->path = malloc(INPUT_TRACE_ERROR / 2);
	}
	if (!t || !t->in.catalogue || !t->path) {
		snprintf(error, INPUT_TRACE_ERROR, "no memory.");
		if (t)
			input_trace_destroy(&t->in);
		return NULL;
	}
	text_clean(t->path, INPUT_TRACE_ERROR / 2, path, strlen(path));
	if (!trace_load(t, path, error)) {
		input_trace_destroy(&t->in);
		return NULL;
	}
	trace_allow_files(t->in.streams);
	return &t->in;
}

uint64_t input_trace_bytes(const struct input *in)
{
	return input_trace_of(in)->bytes;
}

uint64_t input_trace_read(const struct input *in)
{
	return input_trace_of(in)->read;
}

const char *input_trace_stream_name(const struct input *in, unsigned int stream)
{
	return input_trace_of(in)->stream[stream].name;
}

const char *input_trace_note(const struct input *in, unsigned int index)
{
	const struct input_trace *t = input_trace_of(in);

	return index < t->notes ? t->note[index] : NULL;
}

char *input_trace_text(const struct input *in, const char *name, size_t *bytes)
{
	return trace_read_text(input_trace_of(in)->dir, name, bytes);
}

void input_trace_machine(struct input *in, struct machine *m)
{
	static const char *const names[MACHINE_FILES] = { [MACHINE_FILE_TASKS] = TRACE_TASKS,
		[MACHINE_FILE_MAPPINGS] = TRACE_MAPPINGS, [MACHINE_FILE_MODULES] = TRACE_MODULES };
	struct input_trace *t = input_trace_of(in);

	for (int i = 0; i < MACHINE_FILES; i++) {
		size_t bytes;
		char *text = trace_read_text(t->dir, names[i], &bytes);
		const int err = text ? machine_read(m, (enum machine_file)i, text, bytes) : 0;

		if (err == -EBADMSG)
			trace_note(t, "%s is damaged, or of another version of kymo: what follows the damage is not known.",
				   names[i]);
		free(text);
	}
}
