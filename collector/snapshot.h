/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot: what all tables say at one moment, and what came in since the snapshot before. It owns its memory and
 * never changes: the tally goes on counting while a view is made of it. A report is the snapshot at the end of a trace
 * that has no other before it.
 */
#ifndef KYMO_SNAPSHOT_H
#define KYMO_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include "tally.h"
#include "vitals.h"

/* Which table: one of enum tally_table, or one that is made of it. */
enum snapshot_tables {
	SNAPSHOT_CPU_RANGES = TALLY_TABLES,	/* cpu_range.h */
	SNAPSHOT_TABLES,
};

struct snapshot_row {
	const void *key, *label;	/* as in tally.h; of the overflow row: zeros */
	const uint64_t *value;		/* by column, in this interval */
	const uint64_t *total;		/* by column, since the tally began */
	struct histogram *const *histogram;	/* by column, in this interval; NULL: nothing */
	bool overflow;			/* of keys for which there was no room */
	bool fresh;			/* it was not in the snapshot before */
	bool ended;			/* no more will come: it leaves some snapshots later */
};

struct snapshot_table {
	struct snapshot_row *row;	/* in no order; the overflow row, if it was used, is the last */
	unsigned int rows;
	unsigned int columns;
	size_t key_bytes;
};

struct snapshot {
	uint64_t begin_ns, end_ns;	/* the interval */
	struct tally_totals totals;	/* since the tally began */
	struct snapshot_table table[SNAPSHOT_TABLES];
	bool here;			/* of this machine as it is now: a user's number has the name that it has here */
	struct vitals vitals;		/* filled in by a feed: of the interval; else zeros */
};

/* An order of rows that are equal otherwise: by the numbers that their keys begin with. */
int snapshot_compare_keys(const struct snapshot_row *a, const struct snapshot_row *b, size_t key_bytes);

/* Takes from the tally what came in since the last one. NULL: no memory. */
struct snapshot *snapshot_create(struct tally *t, uint64_t begin_ns, uint64_t end_ns);
void snapshot_destroy(struct snapshot *s);

/*
 * The rows by a column's value in the interval, largest first, equal ones by key; the overflow row last. An array for
 * free(), snapshot->table[which].rows long; NULL: no memory.
 */
const struct snapshot_row **snapshot_sorted(const struct snapshot *s, unsigned int which, unsigned int column);

#endif
