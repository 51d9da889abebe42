/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map that a JIT writes beside its code for profilers: /tmp/perf-PID.map, lines "start bytes name", numbers in
 * hex; a later line of the same start replaces an earlier one. Anybody can write one: size and lines are bounded. A leaf.
 */
#ifndef KYMO_SYMBOL_PERFMAP_H
#define KYMO_SYMBOL_PERFMAP_H

#include "functions.h"

/* At most read_max bytes of the file, from its end if it has more: newer code is there. Sealed. NULL: no memory. */
struct functions *perfmap_read(int fd, uint64_t read_max, size_t bytes_max);

#endif
