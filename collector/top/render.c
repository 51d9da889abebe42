// SPDX-License-Identifier: GPL-2.0-or-later
/* Which part of the screen goes where. */
#include "render.h"

#include "render_part.h"

/* By size only: nothing moves because a number has grown. */
struct render_layout render_layout(unsigned int rows, unsigned int columns)
{
	struct render_layout l = { 0 };
	unsigned int at = 0;

	l.bars = rows >= 3;
	l.titles = rows >= 5;
	l.heads_rows = rows >= 2;
	l.crumbs_rows = rows >= 8;
	if (rows >= 18)
		l.vitals_rows = columns >= 78 ? 2 : columns >= 50 ? 3 : 4;
	else
		l.vitals_rows = rows >= 14 ? 2 : rows >= 6;
	l.title = at;
	l.vitals = at += l.titles;
	l.crumbs = at += l.vitals_rows;
	l.heads = at += l.crumbs_rows;
	l.list = at += l.heads_rows;
	l.page = rows > at + l.bars ? rows - at - l.bars : 0;
	l.bar = rows ? rows - 1 : 0;
	return l;
}

unsigned int render_page(unsigned int rows, unsigned int columns)
{
	return render_layout(rows, columns).page;
}

void render_area(struct render_map *map, unsigned int row, unsigned int rows, unsigned int column, unsigned int columns,
		 enum state_place place, uint32_t n)
{
	if (map->areas < RENDER_AREAS && rows && columns)
		map->area[map->areas++] = (struct render_area){ row, rows, column, columns, { place, n } };
}

/* What was drawn last lies on top. */
struct state_hit render_hit(const struct render_map *map, unsigned int row, unsigned int column)
{
	for (unsigned int i = map->areas; i--;) {
		const struct render_area *a = &map->area[i];

		if (row >= a->row && row - a->row < a->rows && column >= a->column && column - a->column < a->columns)
			return (struct state_hit){ a->hit.place, a->hit.n + (row - a->row) };
	}
	return (struct state_hit){ STATE_NOWHERE, 0 };
}

int render(const struct render_scene *scene, unsigned int rows, unsigned int columns, struct grid *g, struct render_map *map)
{
	const struct render_layout l = render_layout(rows, columns);
	const int status = grid_reset(g, rows, columns);

	map->areas = 0;
	if (status)
		return status;
	if (l.titles)
		render_title(scene, g, l.title);
	if (scene->state->mode == STATE_HELP) {
		render_help(scene, g, l.vitals, rows - l.vitals - l.bars);
	} else {
		render_vitals(scene, g, l.vitals, l.vitals_rows);
		if (l.crumbs_rows)
			render_crumbs(scene, g, map, l.crumbs);
		render_table(scene, g, map, &l);
		if (scene->state->mode == STATE_SORT || scene->state->mode == STATE_USER)
			render_menu(scene, g, map, l.heads, l.page + l.heads_rows);
	}
	if (l.bars)
		render_bar(scene, g, map, l.bar);
	return 0;
}
