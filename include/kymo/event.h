/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The built-in event types: number, name, source and fields, each in one place. The module, the BPF programs and
 * the collector make their payload structs and catalogue entries from these lists, so they cannot differ.
 * Names and fields are those of LTTng and of the kernel's own tracepoints.
 *
 * KYMO_EVENT_<name>(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) lists the fields in order:
 *	INT(type, name)		__u8 ... __s64
 *	HEX(type, name)		the same, shown in base 16
 *	TEXT(name, bytes)	char array, NUL-padded
 *	ADDR(name)		16 bytes, an IPv6 address; IPv4 as ::ffff:a.b.c.d
 *	BYTES(name, bytes)	byte array
 *	STR(name), SEQ(type, name)	of variable size; they stand after all fixed fields and are no members of the
 *				struct: a NUL-terminated string; a __u16 number of elements, then the elements (hex)
 * Times (_ns) are CLOCK_MONOTONIC; tid and pid (the thread group) are those of the initial pid namespace.
 */
#ifndef KYMO_EVENT_H
#define KYMO_EVENT_H

#include <linux/types.h>

/* ---- kymo: written by the collector into its own stream ---- */

/* How much of one event type was lost for one cause in the interval. Sums are exact at the end of a trace. */
#define KYMO_EVENT_kymo_loss(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__u16, type_id) INT(__u16, cause) INT(__u64, count) INT(__u64, begin_ns) INT(__u64, end_ns) \
	STR(type) STR(cause_name)

/* ---- task ---- */

/* From task_newtask, which also sees io_uring workers; current is the parent. */
#define KYMO_EVENT_sched_process_fork(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	TEXT(parent_comm, 16) INT(__s32, parent_tid) INT(__s32, parent_pid) \
	TEXT(child_comm, 16) INT(__s32, child_tid) INT(__s32, child_pid) \
	HEX(__u64, clone_flags) INT(__u64, child_start_ns) INT(__u64, cgroup_id)
#define KYMO_EVENT_sched_process_exec(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, tid) INT(__s32, old_tid) TEXT(comm, 16) STR(filename)
/* group_dead: no thread of the process is left. Before 6.16, of several that exit at once more than one may say so. */
#define KYMO_EVENT_sched_process_exit(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	TEXT(comm, 16) INT(__s32, tid) INT(__s32, pid) INT(__s32, prio) INT(__u8, group_dead)
/* Comes after the last switch: of a task that was past its exit when the recording began nothing else tells the pid. */
#define KYMO_EVENT_sched_process_free(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	TEXT(comm, 16) INT(__s32, tid) INT(__s32, pid) INT(__s32, prio)
#define KYMO_EVENT_task_rename(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, tid) INT(__s32, pid) TEXT(oldcomm, 16) TEXT(newcomm, 16) INT(__s16, oom_score_adj)
/*
 * A new executable mapping of current. Those of a new program come before its sched_process_exec (and after its
 * task_rename). offset: bytes into the file; inode, dev: as in /proc/PID/maps, dev is major << 20 | minor;
 * build_id_bytes is 0 where there is none in memory; path: cut at 1023 bytes, empty for anonymous memory.
 */
#define KYMO_EVENT_task_mmap(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, tid) INT(__s32, pid) HEX(__u64, start) HEX(__u64, end) HEX(__u64, offset) \
	INT(__u64, inode) HEX(__u32, dev) INT(__u8, build_id_bytes) BYTES(build_id, 20) STR(path)
/* base, bytes: of the part that holds the text. */
#define KYMO_EVENT_module_load(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	HEX(__u64, base) INT(__u32, bytes) HEX(__u32, taints) STR(name)
#define KYMO_EVENT_module_free(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	STR(name)

/* ---- task: the start dump (KYMO_IOC_DUMP), as Trace Compass's kernel analysis reads it ---- */

