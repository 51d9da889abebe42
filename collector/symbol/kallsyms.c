// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of /proc/kallsyms and of kymo/symbols. */
#include "kallsyms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KALLSYMS_BYTES_MAX = 64 << 20 };

/* A hex number and the blank behind it; NULL: there is none. */
static const char *kallsyms_number(const char *at, const char *end, uint64_t *out)
{
	const char *const first = at;

	for (*out = 0; at < end; at++) {
		const char c = *at;
		const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (digit < 0)
			break;
		*out = *out << 4 | (uint64_t)digit;
	}
	return at > first && at - first <= 16 && at < end && (*at == ' ' || *at == '\t') ? at + 1 : NULL;
}

/* "name" or "name<TAB>[module]" -> "name [module]" */
static int kallsyms_add(struct functions *f, uint64_t address, uint64_t bytes, const char *name, const char *end)
{
	char text[1024];
	size_t n = (size_t)(end - name);

	n = n < sizeof(text) ? n : sizeof(text);
	memcpy(text, name, n);
	for (size_t i = 0; i < n; i++)
		if (text[i] == '\t')
			text[i] = ' ';
	return functions_add(f, address, bytes, text, n, FUNCTION_GLOBAL);
}

static int kallsyms_line(struct functions *f, const char *at, const char *end, uint64_t *base)
{
	uint64_t address;
	char kind;

	at = kallsyms_number(at, end, &address);
	if (!at || !address || end - at < 3 || at[1] != ' ')
		return 0;
	kind = *at;
	at += 2;
	if (end - at == 6 && !memcmp(at, "_stext", 6))
		*base = address;
	if (kind != 't' && kind != 'T' && kind != 'w' && kind != 'W')
		return 0;
	return kallsyms_add(f, address, 0, at, end);
}

struct functions *kallsyms_read(const char *path, uint64_t *base)
{
	struct functions *f = functions_create(KALLSYMS_BYTES_MAX);
	FILE *from = fopen(path, "re");
	char line[2048];
	int err = 0;

	*base = 0;
	while (f && from && !err && fgets(line, sizeof(line), from))
		err = kallsyms_line(f, line, line + strcspn(line, "\n"), base);
	if (!f || !from || err == -ENOMEM) {
		functions_destroy(f);
		f = NULL;
	}
	if (from)
		fclose(from);
	if (f)
		functions_seal(f, false);
	return f;
}

struct functions *kallsyms_parse(const char *text, size_t bytes)
{
	struct functions *f = functions_create(KALLSYMS_BYTES_MAX);
	const char *const behind = text + bytes;
	int err = 0;

	for (const char *end; f && !err && text < behind; text = end + 1) {
		uint64_t address, size;
		const char *at;

		end = memchr(text, '\n', (size_t)(behind - text));
		end = end ? end : behind;
		at = kallsyms_number(text, end, &address);
		at = at ? kallsyms_number(at, end, &size) : NULL;
		if (at)
			err = kallsyms_add(f, address, size, at, end);
	}
	if (f)
		functions_seal(f, false);
	return f;
}
