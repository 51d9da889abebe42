/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals as far as they concern a terminal: those that end the program give it back first; those that ask for
 * something are noted. Knows how to give a terminal back (bytes and modes), not what is on it.
 */
#ifndef KYMO_SCREEN_SIGNAL_H
#define KYMO_SCREEN_SIGNAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* What gives the terminal back. Written before `ours` is set, read by handlers. */
struct screen_restore {
	int fd;
	struct termios modes;
	char bytes[512];
	size_t length;
	volatile sig_atomic_t ours;	/* the terminal is in our modes now */
};

/* Takes the signals that do what the kernel does by itself; ignored ones stay ignored. */
void screen_signal_take(const struct screen_restore *restore);
void screen_signal_give_back(void);

/* Noted since the last call: bits of enum screen_asked. */
unsigned int screen_signal_asked(void);
bool screen_signal_continued(void);	/* stopped by others and going on: the terminal may be in other modes */
int screen_signal_end(void);

void screen_signal_stop(void);		/* stops the program as the kernel would; returns when it goes on */

#endif