#define KYMO_EVENT_lttng_statedump_start(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ)
#define KYMO_EVENT_lttng_statedump_end(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ)
/*
 * One for each thread. type, mode, submode, status: LTTng's numbers (type 0 user thread, 1 kernel thread). ns_level,
 * ns_inum, v*: of the innermost pid namespace. cpu: where it ran last. */
#define KYMO_EVENT_lttng_statedump_process_state(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, tid) INT(__s32, vtid) INT(__s32, pid) INT(__s32, vpid) INT(__s32, ppid) INT(__s32, vppid) \
	TEXT(name, 16) INT(__s32, type) INT(__s32, mode) INT(__s32, submode) INT(__s32, status) \
	INT(__s32, ns_level) INT(__u32, ns_inum) INT(__u32, cpu) \
	INT(__u64, start_ns) INT(__u64, cgroup_id) INT(__u32, uid)
/* One for each pid namespace that the task is in, the outermost first. */
#define KYMO_EVENT_lttng_statedump_process_pid_ns(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, tid) INT(__s32, vtid) INT(__s32, vpid) INT(__s32, vppid) INT(__s32, ns_level) INT(__u32, ns_inum)
/* An executable mapping: as task_mmap. pgoff is in bytes, as LTTng has it; flags are the kernel's VM_*. */
#define KYMO_EVENT_lttng_statedump_vm_map(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, pid) HEX(__u64, start) HEX(__u64, end) HEX(__u64, flags) INT(__u64, inode) HEX(__u64, pgoff) \
	HEX(__u32, dev) INT(__u8, build_id_bytes) BYTES(build_id, 20) STR(path)
#define KYMO_EVENT_lttng_statedump_module(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	HEX(__u64, base) INT(__u32, bytes) STR(name)
#define KYMO_EVENT_lttng_statedump_interrupt(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__u32, irq) STR(name) STR(action)
#define KYMO_EVENT_lttng_statedump_network_interface(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	TEXT(name, 16) INT(__s32, ifindex) INT(__u32, netns)

/* ---- sched ---- */

#define KYMO_EVENT_sched_switch(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	TEXT(prev_comm, 16) INT(__s32, prev_tid) INT(__s32, prev_prio) INT(__s64, prev_state) \
	TEXT(next_comm, 16) INT(__s32, next_tid) INT(__s32, next_prio)
#define KYMO_EVENT_sched_waking(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	TEXT(comm, 16) INT(__s32, tid) INT(__s32, prio) INT(__s32, target_cpu)
#define KYMO_EVENT_sched_wakeup(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	TEXT(comm, 16) INT(__s32, tid) INT(__s32, prio) INT(__s32, target_cpu)
#define KYMO_EVENT_sched_wakeup_new(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	TEXT(comm, 16) INT(__s32, tid) INT(__s32, prio) INT(__s32, target_cpu)
#define KYMO_EVENT_sched_migrate_task(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	TEXT(comm, 16) INT(__s32, tid) INT(__s32, prio) INT(__s32, orig_cpu) INT(__s32, dest_cpu)

/* ---- cpu ---- */

/*
 * One sample. flags: KYMO_SAMPLE_*. Stacks are return addresses, innermost first; kstack is empty in user mode,
 * ustack in kernel threads. period is what the sample stands for, in ns, or in cycles: see KYMO_SAMPLE_CYCLES; sums of
 * it are CPU time, numbers of samples need not be (a clock that came late stands for what it missed). An idle CPU is
 * not sampled.
 */
#define KYMO_EVENT_cpu_sample(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, tid) INT(__s32, pid) TEXT(comm, 16) HEX(__u64, ip) INT(__u64, period) HEX(__u8, flags) \
	SEQ(__u64, kstack) SEQ(__u64, ustack)
