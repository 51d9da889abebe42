// SPDX-License-Identifier: GPL-2.0-or-later
/* The table: which columns there is room for, their heads, the rows. */
#include "render_part.h"

#include <stdio.h>
#include <string.h>

enum {
	RENDER_COLUMNS = 64, RENDER_TEXT = 320, RENDER_TEXT_MIN = 12, RENDER_TEXT_KEPT = 18, RENDER_TEXT_MAX = 48,
	RENDER_GUTTER = 1,
};

struct render_column {
	const struct view_column *column;
	unsigned int index;		/* in the view */
	unsigned int width, at;
	bool sorts, down;		/* down: the largest first */
};

struct render_columns {
	struct render_column column[RENDER_COLUMNS];
	unsigned int count;
};

/* What a column of that unit usually needs: widths do not change with every number. */
static unsigned int render_unit_width(const struct view_column *column, enum view_unit unit)
{
	static const unsigned int width[] = {
		[VIEW_NUMBER] = 7, [VIEW_ID] = 7, [VIEW_BYTES] = 7, [VIEW_NS] = 7, [VIEW_REAL] = 5,
	};

	if (column->width)
		return column->width;
	if (column->rate && (unit == VIEW_REAL || unit == VIEW_NUMBER))
		return 6;
	return unit < sizeof(width) / sizeof(width[0]) ? width[unit] : 1;
}

static bool render_is_sort(const struct state *s, unsigned int index)
{
	const struct state_view *how = state_of_view_const(s);
	const struct view_column *column = &s->view->column[index];

	if (how->sort != STATE_NO_SORT)
		return how->sort == index;
	return s->view->sort_key && column->key && !strcmp(column->key, s->view->sort_key);
}

static void render_head_text(const struct render_column *c, char *out, size_t size)
{
	const char *mark = !c->sorts ? "" : c->down ? "\u25bc" : "\u25b2";

	snprintf(out, size, "%s%s%s%s", c->column->left ? "" : mark, c->column->head, c->column->rate ? "/s" : "",
		 c->column->left ? mark : "");
}

static unsigned int render_first(const struct render_scene *scene)
{
	return scene->state->cursor.top;
}

static unsigned int render_rows(const struct render_scene *scene, unsigned int page)
{
	const unsigned int first = render_first(scene), rows = scene->list ? scene->list->rows : 0;

	return first >= rows ? 0 : rows - first < page ? rows - first : page;
}

static const struct list_row *render_row(const struct render_scene *scene, unsigned int index)
{
	return &scene->list->row[render_first(scene) + index];
}

/* As wide as what is on the screen, and as what is usual. */
static void render_measure(const struct render_scene *scene, struct render_column *c, unsigned int page)
{
	const unsigned int rows = render_rows(scene, page);
	const struct view_column *column = c->column;
	char text[RENDER_TEXT];
	enum view_unit unit = column->left ? VIEW_TEXT : VIEW_NUMBER;

	c->sorts = render_is_sort(scene->state, c->index);
	for (unsigned int i = 0; i < rows; i++) {
		struct view_cell cell;
		unsigned int width;

		list_cell(scene->list, column, render_row(scene, i)->row, &cell);
		width = grid_text_width(view_cell_text(&cell, text, sizeof(text)));
		width = column->left && width > RENDER_TEXT_MAX ? RENDER_TEXT_MAX : width;
		c->width = width > c->width ? width : c->width;
		unit = cell.unit != VIEW_NONE ? cell.unit : unit;
	}
	c->down = (unit != VIEW_TEXT && unit != VIEW_ID) != state_of_view_const(scene->state)->reverse;
	if (c->width < render_unit_width(column, unit))
		c->width = render_unit_width(column, unit);
	render_head_text(c, text, sizeof(text));
	if (c->width < grid_text_width(text))
		c->width = grid_text_width(text);
}

/* The last text takes what is left over; it is content with little. One that is never left out gets narrower first. */
static bool render_takes_rest(const struct render_columns *c)
{
	return c->count && c->column[c->count - 1].column->left;
}

static unsigned int render_columns_width(const struct render_columns *c)
{
	unsigned int width = RENDER_GUTTER;

	for (unsigned int i = 0; i < c->count; i++) {
		const bool rest = i + 1 == c->count && render_takes_rest(c);
		const bool kept = c->column[i].column->left && !c->column[i].column->drop;
		const unsigned int wanted = c->column[i].width, least = rest ? RENDER_TEXT_MIN : kept ? RENDER_TEXT_KEPT : wanted;

		width += (i ? 1 : 0) + (wanted < least ? wanted : least);
	}
	return width;
}

