// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers of the command line. */
#include "quantity.h"

#include <math.h>
#include <stdlib.h>

uint64_t quantity_bytes(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	switch (*end) {
	case 'k': case 'K': value *= 1024; end++; break;
	case 'm': case 'M': value *= 1024 * 1024; end++; break;
	case 'g': case 'G': value *= 1024 * 1024 * 1024; end++; break;
	case 't': case 'T': value *= 1024.0 * 1024 * 1024 * 1024; end++; break;
	}
	if (end == text || *end || !isfinite(value) || value < 1 || value > 9e18)
		return 0;
	return (uint64_t)value;
}

uint64_t quantity_ns(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !isfinite(value) || value <= 0 || value > 1e9)
		return 0;
	return value < 1e-9 ? 1 : (uint64_t)(value * 1e9);
}

uint64_t quantity_count(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	return end == text || *end || *text == '-' || value > 1000000 ? 0 : value;
}
