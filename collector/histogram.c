// SPDX-License-Identifier: GPL-2.0-or-later
/* A log-linear histogram. */
#include "histogram.h"

#include <stdlib.h>

/* Values below HISTOGRAM_STEPS stand in octave 0, one step each; octave k > 0 begins at HISTOGRAM_STEPS << (k - 1). */
static unsigned int histogram_octave(uint64_t value)
{
	return value < HISTOGRAM_STEPS ? 0 : 64 - HISTOGRAM_STEP_BITS - (unsigned int)__builtin_clzll(value);
}

static unsigned int histogram_step(uint64_t value, unsigned int octave)
{
	return octave ? (unsigned int)(value >> (octave - 1)) - HISTOGRAM_STEPS : (unsigned int)value;
}

/* The middle of a step. */
static uint64_t histogram_value(unsigned int octave, unsigned int step)
{
	if (octave < 2)
		return octave * HISTOGRAM_STEPS + step;
	return ((uint64_t)(HISTOGRAM_STEPS + step) << (octave - 1)) + (1ull << (octave - 2));
}

void histogram_fini(struct histogram *h)
{
	for (unsigned int i = 0; i < HISTOGRAM_OCTAVES; i++) {
		free(h->octave[i]);
		h->octave[i] = NULL;
	}
}

static uint64_t *histogram_steps(struct histogram *h, unsigned int octave)
{
	if (!h->octave[octave])
		h->octave[octave] = calloc(HISTOGRAM_STEPS, sizeof(uint64_t));
	return h->octave[octave];
}

void histogram_add(struct histogram *h, uint64_t value)
{
	const unsigned int octave = histogram_octave(value);
	uint64_t *steps = histogram_steps(h, octave);

	h->count++;
	h->sum += value;
	if (value > h->max)
		h->max = value;
	if (steps)
		steps[histogram_step(value, octave)]++;
	else
		h->unplaced++;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	into->count += from->count;
	into->sum += from->sum;
	into->unplaced += from->unplaced;
	if (from->max > into->max)
		into->max = from->max;
	for (unsigned int octave = 0; octave < HISTOGRAM_OCTAVES; octave++) {
		uint64_t *steps;

		if (!from->octave[octave])
			continue;
		steps = histogram_steps(into, octave);
		for (unsigned int i = 0; i < HISTOGRAM_STEPS; i++) {
			if (steps)
				steps[i] += from->octave[octave][i];
			else
				into->unplaced += from->octave[octave][i];
		}
	}
}

uint64_t histogram_quantile(const struct histogram *h, double q)
{
	const uint64_t placed = h->count - h->unplaced;
	uint64_t rank = (uint64_t)(q * (double)placed), seen = 0;

	if (!placed)
		return 0;
	if ((double)rank < q * (double)placed || !rank)
		rank++;
	if (rank >= placed && !h->unplaced)
		return h->max;
	for (unsigned int octave = 0; octave < HISTOGRAM_OCTAVES; octave++) {
		if (!h->octave[octave])
			continue;
		for (unsigned int i = 0; i < HISTOGRAM_STEPS; i++) {
			uint64_t value;

			seen += h->octave[octave][i];
			if (seen < rank)
				continue;
			value = histogram_value(octave, i);
			return value < h->max ? value : h->max;
		}
	}
	return h->max;
}
