/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a style looks on terminals of different abilities. Constants; knows no terminal. Nothing is told by colour alone:
 * what a style means also stands there as a character or an attribute.
 */
#ifndef KYMO_THEME_H
#define KYMO_THEME_H

#include <stdint.h>
#include "grid.h"

enum theme_depth {
	THEME_MONO,
	THEME_16,		/* colours 0 to 7, bold for the bright ones */
	THEME_256,
};

enum theme_attribute {
	THEME_BOLD = 1,
	THEME_DIM = 2,
	THEME_UNDERLINE = 4,
	THEME_REVERSE = 8,
};

struct theme_look {
	int16_t front, back;	/* number of the colour; -1: the terminal's own */
	uint8_t attributes;
};

struct theme_look theme_look(enum theme_depth depth, enum grid_style style);

/* Letters for grid_dump(): in colour one for each style, in mono one for each set of attributes. */
void theme_letters(enum theme_depth depth, char letter[GRID_STYLES]);

#endif
