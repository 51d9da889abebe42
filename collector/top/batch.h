/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kymo top without a screen: for each interval a table as text, or a line of JSON. Plain text, never a control
 * character but the end of the line. The last interval is that of the ended session: the sums over all of them are
 * those of the whole. Knows feeds and views; nothing of terminals.
 */
#ifndef KYMO_BATCH_H
#define KYMO_BATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "../view.h"
#include "feed.h"

struct batch_options {
	const struct view *view;	/* NULL: tasks as text; all of them in JSON */
	bool json;			/* one object on each line */
	unsigned int rows;		/* of each view; 0: as many as there are (JSON), as the view says (text) */
	uint64_t interval_ns;
	unsigned int count;		/* intervals; 0: until it ends */
	uint64_t duration_ns;		/* 0: no limit */
	const volatile sig_atomic_t *stop;
};

/* Until the count is reached, the trace or the time is over, or *stop. 0, or -errno with a sentence in why. */
int batch_run(struct feed *f, const struct batch_options *o, FILE *to, char why[FEED_WHY]);

#endif
