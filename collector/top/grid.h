/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A screen's worth of cells: in each one character and the name of a style. What is written into it is safe for a
 * terminal, whatever it was. A leaf: knows neither what is shown nor the terminal.
 *
 * A wide character takes two cells, the second of width 0. Characters of no width (combining ones) are cut; what must
 * not reach a terminal becomes GRID_SUBSTITUTE.
 */
#ifndef KYMO_GRID_H
#define KYMO_GRID_H

#include <stdbool.h>
#include <stdint.h>

enum grid_style {
	GRID_PLAIN,
	GRID_TITLE,		/* program, view, host */
	GRID_LABEL,		/* names of the numbers in the header */
	GRID_VALUE,
	GRID_ALARM,		/* losses and errors */
	GRID_CRUMB,		/* the filters on the way here */
	GRID_HEAD,		/* column heads */
	GRID_HEAD_SORT,		/* of the column that sorts */
	GRID_CURSOR,		/* the row under the cursor */
	GRID_NEW,		/* a row that was not there an interval ago */
	GRID_DEAD,		/* a row whose task has gone */
	GRID_DIM,		/* nothing happened here */
	GRID_KERNEL,		/* of the kernel itself */
	GRID_TREE,		/* the lines of the tree */
	GRID_MATCH,		/* what was searched */
	GRID_KEY,		/* function bar: the key */
	GRID_ACTION,		/* function bar: what it does */
	GRID_PROMPT,		/* a line that is typed */
	GRID_MENU,
	GRID_MENU_CURSOR,
	GRID_STYLES,
};

enum { GRID_SUBSTITUTE = '?', GRID_SIDE_MAX = 4096 };

struct grid_cell {
	uint32_t code;
	uint8_t width;		/* 1, 2; 0: the second half of the one before */
	uint8_t style;
};

/* Zeroed memory is a grid of no cells. */
struct grid {
	unsigned int rows, columns;
	struct grid_cell *cell;
};

/* All blank and plain. -ENOMEM. Sides are cut to GRID_SIDE_MAX. */
int grid_reset(struct grid *g, unsigned int rows, unsigned int columns);
void grid_fini(struct grid *g);

struct grid_cell *grid_cell(const struct grid *g, unsigned int row, unsigned int column); /* must be inside */

/*
 * Writes text, at most `width` columns of it and nothing outside of the grid. Returns the columns used: a wide
 * character that has only one left is not written.
 */
unsigned int grid_put(struct grid *g, unsigned int row, unsigned int column, unsigned int width, enum grid_style style,
		      const char *text);
/* The same, but the text's last column is column + width - 1. What is too long is cut at its end. */
void grid_put_right(struct grid *g, unsigned int row, unsigned int column, unsigned int width, enum grid_style style,
		    const char *text);
void grid_fill(struct grid *g, unsigned int row, unsigned int column, unsigned int width, enum grid_style style, uint32_t code);
void grid_paint(struct grid *g, unsigned int row, unsigned int column, unsigned int width, enum grid_style style);

unsigned int grid_text_width(const char *text);		/* columns that grid_put would use with room for all */
const char *grid_text_skip(const char *text, unsigned int columns); /* the rest behind so many columns */

/* For terminals that know no UTF-8: lines and marks become ASCII, other characters GRID_SUBSTITUTE; widths stay. */
void grid_to_ascii(struct grid *g);

/*
 * For golden tests: each row as text between bars, then the letters of its styles (NULL: text only). A string for
 * free(); NULL: no memory.
 */
char *grid_dump(const struct grid *g, const char letter[GRID_STYLES]);

#endif
