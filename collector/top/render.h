/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A view of a snapshot, as the state wants it, drawn into a grid. Pure: the same scene gives the same grid, and whatever is
 * in it fits into any size. Knows neither the terminal nor where the snapshot comes from.
 */
#ifndef KYMO_RENDER_H
#define KYMO_RENDER_H

#include <stdbool.h>
#include <stdint.h>
#include "../vitals.h"
#include "grid.h"
#include "list.h"
#include "state.h"

enum { RENDER_AREAS = 192 };

/* Texts have been cleaned; empty ones are not shown. */
struct render_scene {
	const struct state *state;
	const struct list *list;	/* of the snapshot */
	const struct snapshot *snapshot; /* NULL: none yet */
	const struct vitals *vitals;	/* NULL: none yet */
	const char *host, *input, *release, *clock;
	const char *position;		/* of a replay: where in the trace */
	const char *recording;		/* the directory */
};

/* Where on the grid one can click, and what is there. */
struct render_area {
	unsigned int row, rows, column, columns;
	struct state_hit hit;		/* of its first row; n grows with each row after it */
};

struct render_map {
	struct render_area area[RENDER_AREAS];
	unsigned int areas;
};

/* The grid gets that many rows and columns. -ENOMEM. */
int render(const struct render_scene *scene, unsigned int rows, unsigned int columns, struct grid *g, struct render_map *map);

unsigned int render_help_last(unsigned int rows, unsigned int columns); /* the last state->help_top that makes sense */
unsigned int render_page(unsigned int rows, unsigned int columns); /* rows of the list on a screen of that size */
struct state_hit render_hit(const struct render_map *map, unsigned int row, unsigned int column);

#endif
