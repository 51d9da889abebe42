// SPDX-License-Identifier: GPL-2.0-or-later
/* Which rows, in which order, and the cursor among them. */
#include "list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list_order.h"

void list_fini(struct list *l)
{
	free(l->row);
	*l = (struct list){ 0 };
}

static void list_per_second(const struct snapshot *s, struct view_cell *cell)
{
	const double seconds = s->end_ns > s->begin_ns ? (double)(s->end_ns - s->begin_ns) / 1e9 : 1;

	if (cell->unit == VIEW_NUMBER && cell->number) {
		cell->unit = VIEW_REAL;
		cell->real = (double)cell->number / seconds;
	} else if (cell->unit == VIEW_NS || cell->unit == VIEW_BYTES) {
		cell->number = (uint64_t)((double)cell->number / seconds + 0.5);
	}
}

void list_cell(const struct list *l, const struct view_column *column, const struct snapshot_row *row, struct view_cell *out)
{
	out->unit = VIEW_NONE;
	out->text[0] = 0;
	column->fill(l->snapshot, row, column->arg, out);
	if (column->rate)
		list_per_second(l->snapshot, out);
}

static const struct view_column *list_column(const struct view *v, const char *key)
{
	for (unsigned int i = 0; key && i < v->columns; i++)
		if (v->column[i].key && !strcmp(v->column[i].key, key))
			return &v->column[i];
	return NULL;
}

/* ---- filters ---- */

bool list_matches(const struct view_cell *cell, const char *text)
{
	char number[24];

	switch (cell->unit) {
	case VIEW_TEXT:
		return strcasestr(cell->text, text) != NULL;
	case VIEW_ID:
		snprintf(number, sizeof(number), "%llu", (unsigned long long)cell->number);
		return !strncmp(number, text, strlen(text));
	default:
		return false;
	}
}

static bool list_row_matches(const struct list *l, const struct view *v, const struct snapshot_row *row, const char *text)
{
	for (unsigned int i = 0; i < v->columns; i++) {
		struct view_cell cell;

		if (v->column[i].json_only)
			continue;
		list_cell(l, &v->column[i], row, &cell);
		if (list_matches(&cell, text))
			return true;
	}
	return false;
}

static bool list_same(const struct view_cell *a, const struct view_cell *b)
{
	if (a->unit != b->unit)
		return false;
	if (a->unit == VIEW_TEXT)
		return !strcmp(a->text, b->text);
	return a->unit == VIEW_REAL ? a->real == b->real : a->number == b->number;
}

/* A crumb says nothing of a view that lacks its column. */
static bool list_on_the_way(const struct list *l, const struct state *s, const struct snapshot_row *row)
{
	for (unsigned int i = 0; i < s->crumbs; i++) {
		const struct state_crumb *crumb = &s->crumb[i];

		for (unsigned int k = 0; k < crumb->keys; k++) {
			const struct view_column *column = list_column(s->view, crumb->key[k]);
			struct view_cell cell;

			if (!column)
				continue;
			list_cell(l, column, row, &cell);
			if (!list_same(&cell, &crumb->value[k]))
				return false;
		}
	}
	return true;
}

static const struct view_column *list_user_column(const struct view *v)
{
	const struct view_column *column = list_column(v, "user");

	return column ? column : list_column(v, "uid");
}

static void list_user(const struct list *l, const struct view_column *column, const struct snapshot_row *row, char out[STATE_ITEM])
{
	struct view_cell cell;
	char text[sizeof(cell.text)];

	list_cell(l, column, row, &cell);
	snprintf(out, STATE_ITEM, "%.*s", STATE_ITEM - 1, view_cell_text(&cell, text, sizeof(text)));
}

static bool list_wanted(const struct list *l, const struct state *s, const struct snapshot_row *row)
{
	const struct view_column *user = *s->user ? list_user_column(s->view) : NULL;
	char name[STATE_ITEM];

	if (s->view->idle && s->view->idle(row))
		return false;
	if (s->kernel_hidden && s->view->kernel && s->view->kernel(row))
		return false;
	if (!list_on_the_way(l, s, row))
		return false;
	if (user) {
		list_user(l, user, row, name);
		if (strcmp(name, s->user))
			return false;
	}
	return !*s->filter || list_row_matches(l, s->view, row, s->filter);
}

