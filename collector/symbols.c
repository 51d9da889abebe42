// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel addresses in samples, drops and timers of a finished trace, and their symbols. Bounded: so many bytes of
 * the trace, so many addresses; what is beyond stays a number.
 */
#include <kymo/event.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"
#include "trace.h"

enum { SYMBOLS_SLOTS = 1 << 17, SYMBOLS_ADDRESSES = SYMBOLS_SLOTS / 2 };

#define SYMBOLS_KERNEL (1ull << 63)	/* kernel addresses have the top bit */

struct symbols_set {
	uint64_t slot[SYMBOLS_SLOTS];
	unsigned int count;
};

static void symbols_set_add(struct symbols_set *set, uint64_t address)
{
	uint64_t at = (address * 0x9e3779b97f4a7c15ull) >> 47;

	if (!(address & SYMBOLS_KERNEL) || set->count == SYMBOLS_ADDRESSES)
		return;
	while (set->slot[at] && set->slot[at] != address)
		at = (at + 1) % SYMBOLS_SLOTS;
	if (set->slot[at])
		return;
	set->slot[at] = address;
	set->count++;
}

/* ---- the trace ---- */

static void symbols_sample(struct symbols_set *set, const uint8_t *payload, size_t bytes)
{
	struct kymo_ev_cpu_sample ev;
	uint16_t depth;

	if (bytes < sizeof(ev) + sizeof(depth))
		return;
	memcpy(&ev, payload, sizeof(ev));
	memcpy(&depth, payload + sizeof(ev), sizeof(depth));
	symbols_set_add(set, ev.ip);
	payload += sizeof(ev) + sizeof(depth);
	bytes -= sizeof(ev) + sizeof(depth);
	for (; depth && bytes >= sizeof(uint64_t); depth--) {
		uint64_t address;

		memcpy(&address, payload, sizeof(address));
		symbols_set_add(set, address);
		payload += sizeof(address);
		bytes -= sizeof(address);
	}
}

static void symbols_record(struct symbols_set *set, uint16_t id, const uint8_t *payload, size_t bytes)
{
	struct kymo_ev_skb_kfree drop;
	struct kymo_ev_timer_hrtimer_expire_entry timer;

	if (id == KYMO_ID_cpu_sample) {
		symbols_sample(set, payload, bytes);
	} else if (id == KYMO_ID_skb_kfree && bytes >= sizeof(drop)) {
		memcpy(&drop, payload, sizeof(drop));
		symbols_set_add(set, drop.location);
	} else if (id == KYMO_ID_timer_hrtimer_expire_entry && bytes >= sizeof(timer)) {
		memcpy(&timer, payload, sizeof(timer));
		symbols_set_add(set, timer.function);
	}
}

static void symbols_packet(struct symbols_set *set, const uint8_t *packet, size_t content)
{
	size_t at = sizeof(struct kymo_packet);
	struct kymo_record record;

	while (content - at >= sizeof(record)) {
		memcpy(&record, packet + at, sizeof(record));
		at += sizeof(record);
		if (record.len > content - at)
			return;
		symbols_record(set, record.id, packet + at, record.len);
		at += record.len;
	}
}

static void symbols_file(struct symbols *s, struct symbols_set *set, int fd, uint8_t *buf, const struct symbols_limits *limits)
{
	struct kymo_packet head;
	uint64_t at = 0;

	while (s->scanned_bytes < limits->scan_bytes && !s->cut &&
	       pread(fd, &head, sizeof(head), (off_t)at) == (ssize_t)sizeof(head)) {
		uint64_t content = head.content_size / 8;

		if (!trace_packet_ok(&head, NULL, KYMO_PACKET_BYTES_MAX) ||
		    pread(fd, buf, content, (off_t)at) != (ssize_t)content)
			return;
		symbols_packet(set, buf, content);
		s->scanned_bytes += content;
		at += head.packet_size / 8;
		s->cut = limits->signals && *limits->signals != limits->before;
	}
}

static int symbols_scan(struct symbols *s, struct symbols_set *set, int dir, const struct symbols_limits *limits)
{
	uint8_t *buf = malloc(KYMO_PACKET_BYTES_MAX);
	struct trace_file *files = NULL;
	int count = buf ? trace_files(dir, &files) : -ENOMEM;

	/* From behind: samples are in the later ring set, and the flood of the first may use up what may be read. */
	for (int i = count - 1; i >= 0; i--) {
		char name[TRACE_NAME_BYTES];
		int fd;

		trace_file_name(&files[i], name);
		fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		symbols_file(s, set, fd, buf, limits);
		close(fd);
	}
	free(files);
	free(buf);
	return count < 0 ? count : 0;
}

