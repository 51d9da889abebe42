// SPDX-License-Identifier: GPL-2.0-or-later
/* Strokes change the state. One function for each mode; the keys of the list are a table. */
#include "state.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text.h"

#define STATE_S 1000000000ULL

void state_init(struct state *s, const struct view *view, uint64_t interval_ns, bool replay)
{
	memset(s, 0, sizeof(*s));
	s->view = view;
	s->interval_ns = interval_ns;
	s->replay = replay;
	s->speed_percent = 100;
	for (unsigned int i = 0; i < STATE_VIEWS; i++)
		s->of_view[i].sort = STATE_NO_SORT;
}

void state_say(struct state *s, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(s->message, sizeof(s->message), format, arguments);
	va_end(arguments);
}

static unsigned int state_view_index(const struct state *s)
{
	const unsigned int index = (unsigned int)(s->view - views);

	return index < STATE_VIEWS ? index : STATE_VIEWS - 1;
}

struct state_view *state_of_view(struct state *s)
{
	return &s->of_view[state_view_index(s)];
}

const struct state_view *state_of_view_const(const struct state *s)
{
	return &s->of_view[state_view_index(s)];
}

bool state_typing(const struct state *s)
{
	return s->mode == STATE_SEARCH || s->mode == STATE_FILTER || s->mode == STATE_JUMP;
}

/* ---- views ---- */

void state_show_view(struct state *s, const struct view *view)
{
	s->view = view;
	s->cursor = (struct state_cursor){ 0 };
	s->scroll = 0;
	s->follow = false;
}

static unsigned int state_next_view(struct state *s, int by)
{
	const unsigned int count = views_placed(), now = (unsigned int)(view_of(s->view) - views);
	const unsigned int index = (now + count + (unsigned int)by) % count;

	state_show_view(s, &views[index]);
	return STATE_ORDER;
}

static unsigned int state_digit(struct state *s, uint32_t digit)
{
	const unsigned int index = digit == '0' ? 9 : digit - '1';

	if (index >= views_placed()) {
		state_say(s, "There are %u views: 1 to %u, or Tab.", views_placed(), views_placed());
		return STATE_DRAW;
	}
	state_show_view(s, &views[index]);
	return STATE_ORDER;
}

bool state_drill(struct state *s, const struct view_cell *value, unsigned int keys, const struct view_cell *name)
{
	const struct view *to = s->view->drill ? view_find(s->view->drill) : NULL;
	struct state_crumb *crumb = &s->crumb[s->crumbs];

	if (!to) {
		state_say(s, "There is nothing below a row of this view.");
		return false;
	}
	if (s->crumbs == STATE_CRUMBS) {
		state_say(s, "No deeper: Backspace goes back.");
		return false;
	}
	*crumb = (struct state_crumb){ .from = s->view, .cursor = s->cursor, .keys = keys, .name = *name };
	memcpy(crumb->filter, s->filter, sizeof(crumb->filter));
	*s->filter = 0;
	for (unsigned int i = 0; i < keys; i++) {
		crumb->key[i] = s->view->drill_key[i];
		crumb->value[i] = value[i];
	}
	s->crumbs++;
	state_show_view(s, to);
	return true;
}

/* The last of what narrows the list goes: it is the one furthest to the right in the line of crumbs. */
static unsigned int state_back(struct state *s)
{
	if (*s->filter) {
		*s->filter = 0;
	} else if (*s->user) {
		*s->user = 0;
	} else if (s->crumbs) {
		const struct state_crumb *crumb = &s->crumb[--s->crumbs];

		state_show_view(s, crumb->from);
		s->cursor = crumb->cursor;
		memcpy(s->filter, crumb->filter, sizeof(s->filter));
	} else {
		state_say(s, "This is the top: nothing is filtered.");
		return STATE_DRAW;
	}
	return STATE_ORDER;
}

/* ---- sorting ---- */

static bool state_sorts(const struct view_column *column)
{
	return !column->json_only;
}

static unsigned int state_sort_at(const struct state *s)
{
	const struct state_view *v = state_of_view_const(s);

	if (v->sort != STATE_NO_SORT)
		return v->sort;
	for (unsigned int i = 0; s->view->sort_key && i < s->view->columns; i++)
		if (s->view->column[i].key && !strcmp(s->view->column[i].key, s->view->sort_key))
			return i;
	return STATE_NO_SORT;
}

