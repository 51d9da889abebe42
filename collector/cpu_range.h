/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs by the hundred as a table of some ranges: sums over the CPUs of each. Made of the table of CPUs when a snapshot
 * is made; all ranges are of one size, a power of two, so that there are at most CPU_RANGES of them. A leaf.
 */
#ifndef KYMO_CPU_RANGE_H
#define KYMO_CPU_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct snapshot_table;

enum { CPU_RANGES = 32, CPU_RANGE_LEAST = 16 };

struct cpu_range_key {
	uint32_t first;			/* its lowest number, whether there is such a CPU or not */
};

struct cpu_range {
	uint32_t first, last;		/* numbers of CPUs that are there */
	uint32_t cpus;			/* how many */
	uint32_t runnable;		/* of all */
	uint32_t busiest;		/* the CPU that was busy the longest in the interval, and how long */
	uint64_t busiest_ns;
};

/* The numbers that one range spans. */
uint32_t cpu_range_size(const struct snapshot_table *cpus);

/* Keys struct cpu_range_key, labels struct cpu_range, columns those of the CPUs. False: no memory. */
bool cpu_ranges(struct snapshot_table *out, const struct snapshot_table *cpus);

#endif
