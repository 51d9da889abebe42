/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop of the live view: brings a feed, the keyboard and the screen together. One thread. All that is shown is made
 * elsewhere: the feed gives snapshots, strokes change the state, list and render make a grid of both.
 */
#ifndef KYMO_TOP_H
#define KYMO_TOP_H

#include <stdbool.h>
#include <stdint.h>
#include "../view.h"
#include "feed.h"

struct top_options {
	const struct view *view;
	uint64_t interval_ns;
	uint64_t duration_ns;		/* 0: no limit */
	bool no_mouse;
};

/* On the screen, until somebody quits. The feed stays the caller's. 0, or -errno with a sentence in why. */
int top_run(struct feed *f, const struct top_options *o, char why[FEED_WHY]);

#endif