enum kymo_sample_flags {
	KYMO_SAMPLE_USER = 1 << 0,		/* ip is in user mode */
	KYMO_SAMPLE_CYCLES = 1 << 1,		/* period counts cycles, not ns */
	KYMO_SAMPLE_KSTACK_TRUNCATED = 1 << 2,	/* deeper than was stored */
	KYMO_SAMPLE_USTACK_TRUNCATED = 1 << 3,
	KYMO_SAMPLE_USTACK_BROKEN = 1 << 4,	/* the walk ended at a page that is not there, or for want of frame pointers */
};

/* ---- irq ---- */

#define KYMO_EVENT_irq_handler_entry(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, irq) STR(name)
#define KYMO_EVENT_irq_handler_exit(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, irq) INT(__s32, ret)
#define KYMO_EVENT_irq_softirq_raise(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__u32, vec)
#define KYMO_EVENT_irq_softirq_entry(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__u32, vec)
#define KYMO_EVENT_irq_softirq_exit(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__u32, vec)
#define KYMO_EVENT_timer_hrtimer_expire_entry(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	HEX(__u64, hrtimer) INT(__s64, now) HEX(__u64, function)
#define KYMO_EVENT_timer_hrtimer_expire_exit(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	HEX(__u64, hrtimer)

/* ---- signal ---- */

/* comm, pid: the target (pid is its tid, as in the kernel's tracepoint). */
#define KYMO_EVENT_signal_generate(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, sig) INT(__s32, errno) INT(__s32, code) TEXT(comm, 16) INT(__s32, pid) INT(__s32, group) INT(__s32, result)
#define KYMO_EVENT_signal_deliver(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, sig) INT(__s32, errno) INT(__s32, code) HEX(__u64, sa_handler) HEX(__u64, sa_flags)

/* ---- net ---- */

/*
 * Sockets of AF_INET and AF_INET6. saddr, sport: the local end; 0 where it is not known (a socket that is not bound or
 * not connected). family: of the packets, so AF_INET for an AF_INET6 socket whose peer is ::ffff:a.b.c.d. netns: inode
 * number of the network namespace. cookie: as SO_COOKIE has it. Ports of raw sockets are 0.
 *
 * net_send, net_recv: one socket call that moved data. tid, pid: who called, 0 where the kernel did in an interrupt.
 * bytes: the return value (with MSG_TRUNC the whole datagram's length); of sendfile and splice each piece is an event.
 * Not a receive: MSG_PEEK, MSG_ERRQUEUE. Not seen: TCP_ZEROCOPY_RECEIVE, the kernel's own tcp_read_sock and
 * sendpage_locked, splice from a TLS socket. The peer of an unconnected socket's datagram is known on kernels
 * without the tracepoints sock_send_length and sock_recv_length, where the caller gave an address or asked for it. There
 * a call that waited already when the type was enabled tells the ends of its socket as they were then; if it is one of
 * many pieces (sendmmsg, sendfile, splice into a socket, recvmmsg), of io_uring, of a 32-bit program or of a kernel
 * thread, that piece is counted as missed.
 */
#define KYMO_EVENT_net_send(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, tid) INT(__s32, pid) INT(__u64, cookie) INT(__u32, netns) INT(__u16, family) INT(__u16, protocol) \
	ADDR(saddr) ADDR(daddr) INT(__u16, sport) INT(__u16, dport) INT(__u64, bytes)
#define KYMO_EVENT_net_recv(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, tid) INT(__s32, pid) INT(__u64, cookie) INT(__u32, netns) INT(__u16, family) INT(__u16, protocol) \
	ADDR(saddr) ADDR(daddr) INT(__u16, sport) INT(__u16, dport) INT(__u64, bytes)
#define KYMO_EVENT_tcp_retransmit_skb(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__u64, cookie) INT(__u32, netns) INT(__u16, family) INT(__s32, state) \
	ADDR(saddr) ADDR(daddr) INT(__u16, sport) INT(__u16, dport)
