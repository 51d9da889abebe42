// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * By libiberty, through its callbacks: it then keeps all it needs on the stack, and the callback can leave it by
 * longjmp as soon as there is enough. That is what bounds names that a few bytes of back references would expand to
 * gigabytes.
 */
#include "demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <libiberty/demangle.h>

enum { DEMANGLE_INPUT_MAX = 2048 };	/* bytes: libiberty needs some 100 bytes of stack for each */

struct demangle_sink {
	char *out;
	size_t size, used;
	jmp_buf full;
};

static void demangle_take(const char *text, size_t bytes, void *context)
{
	struct demangle_sink *sink = context;
	const size_t room = sink->size - 1 - sink->used;

	memcpy(sink->out + sink->used, text, bytes < room ? bytes : room);
	sink->used += bytes < room ? bytes : room;
	if (bytes > room)
		longjmp(sink->full, 1);
}

static char *demangle_cut(char *out, size_t size)
{
	if (size > 4)
		memcpy(out + size - 4, "...", 4);
	out[size - 1] = 0;
	return out;
}

static char *demangle_not(char *out, size_t size, const char *name)
{
	return snprintf(out, size, "%s", name) >= (int)size ? demangle_cut(out, size) : out;
}

/* Rust's legacy names are C++ names with a hash at the end: Rust is asked first. */
static bool demangle_as(struct demangle_sink *sink, const char *name)
{
	if (rust_demangle_callback(name, DMGL_AUTO, demangle_take, sink))
		return true;
	sink->used = 0;
	/* Without parameters and results: they fill a line and say little. */
	return name[0] == '_' && name[1] == 'Z' && cplus_demangle_v3_callback(name, 0, demangle_take, sink);
}

char *demangle(char *out, size_t size, const char *name)
{
	struct demangle_sink sink = { .out = out, .size = size };

	if (name[0] != '_' || strnlen(name, DEMANGLE_INPUT_MAX + 1) > DEMANGLE_INPUT_MAX)
		return demangle_not(out, size, name);
	if (setjmp(sink.full))
		return demangle_cut(out, size);
	if (!demangle_as(&sink, name) || !sink.used)
		return demangle_not(out, size, name);
	out[sink.used] = 0;
	return out;
}