static unsigned int state_sort_by(struct state *s, unsigned int column)
{
	struct state_view *v = state_of_view(s);

	if (column >= s->view->columns || column >= STATE_NO_SORT || !state_sorts(&s->view->column[column]))
		return 0;
	if (state_sort_at(s) == column) {
		v->reverse = !v->reverse;
	} else {
		v->sort = (uint8_t)column;
		v->reverse = false;
	}
	v->tree = false;
	return STATE_ORDER;
}

static unsigned int state_sort_next(struct state *s, int by)
{
	const unsigned int columns = s->view->columns;
	unsigned int at = state_sort_at(s);

	if (at == STATE_NO_SORT)
		at = by > 0 ? columns - 1 : 0;
	for (unsigned int i = 0; i < columns; i++) {
		at = (at + columns + (unsigned int)by) % columns;
		if (state_sorts(&s->view->column[at]))
			break;
	}
	return at == state_sort_at(s) ? 0 : state_sort_by(s, at);
}

/* ---- menus ---- */

void state_menu(struct state *s, enum state_mode mode)
{
	s->mode = mode;
	if (s->item_at >= s->items)
		s->item_at = 0;
}

static unsigned int state_sort_menu(struct state *s)
{
	const unsigned int now = state_sort_at(s);

	s->items = s->item_at = 0;
	for (unsigned int i = 0; i < s->view->columns && s->items < STATE_ITEMS; i++) {
		if (!state_sorts(&s->view->column[i]))
			continue;
		if (i == now)
			s->item_at = s->items;
		s->item_column[s->items] = (uint8_t)i;
		snprintf(s->item[s->items++], STATE_ITEM, "%s", s->view->column[i].head);
	}
	state_menu(s, STATE_SORT);
	return STATE_DRAW;
}

static unsigned int state_menu_take(struct state *s)
{
	const enum state_mode mode = s->mode;

	s->mode = STATE_LIST;
	if (s->item_at >= s->items)
		return STATE_DRAW;
	if (mode == STATE_USER) {
		snprintf(s->user, sizeof(s->user), "%s", s->item_at ? s->item[s->item_at] : "");
		return STATE_ORDER;
	}
	if (s->item_column[s->item_at] == state_sort_at(s))
		return STATE_DRAW;
	return state_sort_by(s, s->item_column[s->item_at]);
}

static unsigned int state_menu_stroke(struct state *s, uint32_t code)
{
	switch (code) {
	case STROKE_UP:
	case STROKE_WHEEL_UP:
		s->item_at -= s->item_at > 0;
		break;
	case STROKE_DOWN:
	case STROKE_WHEEL_DOWN:
		s->item_at += s->item_at + 1 < s->items;
		break;
	case STROKE_HOME:
	case STROKE_PAGE_UP:
		s->item_at = 0;
		break;
	case STROKE_END:
	case STROKE_PAGE_DOWN:
		s->item_at = s->items ? s->items - 1 : 0;
		break;
	case STROKE_ENTER:
		return state_menu_take(s);
	case STROKE_ESCAPE:
	case STROKE_F10:
	case 'q':
		s->mode = STATE_LIST;
		break;
	default:
		return 0;
	}
	return STATE_DRAW;
}

/* ---- typed lines ---- */

static void state_line_add(struct state_line *line, uint32_t code)
{
	char text[5] = { 0 };
	unsigned int n;

	if (!text_harmless(code) || code >= STROKE_UP)
		return;
	n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	if (line->bytes + n >= sizeof(line->text))
		return;
	if (n == 1) {
		text[0] = (char)code;
	} else {
		for (unsigned int i = n - 1; i; i--, code >>= 6)
			text[i] = (char)(0x80 | (code & 0x3f));
		text[0] = (char)((0xf00 >> n & 0xff) | code);
	}
	memcpy(line->text + line->bytes, text, n + 1);
	line->bytes += n;
}

static void state_line_cut(struct state_line *line)
{
	while (line->bytes && (line->text[--line->bytes] & 0xc0) == 0x80)
		;
	line->text[line->bytes] = 0;
}

