/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a screen that render puts together. Each draws into the rows that it is given, inside of the grid. */
#ifndef KYMO_RENDER_PART_H
#define KYMO_RENDER_PART_H

#include "render.h"

/* Which line is what; a part that has no room has no lines. */
struct render_layout {
	unsigned int title, titles;
	unsigned int vitals, vitals_rows;
	unsigned int crumbs, crumbs_rows;
	unsigned int heads, heads_rows;
	unsigned int list, page;
	unsigned int bar, bars;
};

struct render_layout render_layout(unsigned int rows, unsigned int columns);

void render_area(struct render_map *map, unsigned int row, unsigned int rows, unsigned int column, unsigned int columns,
		 enum state_place place, uint32_t n);

void render_title(const struct render_scene *scene, struct grid *g, unsigned int row);
void render_vitals(const struct render_scene *scene, struct grid *g, unsigned int row, unsigned int rows);
void render_crumbs(const struct render_scene *scene, struct grid *g, struct render_map *map, unsigned int row);
void render_table(const struct render_scene *scene, struct grid *g, struct render_map *map, const struct render_layout *where);
void render_bar(const struct render_scene *scene, struct grid *g, struct render_map *map, unsigned int row);
void render_help(const struct render_scene *scene, struct grid *g, unsigned int row, unsigned int rows);
void render_menu(const struct render_scene *scene, struct grid *g, struct render_map *map, unsigned int row, unsigned int rows);

#endif