#define KYMO_EVENT_inet_sock_set_state(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__u64, cookie) INT(__u32, netns) INT(__s32, oldstate) INT(__s32, newstate) INT(__u16, family) INT(__u16, protocol) \
	ADDR(saddr) ADDR(daddr) INT(__u16, sport) INT(__u16, dport)
/*
 * A packet at a device. len is what the counters of a device without offloads add up: with the Ethernet header, on the
 * loopback device without. What the driver will cut (TSO) or has joined (GRO) is one packet here. A packet that the
 * driver refuses is there again when it is tried again. cookie: 0 where no socket is known.
 */
#define KYMO_EVENT_net_dev_xmit(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, ifindex) TEXT(name, 16) INT(__u32, netns) INT(__u32, len) INT(__u16, protocol) INT(__u64, cookie)
#define KYMO_EVENT_net_if_receive_skb(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, ifindex) TEXT(name, 16) INT(__u32, netns) INT(__u32, len) INT(__u16, protocol) INT(__u64, cookie)
/* A packet was dropped; len is what was left of it, ifindex where it came in if name is empty. reason: the kernel's number. */
#define KYMO_EVENT_skb_kfree(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s32, ifindex) TEXT(name, 16) INT(__u32, netns) INT(__u32, len) INT(__u16, protocol) INT(__u64, cookie) \
	HEX(__u64, location) INT(__u32, reason) STR(reason_name)

/* ---- syscall: one pair of event types for each call, made at run time: KYMO_ID_SYSCALL_ENTRY/EXIT + its number ---- */

/* A number that the table does not have (-1: rt_sigreturn has returned), or, compat 1, a call by another ABI (32-bit). */
#define KYMO_EVENT_syscall_entry_unknown(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s64, id) INT(__u8, compat) SEQ(__u64, args)
#define KYMO_EVENT_syscall_exit_unknown(INT, HEX, TEXT, ADDR, BYTES, STR, SEQ) \
	INT(__s64, id) INT(__u8, compat) INT(__s64, ret)

/* E(id, name, source, flags of enum kymo_type_flags) */
#define KYMO_EVENTS(E) \
	E(1, kymo_loss, kymo, 0) \
	E(16, sched_process_fork, task, 0) \
	E(17, sched_process_exec, task, 0) \
	E(18, sched_process_exit, task, 0) \
	E(19, sched_process_free, task, 0) \
	E(20, task_rename, task, 0) \
	E(21, task_mmap, task, 0) \
	E(22, module_load, task, 0) \
	E(23, module_free, task, 0) \
	E(32, lttng_statedump_start, task, KYMO_TYPE_DUMP) \
	E(33, lttng_statedump_end, task, KYMO_TYPE_DUMP) \
	E(34, lttng_statedump_process_state, task, KYMO_TYPE_DUMP) \
	E(35, lttng_statedump_process_pid_ns, task, KYMO_TYPE_DUMP) \
	E(36, lttng_statedump_vm_map, task, KYMO_TYPE_DUMP) \
	E(37, lttng_statedump_module, task, KYMO_TYPE_DUMP) \
	E(38, lttng_statedump_interrupt, task, KYMO_TYPE_DUMP) \
	E(39, lttng_statedump_network_interface, task, KYMO_TYPE_DUMP) \
	E(48, sched_switch, sched, 0) \
	E(49, sched_waking, sched, 0) \
	E(50, sched_wakeup, sched, 0) \
	E(51, sched_wakeup_new, sched, 0) \
	E(52, sched_migrate_task, sched, 0) \
	E(64, cpu_sample, cpu, KYMO_TYPE_RATE) \
	E(72, irq_handler_entry, irq, 0) \
	E(73, irq_handler_exit, irq, 0) \
	E(74, irq_softirq_raise, irq, 0) \
	E(75, irq_softirq_entry, irq, 0) \
	E(76, irq_softirq_exit, irq, 0) \
	E(77, timer_hrtimer_expire_entry, irq, 0) \
	E(78, timer_hrtimer_expire_exit, irq, 0) \
	E(88, signal_generate, signal, 0) \
	E(89, signal_deliver, signal, 0) \
	E(96, net_send, net, 0) \
	E(97, net_recv, net, 0) \
	E(98, tcp_retransmit_skb, net, 0) \
	E(99, inet_sock_set_state, net, 0) \
	E(100, net_dev_xmit, net, 0) \
	E(101, net_if_receive_skb, net, 0) \
	E(102, skb_kfree, net, 0) \
	E(112, syscall_entry_unknown, syscall, 0) \
	E(113, syscall_exit_unknown, syscall, 0)

