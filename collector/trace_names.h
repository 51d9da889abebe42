/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trace holds beside its events so that its samples have names: functions, and what was mapped when it begins. */
#ifndef KYMO_TRACE_NAMES_H
#define KYMO_TRACE_NAMES_H

#include <stdint.h>

struct input;
struct tally;

/* Before the first event, which is of begin_ns. What the trace does not hold is not there; 0 or -ENOMEM. */
int trace_names(struct tally *t, const struct input *in, uint64_t begin_ns);

#endif