static unsigned int state_line_begin(struct state *s, enum state_mode mode, const char *text)
{
	s->mode = mode;
	s->line.bytes = (unsigned int)snprintf(s->line.text, sizeof(s->line.text), "%s", text);
	s->before = s->cursor;
	return STATE_DRAW;
}

/* Seconds; or 1:30, 1:02:03. */
static bool state_seconds(const char *text, double *seconds)
{
	double sum = 0;
	char *end;

	for (;;) {
		double part;

		if ((*text < '0' || *text > '9') && *text != '.')
			return false;
		part = strtod(text, &end);
		if (end == text || !isfinite(part) || part < 0)
			return false;
		sum = sum * 60 + part;
		if (!*end)
			break;
		if (*end != ':')
			return false;
		text = end + 1;
	}
	*seconds = sum;
	return sum < 1e9;
}

static unsigned int state_jump(struct state *s)
{
	double seconds;

	if (!*s->line.text)
		return STATE_DRAW;
	if (!state_seconds(s->line.text, &seconds)) {
		state_say(s, "That is no time: seconds from the beginning, or minutes:seconds.");
		return STATE_DRAW;
	}
	s->seek_ns = (uint64_t)(seconds * (double)STATE_S);
	return STATE_SEEK | STATE_DRAW;
}

static unsigned int state_line_changed(struct state *s)
{
	if (s->mode == STATE_FILTER) {
		memcpy(s->filter, s->line.text, sizeof(s->filter));
		return STATE_ORDER;
	}
	if (s->mode == STATE_SEARCH) {
		memcpy(s->search, s->line.text, sizeof(s->search));
		s->cursor = s->before;
		s->find_here = true;
		s->find_backwards = false;
		return STATE_FIND;
	}
	return STATE_DRAW;
}

static unsigned int state_find(struct state *s, bool backwards)
{
	if (!*s->search)
		return state_line_begin(s, STATE_SEARCH, "");
	s->find_here = false;
	s->find_backwards = backwards;
	return STATE_FIND;
}

static unsigned int state_line_cancel(struct state *s)
{
	const enum state_mode mode = s->mode;

	s->mode = STATE_LIST;
	if (mode == STATE_FILTER) {
		*s->filter = 0;
		return STATE_ORDER;
	}
	if (mode == STATE_SEARCH) {
		*s->search = 0;
		s->cursor = s->before;
		return STATE_ORDER;
	}
	return STATE_DRAW;
}

static unsigned int state_line_stroke(struct state *s, uint32_t code)
{
	switch (code) {
	case STROKE_ENTER: {
		const enum state_mode mode = s->mode;

		s->mode = STATE_LIST;
		return mode == STATE_JUMP ? state_jump(s) : STATE_DRAW;
	}
	case STROKE_ESCAPE:
	case STROKE_F10:
		return state_line_cancel(s);
	case STROKE_F0 + 3:
	case STROKE_DOWN:
		return s->mode == STATE_SEARCH ? state_find(s, false) : 0;
	case STROKE_UP:
		return s->mode == STATE_SEARCH ? state_find(s, true) : 0;
	case STROKE_BACKSPACE:
	case STROKE_DELETE:
		state_line_cut(&s->line);
		return state_line_changed(s);
	case 'U' & 0x1f:
		s->line = (struct state_line){ 0 };
		return state_line_changed(s);
	default:
		state_line_add(&s->line, code);
		return state_line_changed(s);
	}
}

/* ---- the list ---- */

static unsigned int state_interval(struct state *s, int by)
{
	static const uint64_t step_ms[] = { 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000 };
	const unsigned int steps = sizeof(step_ms) / sizeof(step_ms[0]);
	const uint64_t now_ms = s->interval_ns / 1000000;
	unsigned int i = 0;

	if (by > 0) {
		while (i < steps - 1 && step_ms[i] <= now_ms)
			i++;
		if (step_ms[i] <= now_ms)
			return 0;
	} else {
		for (i = steps; i && step_ms[i - 1] >= now_ms; i--)
			;
		if (!i)
			return 0;
		i--;
	}
	s->interval_ns = step_ms[i] * 1000000;
	return STATE_INTERVAL | STATE_DRAW;
}

static unsigned int state_speed(struct state *s, bool faster)
{
	if (!s->replay)
		return 0;
	if (faster && s->speed_percent < 102400)
		s->speed_percent *= 2;
	else if (!faster && s->speed_percent > 25)
		s->speed_percent /= 2;
	return STATE_INTERVAL | STATE_DRAW;
}

