/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keyed aggregates of bounded number: a row for each key, with columns that are summed, maximised or distributed.
 * A full table counts all further keys in one row of their own, the overflow row: nothing vanishes, it is only no
 * longer told apart. Tables of the same columns can be merged. A leaf: knows neither events nor how it is shown.
 */
#ifndef KYMO_TABLE_H
#define KYMO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "histogram.h"

enum table_column {
	TABLE_SUM,
	TABLE_MAX,
	TABLE_HISTOGRAM,	/* its value is the sum */
};

enum { TABLE_COLUMNS = 16 };

struct table_spec {
	size_t key_bytes;	/* keys are compared byte for byte: zero the padding */
	size_t label_bytes;	/* of the caller's in each row, for what names it; may be 0 */
	unsigned int columns;
	enum table_column column[TABLE_COLUMNS];
	unsigned int rows_max;
	unsigned int quiet_takes;	/* table_age(): rows that got nothing so often leave; 0: only those that ended */
};

struct table;
struct table_row;

struct table *table_create(const struct table_spec *spec); /* NULL: no memory */
void table_destroy(struct table *t);

/* The key's row, made if needed; the overflow row if there is no room. Never NULL; it stays where it is. */
struct table_row *table_row(struct table *t, const void *key);
struct table_row *table_find(const struct table *t, const void *key); /* NULL: not there */
struct table_row *table_overflow(struct table *t);
unsigned int table_rows(const struct table *t);		/* without the overflow row */
uint64_t table_refused(const struct table *t);		/* how often the overflow row was given; 0: never */

void table_add(const struct table *t, struct table_row *row, unsigned int column, uint64_t value);
uint64_t table_value(const struct table_row *row, unsigned int column);
/* Since the last table_row_take(); NULL: no value. */
const struct histogram *table_histogram(const struct table_row *row, unsigned int column);
const void *table_key(const struct table_row *row);	/* of the overflow row: zeros */
void *table_label(struct table_row *row);
bool table_is_overflow(const struct table_row *row);

/* All rows, in no order, the overflow row not among them. NULL: the first; NULL: no more. */
struct table_row *table_next(const struct table *t, const struct table_row *row);

const struct table_spec *table_spec(const struct table *t);

/*
 * What the row has got since it was asked last: values[columns] (a TABLE_MAX: as it is; 0 as long as a sum is smaller
 * than it was: something was taken back); of a TABLE_HISTOGRAM the distribution, now the caller's to fini and free,
 * NULL if there is none. True: it had been asked before.
 */
bool table_row_take(struct table *t, struct table_row *row, uint64_t *values, struct histogram **histograms);

/*
 * Rows that leave: those that ended (of which no more will come, and to which nobody points) and got nothing in the last
 * ended_takes, and those that the spec's quiet_takes is for. What they had is summed up in the retired row, so that the
 * sums over a table stay right. A key that comes again gets a new row.
 */
void table_row_end(struct table_row *row);
bool table_row_ended(const struct table_row *row);
void table_age(struct table *t, unsigned int ended_takes);
const struct table_row *table_retired(const struct table *t);
uint64_t table_retired_rows(const struct table *t);

/* One row into another of a table with the same columns; the row that is absorbed is gone. */
void table_row_absorb(struct table *t, struct table_row *into, struct table_row *row);

/* All of `from` into `into`, labels of new rows included. -EINVAL: their specs differ. */
int table_merge(struct table *into, const struct table *from);

#endif
