// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds tasks inside socket calls: by the registers of their system call and the socket behind its descriptor; where
 * that does not tell (kernel threads, io_uring, 32-bit programs, calls of many pieces) by the functions on their stack.
 */
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/kallsyms.h>
#include <linux/net.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/socket.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include "source_net_blocked.h"
#ifdef NET_BLOCKED_STACKS
#include <asm/unwind.h>
#endif

enum { BLOCKED_NO_ARG = -1 };

/* System calls that move data, and which of their arguments is what. */
static const struct blocked_syscall {
	int nr;
	bool send;
	enum net_blocked_result result;
	s8 fd, flags;
} blocked_syscalls[] = {
	{ __NR_splice, false, NET_BLOCKED_BYTES, 0, BLOCKED_NO_ARG },
#ifndef KYMO_HAVE_sock_send_length	/* else the kernel's tracepoints see all others */
	{ __NR_read, false, NET_BLOCKED_BYTES, 0, BLOCKED_NO_ARG },
	{ __NR_readv, false, NET_BLOCKED_BYTES, 0, BLOCKED_NO_ARG },
	{ __NR_preadv2, false, NET_BLOCKED_BYTES, 0, BLOCKED_NO_ARG },
	{ __NR_recvfrom, false, NET_BLOCKED_BYTES, 0, 3 },
	{ __NR_recvmsg, false, NET_BLOCKED_BYTES, 0, 2 },
	{ __NR_recvmmsg, false, NET_BLOCKED_FIRST, 0, 3 },
	{ __NR_write, true, NET_BLOCKED_BYTES, 0, BLOCKED_NO_ARG },
	{ __NR_writev, true, NET_BLOCKED_BYTES, 0, BLOCKED_NO_ARG },
	{ __NR_pwritev2, true, NET_BLOCKED_BYTES, 0, BLOCKED_NO_ARG },
	{ __NR_sendto, true, NET_BLOCKED_BYTES, 0, BLOCKED_NO_ARG },
	{ __NR_sendmsg, true, NET_BLOCKED_BYTES, 0, BLOCKED_NO_ARG },
	{ __NR_sendmmsg, true, NET_BLOCKED_UNKNOWN, 0, BLOCKED_NO_ARG },
	{ __NR_sendfile, true, NET_BLOCKED_UNKNOWN, 0, BLOCKED_NO_ARG },
	{ __NR_splice, true, NET_BLOCKED_UNKNOWN, 2, BLOCKED_NO_ARG },
#endif
};

/* ---- by the stack ---- */

#ifdef NET_BLOCKED_STACKS
static const char *const blocked_receivers[] = {
	"tcp_splice_read",
#ifndef KYMO_HAVE_sock_send_length
	"inet_recvmsg", "inet6_recvmsg", "sock_common_recvmsg",
#endif
	NULL,
};

/* The outermost functions jump to those of the protocol and are not on the stack themselves. */
static const char *const blocked_senders[] = {
	"inet_sendmsg", "inet6_sendmsg", "inet_sendpage", "tcp_sendmsg", "tcp_sendpage", "udp_sendmsg", "udpv6_sendmsg",
	"udp_sendpage", "raw_sendmsg", "rawv6_sendmsg", "ping_v4_sendmsg", "ping_v6_sendmsg", NULL,
};

static bool blocked_is_one_of(unsigned long address, const char *const *names)
{
	char symbol[KSYM_SYMBOL_LEN];
	size_t length;

	sprint_symbol(symbol, address);
	length = strcspn(symbol, "+");
	for (; *names; names++)
		if (strlen(*names) == length && !memcmp(*names, symbol, length))
			return true;
	return false;
}

static bool blocked_on_stack(struct task_struct *task, bool send)
{
	struct unwind_state state;
	unsigned long address;

	for (unwind_start(&state, task, NULL, NULL); !unwind_done(&state); unwind_next_frame(&state)) {
		address = unwind_get_return_address(&state);
		if (!address)
			return false;
		if (blocked_is_one_of(address - 1, send ? blocked_senders : blocked_receivers))
			return true;
	}
	return false;
}
#else
static bool blocked_on_stack(struct task_struct *task, bool send)
{
	return false;
}
#endif

static bool blocked_runs(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	return READ_ONCE(task->on_cpu);
#else
	return false;
#endif
}

