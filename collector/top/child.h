/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording of its own beside the live view: 'kymo record' as a child process, asked to stop by SIGINT. What it says is
 * kept, not printed: there is a screen. A leaf.
 */
#ifndef KYMO_CHILD_H
#define KYMO_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

enum { CHILD_DIR = 64, CHILD_SAID = 200 };

struct child {
	pid_t pid;			/* 0: there is none */
	int said_fd;
	char dir[CHILD_DIR];
	char said[CHILD_SAID];		/* its last line, not cleaned */
	size_t said_bytes;
};

int child_begin(struct child *c);	/* into a new directory named after the time; -errno */
void child_ask_end(struct child *c);

/* It has ended since the last call: its exit status (128 + signal) in *status. wait: until it does. */
bool child_ended(struct child *c, bool wait, int *status);

#endif
