/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Socket calls that had begun before the return probes were there: a return probe never sees them end. They are found
 * once, when an event type is enabled, and their results are taken where their system calls end. What cannot be told
 * exactly is counted as missed when it ends.
 */
#ifndef KYMO_SOURCE_NET_WAITING_H
#define KYMO_SOURCE_NET_WAITING_H

#include "source_net.h"

/* False: this kernel does not let us. What cannot be found is then not seen. */
bool net_waiting_init(void);

/* Before the probes are armed; after that; before they go (also where _begin failed). Under the catalogue's mutex. */
int net_waiting_begin(struct kymo_type *type);
int net_waiting_find(struct kymo_type *type);
void net_waiting_off(struct kymo_type *type);

/* A probe sees current begin a call. */
void net_waiting_entered(const struct kymo_type *type);

/* Counts what has ended and does not pass the end of a system call. Under the catalogue's mutex. */
void net_waiting_ask(struct kymo_type *type);

#endif
