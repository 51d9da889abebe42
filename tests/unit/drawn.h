/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A screen as the tests draw it: what it shows, its rows, its cells. */
#ifndef KYMO_TEST_DRAWN_H
#define KYMO_TEST_DRAWN_H

#include "top/list.h"
#include "top/render.h"
#include "top/state.h"

struct drawn {
	struct state state;
	struct list list;
	struct grid grid;
	struct render_map map;
};

/* scene: host, input, release, snapshot and vitals; the rest is of d. */
static inline void drawn_make(struct drawn *d, struct render_scene scene, unsigned int rows, unsigned int columns)
{
	scene.state = &d->state;
	scene.list = &d->list;
	scene.clock = "10:42:07";
	assert_int_equal(list_make(&d->list, scene.snapshot, &d->state, render_page(rows, columns)), 0);
	assert_int_equal(render(&scene, rows, columns, &d->grid, &d->map), 0);
}

static inline void drawn_fini(struct drawn *d)
{
	list_fini(&d->list);
	grid_fini(&d->grid);
}

#endif
