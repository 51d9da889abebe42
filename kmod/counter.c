// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the perf counters of one event type in one session, one for each CPU. */
#include <linux/cpumask.h>
#include <linux/slab.h>
#include "counter.h"

struct counters {
	unsigned int cpus;
	struct perf_event *event[];	/* by CPU; under the catalogue's mutex */
};

static void counter_release(struct counters *counters, unsigned int cpu)
{
	if (counters->event[cpu])
		perf_event_release_kernel(counters->event[cpu]);
	counters->event[cpu] = NULL;
}

static int counter_make(struct kymo_sub *sub, unsigned int cpu, kymo_counter_make *make)
{
	struct counters *counters = sub->priv;
	struct perf_event *event = make(sub, cpu);

	/* perf lets go of a CPU that goes offline before it leaves the online mask, after it left the active one. */
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENODEV && !cpu_active(cpu) ? 0 : PTR_ERR(event);
	counters->event[cpu] = event;
	return 0;
}

int kymo_counters_on(struct kymo_sub *sub, kymo_counter_make *make)
{
	struct counters *counters = kzalloc(struct_size(counters, event, nr_cpu_ids), GFP_KERNEL);
	unsigned int cpu;
	int err;

	if (!counters)
		return -ENOMEM;
	counters->cpus = nr_cpu_ids;
	sub->priv = counters;
	/* A CPU that comes meanwhile is told by cpu_online, after us: both run under the catalogue's mutex. */
	for_each_online_cpu(cpu) {
		err = counter_make(sub, cpu, make);
		if (err) {
			kymo_counters_off(sub);
			return err;
		}
	}
	return 0;
}

void kymo_counters_off(struct kymo_sub *sub)
{
	struct counters *counters = sub->priv;
	unsigned int cpu;

	for (cpu = 0; cpu < counters->cpus; cpu++)
		counter_release(counters, cpu);
	sub->priv = NULL;
	kfree(counters);
}

int kymo_counters_renew(struct kymo_sub *sub, kymo_counter_make *make)
{
	unsigned int cpu;
	int err = 0;

	/* Old before new: never two counters on one CPU. */
	for_each_online_cpu(cpu) {
		counter_release(sub->priv, cpu);
		err = counter_make(sub, cpu, make) ?: err;
	}
	return err;
}

void kymo_counters_cpu_online(struct kymo_sub *sub, unsigned int cpu, kymo_counter_make *make)
{
	struct counters *counters = sub->priv;
	int err;

	/* perf takes the counters of a CPU that goes offline out of use, but not back in. */
	if (counters->event[cpu] && READ_ONCE(counters->event[cpu]->state) > PERF_EVENT_STATE_OFF)
		return;
	counter_release(counters, cpu);
	err = counter_make(sub, cpu, make);
	if (err)
		pr_warn("%s is not seen on cpu %u, which came online: making its perf counter failed (%d). "
			"Disabling and enabling it tries again\n",
			sub->type->name, cpu, err);
}