static unsigned int state_step(struct state *s, int by)
{
	if (!s->replay)
		return 0;
	s->step = by;
	s->paused = true;
	return STATE_STEP | STATE_DRAW;
}

/* Fewer rows, or each of its own. */
static unsigned int state_each(struct state *s)
{
	state_show_view(s, view_of(s->view));
	state_of_view(s)->each = !state_of_view(s)->each;
	state_say(s, state_of_view(s)->each ? "All rows, however many there are." : "Ranges where there are more than %u.",
		  s->view->many_from);
	return STATE_ORDER;
}

static unsigned int state_tree(struct state *s)
{
	if (s->view->many || s->view->stands_for)
		return state_each(s);
	if (!s->view->tree_key[0]) {
		state_say(s, "The rows of this view have no parents.");
		return STATE_DRAW;
	}
	state_of_view(s)->tree = !state_of_view(s)->tree;
	return STATE_ORDER;
}

static unsigned int state_pause(struct state *s)
{
	s->paused = !s->paused;
	return STATE_DRAW | (s->paused ? 0 : STATE_RESUME);
}

static unsigned int state_threads(struct state *s)
{
	const struct view *other = s->view->other ? view_find(s->view->other) : NULL;

	if (!other) {
		state_say(s, "The rows of this view have no threads.");
		return STATE_DRAW;
	}
	state_show_view(s, other);
	return STATE_ORDER;
}

static unsigned int state_kernel(struct state *s)
{
	s->kernel_hidden = !s->kernel_hidden;
	state_say(s, s->kernel_hidden ? "Kernel threads are hidden." : "Kernel threads are shown.");
	return STATE_ORDER;
}

static unsigned int state_follow(struct state *s)
{
	s->follow = !s->follow;
	s->move = s->pages = s->ends = 0;
	state_say(s, s->follow ? "The cursor follows its row." : "The row stays under the cursor.");
	return STATE_MOVE; /* pins the cursor to the row where it stands */
}

static unsigned int state_move(struct state *s, int rows, int pages, int ends)
{
	s->move = rows;
	s->pages = pages;
	s->ends = ends;
	return STATE_MOVE;
}

static unsigned int state_scroll(struct state *s, int by)
{
	if (by < 0)
		s->scroll -= s->scroll < 8 ? s->scroll : 8;
	else if (s->scroll < 4096)
		s->scroll += 8;
	return STATE_DRAW;
}

static unsigned int state_escape(struct state *s)
{
	*s->search = 0;
	s->follow = false;
	s->cursor = (struct state_cursor){ 0 };
	return STATE_ORDER;
}

static unsigned int state_list_stroke(struct state *s, uint32_t code)
{
	switch (code) {
	case STROKE_F0 + 1: case 'h': case '?':
		s->mode = STATE_HELP;
		s->help_top = 0;
		return STATE_DRAW;
	case STROKE_F0 + 3: case '/':
		return state_line_begin(s, STATE_SEARCH, "");
	case 'n':
		return state_find(s, false);
	case 'N':
		return state_find(s, true);
	case STROKE_F0 + 4: case '\\':
		return state_line_begin(s, STATE_FILTER, s->filter);
	case STROKE_F0 + 5:
		return state_tree(s);
	case 't':
		return s->replay ? state_step(s, 1) : state_tree(s);
	case 'T':
		return state_step(s, -1);
	case 'g':
		return s->replay ? state_line_begin(s, STATE_JUMP, "") : 0;
	case '[':
		return state_speed(s, false);
	case ']':
		return state_speed(s, true);
	case STROKE_F0 + 6:
		return state_sort_menu(s);
	case '<': case ',':
		return state_sort_next(s, -1);
	case '>': case '.':
		return state_sort_next(s, 1);
	case 'I':
		state_of_view(s)->reverse = !state_of_view(s)->reverse;
		return STATE_ORDER;
	case 'H':
		return state_threads(s);
	case 'K':
		return state_kernel(s);
	case ' ': case 'p':
		return state_pause(s);
	case 'F':
		return state_follow(s);
	case 'u':
		return STATE_USERS;
	case '+': case '=':
		return state_interval(s, 1);
	case '-':
		return state_interval(s, -1);
	case STROKE_TAB:
		return state_next_view(s, 1);
	case STROKE_BACK_TAB:
		return state_next_view(s, -1);
	case '0' ... '9':
		return state_digit(s, code);
	case 'R':
		return STATE_RECORD | STATE_DRAW;
	case 'q': case STROKE_F10:
		return STATE_QUIT;
	case STROKE_ENTER: case STROKE_DOUBLE_CLICK:
		return STATE_DRILL;
	case STROKE_BACKSPACE:
		return state_back(s);
	case STROKE_UP: case 'k':
		return state_move(s, -1, 0, 0);
	case STROKE_DOWN: case 'j':
		return state_move(s, 1, 0, 0);
	case STROKE_WHEEL_UP:
		return state_move(s, -3, 0, 0);
	case STROKE_WHEEL_DOWN:
		return state_move(s, 3, 0, 0);
	case STROKE_PAGE_UP:
		return state_move(s, 0, -1, 0);
	case STROKE_PAGE_DOWN:
		return state_move(s, 0, 1, 0);
	case STROKE_HOME:
		return state_move(s, 0, 0, -1);
	case STROKE_END:
		return state_move(s, 0, 0, 1);
	case STROKE_LEFT:
		return state_scroll(s, -1);
	case STROKE_RIGHT:
		return state_scroll(s, 1);
	case STROKE_ESCAPE:
		return state_escape(s);
	case 'L' & 0x1f:
		return STATE_DRAW;
	default:
		return 0;
	}
}

