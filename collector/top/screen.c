// SPDX-License-Identifier: GPL-2.0-or-later
/* ncurses. Its own handlers are never installed: it takes only signals that nobody has taken before it. */
#include "screen.h"

#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>
#undef columns	/* term.h gives common words to macros */
#undef lines

#include "screen_signal.h"
#include "theme.h"

enum { SCREEN_DOUBLE_CLICK_MS = 400, SCREEN_EVENTS = 8, SCREEN_REPAINT = 'L' & 0x1f };

static struct {
	SCREEN *terminal;		/* NULL: not open */
	enum theme_depth depth;
	bool utf8, mouse, again;	/* again: all cells must be written, whatever is known to be there */
	struct grid shown;
	struct screen_restore restore;
	struct stroke click;		/* the last one, and when */
	uint64_t click_ms;
	MEVENT event[SCREEN_EVENTS];	/* of the mouse, taken and not yet handed out; the earliest last */
	unsigned int events;
} screen;

/* ---- open and close ---- */

bool screen_usable(char why[SCREEN_WHY])
{
	const char *term = getenv("TERM");
	const char *lacks = NULL;
	int status;

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) {
		snprintf(why, SCREEN_WHY, "standard %s is no terminal", isatty(STDOUT_FILENO) ? "input" : "output");
		return false;
	}
	if (!term || !*term) {
		snprintf(why, SCREEN_WHY, "TERM is not set");
		return false;
	}
	if (setupterm(NULL, STDOUT_FILENO, &status) != OK)
		lacks = "is not known here (see terminfo(5))";
	else if (!cursor_address || generic_type || hard_copy)
		lacks = "cannot place its cursor";
	if (cur_term)
		del_curterm(cur_term);
	if (lacks)
		snprintf(why, SCREEN_WHY, "the terminal (TERM) %s", lacks);
	return !lacks;
}

static int screen_keep_byte(int c)
{
	struct screen_restore *r = &screen.restore;

	if (r->length < sizeof(r->bytes))
		r->bytes[r->length++] = (char)c;
	return c;
}

static void screen_keep(const char *capability)
{
	const char *text = tigetstr(capability);

	if (text && text != (char *)-1)
		tputs(text, 1, screen_keep_byte);
}

/* What a handler writes: it may not call ncurses. */
static void screen_prepare_restore(void)
{
	static const char mouse[] = "\033[?1000l\033[?1006l";

	screen.restore.length = 0;
	if (screen.mouse)
		for (const char *p = mouse; *p; p++)
			screen_keep_byte(*p);
	screen_keep("sgr0");
	screen_keep("op");
	screen_keep("rmkx");
	screen_keep("cnorm");
	screen_keep("rmcup");
}

static void screen_colours(const struct screen_options *options)
{
	const char *no_color = getenv("NO_COLOR");
	const int colours = tigetnum("colors");

	screen.depth = colours >= 256 ? THEME_256 : colours >= 8 ? THEME_16 : THEME_MONO;
	if (options->mono || (no_color && *no_color) || start_color() == ERR || COLOR_PAIRS <= GRID_STYLES)
		screen.depth = THEME_MONO;
	if (screen.depth == THEME_MONO)
		return;
	const bool own = use_default_colors() == OK;

	for (unsigned int i = 0; i < GRID_STYLES; i++) {
		const struct theme_look look = theme_look(screen.depth, (enum grid_style)i);

		init_pair((short)(i + 1), look.front < 0 && !own ? COLOR_WHITE : look.front,
			  look.back < 0 && !own ? COLOR_BLACK : look.back);
	}
}

static void screen_mouse(bool wanted)
{
	screen.mouse = wanted && mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0); /* a press is a press at once */
}

int screen_open(const struct screen_options *options, char why[SCREEN_WHY])
{
	static bool at_exit;

	if (tcgetattr(STDIN_FILENO, &screen.restore.modes)) {
		const int err = errno;

		snprintf(why, SCREEN_WHY, "cannot read the terminal's modes: %s", strerror(err));
		return -err;
	}
	screen.restore.fd = STDOUT_FILENO;
	screen_signal_take(&screen.restore);
	screen.terminal = newterm(NULL, stdout, stdin);
	if (!screen.terminal) {
		screen_signal_give_back();
		snprintf(why, SCREEN_WHY, "ncurses cannot use this terminal");
		return -ENOTTY;
	}
	if (!at_exit)
		at_exit = !atexit(screen_close);
	screen.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	screen_colours(options);
	screen_mouse(!options->no_mouse);
	screen_prepare_restore();
	screen.restore.ours = 1;
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	set_escdelay(25);
	typeahead(-1);
	curs_set(0);
	screen.again = true;
	return 0;
}

