/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spends CPU time in two functions, seven parts and three, for so many seconds of it, and then prints the ns that each
 * of them took, as the scheduler counts them. For C and C++.
 */
#ifndef PARTS_H
#define PARTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PARTS_LOOPS = 400000 };	/* a millisecond or so: asking for the time is nothing beside it */

static volatile unsigned long parts_sink;

static inline void parts_spin(unsigned long loops)
{
	for (unsigned long i = 0; i < loops; i++)
		parts_sink += i;
}

static inline uint64_t parts_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline int parts_run(int argc, char **argv, void (*seventy)(unsigned long), void (*thirty)(unsigned long))
{
	const uint64_t begin = parts_clock(), end = begin + (uint64_t)(1e9 * (argc > 1 ? atof(argv[1]) : 1));
	uint64_t ns[2] = { 0, 0 };

	for (uint64_t now = begin, before = begin; now < end; before = now) {
		seventy(7 * PARTS_LOOPS);
		now = parts_clock();
		ns[0] += now - before;
		before = now;
		thirty(3 * PARTS_LOOPS);
		now = parts_clock();
		ns[1] += now - before;
	}
	printf("%llu %llu\n", (unsigned long long)ns[0], (unsigned long long)ns[1]);
	return 0;
}

#endif
