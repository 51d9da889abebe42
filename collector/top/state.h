/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the person at the screen has chosen, and what a stroke changes in it. Nothing is drawn or fetched here: a stroke
 * gives back what has to be done. Knows views, not the rows that are there (that is list) nor how it looks (render).
 */
#ifndef KYMO_STATE_H
#define KYMO_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "../view.h"
#include "stroke.h"

enum {
	STATE_VIEWS = 32, STATE_CRUMBS = 8, STATE_TEXT = 64, STATE_KEY = 64, STATE_ITEMS = 64, STATE_ITEM = 32,
	STATE_MESSAGE = 256, STATE_NO_SORT = UINT8_MAX,
};

enum state_mode {
	STATE_LIST,
	STATE_HELP,
	STATE_SEARCH,		/* these three: a line is typed */
	STATE_FILTER,
	STATE_JUMP,
	STATE_SORT,		/* these two: a menu */
	STATE_USER,
};

/* What has to be done after a stroke. All but QUIT also want the screen drawn. */
enum state_do {
	STATE_DRAW = 1 << 0,
	STATE_ORDER = 1 << 1,	/* the rows are others or in another order: list_make() */
	STATE_MOVE = 1 << 2,	/* the cursor goes: list_move() */
	STATE_FIND = 1 << 3,	/* to the next row that has state->search: list_find() */
	STATE_DRILL = 1 << 4,	/* list_drill() */
	STATE_USERS = 1 << 5,	/* list_users() fills the menu */
	STATE_RECORD = 1 << 6,	/* start or end a recording */
	STATE_INTERVAL = 1 << 7, /* state->interval_ns has changed */
	STATE_STEP = 1 << 8,	/* replay: by state->step intervals */
	STATE_SEEK = 1 << 9,	/* replay: to state->seek_ns after the begin */
	STATE_RESUME = 1 << 10,	/* it was paused */
	STATE_QUIT = 1 << 11,
};

/* A row in whatever order: where the cursor stands. */
struct state_cursor {
	bool pinned;			/* it belongs to the row `key`; else it stands at the top, whatever is there */
	uint8_t key[STATE_KEY];		/* the row's, as in the snapshot */
	unsigned int at, top;		/* its index in the list, and that of the first row on the screen */
};

/* How one view is shown. */
struct state_view {
	uint8_t sort;			/* index of the view's column; STATE_NO_SORT: as the view says */
	bool reverse, tree;
	bool each;			/* its own rows, however many there are: nothing stands for it */
};

/* A step on the way here: which view it was, and what its row said. */
struct state_crumb {
	const struct view *from;
	struct state_cursor cursor;
	char filter[STATE_TEXT];	/* what was filtered there: its rows are not those of the view that was opened */
	unsigned int keys;
	const char *key[VIEW_DRILL_KEYS];
	struct view_cell value[VIEW_DRILL_KEYS], name; /* name: for people; VIEW_NONE: there is none */
};

struct state_line {
	char text[STATE_TEXT];		/* UTF-8 */
	unsigned int bytes;
};

struct state {
	bool replay;
	enum state_mode mode;
	const struct view *view;
	struct state_view of_view[STATE_VIEWS];
	struct state_cursor cursor;
	struct state_crumb crumb[STATE_CRUMBS];
	unsigned int crumbs;

	struct state_line line;		/* being typed */
	char search[STATE_TEXT], filter[STATE_TEXT], user[STATE_ITEM]; /* empty: none */
	bool find_backwards, find_here;	/* how STATE_FIND goes: find_here: the row under the cursor counts */
	struct state_cursor before;	/* where the search began */

	char item[STATE_ITEMS][STATE_ITEM]; /* of the menu */
	uint8_t item_column[STATE_ITEMS];
	unsigned int items, item_at;

	bool kernel_hidden, paused, follow;
	uint64_t interval_ns;
	unsigned int speed_percent;	/* of a replay */
	int move;			/* of STATE_MOVE: rows; or one of these: */
	int pages;
	int ends;			/* -1 home, 1 end */
	int step;
	uint64_t seek_ns;
	unsigned int scroll;		/* columns that the last text is shifted to the left */
	unsigned int help_top;
	char message[STATE_MESSAGE];	/* until the next stroke */
};

/* A place on the screen, as render knows it. */
enum state_place {
	STATE_NOWHERE,
	STATE_ON_ROW,		/* n: its index in the list */
	STATE_ON_HEAD,		/* n: the view's column */
	STATE_ON_BAR,		/* n: the stroke that it stands for */
	STATE_ON_ITEM,		/* n: of the menu */
	STATE_ON_VIEW,		/* n: index in views[] */
};

struct state_hit {
	enum state_place place;
	uint32_t n;
};

void state_init(struct state *s, const struct view *view, uint64_t interval_ns, bool replay);

/* What to do; bits of enum state_do. */
unsigned int state_stroke(struct state *s, const struct stroke *stroke);
unsigned int state_mouse(struct state *s, const struct stroke *stroke, struct state_hit hit);

struct state_view *state_of_view(struct state *s);
const struct state_view *state_of_view_const(const struct state *s);
bool state_typing(const struct state *s);	/* a line is typed at the bottom */

/* From this row on to the view's drill-down. False: nothing changed, the message says why. */
bool state_drill(struct state *s, const struct view_cell *value, unsigned int keys, const struct view_cell *name);
void state_show_view(struct state *s, const struct view *view);
void state_menu(struct state *s, enum state_mode mode);	/* items have been filled in */

__attribute__((format(printf, 2, 3))) void state_say(struct state *s, const char *format, ...);

#endif
