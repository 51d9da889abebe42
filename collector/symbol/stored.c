// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing and reading kymo/functions. */
#include "stored.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"

enum { STORED_LINE = 4 * FUNCTIONS_NAME_MAX + 128 };	/* every byte of the name escaped */

static void stored_write_text(FILE *to, const char *text)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c < ' ' || c == '\\' || c == 0x7f)
			fprintf(to, "\\x%02x", c);
		else
			putc(c, to);
	}
	putc('\n', to);
}

void stored_write_binary(FILE *to, const struct binary_id *id, const char *path)
{
	fputs("binary ", to);
	for (unsigned int i = 0; i < id->build_id_bytes; i++)
		fprintf(to, "%02x", id->build_id[i]);
	fprintf(to, "%s %" PRIx32 " %" PRIu64 " ", id->build_id_bytes ? "" : "-", id->dev, id->inode);
	stored_write_text(to, path);
}

void stored_write_process(FILE *to, int32_t pid)
{
	fprintf(to, "process %" PRId32 "\n", pid);
}

void stored_write_function(FILE *to, uint64_t start, uint64_t bytes, const char *name)
{
	fprintf(to, "%" PRIx64 " %" PRIx64 " ", start, bytes);
	stored_write_text(to, name);
}

/* ---- reading ---- */

static int stored_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* In place; number of bytes. */
static size_t stored_unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++)
		if (at[0] == '\\' && at[1] == 'x' && stored_digit(at[2]) >= 0 && stored_digit(at[3]) >= 0) {
			*to++ = (char)(stored_digit(at[2]) << 4 | stored_digit(at[3]));
			at += 3;
		} else {
			*to++ = *at;
		}
	*to = 0;
	return (size_t)(to - text);
}

/* A number and one blank. NULL: there is none. */
static char *stored_number(char *at, int base, uint64_t *out)
{
	char *end;

	if (stored_digit(*at) < 0)
		return NULL;
	*out = strtoull(at, &end, base);
	return end > at && *end == ' ' ? end + 1 : NULL;
}

static char *stored_build_id(char *at, struct binary_id *id)
{
	if (at[0] == '-' && at[1] == ' ')
		return at + 2;
	for (; stored_digit(at[0]) >= 0 && stored_digit(at[1]) >= 0 && id->build_id_bytes < BINARY_BUILD_ID; at += 2)
		id->build_id[id->build_id_bytes++] = (uint8_t)(stored_digit(at[0]) << 4 | stored_digit(at[1]));
	return id->build_id_bytes && *at == ' ' ? at + 1 : NULL;
}

static bool stored_line_binary(char *at, const struct stored_reader *reader)
{
	struct binary_id id = { .inode = 0 };
	uint64_t dev;

	at = stored_build_id(at, &id);
	at = at ? stored_number(at, 16, &dev) : NULL;
	at = at ? stored_number(at, 10, &id.inode) : NULL;
	if (!at || dev > UINT32_MAX)
		return false;
	id.dev = (uint32_t)dev;
	stored_unescape(at);
	reader->binary(reader->context, &id, at);
	return true;
}

static void stored_line_function(char *at, const struct stored_reader *reader)
{
	uint64_t start, bytes;

	at = stored_number(at, 16, &start);
	at = at ? stored_number(at, 16, &bytes) : NULL;
	if (at)
		reader->function(reader->context, start, bytes, at, stored_unescape(at));
}

/* What comes behind a head that cannot be read is nobody's. */
static void stored_line(char *line, const struct stored_reader *reader, bool *owned)
{
	if (!strncmp(line, "binary ", 7)) {
		*owned = stored_line_binary(line + 7, reader);
	} else if (!strncmp(line, "process ", 8)) {
		*owned = true;
		reader->process(reader->context, (int32_t)strtol(line + 8, NULL, 10));
	} else if (*owned) {
		stored_line_function(line, reader);
	}
}

void stored_read(const char *text, size_t bytes, const struct stored_reader *reader)
{
	const char *const behind = text + bytes;
	char *line = malloc(STORED_LINE);
	bool owned = false;

	for (const char *end; line && text < behind; text = end + 1) {
		size_t length;

		end = memchr(text, '\n', (size_t)(behind - text));
		end = end ? end : behind;
		length = (size_t)(end - text);
		if (length >= STORED_LINE)
			continue;
		memcpy(line, text, length);
		line[length] = 0;
		stored_line(line, reader, &owned);
	}
	free(line);
}
