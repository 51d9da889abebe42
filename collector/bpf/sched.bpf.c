// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Task switches, wake-ups, migrations. */
#include "emit.h"

/* The kernel's bits of a task's state, as its own tracepoint reports them: 0 ran out of its time, else one bit. */
enum {
	STATE_UNINTERRUPTIBLE = 0x02, STATE_REPORT = 0x7f, STATE_REPORT_IDLE = 0x80, STATE_REPORT_MAX = 0x100,
	STATE_IDLE = 0x402, STATE_RTLOCK_WAIT = 0x1000, STATE_FROZEN = 0x8000,
};

static __always_inline __s64 sched_prev_state(bool preempt, unsigned int prev_state, const struct task_struct *prev)
{
	unsigned int state = (prev_state | prev->exit_state) & STATE_REPORT;

	if (preempt)
		return STATE_REPORT_MAX;
	if ((prev_state & STATE_IDLE) == STATE_IDLE)
		state = STATE_REPORT_IDLE;
	if (prev_state & (STATE_RTLOCK_WAIT | STATE_FROZEN))
		state = STATE_UNINTERRUPTIBLE;
	state |= state >> 1;	/* the highest bit */
	state |= state >> 2;
	state |= state >> 4;
	return state - (state >> 1);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	struct ev_sched_switch *r = emit_reserve(sched_switch);

	if (!r)
		return 0;
	emit_comm(r->ev.prev_comm, prev);
	r->ev.prev_tid = prev->pid;
	r->ev.prev_prio = prev->prio;
	r->ev.prev_state = sched_prev_state(preempt, prev_state, prev);
	emit_comm(r->ev.next_comm, next);
	r->ev.next_tid = next->pid;
	r->ev.next_prio = next->prio;
	emit_submit(r);
	return 0;
}

/* The three of them have the same fields. */
#define SCHED_WAKE(name) \
	SEC("tp_btf/" #name) \
	int BPF_PROG(name, struct task_struct *task) \
	{ \
		struct ev_##name *r = emit_reserve(name); \
		\
		if (!r) \
			return 0; \
		emit_comm(r->ev.comm, task); \
		r->ev.tid = task->pid; \
		r->ev.prio = task->prio; \
		r->ev.target_cpu = task->thread_info.cpu; \
		emit_submit(r); \
		return 0; \
	}
SCHED_WAKE(sched_waking)
SCHED_WAKE(sched_wakeup)
SCHED_WAKE(sched_wakeup_new)

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(sched_migrate_task, struct task_struct *task, int dest_cpu)
{
	struct ev_sched_migrate_task *r = emit_reserve(sched_migrate_task);

	if (!r)
		return 0;
	emit_comm(r->ev.comm, task);
	r->ev.tid = task->pid;
	r->ev.prio = task->prio;
	r->ev.orig_cpu = task->thread_info.cpu;
	r->ev.dest_cpu = dest_cpu;
	emit_submit(r);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
