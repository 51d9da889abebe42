// SPDX-License-Identifier: GPL-2.0-or-later
/* Sorting. What rows are compared by is filled in once for each row before. */
#include "list_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_TEXT = 64, LIST_NOBODY = UINT32_MAX };

struct list_ranked {
	const struct snapshot_row *row;
	const struct list_order *order;
	enum view_unit unit;
	uint64_t number;
	double real;
	char text[LIST_TEXT];
};

static int list_compare_cells(const struct list_ranked *x, const struct list_ranked *y)
{
	if (x->unit != y->unit)
		return x->unit == VIEW_NONE ? 1 : y->unit == VIEW_NONE ? -1 : x->unit < y->unit ? -1 : 1;
	switch (x->unit) {
	case VIEW_TEXT:
		return strcmp(x->text, y->text);
	case VIEW_ID:
		return x->number < y->number ? -1 : x->number > y->number;
	case VIEW_REAL:
		return x->real > y->real ? -1 : x->real < y->real;
	default:
		return x->number > y->number ? -1 : x->number < y->number;
	}
}

static int list_compare(const void *a, const void *b)
{
	const struct list_ranked *x = a, *y = b;
	int way;

	if (x->row->overflow != y->row->overflow)
		return x->row->overflow ? 1 : -1;
	way = list_compare_cells(x, y);
	if (way)
		return x->order->reverse ? -way : way;
	return snapshot_compare_keys(x->row, y->row, x->order->key_bytes);
}

static void list_rank(const struct list_order *o, const struct snapshot_row *row, struct list_ranked *out)
{
	struct view_cell cell;

	out->row = row;
	out->order = o;
	if (!o->column) {
		out->unit = VIEW_NUMBER;
		out->number = row->value[o->view->sort];
		return;
	}
	list_cell(o->list, o->column, row, &cell);
	out->unit = cell.unit;
	out->number = cell.number;
	out->real = cell.real;
	if (o->column->rate && cell.unit == VIEW_NUMBER) { /* nothing */
		out->unit = VIEW_REAL;
		out->real = 0;
	}
	memcpy(out->text, cell.text, LIST_TEXT - 1);
}

int list_order(const struct list_order *o)
{
	struct list *l = o->list;
	struct list_ranked *ranked = calloc(l->rows + 1, sizeof(*ranked));

	if (!ranked)
		return -ENOMEM;
	for (unsigned int i = 0; i < l->rows; i++)
		list_rank(o, l->row[i].row, &ranked[i]);
	qsort(ranked, l->rows, sizeof(*ranked), list_compare);
	for (unsigned int i = 0; i < l->rows; i++)
		l->row[i] = (struct list_row){ .row = ranked[i].row };
	free(ranked);
	return 0;
}

/* ---- tree ---- */

/* A row by its own number. */
struct list_own {
	uint64_t number;
	uint32_t index;
	bool ended;
};

/* Where a walk through the tree is: the child of one row that comes next. */
struct list_step {
	uint32_t child, more;
	uint8_t depth;
};

struct list_tree {
	const struct list_row *in;
	struct list_row *out;
	uint32_t *parent, *child, *next; /* first child, next child of the same parent; LIST_NOBODY: none */
	struct list_step *step;
	unsigned int rows, done;
	bool *taken;
};

static int list_own_compare(const void *a, const void *b)
{
	const struct list_own *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->ended - y->ended;
}