#define KYMO_EVENT_ENUM(id, name, source, flags) KYMO_ID_##name = id,
enum kymo_event_id {
	KYMO_EVENTS(KYMO_EVENT_ENUM)
	KYMO_ID_SYSCALL_ENTRY = 1024,	/* + system call number, below 512 */
	KYMO_ID_SYSCALL_EXIT = 1536,
	KYMO_ID_TRACEPOINT = 4096,	/* made when asked for, in order */
	KYMO_ID_MARKER = 16384,
};

/* struct kymo_ev_<name>: the fixed part of the payload. */
#define KYMO_EV_INT(type, name) type name;
#define KYMO_EV_TEXT(name, bytes) char name[bytes];
#define KYMO_EV_ADDR(name) __u8 name[16];
#define KYMO_EV_BYTES(name, bytes) __u8 name[bytes];
#define KYMO_EV_NONE(...)
#define KYMO_EVENT_STRUCT(id, name, source, flags) \
	struct kymo_ev_##name { \
		KYMO_EVENT_##name(KYMO_EV_INT, KYMO_EV_INT, KYMO_EV_TEXT, KYMO_EV_ADDR, KYMO_EV_BYTES, KYMO_EV_NONE, KYMO_EV_NONE) \
	} __attribute__((packed));
/* A field is called errno. A file that uses KYMO_EVENT_FIELDS in user space must #undef errno before. */
#pragma push_macro("errno")
#undef errno
KYMO_EVENTS(KYMO_EVENT_STRUCT)
#pragma pop_macro("errno")

/* KYMO_EVENT_FIELDS(name): initialisers of a struct kymo_field array; empty for an event type without fields. */
#define KYMO_FD_INT(type, n) { .name = #n, .kind = (type)-1 < (type)1, .bytes = sizeof(type), .count = 1 },
#define KYMO_FD_HEX(type, n) { .name = #n, .kind = (type)-1 < (type)1, .bytes = sizeof(type), .flags = KYMO_FIELD_HEX, .count = 1 },
#define KYMO_FD_TEXT(n, size) { .name = #n, .kind = KYMO_FIELD_TEXT, .bytes = 1, .count = size },
#define KYMO_FD_ADDR(n) { .name = #n, .kind = KYMO_FIELD_UNSIGNED, .bytes = 1, .flags = KYMO_FIELD_ADDRESS, .count = 16 },
#define KYMO_FD_BYTES(n, size) { .name = #n, .kind = KYMO_FIELD_UNSIGNED, .bytes = 1, .flags = KYMO_FIELD_HEX, .count = size },
#define KYMO_FD_STR(n) { .name = #n, .kind = KYMO_FIELD_STRING, .bytes = 1, .count = 1 },
#define KYMO_FD_SEQ(type, n) { .name = #n, .kind = KYMO_FIELD_UNSIGNED, .bytes = sizeof(type), \
			       .flags = KYMO_FIELD_SEQUENCE | KYMO_FIELD_HEX },
#define KYMO_EVENT_FIELDS(name) \
	KYMO_EVENT_##name(KYMO_FD_INT, KYMO_FD_HEX, KYMO_FD_TEXT, KYMO_FD_ADDR, KYMO_FD_BYTES, KYMO_FD_STR, KYMO_FD_SEQ)

#endif
