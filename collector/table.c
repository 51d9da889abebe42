// SPDX-License-Identifier: GPL-2.0-or-later
/* Keyed aggregates of bounded number. */
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A row that cannot be hashed for want of memory is not added: table_row gives the overflow row then. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(row) ((row)->refused = true)
#include <uthash.h>

struct table_row {
	UT_hash_handle hh;
	const struct table *table;
	bool refused;			/* by the hash */
	bool taken, ended;
	unsigned int quiet;		/* takes without anything new */
	uint64_t value[TABLE_COLUMNS];
	uint64_t before[TABLE_COLUMNS];	/* value, when it was taken last */
	struct histogram *histogram[TABLE_COLUMNS];	/* since then; made with the first value */
	uint8_t *label;			/* behind the key */
	_Alignas(8) uint8_t key[];
};

struct table {
	struct table_spec spec;
	struct table_row *rows;		/* uthash's head */
	struct table_row *overflow, *retired;
	uint64_t refused, retired_rows;
};

static struct table_row *table_row_create(const struct table *t, const void *key)
{
	const size_t key_bytes = (t->spec.key_bytes + 7) / 8 * 8;
	struct table_row *row = calloc(1, sizeof(*row) + key_bytes + t->spec.label_bytes);

	if (!row)
		return NULL;
	row->table = t;
	row->label = row->key + key_bytes;
	if (key)
		memcpy(row->key, key, t->spec.key_bytes);
	return row;
}

static void table_row_destroy(struct table_row *row)
{
	for (unsigned int i = 0; i < TABLE_COLUMNS; i++) {
		if (row->histogram[i])
			histogram_fini(row->histogram[i]);
		free(row->histogram[i]);
	}
	free(row);
}

struct table *table_create(const struct table_spec *spec)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->spec = *spec;
	t->overflow = table_row_create(t, NULL);
	t->retired = table_row_create(t, NULL);
	if (t->overflow && t->retired)
		return t;
	free(t->overflow);
	free(t->retired);
	free(t);
	return NULL;
}

void table_destroy(struct table *t)
{
	struct table_row *row, *next;

	if (!t)
		return;
	HASH_ITER(hh, t->rows, row, next) {
		HASH_DELETE(hh, t->rows, row);
		table_row_destroy(row);
	}
	table_row_destroy(t->overflow);
	table_row_destroy(t->retired);
	free(t);
}

struct table_row *table_find(const struct table *t, const void *key)
{
	struct table_row *row;

	HASH_FIND(hh, t->rows, key, t->spec.key_bytes, row);
	return row;
}

struct table_row *table_row(struct table *t, const void *key)
{
	struct table_row *row = table_find(t, key);

	if (row)
		return row;
	row = HASH_COUNT(t->rows) < t->spec.rows_max ? table_row_create(t, key) : NULL;
	if (row) {
		HASH_ADD_KEYPTR(hh, t->rows, row->key, t->spec.key_bytes, row);
		if (!row->refused)
			return row;
		table_row_destroy(row);
	}
	t->refused++;
	return t->overflow;
}

struct table_row *table_overflow(struct table *t)
{
	return t->overflow;
}

unsigned int table_rows(const struct table *t)
{
	return HASH_COUNT(t->rows);
}

uint64_t table_refused(const struct table *t)
{
	return t->refused;
}

/* NULL: no memory. The sum is right even then. */
static struct histogram *table_distribution(struct table_row *row, unsigned int column)
{
	if (!row->histogram[column])
		row->histogram[column] = calloc(1, sizeof(*row->histogram[column]));
	return row->histogram[column];
}

void table_add(const struct table *t, struct table_row *row, unsigned int column, uint64_t value)
{
	struct histogram *h;

	switch (t->spec.column[column]) {
	case TABLE_MAX:
		if (value > row->value[column])
			row->value[column] = value;
		break;
	case TABLE_HISTOGRAM:
		h = table_distribution(row, column);
		if (h)
			histogram_add(h, value);
		/* fall through */
	case TABLE_SUM:
		row->value[column] += value;
		break;
	}
}

