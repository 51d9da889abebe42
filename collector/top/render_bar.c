// SPDX-License-Identifier: GPL-2.0-or-later
/* The bottom line (keys, a line that is typed, a message), menus, and the page of help. */
#include "render_part.h"

#include <stdio.h>
#include <string.h>

/* ---- the bottom line ---- */

struct render_key {
	const char *key, *action;
	uint32_t code;
	unsigned int drop;
};

static const struct render_key keys_live[] = {
	{ "F1", "Help", STROKE_F0 + 1, 0 }, { "F3", "Search", STROKE_F0 + 3, 3 }, { "F4", "Filter", STROKE_F0 + 4, 4 },
	{ "F5", "Tree", STROKE_F0 + 5, 8 }, { "F6", "Sort", STROKE_F0 + 6, 6 }, { "Tab", "View", STROKE_TAB, 2 },
	{ "Enter", "Drill", STROKE_ENTER, 5 }, { "p", "Pause", 'p', 7 }, { "R", "Record", 'R', 9 },
	{ "F10", "Quit", STROKE_F10, 1 },
	{ NULL, NULL, 0, 0 },
};

static const struct render_key keys_replay[] = {
	{ "F1", "Help", STROKE_F0 + 1, 0 }, { "F3", "Search", STROKE_F0 + 3, 6 }, { "F4", "Filter", STROKE_F0 + 4, 7 },
	{ "F6", "Sort", STROKE_F0 + 6, 8 }, { "Tab", "View", STROKE_TAB, 2 }, { "p", "Pause", 'p', 5 }, { "T", "Back", 'T', 4 },
	{ "t", "Step", 't', 3 }, { "g", "Jump", 'g', 9 }, { "[", "Slow", '[', 10 }, { "]", "Fast", ']', 10 },
	{ "F10", "Quit", STROKE_F10, 1 }, { NULL, NULL, 0, 0 },
};

static const struct render_key keys_search[] = {
	{ "F3", "Next", STROKE_F0 + 3, 2 }, { "Enter", "Done", STROKE_ENTER, 1 }, { "Esc", "Cancel", STROKE_ESCAPE, 0 },
	{ NULL, NULL, 0, 0 },
};

static const struct render_key keys_line[] = {
	{ "Enter", "Done", STROKE_ENTER, 1 }, { "Esc", "Cancel", STROKE_ESCAPE, 0 }, { NULL, NULL, 0, 0 },
};

static unsigned int render_key_width(const struct render_key *k)
{
	return (unsigned int)(strlen(k->key) + strlen(k->action)) + 1;
}

static unsigned int render_keys_width(const struct render_key *k, unsigned int drop)
{
	unsigned int width = 0;

	for (; k->key; k++)
		width += k->drop < drop ? render_key_width(k) : 0;
	return width;
}

static void render_keys(const struct render_key *k, struct grid *g, struct render_map *map, unsigned int row, unsigned int column)
{
	unsigned int drop = 11;

	while (drop && column + render_keys_width(k, drop) > g->columns)
		drop--;
	for (; k->key; k++) {
		const unsigned int width = render_key_width(k), key = (unsigned int)strlen(k->key);

		if (k->drop >= drop)
			continue;
		grid_put(g, row, column, key, GRID_KEY, k->key);
		grid_fill(g, row, column + key, width - key, GRID_ACTION, ' ');
		grid_put(g, row, column + key, width - key, GRID_ACTION, k->action);
		render_area(map, row, 1, column, width, STATE_ON_BAR, k->code);
		column += width;
	}
}

static void render_prompt(const struct state *s, struct grid *g, struct render_map *map, unsigned int row)
{
	const char *label = s->mode == STATE_SEARCH ? "Search: " : s->mode == STATE_FILTER ? "Filter: " : "Jump to (s, m:s): ";
	const char *text = s->line.text;
	unsigned int column, room;

	grid_fill(g, row, 0, g->columns, GRID_PROMPT, ' ');
	column = grid_put(g, row, 0, g->columns, GRID_PROMPT, label);
	room = g->columns > column + 1 ? g->columns - column - 1 : 0;
	if (grid_text_width(text) > room) /* its end is where one types */
		text = grid_text_skip(text, grid_text_width(text) - room);
	column += grid_put(g, row, column, room, GRID_PROMPT, text);
	grid_put(g, row, column, 1, GRID_PROMPT, "_");
	if (*s->message)
		column += 2 + grid_put(g, row, column + 2, g->columns, GRID_ALARM, s->message);
	column += 3;
	if (column + render_keys_width(s->mode == STATE_SEARCH ? keys_search : keys_line, 11) <= g->columns)
		render_keys(s->mode == STATE_SEARCH ? keys_search : keys_line, g, map, row, column);
}

void render_bar(const struct render_scene *scene, struct grid *g, struct render_map *map, unsigned int row)
{
	const struct state *s = scene->state;

	if (state_typing(s)) {
		render_prompt(s, g, map, row);
	} else if (s->mode == STATE_HELP) {
		grid_put(g, row, 0, g->columns, GRID_KEY, "Any other key leaves; Up and Down scroll.");
	} else if (*s->message) {
		grid_fill(g, row, 0, g->columns, GRID_PROMPT, ' ');
		grid_put(g, row, 0, g->columns, GRID_PROMPT, s->message);
	} else {
		render_keys(s->mode == STATE_LIST ? s->replay ? keys_replay : keys_live : keys_line, g, map, row, 0);
	}
}

