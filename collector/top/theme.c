// SPDX-License-Identifier: GPL-2.0-or-later
/* The looks. */
#include "theme.h"

static const struct theme {
	char letter;
	struct theme_look look[THEME_256 + 1];
} themes[GRID_STYLES] = {
	/* mono, 16 colours, 256 colours: front, back, attributes */
	[GRID_PLAIN] = { '.', { { -1, -1, 0 }, { -1, -1, 0 }, { -1, -1, 0 } } },
	[GRID_TITLE] = { 'T', { { -1, -1, THEME_BOLD }, { -1, -1, THEME_BOLD }, { -1, -1, THEME_BOLD } } },
	[GRID_LABEL] = { 'l', { { -1, -1, 0 }, { 6, -1, 0 }, { 73, -1, 0 } } },
	[GRID_VALUE] = { 'v', { { -1, -1, THEME_BOLD }, { -1, -1, THEME_BOLD }, { -1, -1, THEME_BOLD } } },
	[GRID_ALARM] = { '!', { { -1, -1, THEME_REVERSE }, { 7, 1, THEME_BOLD }, { 231, 160, THEME_BOLD } } },
	[GRID_CRUMB] = { 'c', { { -1, -1, THEME_UNDERLINE }, { 3, -1, 0 }, { 179, -1, 0 } } },
	[GRID_HEAD] = { 'h', { { -1, -1, THEME_REVERSE }, { 0, 2, 0 }, { 16, 71, 0 } } },
	[GRID_HEAD_SORT] = { 'H', { { -1, -1, THEME_REVERSE | THEME_BOLD }, { 0, 6, 0 }, { 16, 80, 0 } } },
	[GRID_CURSOR] = { 'C', { { -1, -1, THEME_REVERSE }, { 0, 6, 0 }, { 16, 74, 0 } } },
	[GRID_NEW] = { 'n', { { -1, -1, THEME_BOLD }, { 2, -1, 0 }, { 114, -1, 0 } } },
	[GRID_DEAD] = { 'x', { { -1, -1, THEME_DIM }, { 1, -1, 0 }, { 167, -1, 0 } } },
	[GRID_DIM] = { 'd', { { -1, -1, THEME_DIM }, { -1, -1, THEME_DIM }, { 243, -1, 0 } } },
	[GRID_KERNEL] = { 'k', { { -1, -1, 0 }, { 6, -1, 0 }, { 109, -1, 0 } } },
	[GRID_TREE] = { 't', { { -1, -1, 0 }, { 6, -1, 0 }, { 244, -1, 0 } } },
	[GRID_MATCH] = { 'm', { { -1, -1, THEME_UNDERLINE | THEME_BOLD }, { 0, 3, 0 }, { 16, 221, 0 } } },
	[GRID_KEY] = { 'K', { { -1, -1, THEME_BOLD }, { -1, -1, THEME_BOLD }, { -1, -1, THEME_BOLD } } },
	[GRID_ACTION] = { 'a', { { -1, -1, THEME_REVERSE }, { 0, 6, 0 }, { 16, 74, 0 } } },
	[GRID_PROMPT] = { 'p', { { -1, -1, THEME_REVERSE }, { 0, 7, 0 }, { 16, 252, 0 } } },
	[GRID_MENU] = { 'M', { { -1, -1, 0 }, { 7, 4, 0 }, { 252, 237, 0 } } },
	[GRID_MENU_CURSOR] = { 'S', { { -1, -1, THEME_REVERSE }, { 0, 6, 0 }, { 16, 74, 0 } } },
};

struct theme_look theme_look(enum theme_depth depth, enum grid_style style)
{
	return themes[style].look[depth];
}

void theme_letters(enum theme_depth depth, char letter[GRID_STYLES])
{
	/* By attributes: bold 1, dim 2, underline 4, reverse 8. */
	static const char mono[] = ".bd?uUx?rR??????";

	for (unsigned int i = 0; i < GRID_STYLES; i++)
		letter[i] = depth == THEME_MONO ? mono[themes[i].look[THEME_MONO].attributes] : themes[i].letter;
}
