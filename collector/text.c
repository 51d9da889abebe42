// SPDX-License-Identifier: GPL-2.0-or-later
/* Text for people. Knows nothing of where it comes from or goes. */
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

unsigned int text_utf8(const void *in, size_t bytes, uint32_t *code)
{
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t *p = in;
	unsigned int length;

	if (!bytes)
		return 0;
	length = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;

	if (!length || length > bytes)
		return 0;
	*code = length == 1 ? p[0] : p[0] & (0x7fu >> length);
	for (unsigned int i = 1; i < length; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (p[i] & 0x3f);
	}
	if (*code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

bool text_harmless(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return false;
	/* Widthless and direction characters; line and paragraph separators; byte order mark; noncharacters; tags. */
	if ((code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f))
		return false;
	return code != 0xad && code != 0x61c && code != 0xfeff && (code & 0xfffe) != 0xfffe && code >> 12 != 0xe0;
}

char *text_clean(char *out, size_t size, const void *in, size_t bytes)
{
	const uint8_t *p = in;
	size_t at = 0, i = 0;

	if (!size)
		return out;
	while (i < bytes && p[i]) {
		uint32_t code;
		unsigned int length = text_utf8(p + i, bytes - i, &code);
		char piece[24];
		size_t n = 0;

		if (length && code == '\\') {
			n = (size_t)snprintf(piece, sizeof(piece), "\\\\");
		} else if (length && text_harmless(code)) {
			memcpy(piece, p + i, n = length);
		} else {
			length = length ? length : 1;
			for (unsigned int k = 0; k < length; k++)
				n += (size_t)snprintf(piece + n, sizeof(piece) - n, "\\x%02x", p[i + k]);
		}
		if (at + n >= size)
			break;
		memcpy(out + at, piece, n);
		at += n;
		i += length;
	}
	out[at] = 0;
	return out;
}

char *text_count(char *out, size_t size, uint64_t n)
{
	char digits[TEXT_NUMBER], grouped[TEXT_NUMBER];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, n), at = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			grouped[at++] = ',';
		grouped[at++] = digits[i];
	}
	grouped[at] = 0;
	snprintf(out, size, "%s", grouped);
	return out;
}

/* Three digits at least, so that rounding is below half a percent. */
static void text_scaled(char *out, size_t size, double value, const char *unit)
{
	snprintf(out, size, "%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, unit);
}

char *text_bytes(char *out, size_t size, uint64_t bytes)
{
	static const char *const unit[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	double value = (double)bytes;
	unsigned int i = 0;

	if (bytes < 1000) {
		snprintf(out, size, "%" PRIu64 " B", bytes);
		return out;
	}
	for (; value >= 999.5 && i < 6; i++)
		value /= 1000;
	text_scaled(out, size, value, unit[i]);
	return out;
}

char *text_ns(char *out, size_t size, uint64_t ns)
{
	if (ns < 1000)
		snprintf(out, size, "%" PRIu64 " ns", ns);
	else if (ns < 999500)
		text_scaled(out, size, (double)ns / 1e3, "us");
	else if (ns < 999500000)
		text_scaled(out, size, (double)ns / 1e6, "ms");
	else
		snprintf(out, size, "%.3f s", (double)ns / 1e9);
	return out;
}
