// SPDX-License-Identifier: GPL-2.0-or-later
/* Perf map files. */
#include "perfmap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PERFMAP_BUFFER = 1 << 16 };

static const char *perfmap_number(const char *at, const char *end, uint64_t *out)
{
	unsigned int digits = 0;

	if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	for (*out = 0; at < end; at++, digits++) {
		const char c = *at | 0x20;
		const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (digit < 0)
			break;
		*out = *out << 4 | (uint64_t)digit;
	}
	if (!digits || digits > 16 || at == end || *at != ' ')
		return NULL;
	while (at < end && *at == ' ')
		at++;
	return at;
}

static int perfmap_line(struct functions *f, const char *at, const char *end)
{
	uint64_t start, bytes;

	at = perfmap_number(at, end, &start);
	at = at ? perfmap_number(at, end, &bytes) : NULL;
	if (end > (at ? at : end) && end[-1] == '\r')
		end--;
	return at && bytes ? functions_add(f, start, bytes, at, (size_t)(end - at), FUNCTION_GLOBAL) : 0;
}

/* The lines that end in the buffer; what is left of the last one is moved to its begin. Number of those bytes. */
static size_t perfmap_lines(struct functions *f, char *buffer, size_t bytes, bool *passing, int *err)
{
	char *at = buffer, *const behind = buffer + bytes, *end;

	while (!*err && at < behind && (end = memchr(at, '\n', (size_t)(behind - at)))) {
		/* The rest of a line that did not fit. */
		if (!*passing)
			*err = perfmap_line(f, at, end);
		*passing = false;
		at = end + 1;
	}
	if (at == buffer && bytes == PERFMAP_BUFFER) {
		*passing = true;
		at = behind;
	}
	memmove(buffer, at, (size_t)(behind - at));
	return (size_t)(behind - at);
}

struct functions *perfmap_read(int fd, uint64_t read_max, size_t bytes_max)
{
	struct functions *f = functions_create(bytes_max);
	char *buffer = malloc(PERFMAP_BUFFER);
	size_t held = 0;
	struct stat st;
	uint64_t at;
	bool passing;
	int err = 0;

	at = !fstat(fd, &st) && (uint64_t)st.st_size > read_max ? (uint64_t)st.st_size - read_max : 0;
	passing = at > 0;
	for (uint64_t end = at + read_max; f && buffer && !err && at < end;) {
		const ssize_t got = pread(fd, buffer + held, PERFMAP_BUFFER - held, (off_t)at);

		if (got <= 0)
			break;
		at += (uint64_t)got;
		held = perfmap_lines(f, buffer, held + (size_t)got, &passing, &err);
	}
	if (f && buffer)
		functions_seal(f, true);
	free(buffer);
	return f;
}
