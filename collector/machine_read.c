// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine from text. Nothing of it is believed: numbers must be numbers, objects must have been named before, texts
 * are cut to the size that they may have.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine_file.h"

struct machine_reader {
	struct machine *m;
	const char *at, *end;		/* of the line */
	struct machine_process *process; /* that the lines are about */
	const struct machine_object **object;
	size_t objects, capacity;
	bool bad;
};

static void machine_space(struct machine_reader *r)
{
	if (r->at < r->end && *r->at == ' ')
		r->at++;
	else if (r->at < r->end)
		r->bad = true;
}

static uint64_t machine_number_of(struct machine_reader *r, unsigned int base, char behind)
{
	const char *begin = r->at;
	uint64_t value = 0;

	for (; r->at < r->end; r->at++) {
		const char c = *r->at;
		const unsigned int digit = c >= '0' && c <= '9' ? (unsigned int)(c - '0') :
					   c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 : 16;

		if (digit >= base)
			break;
		if (value > (UINT64_MAX - digit) / base)
			r->bad = true;
		value = value * base + digit;
	}
	if (r->at == begin)
		r->bad = true;
	if (behind && r->at < r->end && *r->at == behind)
		r->at++;
	else
		machine_space(r);
	return value;
}

static uint64_t machine_decimal(struct machine_reader *r)
{
	return machine_number_of(r, 10, 0);
}

static uint64_t machine_hex(struct machine_reader *r)
{
	return machine_number_of(r, 16, 0);
}

static int32_t machine_pid(struct machine_reader *r)
{
	const uint64_t value = machine_decimal(r);

	r->bad |= value > INT32_MAX;
	return (int32_t)value;
}

static uint8_t machine_id(struct machine_reader *r, uint8_t id[MACHINE_BUILD_ID])
{
	unsigned int digits = 0;

	if (r->at < r->end && *r->at == '-') {
		r->at++;
		machine_space(r);
		return 0;
	}
	for (; r->at < r->end && *r->at != ' '; r->at++) {
		const char c = *r->at;
		const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (digit < 0 || digits == 2 * MACHINE_BUILD_ID) {
			r->bad = true;
			return 0;
		}
		id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | digit);
		digits++;
	}
	r->bad |= digits % 2;
	machine_space(r);
	return (uint8_t)(digits / 2);
}

/* The last word of a line. terminated: a NUL always follows. */
static void machine_text(struct machine_reader *r, char *out, size_t bytes, bool terminated)
{
	const size_t most = bytes - terminated;
	size_t n = 0;

	memset(out, 0, bytes);
	if (r->end - r->at == 1 && *r->at == '-')
		return;
	while (r->at < r->end && n < most) {
		char c = *r->at++;

		if (c == '\\') {
			unsigned int value = 0;

			for (int i = 0; i < 3; i++, r->at++) {
				if (r->at == r->end || *r->at < '0' || *r->at > '7') {
					r->bad = true;
					return;
				}
				value = value * 8 + (unsigned int)(*r->at - '0');
			}
			c = (char)value;
		}
		out[n++] = c;
	}
}

static bool machine_is(struct machine_reader *r, const char *word)
{
	const size_t bytes = strlen(word);

	if ((size_t)(r->end - r->at) <= bytes || memcmp(r->at, word, bytes) || r->at[bytes] != ' ')
		return false;
	r->at += bytes + 1;
	return true;
}

static int machine_read_process(struct machine_reader *r, bool whole)
{
	struct machine_process p = { .pid = machine_pid(r) };

	p.start_ns = machine_decimal(r);
	if (whole) {
		p.until_ns = machine_decimal(r);
		p.ppid = machine_pid(r);
		p.kernel = machine_decimal(r);
		p.cgroup_id = machine_decimal(r);
		machine_text(r, p.comm, sizeof(p.comm), false);
	}
	if (r->bad)
		return -EBADMSG;
	r->process = machine_add_process(r->m, &p);
	return r->process ? 0 : -ENOMEM;
}

static int machine_read_task(struct machine_reader *r)
{
	struct machine_task t = { .tid = machine_pid(r), .process = r->process };

	t.start_ns = machine_decimal(r);
	t.until_ns = machine_decimal(r);
	machine_text(r, t.comm, sizeof(t.comm), false);
	if (r->bad || !r->process)
		return -EBADMSG;
	return machine_add_task(r->m, &t) ? 0 : -ENOMEM;
}

static int machine_read_object(struct machine_reader *r)
{
	struct machine_object o = { .inode = machine_decimal(r) };
	char path[MACHINE_PATH];

	o.dev = (uint32_t)(machine_number_of(r, 16, ':') << 20);
	o.dev |= (uint32_t)machine_hex(r) & 0xfffff;
	o.build_id_bytes = machine_id(r, o.build_id);
	machine_text(r, path, sizeof(path), true);
	o.path = path;
	if (r->bad)
		return -EBADMSG;
	if (r->objects == r->capacity) {
		void *more = realloc(r->object, (r->capacity * 2 + 64) * sizeof(*r->object));

		if (!more)
			return -ENOMEM;
		r->object = more;
		r->capacity = r->capacity * 2 + 64;
	}
	r->object[r->objects] = machine_object(r->m, &o);
	return r->object[r->objects++] ? 0 : -ENOMEM;
}

static int machine_read_mapping(struct machine_reader *r)
{
	struct machine_mapping a = { .from_ns = machine_decimal(r) };
	uint64_t object;

	a.until_ns = machine_decimal(r);
	a.start = machine_hex(r);
	a.end = a.start + machine_hex(r);
	a.offset = machine_hex(r);
	object = machine_decimal(r);
	if (r->bad || !r->process || object >= r->objects || a.end < a.start)
		return -EBADMSG;
	a.object = r->object[object];
	machine_add_mapping(r->m, r->process, &a);	/* more than there is room for are counted there */
	return 0;
}

static int machine_read_module(struct machine_reader *r)
{
	struct machine_module module = { .base = machine_hex(r) };

	module.bytes = machine_hex(r);
	module.from_ns = machine_decimal(r);
	module.until_ns = machine_decimal(r);
	module.build_id_bytes = machine_id(r, module.build_id);
	machine_text(r, module.name, sizeof(module.name), true);
	if (r->bad)
		return -EBADMSG;
	machine_add_module(r->m, &module);
	return 0;
}

static int machine_read_line(struct machine_reader *r, enum machine_file which)
{
	if (which == MACHINE_FILE_MODULES)
		return machine_is(r, "module") ? machine_read_module(r) : 0;
	if (machine_is(r, "process"))
		return machine_read_process(r, which == MACHINE_FILE_TASKS);
	if (which == MACHINE_FILE_TASKS)
		return machine_is(r, "thread") ? machine_read_task(r) : 0;
	if (machine_is(r, "object"))
		return machine_read_object(r);
	return machine_is(r, "map") ? machine_read_mapping(r) : 0;
}

int machine_read(struct machine *m, enum machine_file which, const char *text, size_t bytes)
{
	struct machine_reader r = { .m = m };
	const char *const end = text + bytes, *const head = machine_file_heads[which];
	const char *line_end;
	int err = 0;

	if (bytes < strlen(head) || memcmp(text, head, strlen(head)))
		return -EBADMSG;
	for (r.at = text + strlen(head); r.at < end && !err; r.at = line_end + 1) {
		line_end = memchr(r.at, '\n', (size_t)(end - r.at));
		if (!line_end) {
			err = -EBADMSG;	/* the last line is not whole */
			break;
		}
		r.end = line_end;
		err = machine_read_line(&r, which);
	}
	free(r.object);
	return err;
}