/* Any other key leaves. Render knows how far it goes and takes care of the end. */
static unsigned int state_help_stroke(struct state *s, uint32_t code)
{
	switch (code) {
	case STROKE_DOWN: case STROKE_WHEEL_DOWN: case 'j':
		s->help_top++;
		break;
	case STROKE_UP: case STROKE_WHEEL_UP: case 'k':
		s->help_top -= s->help_top > 0;
		break;
	case STROKE_PAGE_DOWN: case ' ':
		s->help_top += 5;
		break;
	case STROKE_PAGE_UP:
		s->help_top -= s->help_top < 5 ? s->help_top : 5;
		break;
	default:
		s->mode = STATE_LIST;
	}
	return STATE_DRAW;
}

unsigned int state_stroke(struct state *s, const struct stroke *stroke)
{
	const bool said = *s->message;
	unsigned int todo;

	*s->message = 0;
	switch (s->mode) {
	case STATE_HELP:
		todo = state_help_stroke(s, stroke->code);
		break;
	case STATE_SEARCH:
	case STATE_FILTER:
	case STATE_JUMP:
		todo = state_line_stroke(s, stroke->code);
		break;
	case STATE_SORT:
	case STATE_USER:
		todo = state_menu_stroke(s, stroke->code);
		break;
	default:
		todo = state_list_stroke(s, stroke->code);
	}
	return todo | (said ? STATE_DRAW : 0);
}

unsigned int state_mouse(struct state *s, const struct stroke *stroke, struct state_hit hit)
{
	struct stroke meant = { .code = hit.n };

	if (stroke->code != STROKE_CLICK && stroke->code != STROKE_DOUBLE_CLICK)
		return state_stroke(s, stroke);
	*s->message = 0;
	switch (hit.place) {
	case STATE_ON_BAR:
		return state_stroke(s, &meant) | STATE_DRAW;
	case STATE_ON_VIEW:
		s->mode = STATE_LIST;
		state_show_view(s, &views[hit.n < views_count ? hit.n : 0]);
		return STATE_ORDER;
	case STATE_ON_HEAD:
		s->mode = STATE_LIST;
		return state_sort_by(s, hit.n) | STATE_DRAW;
	case STATE_ON_ITEM:
		s->item_at = hit.n;
		return state_menu_take(s);
	case STATE_ON_ROW:
		s->mode = STATE_LIST;
		if (stroke->code == STROKE_DOUBLE_CLICK)
			return STATE_DRILL;
		s->cursor.pinned = true;
		return state_move(s, (int)hit.n - (int)s->cursor.at, 0, 0);
	default:
		if (s->mode != STATE_LIST && !state_typing(s))
			s->mode = STATE_LIST;
		return STATE_DRAW;
	}
}
