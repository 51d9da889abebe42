// SPDX-License-Identifier: GPL-2.0-or-later
/* Cells of a screen. Widths of characters are the C library's, which ncurses asks too: both always agree. */
#include "grid.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "text.h"

/* ---- characters ---- */

/* wcwidth() knows beyond ASCII only in a UTF-8 locale, which the process need not have. */
static int grid_wcwidth(uint32_t code)
{
	static locale_t utf8;
	locale_t before;
	int width;

	if (code < 0x7f)
		return 1;
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	before = utf8 ? uselocale(utf8) : NULL;
	width = wcwidth((wchar_t)code);
	if (before)
		uselocale(before);
	return width;
}

/* The next character at *text that may be shown, its width in *width; 0: the end. */
static uint32_t grid_next(const char **text, unsigned int *width)
{
	while (**text) {
		uint32_t code;
		unsigned int length = text_utf8(*text, strnlen(*text, 4), &code);
		int wide = 1;

		if (!length || !text_harmless(code)) {
			*text += length ? length : 1;
			code = GRID_SUBSTITUTE;
		} else {
			*text += length;
			wide = grid_wcwidth(code);
		}
		if (!wide)
			continue;
		*width = wide == 2 ? 2 : 1;
		return wide < 0 ? GRID_SUBSTITUTE : code;
	}
	return 0;
}

unsigned int grid_text_width(const char *text)
{
	unsigned int width, sum = 0;

	while (grid_next(&text, &width))
		sum += width;
	return sum;
}

const char *grid_text_skip(const char *text, unsigned int columns)
{
	unsigned int width, sum = 0;

	while (sum < columns && grid_next(&text, &width))
		sum += width;
	return text;
}

/* ---- cells ---- */

int grid_reset(struct grid *g, unsigned int rows, unsigned int columns)
{
	rows = rows > GRID_SIDE_MAX ? GRID_SIDE_MAX : rows;
	columns = columns > GRID_SIDE_MAX ? GRID_SIDE_MAX : columns;
	if (rows != g->rows || columns != g->columns) {
		struct grid_cell *cell = calloc((size_t)rows * columns + 1, sizeof(*cell));

		if (!cell)
			return -ENOMEM;
		free(g->cell);
		*g = (struct grid){ rows, columns, cell };
	}
	for (unsigned int row = 0; row < rows; row++)
		grid_fill(g, row, 0, columns, GRID_PLAIN, ' ');
	return 0;
}

void grid_fini(struct grid *g)
{
	free(g->cell);
	*g = (struct grid){ 0 };
}

struct grid_cell *grid_cell(const struct grid *g, unsigned int row, unsigned int column)
{
	return &g->cell[(size_t)row * g->columns + column];
}

/* How many columns from `column` on there are for `width`. */
static unsigned int grid_room(const struct grid *g, unsigned int row, unsigned int column, unsigned int width)
{
	if (row >= g->rows || column >= g->columns)
		return 0;
	return width < g->columns - column ? width : g->columns - column;
}

static void grid_set(struct grid *g, unsigned int row, unsigned int column, uint32_t code, unsigned int width,
		     enum grid_style style)
{
	struct grid_cell *c = grid_cell(g, row, column), *next = c + 1;

	/* No half of a wide character stays behind. */
	if (!c->width && column)
		c[-1] = (struct grid_cell){ ' ', 1, c[-1].style };
	if (column + width < g->columns && !c[width].width)
		c[width] = (struct grid_cell){ ' ', 1, c[width].style };
	*c = (struct grid_cell){ code, (uint8_t)width, (uint8_t)style };
	if (width == 2)
		*next = (struct grid_cell){ 0, 0, (uint8_t)style };
}

