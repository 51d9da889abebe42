/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log-linear histogram of 64-bit values: 16 steps for each power of two. A quantile is off by at most 1/32 (3.2 %)
 * of the value; count, sum and maximum are exact. Two can be merged without further error. A leaf.
 */
#ifndef KYMO_HISTOGRAM_H
#define KYMO_HISTOGRAM_H

#include <stdint.h>

enum {
	HISTOGRAM_STEP_BITS = 4,
	HISTOGRAM_STEPS = 1 << HISTOGRAM_STEP_BITS,
	HISTOGRAM_OCTAVES = 64 - HISTOGRAM_STEP_BITS + 1,
};

/* Zeroed memory is an empty histogram. Octaves are allocated when first hit: most have a handful. */
struct histogram {
	uint64_t count, sum, max;
	uint64_t unplaced;	/* for want of memory; they are in count, sum and max */
	uint64_t *octave[HISTOGRAM_OCTAVES];
};

void histogram_fini(struct histogram *h);
void histogram_add(struct histogram *h, uint64_t value);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The value that the share q (0..1) of all values do not exceed; 0 without values. */
uint64_t histogram_quantile(const struct histogram *h, double q);

#endif
