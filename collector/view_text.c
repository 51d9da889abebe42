// SPDX-License-Identifier: GPL-2.0-or-later
/* A view as text: aligned columns, as wide as their widest cell. Cells are cleaned already. */
#include "view_text.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { VIEW_TEXT_CELL = 260 };

/* Columns on the screen. The text has been cleaned, so every character takes one or two. */
static int view_text_width(const char *text)
{
	mbstate_t state = { 0 };
	const char *end = text + strlen(text);
	int width = 0;

	while (text < end) {
		wchar_t wide;
		const size_t n = mbrtowc(&wide, text, (size_t)(end - text), &state);
		const int w = n == 0 || n > (size_t)(end - text) ? 1 : wcwidth(wide);

		width += w < 0 ? 1 : w;
		text += n == 0 || n > (size_t)(end - text) ? 1 : n;
		if (n > (size_t)(end - text) && text < end)
			memset(&state, 0, sizeof(state));
	}
	return width;
}

/* No blanks at the end of a line. */
static void view_text_cell(FILE *to, const char *text, int width, bool left, bool first, bool last)
{
	const int wanted = width - view_text_width(text), pad = wanted < 0 ? 0 : wanted;

	if (!(last && left && !*text))
		fprintf(to, "%s%*s%s%*s", first ? "" : "  ", left ? 0 : pad, "", text, left && !last ? pad : 0, "");
	if (last)
		fputc('\n', to);
}

static void view_text_fill(const struct snapshot *s, const struct view_column *column, const struct snapshot_row *row, char *out)
{
	struct view_cell cell = { .unit = VIEW_NONE };

	column->fill(s, row, column->arg, &cell);
	view_cell_text(&cell, out, VIEW_TEXT_CELL);
}

static unsigned int view_text_last_column(const struct view *v)
{
	unsigned int last = v->columns - 1;

	while (last && v->column[last].json_only)
		last--;
	return last;
}

static void view_text_rows(const struct snapshot *s, const struct view *v, const struct snapshot_row **rows, unsigned int shown,
			   FILE *to)
{
	const unsigned int last = view_text_last_column(v);
	char text[VIEW_TEXT_CELL];
	int width[64];

	for (unsigned int i = 0; i <= last; i++) {
		width[i] = view_text_width(v->column[i].head);
		for (unsigned int k = 0; k < shown; k++) {
			int w;

			view_text_fill(s, &v->column[i], rows[k], text);
			w = view_text_width(text);
			width[i] = w > width[i] ? w : width[i];
		}
	}
	for (unsigned int i = 0; i <= last; i++)
		if (!v->column[i].json_only)
			view_text_cell(to, v->column[i].head, width[i], v->column[i].left, i == 0, i == last);
	for (unsigned int k = 0; k < shown; k++) {
		for (unsigned int i = 0; i <= last; i++) {
			if (v->column[i].json_only)
				continue;
			view_text_fill(s, &v->column[i], rows[k], text);
			view_text_cell(to, text, width[i], v->column[i].left, i == 0, i == last);
		}
	}
}

void view_text(const struct snapshot *s, const struct view *v, unsigned int top, FILE *to)
{
	const struct snapshot_row **sorted = snapshot_sorted(s, v->table, v->sort);
	const unsigned int rows = sorted ? s->table[v->table].rows : 0;
	unsigned int shown;

	if (!top)
		top = v->top;
	shown = rows > top ? top : rows;
	/* The overflow row is last: it is shown whatever is left out. */
	if (shown && shown < rows && sorted[rows - 1]->overflow)
		sorted[shown - 1] = sorted[rows - 1];
	fprintf(to, "\n%s\n", v->title);
	if (!shown)
		fprintf(to, "  (%s)\n", v->empty);
	else
		view_text_rows(s, v, sorted, shown, to);
	if (shown < rows)
		fprintf(to, "... and %u more (--top %u shows all)\n", rows - shown, rows);
	free(sorted);
}