/* ---- menus ---- */

void render_menu(const struct render_scene *scene, struct grid *g, struct render_map *map, unsigned int row, unsigned int rows)
{
	const struct state *s = scene->state;
	const char *title = s->mode == STATE_SORT ? "Sort by" : "User";
	const unsigned int page = rows > 1 ? rows - 1 : 0;
	unsigned int width = grid_text_width(title), first;

	for (unsigned int i = 0; i < s->items; i++)
		if (grid_text_width(s->item[i]) > width)
			width = grid_text_width(s->item[i]);
	width += 2;
	first = page && s->item_at >= page ? s->item_at - page + 1 : 0;
	grid_fill(g, row, 0, width, GRID_HEAD, ' ');
	grid_put(g, row, 1, width - 1, GRID_HEAD, title);
	grid_fill(g, row, width, 1, GRID_PLAIN, 0x2502);
	for (unsigned int i = 0; i < page; i++) {
		const bool there = first + i < s->items;
		const enum grid_style style = there && first + i == s->item_at ? GRID_MENU_CURSOR : GRID_MENU;

		grid_fill(g, row + 1 + i, 0, width, style, ' ');
		grid_fill(g, row + 1 + i, width, 1, GRID_PLAIN, 0x2502);
		if (!there)
			continue;
		grid_put(g, row + 1 + i, 1, width - 1, style, s->item[first + i]);
		render_area(map, row + 1 + i, 1, 0, width, STATE_ON_ITEM, first + i);
	}
}

/* ---- help ---- */

struct render_help_line {
	const char *key, *text;
};

static const struct render_help_line help_lines[] = {
	{ "F1 h ?", "this page" },
	{ "F3 /", "search; n N: next, one before" },
	{ "F4 \\", "filter: only rows with this text" },
	{ "F5 t", "tree (replay: F5)" },
	{ "", "of many CPUs: each, or ranges" },
	{ "F6", "choose the column that sorts" },
	{ "< >", "sort by the column to the left, right" },
	{ "I", "reverse the order" },
	{ "H", "threads instead of processes, and back" },
	{ "K", "hide kernel threads" },
	{ "u", "only one user's" },
	{ "F", "the cursor follows its row" },
	{ "Space p", "pause: the session goes on" },
	{ "+ -", "longer, shorter interval" },
	{ "Tab 1-9 0", "another view; Shift-Tab: the one before" },
	{ "Enter", "look into a row: the filter grows" },
	{ "Backspace", "back: the last filter goes" },
	{ "Up Down PgUp PgDn", "move; Home, Esc: back to the top" },
	{ "Left Right", "scroll the last column" },
	{ "R", "start and end a recording" },
	{ "t T", "replay: one interval on, back" },
	{ "g", "replay: jump to a time" },
	{ "[ ]", "replay: slower, faster" },
	{ "^L", "draw all anew" },
	{ "q F10 ^C", "quit; ^Z: stop, fg goes on" },
	{ "mouse", "click: row, head, key, view; wheel" },
	{ "", "" },
	{ "+ x", "rows that are new, that have gone" },
	{ "lost", "events that are in no number here" },
	{ "ev, own ev", "events per second, Kymograph's own" },
	{ "runq p99", "99 of 100 waited less for a CPU" },
	{ "kymo", "its own CPU time, its memory at most" },
};

enum { HELP_LINES = sizeof(help_lines) / sizeof(help_lines[0]), HELP_KEY = 18, HELP_COLUMN = 62 };

static unsigned int render_help_across(unsigned int columns)
{
	return columns >= 2 * HELP_COLUMN ? 2 : 1;
}

static unsigned int render_help_lines(unsigned int columns)
{
	return (HELP_LINES + render_help_across(columns) - 1) / render_help_across(columns);
}

unsigned int render_help_last(unsigned int rows, unsigned int columns)
{
	const struct render_layout l = render_layout(rows, columns);
	const unsigned int page = rows - l.vitals - l.bars, lines = render_help_lines(columns);

	return lines > page ? lines - page : 0;
}

void render_help(const struct render_scene *scene, struct grid *g, unsigned int row, unsigned int rows)
{
	const unsigned int across = render_help_across(g->columns), lines = render_help_lines(g->columns);
	const unsigned int key = g->columns < 60 ? 11 : HELP_KEY, last = render_help_last(g->rows, g->columns);
	const unsigned int first = scene->state->help_top < last ? scene->state->help_top : last;

	for (unsigned int i = 0; i < rows && first + i < lines; i++) {
		for (unsigned int k = 0; k < across; k++) {
			const unsigned int at = first + i + k * lines, column = k * HELP_COLUMN;

			if (at >= HELP_LINES)
				continue;
			grid_put(g, row + i, column + 1, key - 1, GRID_KEY, help_lines[at].key);
			grid_put(g, row + i, column + key + 1, across == 2 ? HELP_COLUMN - key - 2 : g->columns, GRID_PLAIN,
				 help_lines[at].text);
		}
	}
}
