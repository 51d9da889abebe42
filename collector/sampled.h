/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of the user functions that are sampled while a recording runs, for whoever reads the trace when the
 * programs are gone. Looks at nothing in a packet but samples and new mappings; files are opened and read by a thread
 * of their own, new ones as soon as they are mapped. Bounded: what is too much stays without a name.
 */
#ifndef KYMO_SAMPLED_H
#define KYMO_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalogue;
struct machine;
struct sampled;
struct stretch;

struct sampled *sampled_create(const struct catalogue *c);	/* stays the caller's. NULL: no memory, or no thread */
void sampled_destroy(struct sampled *s);

/* What is in it: new mappings, addresses. Each is remembered once until the next sampled_place(). */
void sampled_take(struct sampled *s, const struct stretch *stretch);

/* The machine knows of all that is older than until_ns: whose code the addresses are. */
void sampled_place(struct sampled *s, struct machine *m, uint64_t until_ns);

/* Waits at most wait_ms for names that are being looked up. True: all are there that can be had. */
bool sampled_wait(struct sampled *s, unsigned int wait_ms);

/* The text of TRACE_FUNCTIONS, at most so many bytes, for free(). 0 or -ENOMEM. */
int sampled_write(struct sampled *s, size_t bytes_max, char **text, size_t *bytes);

uint64_t sampled_left_out(const struct sampled *s);	/* addresses that there was no room for */

#endif
