/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace in which a little of everything happens. */
#ifndef KYMO_REPORT_STORY_H
#define KYMO_REPORT_STORY_H

#include "report_scene.h"

/*
 * CPU 0: thread 101 of process 100 runs when the recording begins, is preempted, comes back, forks 200 (with threads)
 * and runs at the end. CPU 1: idle, then 200 until its exit.
 */
static inline struct scene *story_make(void **state)
{
	struct scene *scene = scene_begin(state);
	struct make_stream *c0 = scene->cpu, *c1 = make_stream(&scene->trace, "stream_0_1", 1), *own = &scene->trace.stream[1];

	at_ms(10);
	switched(c0, 101, "worker", 0, 0, "swapper/0");		/* preempted: waits from here */
	at_ms(12);
	make_ev(c1, lttng_statedump_process_state, .tid = 100, .pid = 100, .ppid = 1, .name = "server", .start_ns = 77);
	make_ev(c1, lttng_statedump_process_state, .tid = 101, .pid = 100, .ppid = 1, .name = "worker", .start_ns = 78);
	at_ms(15);
	switched(c0, 0, "swapper/0", 0, 101, "worker");		/* waited 5 ms */
	at_ms(20);
	make_ev(c0, sched_process_fork, .parent_tid = 101, .parent_pid = 100, .parent_comm = "worker", .child_comm = "worker",
		.child_tid = 200, .child_pid = 200, .child_start_ns = 500);
	make_ev(c0, sched_process_fork, .parent_tid = 101, .parent_pid = 100, .parent_comm = "worker", .child_comm = "worker",
		.child_tid = 102, .child_pid = 100, .clone_flags = 0x10000, .child_start_ns = 501);
	make_ev(c0, sched_wakeup_new, .tid = 200, .comm = "worker", .target_cpu = 1);
	at_ms(21);
	switched(c1, 0, "swapper/1", 0, 200, "worker");		/* waited 1 ms */
	make_ev_string(c1, sched_process_exec, "/bin/true", .tid = 200, .old_tid = 200, .comm = "true");
	make_ev(c1, net_send, .tid = 200, .pid = 200, .cookie = 9, .netns = 4, .family = 2, .protocol = 6, .bytes = 1000,
		.saddr = { [10] = 0xff, [11] = 0xff, 127, 0, 0, 1 }, .daddr = { [10] = 0xff, [11] = 0xff, 127, 0, 0,
			2 }, .sport = 80, .dport = 81);
	make_ev(c1, net_recv, .tid = 200, .pid = 200, .cookie = 9, .netns = 4, .family = 2, .protocol = 6, .bytes = 24);
	at_ms(22);
	make_ev_string(c1, irq_handler_entry, "eth0", .irq = 7);
	at_ms(23);
	make_ev(c1, irq_handler_exit, .irq = 7);
	make_ev(c1, irq_softirq_raise, .vec = 3);
	at_ms(24);
	make_ev(c1, irq_softirq_entry, .vec = 3);
	at_ms(25);
	make_ev_string(c1, irq_handler_entry, "eth0", .irq = 7);
	at_ms(27);
	make_ev(c1, irq_handler_exit, .irq = 7);
	at_ms(28);
	make_ev(c1, irq_softirq_exit, .vec = 3);
	make_ev(c1, net_dev_xmit, .ifindex = 2, .name = "eth0", .netns = 4, .len = 60);
	make_ev_string(c1, skb_kfree, "NO_SOCKET", .ifindex = 2, .name = "eth0", .netns = 4, .len = 50, .reason = 3);
	make_ev(c1, cpu_sample, 0);				/* broken: without its lists; its packet is cut there */
	make_ev_string(own, kymo_loss, "sched_switch\0full", .type_id = 48, .cause = 0, .count = 12);
	at_ms(31);
	make_end(&scene->trace);
	return scene;
}

#endif