/* Out of our modes; refresh() goes back. */
static void screen_leave(void)
{
	if (!isendwin())
		endwin();
	tcsetattr(screen.restore.fd, TCSANOW, &screen.restore.modes);
	screen.restore.ours = 0;
}

static void screen_return(void)
{
	screen.restore.ours = 1;
	clearok(curscr, TRUE);
	refresh();
	curs_set(0);
	screen.again = true;
}

void screen_close(void)
{
	if (!screen.terminal)
		return;
	screen_leave();
	delscreen(screen.terminal);
	screen.terminal = NULL;
	grid_fini(&screen.shown);
	screen_signal_give_back();
}

/* ---- showing ---- */

static void screen_cell(unsigned int row, unsigned int column, const struct grid_cell *c)
{
	const struct theme_look look = theme_look(screen.depth, (enum grid_style)c->style);
	const bool agreed = wcwidth((wchar_t)c->code) == c->width;
	const wchar_t text[2] = { agreed ? (wchar_t)c->code : GRID_SUBSTITUTE };
	const attr_t attributes = (look.attributes & THEME_BOLD ? A_BOLD : 0) | (look.attributes & THEME_DIM ? A_DIM : 0) |
				  (look.attributes & THEME_UNDERLINE ? A_UNDERLINE : 0) |
				  (look.attributes & THEME_REVERSE ? A_REVERSE : 0);
	cchar_t cell;

	if (setcchar(&cell, text, attributes, screen.depth == THEME_MONO ? 0 : (short)(c->style + 1), NULL) != OK)
		return;
	mvadd_wch((int)row, (int)column, &cell); /* ERR in the last cell, which is written all the same */
	if (!agreed && c->width == 2) {
		setcchar(&cell, L" ", attributes, screen.depth == THEME_MONO ? 0 : (short)(c->style + 1), NULL);
		mvadd_wch((int)row, (int)column + 1, &cell);
	}
}

static bool screen_same(const struct grid_cell *a, const struct grid_cell *b)
{
	return a->code == b->code && a->width == b->width && a->style == b->style;
}

static void screen_row(const struct grid *g, unsigned int row, unsigned int columns)
{
	for (unsigned int i = 0; i < columns; i++) {
		const struct grid_cell *c = grid_cell(g, row, i);

		/* Writing one half of what was a wide character blanks the other: neighbours of changes are written, too. */
		if (!c->width || (!screen.again && screen_same(c, grid_cell(&screen.shown, row, i)) &&
				  (!i || screen_same(c - 1, grid_cell(&screen.shown, row, i - 1)))))
			continue;
		if (i + c->width <= columns)
			screen_cell(row, i, c);
	}
}

void screen_show(struct grid *g)
{
	const unsigned int rows = g->rows < (unsigned int)LINES ? g->rows : (unsigned int)LINES;
	const unsigned int columns = g->columns < (unsigned int)COLS ? g->columns : (unsigned int)COLS;

	if (!screen.utf8)
		grid_to_ascii(g);
	if (screen.shown.rows != g->rows || screen.shown.columns != g->columns)
		screen.again = true;
	if (screen.again)
		erase();
	for (unsigned int row = 0; row < rows; row++)
		screen_row(g, row, columns);
	refresh();
	screen.again = grid_reset(&screen.shown, g->rows, g->columns) != 0;
	if (!screen.again)
		memcpy(screen.shown.cell, g->cell, sizeof(*g->cell) * g->rows * g->columns);
}

void screen_size(unsigned int *rows, unsigned int *columns)
{
	*rows = LINES > 0 ? (unsigned int)LINES : 1;
	*columns = COLS > 0 ? (unsigned int)COLS : 1;
}

int screen_fd(void)
{
	return STDIN_FILENO;
}

/* ---- strokes ---- */

static uint64_t screen_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* One KEY_MOUSE may stand for several events that came together; ncurses gives the latest first. */
static void screen_mouse_take(void)
{
	while (screen.events < SCREEN_EVENTS && getmouse(&screen.event[screen.events]) == OK)
		screen.events++;
}

