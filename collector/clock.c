// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads CLOCK_MONOTONIC and CLOCK_REALTIME together. */
#include <time.h>

#include "clock.h"

enum { CLOCK_BRACKETS = 64 };

static uint64_t clock_read_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

void clock_pair_read(struct clock_pair *pair)
{
	pair->width_ns = UINT64_MAX;
	for (int i = 0; i < CLOCK_BRACKETS; i++) {
		uint64_t before = clock_now_ns(), wall = clock_read_ns(CLOCK_REALTIME), after = clock_now_ns();

		if (after - before >= pair->width_ns)
			continue;
		pair->width_ns = after - before;
		pair->monotonic_ns = before + (after - before) / 2;
		pair->realtime_ns = wall;
	}
}
