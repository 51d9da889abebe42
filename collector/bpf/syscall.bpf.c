// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * System calls: a pair of event types for each number, all served by one pair of programs. Calls by other ABIs (32-bit,
 * x32) and numbers that the table does not have go to syscall_entry_unknown and syscall_exit_unknown.
 */
#include "emit.h"

enum { SYSCALL_NUMBERS = 512, SYSCALL_ARGS = 6, SYSCALL_COMPAT = 2 /* the kernel's TS_COMPAT */ };

struct thread_info___x86 { __u32 status; } __attribute__((preserve_access_index));
struct task_struct___x86 { struct thread_info___x86 thread_info; } __attribute__((preserve_access_index));
struct pt_regs___x86 { unsigned long di, si, dx, r10, r8, r9, orig_ax; } __attribute__((preserve_access_index));

struct syscall_entry { struct bpf_head head; __u64 args[SYSCALL_ARGS]; };
struct syscall_exit { struct bpf_head head; __s64 ret; };
struct syscall_entry_unknown {
	struct bpf_head head;
	struct kymo_ev_syscall_entry_unknown ev;
	__u16 count;
	__u64 args[SYSCALL_ARGS];
} __attribute__((packed, aligned(8)));

static __always_inline bool syscall_compat(void)
{
	struct task_struct___x86 *task = (struct task_struct___x86 *)bpf_get_current_task();

	return BPF_CORE_READ(task, thread_info.status) & SYSCALL_COMPAT;
}

/* Whether a number has a type of its own, and which. */
static __always_inline __u32 syscall_type(long nr, __u32 first, __u32 unknown, bool compat)
{
	__u32 id = first + ((__u32)nr & (SYSCALL_NUMBERS - 1));

	return (unsigned long)nr < SYSCALL_NUMBERS && emit_known[(__u32)nr & (SYSCALL_NUMBERS - 1)] && !compat ? id : unknown;
}

#define SYSCALL_ARGUMENTS(to, regs) do { \
	(to)[0] = (regs)->di; (to)[1] = (regs)->si; (to)[2] = (regs)->dx; \
	(to)[3] = (regs)->r10; (to)[4] = (regs)->r8; (to)[5] = (regs)->r9; \
} while (0)

SEC("tp_btf/sys_enter")
int BPF_PROG(syscall_entry, struct pt_regs *args, long nr)
{
	const struct pt_regs___x86 *regs = (const void *)args;
	const bool compat = syscall_compat();
	const __u32 id = syscall_type(nr, KYMO_ID_SYSCALL_ENTRY, KYMO_ID_syscall_entry_unknown, compat);

	if (!emit_wanted(id))
		return 0;
	if (id == KYMO_ID_syscall_entry_unknown) {
		struct syscall_entry_unknown *r;	/* it may be padded at its end */

		r = emit_reserve_bytes(id, sizeof(r->ev) + sizeof(r->count) + sizeof(r->args), sizeof(*r));
		if (!r)
			return 0;
		r->ev.id = nr;
		r->ev.compat = compat;
		r->count = SYSCALL_ARGS;
		SYSCALL_ARGUMENTS(r->args, regs);
		emit_submit(r);
	} else {
		struct syscall_entry *r = emit_reserve_bytes(id, sizeof(r->args), sizeof(*r));

		if (!r)
			return 0;
		SYSCALL_ARGUMENTS(r->args, regs);
		emit_submit(r);
	}
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(syscall_exit, struct pt_regs *args, long ret)
{
	const struct pt_regs___x86 *regs = (const void *)args;
	const long nr = regs->orig_ax;
	const bool compat = syscall_compat();
	const __u32 id = syscall_type(nr, KYMO_ID_SYSCALL_EXIT, KYMO_ID_syscall_exit_unknown, compat);

	if (!emit_wanted(id))
		return 0;
	if (id == KYMO_ID_syscall_exit_unknown) {
		struct ev_syscall_exit_unknown *r = emit_reserve(syscall_exit_unknown);

		if (!r)
			return 0;
		r->ev.id = nr;
		r->ev.compat = compat;
		r->ev.ret = ret;
		emit_submit(r);
	} else {
		struct syscall_exit *r = emit_reserve_bytes(id, sizeof(r->ret), sizeof(*r));

		if (!r)
			return 0;
		r->ret = ret;
		emit_submit(r);
	}
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
