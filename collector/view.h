/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Views: which columns of which table are shown, how they are called, in which unit, by what they are sorted, and
 * where one goes from a row. Views are constants; filling a cell is pure. Whoever shows them (report, a screen, JSON)
 * knows only columns and cells: a new view is one constant.
 */
#ifndef KYMO_VIEW_H
#define KYMO_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include "snapshot.h"

enum view_unit {
	VIEW_TEXT,
	VIEW_NUMBER,
	VIEW_ID,		/* a number that is a name: no grouping */
	VIEW_BYTES,
	VIEW_NS,
	VIEW_REAL,		/* a rate or a percentage */
	VIEW_NONE,		/* nothing to say here */
};

struct view_cell {
	enum view_unit unit;
	uint64_t number;
	double real;
	char text[256];		/* cleaned */
};

struct view_column {
	const char *head;	/* for people */
	const char *key;	/* in JSON, and for drill-down; NULL: only for people */
	void (*fill)(const struct snapshot *s, const struct snapshot_row *row, unsigned int arg, struct view_cell *out);
	unsigned int arg;
	bool left;		/* aligned to the left */
	bool json_only;
	unsigned char width;	/* on a screen, in columns; 0: as its head */
	unsigned char drop;	/* where a screen is too narrow the largest are left out first; 0: never */
	bool rate;		/* a screen shows it per second */
};

enum { VIEW_DRILL_KEYS = 3 };

struct view {
	const char *name, *title;
	const char *empty;	/* what to say when there is no row */
	unsigned int table;	/* of the snapshot */
	unsigned int sort;	/* column of the table */
	const char *sort_key;	/* the column (by key) that shows it; NULL: none does */
	unsigned int top;	/* rows a report shows unless told otherwise; 0: all */
	bool on_request;	/* not part of the report without -V */
	const struct view_column *column;
	unsigned int columns;
	/* Enter opens this view with the filter "each of these columns (by key, of both views) is as in the row". */
	const char *drill;	/* NULL: nowhere */
	const char *drill_key[VIEW_DRILL_KEYS];
	const char *drill_name;	/* the column (by key) that says to people which row it was; NULL: the keys do */
	/* The parent of a row is the one whose column tree_key[0] (by key) says what the row's column tree_key[1] says. */
	const char *tree_key[2];
	/* A screen shows `many` in its place when there are more rows than `many_from`: fewer rows, from which one gets here. */
	const char *many;
	unsigned int many_from;
	const char *stands_for;	/* it is `many` of that view: no place of its own among the views of a screen */
	const char *other;	/* the view of the same things with or without threads; NULL: there is none */
	bool (*kernel)(const struct snapshot_row *row); /* it is the kernel's own; NULL: none is */
	bool (*idle)(const struct snapshot_row *row); /* it is nobody, a screen leaves it out; NULL: none is */
};

/* Those that stand for others are the last. */
extern const struct view views[];
extern const unsigned int views_count;
unsigned int views_placed(void);	/* how many have a place of their own */
const struct view *view_of(const struct view *v);	/* the one that it stands for, or itself */

const struct view *view_find(const char *name); /* NULL: no such */

/* The cell as text for people. Returns `out`. */
char *view_cell_text(const struct view_cell *cell, char *out, size_t size);

#endif
