/* SPDX-License-Identifier: GPL-2.0-only */
/* What another task is doing at this moment, as far as socket calls go. Knows nothing of events and probes. */
#ifndef KYMO_SOURCE_NET_BLOCKED_H
#define KYMO_SOURCE_NET_BLOCKED_H

#include <linux/sched.h>
#include "source_net.h"

enum net_blocked_result {
	NET_BLOCKED_NO,			/* in no such call, or one that does not count (MSG_PEEK) */
	NET_BLOCKED_BYTES,		/* its system call returns what it moves */
	NET_BLOCKED_FIRST,		/* recvmmsg that waits for its first message: its length will stand there */
	NET_BLOCKED_UNKNOWN,		/* nothing will tell what it moves */
	NET_BLOCKED_RUNNING,		/* as UNKNOWN, if it is in such a call at all: it was running, ask again */
};

enum { NET_BLOCKED_ARGS = 6 };

struct net_blocked_call {
	enum net_blocked_result result;
	bool ours;			/* in a system call that sends or receives; else deeper (a kernel thread, another ABI) */
	long nr;			/* of the system call, -1: a task that makes none */
	unsigned long args[NET_BLOCKED_ARGS];
	unsigned int fd;
	struct net_ends ends;		/* BYTES, FIRST */
};

/*
 * Call under RCU. The answer is right for a call that began before and goes on; it may be wrong for a task that
 * runs meanwhile.
 */
void net_blocked_look(struct net_blocked_call *call, struct task_struct *task, bool send);
/* Whether this is the end of it, in current. */
bool net_blocked_ends(const struct net_blocked_call *call, struct pt_regs *regs);
/* FIRST, at its end, in current. Negative: not known. */
long net_blocked_first_bytes(const struct net_blocked_call *call);

/* Whether the stacks of other tasks can be read here: without that those that are not `ours` are not found. */
#ifdef CONFIG_X86_64
#define NET_BLOCKED_STACKS
#endif
static inline bool net_blocked_stacks(void)
{
#ifdef NET_BLOCKED_STACKS
	return true;
#else
	return false;
#endif
}

#endif
