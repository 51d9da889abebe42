// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is inside a call that the return probes will not see. The order makes it exact: (1) the ends of all system
 * calls are watched, and every task that a probe sees is noted; (2) the probes are armed; (3) all tasks are looked at. A
 * task in such a call that no probe has seen began it before: its result is taken at the end of the system call. Both
 * sides write, then read: either the search sees the note, or the probe sees that its task is being looked at.
 */
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/events/syscalls.h>
#include "emit.h"
#include "hook.h"
#include "source_net_blocked.h"
#include "source_net_waiting.h"

enum {
	WAITING_SEEN_BITS = 12,
	WAITING_SEEN_PROBES = 64,	/* places that a task may have in the table */
	WAITING_HASH_BITS = 8,
	WAITING_TRIES = 20,
	WAITING_TRY_US = 100,
};

enum waiter_state {
	WAITER_NEW,			/* being looked at: what ends now ends before the event type is enabled */
	WAITER_INSIDE,			/* in a call that began before the probes */
	WAITER_OVER,
};

struct waiter {
	struct hlist_node in_hash;
	struct rcu_head rcu;
	struct task_struct *task;	/* with a reference */
	struct net_blocked_call call;
	atomic_t state;			/* enum waiter_state */
};

/* Tasks that the probes have seen begin a call. Only while the search goes on. */
struct waiting_seen {
	struct rcu_head rcu;
	bool full;
	struct task_struct *task[1 << WAITING_SEEN_BITS];
};

static struct waiting {
	struct kymo_type *type;
	bool send;
	bool watches;			/* the ends of system calls */
	atomic_t open;			/* waiters that are not over */
	struct waiting_seen __rcu *seen;
	struct hlist_head waiters[1 << WAITING_HASH_BITS];
} waitings[] = {
	{ .type = &kymo_type_net_send, .send = true },
	{ .type = &kymo_type_net_recv },
};

static struct tracepoint *waiting_tracepoint;

static struct waiting *waiting_of(const struct kymo_type *type)
{
	return &waitings[type == &kymo_type_net_recv];
}

/* ---- from the probes: preemption is off ---- */

static struct task_struct **waiting_seen_place(struct waiting_seen *seen, const struct task_struct *task, unsigned int i)
{
	return &seen->task[(hash_ptr(task, WAITING_SEEN_BITS) + i) & ((1 << WAITING_SEEN_BITS) - 1)];
}

static void waiting_note(struct waiting_seen *seen)
{
	struct task_struct *was;
	unsigned int i;

	for (i = 0; i < WAITING_SEEN_PROBES; i++) {
		was = cmpxchg(waiting_seen_place(seen, current, i), NULL, current);
		if (!was || was == current)
			return;
	}
	WRITE_ONCE(seen->full, true);
}

static bool waiting_noted(struct waiting_seen *seen, const struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < WAITING_SEEN_PROBES; i++)
		if (READ_ONCE(*waiting_seen_place(seen, task, i)) == task)
			return true;
	return false;
}

static struct waiter *waiting_find_waiter(struct waiting *w, const struct task_struct *task)
{
	struct waiter *waiter;

	hlist_for_each_entry_rcu(waiter, &w->waiters[hash_ptr(task, WAITING_HASH_BITS)], in_hash)
		if (waiter->task == task)
			return waiter;
	return NULL;
}

/* Returns what it was. */
static enum waiter_state waiting_end(struct waiting *w, struct waiter *waiter)
{
	const enum waiter_state state = atomic_xchg(&waiter->state, WAITER_OVER);

	if (state != WAITER_OVER)
		atomic_dec(&w->open);
	return state;
}

void net_waiting_entered(const struct kymo_type *type)
{
	struct waiting *w = waiting_of(type);
	struct waiting_seen *seen = rcu_dereference_sched(w->seen);
	struct waiter *waiter;

	if ((likely(!seen) && !atomic_read(&w->open)) || !in_task())
		return;
	if (seen)
		waiting_note(seen);
	smp_mb(); /* pairs with that in waiting_decide() */
	waiter = waiting_find_waiter(w, current);
	if (!waiter || (waiter->call.result == NET_BLOCKED_FIRST && atomic_read(&waiter->state) == WAITER_INSIDE))
		return; /* the later messages of a recvmmsg */
	if (waiting_end(w, waiter) == WAITER_INSIDE && waiter->call.result == NET_BLOCKED_UNKNOWN)
		kymo_emit_lost(w->type, KYMO_LOSS_PROBE_MISSED);
}

static void waiting_returned(struct waiting *w, const struct waiter *waiter, struct pt_regs *regs, long ret)
{
	long bytes = ret;

	if (ret < 0 || !net_blocked_ends(&waiter->call, regs))
		return;
	if (waiter->call.result == NET_BLOCKED_FIRST && ret)
		bytes = net_blocked_first_bytes(&waiter->call);
	if (waiter->call.result == NET_BLOCKED_UNKNOWN || bytes < 0)
		kymo_emit_lost(w->type, KYMO_LOSS_PROBE_MISSED);
	else if (bytes)
		net_call_moved(w->type, &waiter->call.ends, bytes);
}

static void waiting_exit_probe(void *data, struct pt_regs *regs, long ret)
{
	struct waiting *w = data;
	struct waiter *waiter;

	if (!atomic_read(&w->open))
		return;
	preempt_disable_notrace();
	waiter = waiting_find_waiter(w, current);
	if (waiter && waiting_end(w, waiter) == WAITER_INSIDE)
		waiting_returned(w, waiter, regs, ret);
	preempt_enable_notrace();
}

/* ---- the search; under the catalogue's mutex ---- */