static enum net_blocked_result blocked_by_stack(struct task_struct *task, bool send)
{
	if (blocked_runs(task))
		return NET_BLOCKED_RUNNING;
	return READ_ONCE(task->stack) && blocked_on_stack(task, send) ? NET_BLOCKED_UNKNOWN : NET_BLOCKED_NO;
}

/* ---- by the system call ---- */

static bool blocked_compat(struct task_struct *task)
{
#if defined(CONFIG_X86) && defined(CONFIG_COMPAT)
	return task->thread_info.status & TS_COMPAT;
#elif defined(CONFIG_COMPAT) && defined(TIF_32BIT)
	return test_tsk_thread_flag(task, TIF_32BIT);
#else
	return false;
#endif
}

static const struct blocked_syscall *blocked_syscall(long nr, bool send)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(blocked_syscalls); i++)
		if (blocked_syscalls[i].nr == nr && blocked_syscalls[i].send == send)
			return &blocked_syscalls[i];
	return NULL;
}

/* Under the lock of the table: the file stays. */
static int blocked_take_ends(const void *data, struct file *file, unsigned int fd)
{
	struct net_blocked_call *call = (struct net_blocked_call *)data;
	struct socket *sock = fd == call->fd ? sock_from_file(file) : NULL;

	if (!sock || !net_family_known(sock->sk))
		return -1;
	net_ends_of_sock(&call->ends, sock->sk);
	return 1;
}

static bool blocked_find_ends(struct net_blocked_call *call, struct task_struct *task)
{
	int found = 0;

	task_lock(task);
	if (task->files)
		found = iterate_fd(task->files, call->fd, blocked_take_ends, call);
	task_unlock(task);
	return found > 0;
}

/* A task that is asleep in the first message has a length to tell; in a later one the first was another's. */
static enum net_blocked_result blocked_first(struct task_struct *task, const unsigned long *args)
{
	const enum net_blocked_result result = blocked_by_stack(task, false);

	return result == NET_BLOCKED_UNKNOWN && (args[3] & MSG_WAITFORONE || args[2] == 1) ? NET_BLOCKED_FIRST : result;
}

static void blocked_look_syscall(struct net_blocked_call *call, struct task_struct *task, const struct blocked_syscall *is)
{
	const unsigned long *args = call->args;

	call->ours = true;
	call->fd = args[is->fd];
	if (is->flags != BLOCKED_NO_ARG && args[is->flags] & (MSG_PEEK | MSG_ERRQUEUE))
		return;
	if (!blocked_find_ends(call, task))
		return;
	if (is->result == NET_BLOCKED_BYTES)
		call->result = is->result;
	else if (!net_blocked_stacks())
		call->result = NET_BLOCKED_UNKNOWN;
	else
		call->result = is->result == NET_BLOCKED_FIRST ? blocked_first(task, args) :
								 blocked_by_stack(task, is->send);
}

void net_blocked_look(struct net_blocked_call *call, struct task_struct *task, bool send)
{
	const struct blocked_syscall *is;
	struct pt_regs regs;

	*call = (struct net_blocked_call) { .result = NET_BLOCKED_NO, .nr = -1 };
	if (task->flags & (PF_KTHREAD | PF_IO_WORKER)) {
		call->result = blocked_by_stack(task, send);
		return;
	}
	if (copy_from_kernel_nofault(&regs, task_pt_regs(task), sizeof(regs)))
		return;
	call->nr = syscall_get_nr(task, &regs);
	if (call->nr < 0)
		return;
	syscall_get_arguments(task, &regs, call->args);
	is = blocked_compat(task) ? NULL : blocked_syscall(call->nr, send);
	if (is)
		blocked_look_syscall(call, task, is);
	else if (blocked_compat(task) || call->nr == __NR_io_uring_enter)
		call->result = blocked_by_stack(task, send);
}

bool net_blocked_ends(const struct net_blocked_call *call, struct pt_regs *regs)
{
	unsigned long args[NET_BLOCKED_ARGS];

	syscall_get_arguments(current, regs, args);
	return syscall_get_nr(current, regs) == call->nr && !memcmp(args, call->args, sizeof(args));
}

long net_blocked_first_bytes(const struct net_blocked_call *call)
{
	const struct mmsghdr __user *message = (const struct mmsghdr __user *)call->args[1];
	unsigned int bytes;

	return copy_from_user_nofault(&bytes, &message->msg_len, sizeof(bytes)) ?: (long)bytes;
}
