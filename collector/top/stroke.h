/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a person does at the terminal: a key, or the mouse at a place. A leaf; without ncurses, so that tests can type. */
#ifndef KYMO_STROKE_H
#define KYMO_STROKE_H

#include <stdint.h>

/* A character is its code point; the rest lies behind them. */
enum stroke_code {
	STROKE_NONE = 0,
	STROKE_TAB = 9,
	STROKE_ENTER = 13,
	STROKE_ESCAPE = 27,
	STROKE_BACKSPACE = 127,
	STROKE_UP = 0x110000,
	STROKE_DOWN,
	STROKE_LEFT,
	STROKE_RIGHT,
	STROKE_PAGE_UP,
	STROKE_PAGE_DOWN,
	STROKE_HOME,
	STROKE_END,
	STROKE_DELETE,
	STROKE_BACK_TAB,
	STROKE_CLICK,
	STROKE_DOUBLE_CLICK,
	STROKE_WHEEL_UP,
	STROKE_WHEEL_DOWN,
	STROKE_F0,
	STROKE_F10 = STROKE_F0 + 10,
};

struct stroke {
	uint32_t code;
	unsigned int row, column;	/* of the mouse */
};

#endif