static int waiting_add(struct waiting *w, struct task_struct *task, const struct net_blocked_call *call)
{
	struct waiter *waiter = kmalloc(sizeof(*waiter), GFP_ATOMIC | __GFP_NOWARN);

	if (!waiter)
		return -ENOMEM;
	waiter->task = get_task_struct(task);
	waiter->call = *call;
	atomic_set(&waiter->state, WAITER_NEW);
	atomic_inc(&w->open);
	hlist_add_head_rcu(&waiter->in_hash, &w->waiters[hash_ptr(task, WAITING_HASH_BITS)]);
	return 0;
}

static int waiting_look_at_all(struct waiting *w)
{
	struct task_struct *process, *task;
	struct net_blocked_call call;
	int err = 0;

	rcu_read_lock();
	for_each_process_thread(process, task) {
		if (err || task == current)
			continue;
		net_blocked_look(&call, task, w->send);
		if (call.result != NET_BLOCKED_NO)
			err = waiting_add(w, task, &call);
	}
	rcu_read_unlock();
	return err;
}

/* A task that was running: until it is seen asleep. */
static void waiting_look_again(struct waiting *w, struct waiter *waiter)
{
	struct net_blocked_call *call = &waiter->call;
	unsigned int tries;

	for (tries = 0; call->result == NET_BLOCKED_RUNNING && tries < WAITING_TRIES; tries++) {
		usleep_range(WAITING_TRY_US, 2 * WAITING_TRY_US);
		rcu_read_lock();
		net_blocked_look(call, waiter->task, w->send);
		rcu_read_unlock();
	}
	if (call->result == NET_BLOCKED_RUNNING)
		call->result = call->ours ? NET_BLOCKED_UNKNOWN : NET_BLOCKED_NO;
}

static void waiting_decide(struct waiting *w, struct waiting_seen *seen, struct waiter *waiter)
{
	if (waiter->call.result == NET_BLOCKED_RUNNING)
		waiting_look_again(w, waiter);
	smp_mb(); /* in the hash before the notes are read; pairs with that in net_waiting_entered() */
	if (waiter->call.result == NET_BLOCKED_NO || waiting_noted(seen, waiter->task)) {
		waiting_end(w, waiter);
		return;
	}
	if (READ_ONCE(seen->full))
		waiter->call.result = NET_BLOCKED_UNKNOWN;
	/* If it has ended meanwhile, that was before the event type is enabled. */
	atomic_cmpxchg(&waiter->state, WAITER_NEW, WAITER_INSIDE);
}

static void waiting_watch(struct waiting *w, bool watch)
{
	if (watch == w->watches)
		return;
	if (!watch)
		tracepoint_probe_unregister(waiting_tracepoint, waiting_exit_probe, w);
	else if (tracepoint_probe_register(waiting_tracepoint, waiting_exit_probe, w))
		return;
	w->watches = watch;
}

bool net_waiting_init(void)
{
	waiting_tracepoint = kymo_hook_find("sys_exit");
	return waiting_tracepoint && net_blocked_stacks();
}

int net_waiting_begin(struct kymo_type *type)
{
	struct waiting *w = waiting_of(type);
	struct waiting_seen *seen;

	if (!waiting_tracepoint)
		return 0;
	seen = kvzalloc(sizeof(*seen), GFP_KERNEL);
	if (!seen)
		return -ENOMEM;
	rcu_assign_pointer(w->seen, seen);
	waiting_watch(w, true);
	return w->watches ? 0 : -ENOMEM;
}

static void waiting_forget_seen(struct waiting *w)
{
	struct waiting_seen *seen = rcu_dereference_protected(w->seen, true);

	rcu_assign_pointer(w->seen, NULL);
	if (seen)
		kvfree_rcu(seen, rcu);
}

int net_waiting_find(struct kymo_type *type)
{
	struct waiting *w = waiting_of(type);
	struct waiting_seen *seen = rcu_dereference_protected(w->seen, true);
	struct waiter *waiter;
	unsigned int i;
	int err;

	if (!seen)
		return 0;
	err = waiting_look_at_all(w);
	for (i = 0; i < ARRAY_SIZE(w->waiters); i++)
		hlist_for_each_entry(waiter, &w->waiters[i], in_hash)
			waiting_decide(w, seen, waiter);
	waiting_forget_seen(w);
	if (!atomic_read(&w->open))
		waiting_watch(w, false);
	return err;
}

void net_waiting_off(struct kymo_type *type)
{
	struct waiting *w = waiting_of(type);
	struct hlist_node *next;
	struct waiter *waiter;
	unsigned int i;

	waiting_watch(w, false);
	waiting_forget_seen(w);
	for (i = 0; i < ARRAY_SIZE(w->waiters); i++)
		hlist_for_each_entry_safe(waiter, next, &w->waiters[i], in_hash) {
			hlist_del_rcu(&waiter->in_hash);
			put_task_struct(waiter->task);
			kfree_rcu(waiter, rcu);
		}
	atomic_set(&w->open, 0);
}

void net_waiting_ask(struct kymo_type *type)
{
	struct waiting *w = waiting_of(type);
	struct net_blocked_call call;
	struct waiter *waiter;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(w->waiters) && atomic_read(&w->open); i++)
		hlist_for_each_entry(waiter, &w->waiters[i], in_hash) {
			if (waiter->call.nr >= 0 || atomic_read(&waiter->state) == WAITER_OVER)
				continue;
			rcu_read_lock();
			net_blocked_look(&call, waiter->task, w->send);
			rcu_read_unlock();
			if (call.result == NET_BLOCKED_NO && waiting_end(w, waiter) == WAITER_INSIDE)
				kymo_emit_lost(type, KYMO_LOSS_PROBE_MISSED);
		}
}
