// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Signals: generated (by whom is current, for whom is in the event) and delivered to current. */
#include "emit.h"

#undef errno

enum { SIGNAL_USER = 0, SIGNAL_KERNEL = 0x80 };	/* SI_USER, SI_KERNEL */

/* The two non-pointers that the kernel passes where a signal has no details; as its own tracepoint shows them. */
#define SIGNAL_DETAILS(info, error, why) do { \
	if ((unsigned long)(info) < 2) { \
		(error) = 0; \
		(why) = (info) ? SIGNAL_KERNEL : SIGNAL_USER; \
	} else { \
		(error) = (info)->si_errno; \
		(why) = (info)->si_code; \
	} \
} while (0)

SEC("tp_btf/signal_generate")
int BPF_PROG(signal_generate, int sig, struct kernel_siginfo *info, struct task_struct *task, int group, int result)
{
	struct ev_signal_generate *r = emit_reserve(signal_generate);

	if (!r)
		return 0;
	r->ev.sig = sig;
	SIGNAL_DETAILS(info, r->ev.errno, r->ev.code);
	emit_comm(r->ev.comm, task);
	r->ev.pid = task->pid;
	r->ev.group = group;
	r->ev.result = result;
	emit_submit(r);
	return 0;
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(signal_deliver, int sig, struct kernel_siginfo *info, struct k_sigaction *action)
{
	struct ev_signal_deliver *r = emit_reserve(signal_deliver);

	if (!r)
		return 0;
	r->ev.sig = sig;
	SIGNAL_DETAILS(info, r->ev.errno, r->ev.code);
	r->ev.sa_handler = (unsigned long)action->sa.sa_handler;
	r->ev.sa_flags = action->sa.sa_flags;
	emit_submit(r);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
