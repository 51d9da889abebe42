/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A perf counter on every online CPU for one event type in one session (sub->priv): made, taken down, made again
 * when a CPU comes back. What is counted and what happens at an overflow is its user's business.
 */
#ifndef KYMO_COUNTER_H
#define KYMO_COUNTER_H

#include <linux/perf_event.h>
#include "type.h"

/*
 * Makes the counter of one CPU by perf_event_create_kernel_counter with `sub` as context. -ENODEV: the CPU is
 * offline. May sleep; not under the hotplug lock.
 */
typedef struct perf_event *kymo_counter_make(struct kymo_sub *sub, unsigned int cpu);

/* All or nothing; CPUs that are offline are left out. */
int kymo_counters_on(struct kymo_sub *sub, kymo_counter_make *make);
/*
 * A last overflow handler may still run when it returns: a removal can interrupt perf in its walk over the counters
 * of a tracepoint, with ours next in line. The sub lives for a grace period longer, and handlers use nothing else.
 */
void kymo_counters_off(struct kymo_sub *sub);
/* For another rate. An error: the counters of some CPUs could not be made. */
int kymo_counters_renew(struct kymo_sub *sub, kymo_counter_make *make);
void kymo_counters_cpu_online(struct kymo_sub *sub, unsigned int cpu, kymo_counter_make *make);

#endif
