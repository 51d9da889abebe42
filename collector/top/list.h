/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a view as the person wants them: filtered, sorted or as a tree, and where the cursor stands. Made of a
 * snapshot and the state; knows neither where snapshots come from nor how rows look.
 *
 * The row under the cursor stays where it is on the screen, whatever the order does: it is put there. Only when the
 * cursor follows its row does the row take its place and the screen goes with it. At the top of the list, before the
 * person has moved it, the cursor belongs to no row.
 */
#ifndef KYMO_LIST_H
#define KYMO_LIST_H

#include "state.h"

enum { LIST_DEPTH = 24 };

struct list_row {
	const struct snapshot_row *row;
	uint8_t depth;			/* in the tree */
	bool last;			/* of its parent's children */
	uint32_t more;			/* bit d: at depth d the line goes on below */
};

struct list {
	const struct snapshot *snapshot;
	struct list_row *row;
	unsigned int rows, all;		/* all: of the view, before filters */
};

/* Zeroed memory is an empty list. page: rows on the screen; the cursor of the state is brought into it. -ENOMEM. */
int list_make(struct list *l, const struct snapshot *snapshot, struct state *s, unsigned int page);
void list_fini(struct list *l);

void list_move(const struct list *l, struct state *s, unsigned int page);	/* as state->move, pages, ends say */
void list_find(const struct list *l, struct state *s, unsigned int page);	/* state->search */
bool list_drill(const struct list *l, struct state *s);			/* false: the message says why not */
void list_users(const struct list *l, struct state *s);			/* opens the menu, or says why not */

/* The cell of a row, rates per second; unit VIEW_NONE if there is nothing to say. */
void list_cell(const struct list *l, const struct view_column *column, const struct snapshot_row *row, struct view_cell *out);
bool list_matches(const struct view_cell *cell, const char *text); /* as search and filter see it */

#endif
