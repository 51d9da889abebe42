// SPDX-License-Identifier: GPL-2.0-only
/* Source sched: task switches, wake-ups, migrations. All hooks run under a run-queue lock. */
#include <linux/mm_types.h> /* 6.12: what sched.h of the tracepoints takes for granted */
#include <linux/sched.h>
#include <trace/events/sched.h>
#include "emit.h"
#include "hook.h"

/* As the tracepoint itself reports it: 0 ran out of its time, TASK_REPORT_MAX preempted, else a bit. */
static s64 sched_prev_state(bool preempt, unsigned int prev_state, const struct task_struct *prev)
{
	unsigned int index;

	if (preempt)
		return TASK_REPORT_MAX;
	index = __task_state_index(prev_state, prev->exit_state);
	return index ? 1 << (index - 1) : 0;
}

static void sched_switch_probe(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
			       unsigned int prev_state)
{
	struct kymo_ev_sched_switch ev;

	memcpy(ev.prev_comm, prev->comm, sizeof(ev.prev_comm));
	ev.prev_tid = prev->pid;
	ev.prev_prio = prev->prio;
	ev.prev_state = sched_prev_state(preempt, prev_state, prev);
	memcpy(ev.next_comm, next->comm, sizeof(ev.next_comm));
	ev.next_tid = next->pid;
	ev.next_prio = next->prio;
	kymo_emit(sched_switch, &ev);
}

/* The three of them have the same fields. */
#define SCHED_WAKE(name) \
	static void name##_probe(void *data, struct task_struct *p) \
	{ \
		struct kymo_ev_##name ev; \
		\
		memcpy(ev.comm, p->comm, sizeof(ev.comm)); \
		ev.tid = p->pid; \
		ev.prio = p->prio; \
		ev.target_cpu = task_cpu(p); \
		kymo_emit(name, &ev); \
	}
SCHED_WAKE(sched_waking)
SCHED_WAKE(sched_wakeup)
SCHED_WAKE(sched_wakeup_new)

static void sched_migrate_task_probe(void *data, struct task_struct *p, int dest_cpu)
{
	struct kymo_ev_sched_migrate_task ev;

	memcpy(ev.comm, p->comm, sizeof(ev.comm));
	ev.tid = p->pid;
	ev.prio = p->prio;
	ev.orig_cpu = task_cpu(p);
	ev.dest_cpu = dest_cpu;
	kymo_emit(sched_migrate_task, &ev);
}

static struct kymo_hook sched_hooks[] = {
	KYMO_HOOK(kymo_type_sched_switch, sched_switch, sched_switch_probe),
	KYMO_HOOK(kymo_type_sched_waking, sched_waking, sched_waking_probe),
	KYMO_HOOK(kymo_type_sched_wakeup, sched_wakeup, sched_wakeup_probe),
	KYMO_HOOK(kymo_type_sched_wakeup_new, sched_wakeup_new, sched_wakeup_new_probe),
	KYMO_HOOK(kymo_type_sched_migrate_task, sched_migrate_task, sched_migrate_task_probe),
};

static int sched_init(void)
{
	kymo_hooks_init(sched_hooks, ARRAY_SIZE(sched_hooks));
	return 0;
}

static int sched_type_on(struct kymo_type *type)
{
	return kymo_hooks_on(sched_hooks, ARRAY_SIZE(sched_hooks), type);
}

static void sched_type_off(struct kymo_type *type)
{
	kymo_hooks_off(sched_hooks, ARRAY_SIZE(sched_hooks), type);
}

struct kymo_source kymo_source_sched = {
	.name = "sched",
	.init = sched_init,
	.type_on = sched_type_on,
	.type_off = sched_type_off,
};