/*
 * Which one goes first: as the view says, but never the one that sorts; if that is not enough from the right, but neither
 * the first nor what takes the rest.
 */
static unsigned int render_worst(const struct render_columns *c)
{
	unsigned int worst = 0, drop = 0;

	for (unsigned int i = 0; i < c->count; i++) {
		if (!c->column[i].sorts && c->column[i].column->drop && c->column[i].column->drop >= drop) {
			drop = c->column[i].column->drop;
			worst = i;
		}
	}
	if (!drop)
		worst = c->count - 1 - (render_takes_rest(c) && c->count > 2);
	return worst;
}

/* Texts share what there is: the widest gets narrower until all fit. */
static void render_share(struct render_columns *c, unsigned int columns)
{
	unsigned int width = RENDER_GUTTER;

	for (unsigned int i = 0; i < c->count; i++)
		width += (i ? 1 : 0) + c->column[i].width;
	for (; width > columns; width--) {
		struct render_column *widest = NULL;

		/* Of equal ones the last: it can be scrolled. */
		for (unsigned int i = 0; i < c->count; i++)
			if (c->column[i].column->left && (!widest || c->column[i].width >= widest->width))
				widest = &c->column[i];
		if (!widest || widest->width <= RENDER_TEXT_MIN)
			return;
		widest->width--;
	}
}

static void render_choose(const struct render_scene *scene, unsigned int columns, unsigned int page, struct render_columns *c)
{
	const struct view *v = scene->state->view;
	unsigned int at = RENDER_GUTTER;

	c->count = 0;
	for (unsigned int i = 0; i < v->columns && c->count < RENDER_COLUMNS; i++) {
		if (v->column[i].json_only)
			continue;
		c->column[c->count] = (struct render_column){ .column = &v->column[i], .index = i };
		render_measure(scene, &c->column[c->count++], page);
	}
	while (c->count > 1 && render_columns_width(c) > columns) {
		const unsigned int worst = render_worst(c);

		memmove(&c->column[worst], &c->column[worst + 1], (c->count - worst - 1) * sizeof(c->column[0]));
		c->count--;
	}
	render_share(c, columns);
	for (unsigned int i = 0; i < c->count; i++) {
		struct render_column *column = &c->column[i];

		column->at = at;
		if (i + 1 == c->count && render_takes_rest(c))
			column->width = columns > at ? columns - at : 0;
		at += column->width + 1;
	}
}

static void render_heads(const struct render_columns *c, struct grid *g, struct render_map *map, unsigned int row)
{
	char text[64];

	grid_fill(g, row, 0, g->columns, GRID_HEAD, ' ');
	for (unsigned int i = 0; i < c->count; i++) {
		const struct render_column *column = &c->column[i];
		const enum grid_style style = column->sorts ? GRID_HEAD_SORT : GRID_HEAD;

		render_head_text(column, text, sizeof(text));
		if (column->column->left)
			grid_put(g, row, column->at, column->width, style, text);
		else
			grid_put_right(g, row, column->at, column->width, style, text);
		render_area(map, row, 1, column->at, column->width, STATE_ON_HEAD, column->index);
	}
}

/* ---- rows ---- */

/* Where everything is new, nothing is. */
static bool render_marks_new(const struct render_scene *scene)
{
	const struct snapshot_table *t = &scene->snapshot->table[scene->state->view->table];

	for (unsigned int i = 0; i < t->rows; i++)
		if (!t->row[i].fresh)
			return true;
	return false;
}

static bool render_is_zero(const struct view_cell *cell)
{
	return cell->unit == VIEW_NONE || (cell->unit == VIEW_REAL && cell->real < 0.005) ||
	       ((cell->unit == VIEW_NUMBER || cell->unit == VIEW_BYTES || cell->unit == VIEW_NS) && !cell->number);
}

struct render_row {
	unsigned int row;
	enum grid_style style;
	const struct list_row *from;
	bool cursor, kernel;
};

static enum grid_style render_cell_style(const struct render_scene *scene, const struct render_row *r, const struct view_cell *cell)
{
	const char *search = scene->state->search;