static int list_own_find(const void *a, const void *b)
{
	const struct list_own *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static uint32_t list_owner(const struct list_own *own, unsigned int count, uint64_t number)
{
	const struct list_own wanted = { .number = number };
	const struct list_own *found = count ? bsearch(&wanted, own, count, sizeof(*own), list_own_find) : NULL;

	return found ? found->index : LIST_NOBODY;
}

/* A number that is used by a dead row and a living one is the living one's. */
static unsigned int list_owners(const struct list_order *o, const struct view_column *column, struct list_own *own)
{
	const struct list *l = o->list;
	unsigned int count = 0, different = 0;

	for (unsigned int i = 0; i < l->rows; i++) {
		struct view_cell cell;

		list_cell(l, column, l->row[i].row, &cell);
		if (cell.unit != VIEW_NONE)
			own[count++] = (struct list_own){ cell.number, i, l->row[i].row->ended };
	}
	qsort(own, count, sizeof(*own), list_own_compare);
	for (unsigned int i = 0; i < count; i++)
		if (!different || own[i].number != own[different - 1].number)
			own[different++] = own[i];
	return different;
}

/* Lines are drawn down to LIST_DEPTH: deeper ones stand beside their parents. */
static struct list_step list_tree_emit(struct list_tree *t, uint32_t index, unsigned int depth, uint32_t more, bool last)
{
	struct list_row *row = &t->out[t->done++];

	*row = t->in[index];
	row->depth = (uint8_t)depth;
	row->last = last;
	row->more = more;
	t->taken[index] = true;
	return (struct list_step){ t->child[index], !last && depth ? more | 1u << depth : more,
				   (uint8_t)(depth + (depth < LIST_DEPTH)) };
}

/* Without recursion: how deep it goes is up to whoever made the trace. */
static void list_tree_walk(struct list_tree *t, uint32_t root)
{
	unsigned int steps = 0;

	t->step[steps++] = list_tree_emit(t, root, 0, 0, true);
	while (steps) {
		struct list_step *at = &t->step[steps - 1];
		const uint32_t child = at->child;

		if (child == LIST_NOBODY) {
			steps--;
			continue;
		}
		at->child = t->next[child];
		if (!t->taken[child])
			t->step[steps++] = list_tree_emit(t, child, at->depth, at->more, at->child == LIST_NOBODY);
	}
}

static void list_tree_link(struct list_tree *t)
{
	/* From the last to the first: children are put in front of those after them. */
	for (uint32_t i = t->rows; i--;) {
		const uint32_t parent = t->parent[i];

		if (parent == LIST_NOBODY || parent == i)
			continue;
		t->next[i] = t->child[parent];
		t->child[parent] = i;
	}
	for (uint32_t i = 0; i < t->rows; i++)
		if (t->parent[i] == LIST_NOBODY || t->parent[i] == i)
			list_tree_walk(t, i);
	/* What is left are rings of parents, which a damaged trace may tell of. */
	for (uint32_t i = 0; i < t->rows; i++)
		if (!t->taken[i])
			list_tree_walk(t, i);
}

int list_order_tree(const struct list_order *o, const struct view_column *own, const struct view_column *parent)
{
	struct list *l = o->list;
	const size_t n = l->rows + 1;
	struct list_own *owns = calloc(n, sizeof(*owns));
	struct list_tree t = { .in = l->row, .rows = l->rows };
	unsigned int count;
	int status = -ENOMEM;

	if (!own || !parent) {
		free(owns);
		return 0;
	}
	t.out = calloc(n, sizeof(*t.out));
	t.parent = malloc(3 * n * sizeof(*t.parent));
	t.taken = calloc(n, sizeof(*t.taken));
	t.step = calloc(n, sizeof(*t.step));
	if (owns && t.out && t.parent && t.taken && t.step) {
		t.child = t.parent + n;
		t.next = t.child + n;
		memset(t.parent, 0xff, 3 * n * sizeof(*t.parent));
		count = list_owners(o, own, owns);
		for (unsigned int i = 0; i < l->rows; i++) {
			struct view_cell cell;

			list_cell(l, parent, l->row[i].row, &cell);
			if (cell.unit != VIEW_NONE)
				t.parent[i] = list_owner(owns, count, cell.number);
		}
		list_tree_link(&t);
		free(l->row);
		l->row = t.out;
		t.out = NULL;
		status = 0;
	}
	free(owns);
	free(t.out);
	free(t.parent);
	free(t.taken);
	free(t.step);
	return status;
}