/* ---- cursor ---- */

static size_t list_key_bytes(const struct list *l, const struct state *s)
{
	const size_t bytes = l->snapshot ? l->snapshot->table[s->view->table].key_bytes : 0;

	return bytes < STATE_KEY ? bytes : STATE_KEY;
}

static bool list_is(const struct list *l, const struct state *s, unsigned int index)
{
	return !memcmp(l->row[index].row->key, s->cursor.key, list_key_bytes(l, s));
}

static void list_scroll(const struct list *l, struct state *s, unsigned int page)
{
	struct state_cursor *c = &s->cursor;

	page = page ? page : 1;
	if (c->at >= l->rows)
		c->at = l->rows ? l->rows - 1 : 0;
	if (c->top + page > l->rows)
		c->top = l->rows > page ? l->rows - page : 0;
	if (c->at < c->top)
		c->top = c->at;
	if (c->at >= c->top + page)
		c->top = c->at - page + 1;
}

/* The cursor belongs to the row it stands on. */
static void list_pin(const struct list *l, struct state *s)
{
	struct state_cursor *c = &s->cursor;

	c->pinned = l->rows > 0;
	if (c->pinned)
		memcpy(c->key, l->row[c->at].row->key, list_key_bytes(l, s));
}

static void list_shift(struct list *l, unsigned int from, unsigned int to)
{
	const struct list_row moved = l->row[from];

	if (from < to)
		memmove(&l->row[from], &l->row[from + 1], (to - from) * sizeof(moved));
	else
		memmove(&l->row[to + 1], &l->row[to], (from - to) * sizeof(moved));
	l->row[to] = moved;
}

/* The row has been found at `index`, while the cursor stood at cursor.at. */
static void list_keep(struct list *l, struct state *s, unsigned int index)
{
	struct state_cursor *c = &s->cursor;
	const unsigned int line = c->at - c->top;
	const unsigned int at = c->at < l->rows ? c->at : l->rows - 1;

	if (s->follow || state_of_view_const(s)->tree) {
		c->at = index;
		c->top = index > line ? index - line : 0;
	} else {
		list_shift(l, index, at);
		c->at = at;
	}
}

static void list_settle(struct list *l, struct state *s, unsigned int page)
{
	struct state_cursor *c = &s->cursor;

	if (!c->pinned)
		c->at = c->top = 0;
	for (unsigned int i = 0; c->pinned && i < l->rows; i++) {
		if (list_is(l, s, i)) {
			list_keep(l, s, i);
			list_scroll(l, s, page);
			return;
		}
	}
	/* Its row has gone: the cursor takes what stands there now. */
	list_scroll(l, s, page);
	if (c->pinned)
		list_pin(l, s);
}

void list_move(const struct list *l, struct state *s, unsigned int page)
{
	struct state_cursor *c = &s->cursor;
	const int64_t by = s->move + (int64_t)s->pages * (page > 1 ? page - 1 : 1);
	int64_t at = (int64_t)c->at + by;

	if (s->ends)
		at = s->ends < 0 ? 0 : (int64_t)l->rows - 1;
	at = at >= l->rows ? (int64_t)l->rows - 1 : at;
	at = at < 0 ? 0 : at;
	if (s->pages) {
		const int64_t top = (int64_t)c->top + by;

		c->top = top < 0 ? 0 : (unsigned int)top;
	}
	if (by || s->ends)
		s->follow = false;
	c->at = (unsigned int)at;
	list_scroll(l, s, page);
	list_pin(l, s);
	if (s->ends < 0)
		*c = (struct state_cursor){ 0 };
}

void list_find(const struct list *l, struct state *s, unsigned int page)
{
	const unsigned int start = s->cursor.at;

	if (!*s->search || !l->rows)
		return;
	for (unsigned int i = s->find_here ? 0 : 1; i <= l->rows; i++) {
		const unsigned int at = (start + (s->find_backwards ? l->rows * 2 - i : i)) % l->rows;

		if (list_row_matches(l, s->view, l->row[at].row, s->search)) {
			s->cursor.at = at;
			list_scroll(l, s, page);
			list_pin(l, s);
			return;
		}
	}
	state_say(s, "No row has '%s'.", s->search);
}