	if (*search && list_matches(cell, search))
		return GRID_MATCH;
	if (r->cursor)
		return GRID_CURSOR;
	if (r->style != GRID_PLAIN)
		return r->style;
	if (render_is_zero(cell))
		return GRID_DIM;
	return r->kernel && cell->unit == VIEW_TEXT ? GRID_KERNEL : GRID_PLAIN;
}

static unsigned int render_branches(struct grid *g, const struct render_row *r, unsigned int column, unsigned int width)
{
	const enum grid_style style = r->cursor ? GRID_CURSOR : GRID_TREE;
	const unsigned int begin = column, end = column + width;

	for (unsigned int d = 1; d < r->from->depth && column < end; d++)
		column += grid_put(g, r->row, column, end - column, style, r->from->more & 1u << d ? "\u2502 " : "  ");
	if (r->from->depth)
		column += grid_put(g, r->row, column, end - column, style, r->from->last ? "\u2514\u2500" : "\u251c\u2500");
	return column - begin;
}

static void render_text_cell(const struct render_scene *scene, struct grid *g, const struct render_row *r,
			     const struct render_column *c, bool last, enum grid_style style, const char *text)
{
	unsigned int at = c->at, width = c->width, used;

	if (last) {
		used = render_branches(g, r, at, width);
		at += used;
		width -= used;
		text = grid_text_skip(text, scene->state->scroll);
	}
	used = grid_put(g, r->row, at, width, style, text);
	if (!last && width && grid_text_width(text) > width)
		grid_put(g, r->row, at + width - 1, 1, style, "\u2026");
}

static void render_cells(const struct render_scene *scene, struct grid *g, const struct render_row *r,
			 const struct render_columns *c)
{
	char text[RENDER_TEXT];

	for (unsigned int i = 0; i < c->count; i++) {
		const struct render_column *column = &c->column[i];
		struct view_cell cell;
		enum grid_style style;

		list_cell(scene->list, column->column, r->from->row, &cell);
		style = render_cell_style(scene, r, &cell);
		view_cell_text(&cell, text, sizeof(text));
		if (column->column->left)
			render_text_cell(scene, g, r, column, i + 1 == c->count, style, cell.unit == VIEW_NONE ? "" : text);
		else
			grid_put_right(g, r->row, column->at, column->width, style, text);
	}
}

static void render_line(const struct render_scene *scene, struct grid *g, unsigned int row, unsigned int index, bool marks_new,
			const struct render_columns *c)
{
	struct render_row r = { .row = row, .from = render_row(scene, index) };
	const struct snapshot_row *from = r.from->row;
	const bool fresh = marks_new && from->fresh;

	r.cursor = render_first(scene) + index == scene->state->cursor.at;
	r.kernel = scene->state->view->kernel && scene->state->view->kernel(from);
	r.style = from->ended ? GRID_DEAD : fresh ? GRID_NEW : GRID_PLAIN;
	if (r.cursor)
		grid_fill(g, row, 0, g->columns, GRID_CURSOR, ' ');
	if (from->ended || fresh)
		grid_put(g, row, 0, 1, r.cursor ? GRID_CURSOR : r.style, from->ended ? "x" : "+");
	render_cells(scene, g, &r, c);
}

static void render_empty(const struct render_scene *scene, struct grid *g, unsigned int row)
{
	char text[128];

	if (!scene->snapshot)
		snprintf(text, sizeof(text), "waiting for the first interval");
	else if (scene->list && scene->list->all)
		snprintf(text, sizeof(text), "none of %u rows matches; Backspace takes the last filter away", scene->list->all);
	else
		snprintf(text, sizeof(text), "%s", scene->state->view->empty);
	grid_put(g, row, 2, g->columns, GRID_DIM, text);
}

void render_table(const struct render_scene *scene, struct grid *g, struct render_map *map, const struct render_layout *where)
{
	const unsigned int rows = render_rows(scene, where->page);
	struct render_columns c;
	bool marks_new;

	render_choose(scene, g->columns, where->page, &c);
	if (where->heads_rows)
		render_heads(&c, g, map, where->heads);
	if (!rows) {
		render_empty(scene, g, where->list);
		return;
	}
	marks_new = render_marks_new(scene);
	for (unsigned int i = 0; i < rows; i++)
		render_line(scene, g, where->list + i, i, marks_new, &c);
	render_area(map, where->list, rows, 0, g->columns, STATE_ON_ROW, render_first(scene));
}
