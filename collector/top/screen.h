/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal, by ncurses: puts a grid on it, tells what a person does, and gives it back as it was on every way out:
 * at the end, on signals that end the program, when the program crashes, while it is stopped. There is one in a
 * process. A leaf: knows grids and strokes, nothing of what is shown.
 */
#ifndef KYMO_SCREEN_H
#define KYMO_SCREEN_H

#include <stdbool.h>
#include "grid.h"
#include "stroke.h"

enum { SCREEN_WHY = 256 };

struct screen_options {
	bool no_mouse;
	bool mono;			/* NO_COLOR is heeded without it */
};

/* Can standard input and output be a screen? If not, `why` says what is in the way, as part of a sentence. */
bool screen_usable(char why[SCREEN_WHY]);

/* -errno with a sentence in why. The locale must have been set. */
int screen_open(const struct screen_options *options, char why[SCREEN_WHY]);
void screen_close(void);		/* harmless when it is not open */

/* Writes the cells that have changed. A grid of another size than the terminal's is cut. May change the grid (to ASCII). */
void screen_show(struct grid *g);
void screen_size(unsigned int *rows, unsigned int *columns);
int screen_fd(void);			/* to poll: readable when there may be a stroke */

/* The next stroke, false: none now. Never waits. */
bool screen_stroke(struct stroke *s);
bool screen_gone(void);			/* the terminal has been closed: nobody is there any more */

/*
 * What signals have asked for since the last call. After SCREEN_RESIZED all must be drawn again; after SCREEN_STOP
 * call screen_stop(), which returns when the program goes on; SCREEN_END: leave.
 */
enum screen_asked {
	SCREEN_RESIZED = 1,
	SCREEN_STOP = 2,
	SCREEN_END = 4,
};
unsigned int screen_asked(void);
void screen_stop(void);
int screen_end_signal(void);		/* which one; 0: none */

#endif
