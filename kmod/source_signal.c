// SPDX-License-Identifier: GPL-2.0-only
/* Signals: generated (by whom is current, for whom is in the event) and delivered to current. */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <trace/events/signal.h>
#include "emit.h"
#include "hook.h"

/* The two non-pointers that the kernel passes where a signal has no details; as its own tracepoint shows them. */
static void signal_details(struct kernel_siginfo *info, s32 *error, s32 *code)
{
	if (info == SEND_SIG_NOINFO) {
		*error = 0;
		*code = SI_USER;
	} else if (info == SEND_SIG_PRIV) {
		*error = 0;
		*code = SI_KERNEL;
	} else {
		*error = info->si_errno;
		*code = info->si_code;
	}
}

static void signal_generate_probe(void *type, int sig, struct kernel_siginfo *info, struct task_struct *task,
				  int group, int result)
{
	struct kymo_ev_signal_generate ev = {
		.sig = sig, .pid = task->pid, .group = group, .result = result,
	};
	s32 error, code;

	signal_details(info, &error, &code);
	ev.errno = error;
	ev.code = code;
	memcpy(ev.comm, task->comm, sizeof(ev.comm));
	kymo_emit(signal_generate, &ev);
}

static void signal_deliver_probe(void *type, int sig, struct kernel_siginfo *info, struct k_sigaction *action)
{
	struct kymo_ev_signal_deliver ev = {
		.sig = sig, .sa_handler = (unsigned long)action->sa.sa_handler, .sa_flags = action->sa.sa_flags,
	};
	s32 error, code;

	signal_details(info, &error, &code);
	ev.errno = error;
	ev.code = code;
	kymo_emit(signal_deliver, &ev);
}

static struct kymo_hook signal_hooks[] = {
	KYMO_HOOK(kymo_type_signal_generate, signal_generate, signal_generate_probe),
	KYMO_HOOK(kymo_type_signal_deliver, signal_deliver, signal_deliver_probe),
};

static int signal_init(void)
{
	kymo_hooks_init(signal_hooks, ARRAY_SIZE(signal_hooks));
	return 0;
}

static int signal_type_on(struct kymo_type *type)
{
	return kymo_hooks_on(signal_hooks, ARRAY_SIZE(signal_hooks), type);
}

static void signal_type_off(struct kymo_type *type)
{
	kymo_hooks_off(signal_hooks, ARRAY_SIZE(signal_hooks), type);
}

struct kymo_source kymo_source_signal = {
	.name = "signal",
	.init = signal_init,
	.type_on = signal_type_on,
	.type_off = signal_type_off,
};