bool list_drill(const struct list *l, struct state *s)
{
	const struct view_column *named = list_column(s->view, s->view->drill_name);
	struct view_cell value[VIEW_DRILL_KEYS], name = { .unit = VIEW_NONE };
	unsigned int keys = 0;

	if (s->cursor.at >= l->rows) {
		state_say(s, "There is no row to look into.");
		return false;
	}
	for (; keys < VIEW_DRILL_KEYS && s->view->drill_key[keys]; keys++) {
		const struct view_column *column = list_column(s->view, s->view->drill_key[keys]);

		value[keys] = (struct view_cell){ .unit = VIEW_NONE };
		if (column)
			list_cell(l, column, l->row[s->cursor.at].row, &value[keys]);
		if (value[keys].unit == VIEW_NONE) {
			state_say(s, "This row has no %s of its own.", s->view->drill_key[keys]);
			return false;
		}
	}
	if (named)
		list_cell(l, named, l->row[s->cursor.at].row, &name);
	list_pin(l, s);
	return state_drill(s, value, keys, &name);
}

static int list_item_compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

void list_users(const struct list *l, struct state *s)
{
	const struct view_column *column = list_user_column(s->view);
	const struct snapshot_table *t;

	if (!column || !l->snapshot) {
		state_say(s, "The rows of this view have no users.");
		return;
	}
	t = &l->snapshot->table[s->view->table];
	snprintf(s->item[0], STATE_ITEM, "(all)");
	s->items = 1;
	for (unsigned int i = 0; i < t->rows && s->items < STATE_ITEMS; i++) {
		char name[STATE_ITEM];
		unsigned int k = 1;

		list_user(l, column, &t->row[i], name);
		while (k < s->items && strcmp(s->item[k], name))
			k++;
		if (k == s->items)
			memcpy(s->item[s->items++], name, sizeof(name));
	}
	qsort(s->item[1], s->items - 1, STATE_ITEM, list_item_compare);
	s->item_at = 0;
	for (unsigned int i = 1; i < s->items; i++)
		if (!strcmp(s->item[i], s->user))
			s->item_at = i;
	state_menu(s, STATE_USER);
}

/* ---- making ---- */

/* More rows than anybody looks at: the view that stands for this one; and back, should there be fewer. */
static void list_stand_in(const struct snapshot *snapshot, struct state *s)
{
	const struct view *of = view_of(s->view), *many = of->many ? view_find(of->many) : NULL;
	const bool came_from_it = s->crumbs && s->crumb[s->crumbs - 1].from == many;
	const bool stands = many && snapshot->table[of->table].rows > of->many_from && !came_from_it &&
			    !s->of_view[of - views].each;

	if (many && s->view != (stands ? many : of))
		state_show_view(s, stands ? many : of);
}

int list_make(struct list *l, const struct snapshot *snapshot, struct state *s, unsigned int page)
{
	const struct snapshot_table *t;
	const struct state_view *how;
	struct list_order order = { .list = l };

	list_stand_in(snapshot, s);
	t = &snapshot->table[s->view->table];
	how = state_of_view_const(s);
	order.view = s->view;
	order.key_bytes = t->key_bytes;
	free(l->row);
	*l = (struct list){ .snapshot = snapshot, .all = t->rows };
	l->row = calloc(t->rows + 1, sizeof(*l->row));
	if (!l->row)
		return -ENOMEM;
	for (unsigned int i = 0; s->view->idle && i < t->rows; i++)
		l->all -= s->view->idle(&t->row[i]);
	for (unsigned int i = 0; i < t->rows; i++)
		if (list_wanted(l, s, &t->row[i]))
			l->row[l->rows++].row = &t->row[i];
	order.column = how->sort == STATE_NO_SORT ? NULL : &s->view->column[how->sort];
	order.reverse = how->reverse;
	if (list_order(&order))
		return -ENOMEM;
	if (how->tree && list_order_tree(&order, list_column(s->view, s->view->tree_key[0]),
					 list_column(s->view, s->view->tree_key[1])))
		return -ENOMEM;
	list_settle(l, s, page);
	return 0;
}
