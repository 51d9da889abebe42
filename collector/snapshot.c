// SPDX-License-Identifier: GPL-2.0-or-later
/* A snapshot of the tally's tables: for each table one block of rows, and one for what they point to. */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "cpu_range.h"

static void snapshot_table_fini(struct snapshot_table *t)
{
	for (unsigned int i = 0; i < t->rows; i++) {
		for (unsigned int k = 0; k < t->columns; k++) {
			struct histogram *h = t->row[i].histogram[k];

			if (h)
				histogram_fini(h);
			free(h);
		}
	}
	free(t->row);
}

/* What stands behind the rows: aligned to 8 for each row. */
static size_t snapshot_row_bytes(const struct table_spec *spec)
{
	return (spec->key_bytes + 7) / 8 * 8 + (spec->label_bytes + 7) / 8 * 8 +
	       spec->columns * (2 * sizeof(uint64_t) + sizeof(struct histogram *));
}

static void snapshot_take_row(struct table *t, struct table_row *from, uint8_t *at, struct snapshot_row *to)
{
	const struct table_spec *spec = table_spec(t);
	struct histogram **histogram = (void *)at;
	uint64_t *value = (void *)(histogram + spec->columns), *total = value + spec->columns;
	uint8_t *key = (void *)(total + spec->columns), *label = key + (spec->key_bytes + 7) / 8 * 8;

	*to = (struct snapshot_row){ .key = key, .label = label, .value = value, .total = total, .histogram = histogram };
	to->overflow = table_is_overflow(from);
	to->ended = table_row_ended(from);
	to->fresh = !table_row_take(t, from, value, histogram);
	for (unsigned int i = 0; i < spec->columns; i++)
		total[i] = table_value(from, i);
	memcpy(key, table_key(from), spec->key_bytes);
	memcpy(label, table_label(from), spec->label_bytes);
}

static bool snapshot_take_table(struct snapshot_table *out, struct table *t)
{
	const size_t bytes = snapshot_row_bytes(table_spec(t));
	const unsigned int rows = table_rows(t) + (table_refused(t) > 0);
	struct table_row *row = NULL;
	uint8_t *at;

	out->columns = table_spec(t)->columns;
	out->key_bytes = table_spec(t)->key_bytes;
	out->row = calloc(1, rows * (sizeof(*out->row) + bytes) + 1);
	if (!out->row)
		return false;
	at = (uint8_t *)(out->row + rows);
	while ((row = table_next(t, row)) != NULL) {
		snapshot_take_row(t, row, at, &out->row[out->rows++]);
		at += bytes;
	}
	if (out->rows < rows)
		snapshot_take_row(t, table_overflow(t), at, &out->row[out->rows++]);
	return true;
}

struct snapshot *snapshot_create(struct tally *t, uint64_t begin_ns, uint64_t end_ns)
{
	struct snapshot *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	tally_settle(t, false);
	s->begin_ns = begin_ns;
	s->end_ns = end_ns;
	s->totals = *tally_totals(t);
	for (unsigned int i = 0; i < TALLY_TABLES; i++) {
		if (!snapshot_take_table(&s->table[i], tally_table(t, i))) {
			snapshot_destroy(s);
			return NULL;
		}
	}
	if (!cpu_ranges(&s->table[SNAPSHOT_CPU_RANGES], &s->table[TALLY_CPUS])) {
		snapshot_destroy(s);
		return NULL;
	}
	return s;
}

void snapshot_destroy(struct snapshot *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < SNAPSHOT_TABLES; i++)
		snapshot_table_fini(&s->table[i]);
	free(s);
}

/* qsort has no context of its own: what it needs stands behind each row here. */
struct snapshot_ranked {
	const struct snapshot_row *row;
	uint64_t value;
	size_t key_bytes;
};

int snapshot_compare_keys(const struct snapshot_row *a, const struct snapshot_row *b, size_t key_bytes)
{
	uint32_t x, y;

	for (size_t at = 0; at + sizeof(x) <= key_bytes; at += sizeof(x)) {
		memcpy(&x, (const uint8_t *)a->key + at, sizeof(x));
		memcpy(&y, (const uint8_t *)b->key + at, sizeof(y));
		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int snapshot_compare(const void *a, const void *b)
{
	const struct snapshot_ranked *x = a, *y = b;

	if (x->row->overflow != y->row->overflow)
		return x->row->overflow ? 1 : -1;
	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return snapshot_compare_keys(x->row, y->row, x->key_bytes);
}

const struct snapshot_row **snapshot_sorted(const struct snapshot *s, unsigned int which, unsigned int column)
{
	const struct snapshot_table *t = &s->table[which];
	struct snapshot_ranked *ranked = calloc(t->rows + 1, sizeof(*ranked));
	const struct snapshot_row **sorted = calloc(t->rows + 1, sizeof(*sorted));

	if (ranked && sorted) {
		for (unsigned int i = 0; i < t->rows; i++)
			ranked[i] = (struct snapshot_ranked){ &t->row[i], t->row[i].value[column], t->key_bytes };
		qsort(ranked, t->rows, sizeof(*ranked), snapshot_compare);
		for (unsigned int i = 0; i < t->rows; i++)
			sorted[i] = ranked[i].row;
	} else {
		free(sorted);
		sorted = NULL;
	}
	free(ranked);
	return sorted;
}
