/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Grids against what was looked at and found good: golden/NAME-COLUMNSxROWS-DEPTH.txt. KYMO_GOLDEN=update writes them
 * anew. Included by a test of screens, behind cmocka.h.
 */
#ifndef KYMO_GOLDEN_H
#define KYMO_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "top/grid.h"
#include "top/theme.h"

static inline char *golden_read(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0, got;

	if (!f)
		return NULL;
	text = malloc(1 << 20);
	got = fread(text, 1, (1 << 20) - 1, f);
	size += got;
	text[size] = 0;
	fclose(f);
	return text;
}

static inline void assert_golden(const struct grid *g, const char *name, enum theme_depth depth)
{
	char path[160], letter[GRID_STYLES], *wanted, *dump;
	const char *update = getenv("KYMO_GOLDEN");

	snprintf(path, sizeof(path), "tests/unit/golden/%s-%ux%u-%s.txt", name, g->columns, g->rows,
		 depth == THEME_MONO ? "mono" : "colour");
	theme_letters(depth, letter);
	dump = grid_dump(g, letter);
	if (update && !strcmp(update, "update")) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		fputs(dump, f);
		assert_int_equal(fclose(f), 0);
	}
	wanted = golden_read(path);
	if (!wanted)
		fail_msg("%s: not there; KYMO_GOLDEN=update before this test makes it", path);
	if (strcmp(wanted, dump))
		fail_msg("%s differs. It is now:\n%s", path, dump);
	free(wanted);
	free(dump);
}

/* Nothing in it does anything to a terminal; wide characters have both their cells. */
static inline void assert_safe(const struct grid *g)
{
	for (unsigned int row = 0; row < g->rows; row++) {
		for (unsigned int i = 0; i < g->columns; i++) {
			const struct grid_cell *c = grid_cell(g, row, i);

			assert_true(c->width ? text_harmless(c->code) : i && c[-1].width == 2);
			assert_true(c->style < GRID_STYLES);
		}
	}
}

#endif