/* ---- the kernel's symbols ---- */

struct symbols_line {
	uint64_t address;
	size_t name;			/* offset in the text */
	bool used;
};

struct symbols_table {
	struct symbols_line *line;
	size_t count, capacity;
	char *names;
	size_t names_bytes, names_capacity;
};

static int symbols_table_add(struct symbols_table *t, uint64_t address, const char *name, const char *module)
{
	if (t->count == t->capacity) {
		void *more = realloc(t->line, (t->capacity = t->capacity * 2 + 4096) * sizeof(*t->line));

		if (!more)
			return -ENOMEM;
		t->line = more;
	}
	if (t->names_capacity - t->names_bytes < 1024) {
		void *more = realloc(t->names, t->names_capacity = t->names_capacity * 2 + (1 << 16));

		if (!more)
			return -ENOMEM;
		t->names = more;
	}
	t->line[t->count++] = (struct symbols_line){ .address = address, .name = t->names_bytes };
	t->names_bytes += 1 + (size_t)snprintf(t->names + t->names_bytes, 1024, "%s%s%s", name, *module ? " " : "", module);
	return 0;
}

static int symbols_line_compare(const void *left, const void *right)
{
	const struct symbols_line *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static int symbols_read_kernel(struct symbols *s, struct symbols_table *t)
{
	FILE *from = fopen("/proc/kallsyms", "re");
	char text[1024], name[512], module[256], kind;
	uint64_t address;
	int err = 0;

	if (!from)
		return -errno;
	while (!err && fgets(text, sizeof(text), from)) {
		module[0] = 0;
		if (sscanf(text, "%" SCNx64 " %c %511s %255s", &address, &kind, name, module) < 3 || !address)
			continue;
		if (!strcmp(name, "_stext"))
			s->kernel_base = address;
		if (strchr("tTwW", kind))
			err = symbols_table_add(t, address, name, module);
	}
	fclose(from);
	if (t->count)
		qsort(t->line, t->count, sizeof(*t->line), symbols_line_compare);
	return err;
}

/* The last line at or below the address: the symbol that it lies in. */
static struct symbols_line *symbols_find(const struct symbols_table *t, uint64_t address)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->line[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &t->line[low - 1] : NULL;
}

/* Up to the next symbol; the last one of a mapping would seem endless. */
static uint64_t symbols_size(const struct symbols_table *t, size_t i)
{
	const uint64_t most = 1 << 20, address = t->line[i].address;

	while (++i < t->count && t->line[i].address == address)
		;
	return i < t->count && t->line[i].address - address < most ? t->line[i].address - address : most;
}

static int symbols_write(struct symbols *s, struct symbols_table *t, const struct symbols_set *set, size_t text_bytes)
{
	FILE *to = open_memstream(&s->text, &s->bytes);

	if (!to)
		return -ENOMEM;
	for (unsigned int i = 0; i < SYMBOLS_SLOTS; i++) {
		struct symbols_line *line = set->slot[i] ? symbols_find(t, set->slot[i]) : NULL;

		if (line)
			line->used = true;
	}
	for (size_t i = 0; i < t->count && (size_t)ftell(to) + 1024 < text_bytes; i++)
		if (t->line[i].used)
			fprintf(to, "%" PRIx64 " %" PRIx64 " %s\n", t->line[i].address, symbols_size(t, i),
				t->names + t->line[i].name);
	return fclose(to) ? -ENOMEM : 0;
}

int symbols_collect(struct symbols *s, int dir, const struct symbols_limits *limits)
{
	struct symbols_set *set = calloc(1, sizeof(*set));
	struct symbols_table table = {};
	int err;

	*s = (struct symbols){};
	if (!set)
		return -ENOMEM;
	err = symbols_scan(s, set, dir, limits);
	s->addresses = set->count;
	if (!err)
		err = symbols_read_kernel(s, &table);
	if (!err)
		err = symbols_write(s, &table, set, limits->text_bytes);
	free(table.line);
	free(table.names);
	free(set);
	return err;
}
