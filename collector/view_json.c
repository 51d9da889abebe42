// SPDX-License-Identifier: GPL-2.0-or-later
/* A view of a snapshot as JSON. Cells are cleaned already; what is no UTF-8 is not in them any more. */
#include "view_json.h"

#include <stdlib.h>

static json_t *view_json_cell(const struct view_cell *cell)
{
	switch (cell->unit) {
	case VIEW_TEXT:
		return json_string(cell->text);
	case VIEW_REAL:
		return json_real(cell->real);
	case VIEW_NONE:
		return json_null();
	default:
		return json_integer((json_int_t)cell->number);
	}
}

static json_t *view_json_row(const struct snapshot *s, const struct view *v, const struct snapshot_row *row)
{
	json_t *object = json_object();

	for (unsigned int i = 0; i < v->columns; i++) {
		struct view_cell cell = { .unit = VIEW_NONE };

		if (!v->column[i].key)
			continue;
		v->column[i].fill(s, row, v->column[i].arg, &cell);
		json_object_set_new(object, v->column[i].key, view_json_cell(&cell));
	}
	if (row->overflow)
		json_object_set_new(object, "overflow", json_true());
	return object;
}

static bool view_json_active(const struct snapshot_row *row, unsigned int columns)
{
	for (unsigned int i = 0; i < columns; i++)
		if (row->value[i])
			return true;
	return false;
}

json_t *view_json(const struct snapshot *s, const struct view *v, unsigned int top, bool active)
{
	const struct snapshot_row **sorted = snapshot_sorted(s, v->table, v->sort);
	const struct snapshot_table *t = &s->table[v->table];
	json_t *array = json_array(), *object;

	for (unsigned int i = 0; sorted && i < t->rows && (!top || i < top || sorted[i]->overflow); i++) {
		if (active && !view_json_active(sorted[i], t->columns))
			continue;
		object = view_json_row(s, v, sorted[i]);
		if (active && sorted[i]->fresh)
			json_object_set_new(object, "new", json_true());
		if (active && sorted[i]->ended)
			json_object_set_new(object, "exited", json_true());
		json_array_append_new(array, object);
	}
	free(sorted);
	return array;
}