unsigned int grid_put(struct grid *g, unsigned int row, unsigned int column, unsigned int width, enum grid_style style,
		      const char *text)
{
	const unsigned int room = grid_room(g, row, column, width);
	unsigned int used = 0, wide;
	uint32_t code;

	while (used < room && (code = grid_next(&text, &wide)) && used + wide <= room) {
		grid_set(g, row, column + used, code, wide, style);
		used += wide;
	}
	return used;
}

void grid_put_right(struct grid *g, unsigned int row, unsigned int column, unsigned int width, enum grid_style style,
		    const char *text)
{
	const unsigned int wanted = grid_text_width(text), pad = wanted < width ? width - wanted : 0;

	grid_put(g, row, column + pad, width - pad, style, text);
}

void grid_fill(struct grid *g, unsigned int row, unsigned int column, unsigned int width, enum grid_style style, uint32_t code)
{
	const unsigned int room = grid_room(g, row, column, width);

	for (unsigned int i = 0; i < room; i++)
		grid_set(g, row, column + i, code, 1, style);
}

void grid_paint(struct grid *g, unsigned int row, unsigned int column, unsigned int width, enum grid_style style)
{
	const unsigned int room = grid_room(g, row, column, width);

	for (unsigned int i = 0; i < room; i++)
		grid_cell(g, row, column + i)->style = (uint8_t)style;
}

/* ---- ASCII ---- */

static uint32_t grid_ascii(uint32_t code)
{
	static const struct {
		uint32_t code;
		char ascii;
	} known[] = {
		{ 0x2500, '-' }, { 0x2502, '|' }, { 0x250c, '+' }, { 0x2510, '+' }, { 0x2514, '`' }, { 0x2518, '+' },
		{ 0x251c, '+' }, { 0x2524, '+' }, { 0x25b2, '^' }, { 0x25bc, 'v' }, { 0x2026, '~' }, { 0x203a, '>' },
		{ 0x00b5, 'u' }, { 0x2588, '#' },
	};

	if (code < 0x7f)
		return code;
	for (unsigned int i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].code == code)
			return (uint32_t)known[i].ascii;
	return GRID_SUBSTITUTE;
}

void grid_to_ascii(struct grid *g)
{
	for (size_t i = 0; i < (size_t)g->rows * g->columns; i++) {
		struct grid_cell *c = &g->cell[i];

		if (c->width == 2)
			c[1] = (struct grid_cell){ GRID_SUBSTITUTE, 1, c->style };
		c->code = grid_ascii(c->code);
		c->width = 1;
	}
}

/* ---- dump ---- */

static void grid_write_utf8(FILE *to, uint32_t code)
{
	if (code < 0x80) {
		fputc((int)code, to);
	} else if (code < 0x800) {
		fprintf(to, "%c%c", (int)(0xc0 | code >> 6), (int)(0x80 | (code & 0x3f)));
	} else if (code < 0x10000) {
		fprintf(to, "%c%c%c", (int)(0xe0 | code >> 12), (int)(0x80 | (code >> 6 & 0x3f)), (int)(0x80 | (code & 0x3f)));
	} else {
		fprintf(to, "%c%c%c%c", (int)(0xf0 | code >> 18), (int)(0x80 | (code >> 12 & 0x3f)),
			(int)(0x80 | (code >> 6 & 0x3f)), (int)(0x80 | (code & 0x3f)));
	}
}

static void grid_dump_row(const struct grid *g, unsigned int row, const char *letter, FILE *to)
{
	fputc('|', to);
	for (unsigned int i = 0; i < g->columns; i++)
		if (grid_cell(g, row, i)->width)
			grid_write_utf8(to, grid_cell(g, row, i)->code);
	fputs("|\n", to);
	if (!letter)
		return;
	fputc(':', to);
	for (unsigned int i = 0; i < g->columns; i++)
		fputc(letter[grid_cell(g, row, i)->style], to);
	fputs(":\n", to);
}

char *grid_dump(const struct grid *g, const char letter[GRID_STYLES])
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (unsigned int row = 0; row < g->rows; row++)
		grid_dump_row(g, row, letter, to);
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}