static bool screen_mouse_stroke(struct stroke *s)
{
	const MEVENT e = screen.event[--screen.events];
	const uint64_t now_ms = screen_now_ms();

	if (e.x < 0 || e.y < 0)
		return false;
	*s = (struct stroke){ .row = (unsigned int)e.y, .column = (unsigned int)e.x };
	if (e.bstate & BUTTON4_PRESSED)
		s->code = STROKE_WHEEL_UP;
	else if (e.bstate & BUTTON5_PRESSED)
		s->code = STROKE_WHEEL_DOWN;
	else if (e.bstate & BUTTON1_PRESSED)
		s->code = STROKE_CLICK;
	else
		return false;
	if (s->code != STROKE_CLICK)
		return true;
	if (screen.click_ms && s->row == screen.click.row && s->column == screen.click.column &&
	    now_ms - screen.click_ms < SCREEN_DOUBLE_CLICK_MS) {
		s->code = STROKE_DOUBLE_CLICK;
		screen.click_ms = 0;
	} else {
		screen.click = *s;
		screen.click_ms = now_ms;
	}
	return true;
}

static uint32_t screen_code(int key)
{
	static const struct {
		int key;
		uint32_t code;
	} keys[] = {
		{ KEY_UP, STROKE_UP }, { KEY_DOWN, STROKE_DOWN }, { KEY_LEFT, STROKE_LEFT }, { KEY_RIGHT, STROKE_RIGHT },
		{ KEY_PPAGE, STROKE_PAGE_UP }, { KEY_NPAGE, STROKE_PAGE_DOWN }, { KEY_HOME, STROKE_HOME },
		{ KEY_END, STROKE_END }, { KEY_BACKSPACE, STROKE_BACKSPACE }, { KEY_DC, STROKE_DELETE },
		{ KEY_BTAB, STROKE_BACK_TAB }, { KEY_ENTER, STROKE_ENTER }, { KEY_FIND, STROKE_HOME }, { KEY_SELECT, STROKE_END },
	};

	if (key >= KEY_F(1) && key <= KEY_F(12))
		return STROKE_F0 + (uint32_t)(key - KEY_F0);
	for (unsigned int i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].key == key)
			return keys[i].code;
	return STROKE_NONE;
}

/* Somebody else has written over it. */
static void screen_repaint(struct stroke *s)
{
	clearok(curscr, TRUE);
	screen.again = true;
	s->code = SCREEN_REPAINT;
}

bool screen_stroke(struct stroke *s)
{
	wint_t w;
	int got;

	for (;;) {
		while (screen.events)
			if (screen_mouse_stroke(s))
				return true;
		got = get_wch(&w);
		if (got == ERR)
			return false;
		*s = (struct stroke){ 0 };
		if (got == KEY_CODE_YES && w == KEY_MOUSE) {
			screen_mouse_take();
			continue;
		}
		if (got == KEY_CODE_YES)
			s->code = screen_code((int)w);
		else if (w == '\n' || w == '\r')
			s->code = STROKE_ENTER;
		else if (w == 8)
			s->code = STROKE_BACKSPACE;
		else if (w == SCREEN_REPAINT)
			screen_repaint(s);
		else if (w < 0x110000)
			s->code = w;
		if (s->code)
			return true;
	}
}

bool screen_gone(void)
{
	struct pollfd p = { .fd = screen_fd(), .events = POLLIN };
	int waiting;

	if (poll(&p, 1, 0) <= 0)
		return false;
	if (p.revents & (POLLHUP | POLLERR | POLLNVAL))
		return true;
	return ioctl(p.fd, FIONREAD, &waiting) || !waiting; /* readable, but nothing to read: the end */
}

/* ---- signals ---- */

static void screen_fit(void)
{
	struct winsize size;

	if (!ioctl(screen.restore.fd, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	screen.again = true;
}

unsigned int screen_asked(void)
{
	unsigned int asked = screen_signal_asked();

	if (screen_signal_continued()) {
		screen_leave();
		screen_return();
		asked |= SCREEN_RESIZED;
	}
	if (asked & SCREEN_RESIZED)
		screen_fit();
	return asked;
}

void screen_stop(void)
{
	screen_leave();
	screen_signal_stop();
	screen_return();
	screen_signal_continued();
	screen_fit();
}

int screen_end_signal(void)
{
	return screen_signal_end();
}