uint64_t table_value(const struct table_row *row, unsigned int column)
{
	return row->value[column];
}

const struct histogram *table_histogram(const struct table_row *row, unsigned int column)
{
	return row->histogram[column];
}

const void *table_key(const struct table_row *row)
{
	return row->key;
}

void *table_label(struct table_row *row)
{
	return row->label;
}

bool table_is_overflow(const struct table_row *row)
{
	return row == row->table->overflow;
}

static void table_row_merge(struct table_row *into, const struct table_row *from)
{
	const struct table_spec *spec = &into->table->spec;

	for (unsigned int i = 0; i < spec->columns; i++) {
		struct histogram *h = from->histogram[i] ? table_distribution(into, i) : NULL;

		if (h)
			histogram_merge(h, from->histogram[i]);
		if (spec->column[i] != TABLE_MAX) {
			into->value[i] += from->value[i];
			into->before[i] += from->before[i];	/* what was taken of it is not taken again */
		} else if (from->value[i] > into->value[i]) {
			into->value[i] = from->value[i];
		}
	}
}

void table_row_absorb(struct table *t, struct table_row *into, struct table_row *row)
{
	if (row == into || row == t->overflow)
		return;
	table_row_merge(into, row);
	HASH_DELETE(hh, t->rows, row);
	table_row_destroy(row);
}

int table_merge(struct table *into, const struct table *from)
{
	const struct table_spec *a = &into->spec, *b = &from->spec;
	const struct table_row *row;

	if (a->key_bytes != b->key_bytes || a->label_bytes != b->label_bytes || a->columns != b->columns ||
	    memcmp(a->column, b->column, a->columns * sizeof(a->column[0])))
		return -EINVAL;
	for (row = from->rows; row; row = row->hh.next) {
		const bool known = table_find(into, row->key);
		struct table_row *target = table_row(into, row->key);

		if (!known && target != into->overflow)
			memcpy(target->label, row->label, a->label_bytes);
		table_row_merge(target, row);
	}
	table_row_merge(into->overflow, from->overflow);
	table_row_merge(into->retired, from->retired);
	into->refused += from->refused;
	into->retired_rows += from->retired_rows;
	return 0;
}

struct table_row *table_next(const struct table *t, const struct table_row *row)
{
	return row ? row->hh.next : t->rows;
}

const struct table_spec *table_spec(const struct table *t)
{
	return &t->spec;
}

static uint64_t table_row_take_value(struct table_row *row, unsigned int column)
{
	const uint64_t value = row->value[column], more = value - row->before[column];

	if (row->table->spec.column[column] == TABLE_MAX)
		return value;
	if ((int64_t)more < 0)
		return 0;
	row->before[column] = value;
	row->quiet = more ? 0 : row->quiet;
	return more;
}

bool table_row_take(struct table *t, struct table_row *row, uint64_t *values, struct histogram **histograms)
{
	const bool again = row->taken;

	row->quiet++;
	for (unsigned int i = 0; i < t->spec.columns; i++) {
		values[i] = table_row_take_value(row, i);
		histograms[i] = row->histogram[i];
		row->histogram[i] = NULL;
	}
	row->taken = true;
	return again;
}

void table_row_end(struct table_row *row)
{
	row->ended = true;
}

bool table_row_ended(const struct table_row *row)
{
	return row->ended;
}

void table_age(struct table *t, unsigned int ended_takes)
{
	struct table_row *row, *next;

	HASH_ITER(hh, t->rows, row, next) {
		const unsigned int limit = row->ended ? ended_takes : t->spec.quiet_takes;

		if (!limit || row->quiet < limit)
			continue;
		table_row_absorb(t, t->retired, row);
		t->retired_rows++;
	}
}

const struct table_row *table_retired(const struct table *t)
{
	return t->retired;
}

uint64_t table_retired_rows(const struct table *t)
{
	return t->retired_rows;
}
