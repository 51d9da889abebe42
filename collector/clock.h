/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the wall clock said when the trace's clock said something: a pair of readings. A leaf. */
#ifndef KYMO_CLOCK_H
#define KYMO_CLOCK_H

#include <stdint.h>

struct clock_pair {
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
	uint64_t width_ns;		/* the pair is right to within this */
};

uint64_t clock_now_ns(void);		/* CLOCK_MONOTONIC */

/* Reads several brackets and keeps the tightest. */
void clock_pair_read(struct clock_pair *pair);

#endif
