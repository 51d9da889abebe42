/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From packets, ring by ring, to the events of a machine in the order of time. For who does not merge all streams: the
 * recorder, which looks at nothing in a packet but the records of the task source.
 */
#ifndef KYMO_MACHINE_FEED_H
#define KYMO_MACHINE_FEED_H

#include "input.h"
#include "machine.h"

struct machine_feed;

/* The machine and the catalogue stay the caller's. NULL: no memory. */
struct machine_feed *machine_feed_create(struct machine *m, const struct catalogue *c);
void machine_feed_destroy(struct machine_feed *f);

/* Takes copies of the records that say who is there. 0 or -ENOMEM. */
int machine_feed_take(struct machine_feed *f, const struct stretch *s);

/*
 * All that is older was taken: it is told to the machine. If nobody calls it, what is older by seconds than the youngest
 * is told when there is much of it.
 */
void machine_feed_tell(struct machine_feed *f, uint64_t until_ns);

#endif
