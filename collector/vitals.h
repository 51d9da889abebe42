/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of a machine as a whole over one interval: what the header of the live view shows and what heads each
 * object of its JSON. Made from the tally's totals and from the session's counters; a part of a snapshot. A leaf.
 */
#ifndef KYMO_VITALS_H
#define KYMO_VITALS_H

#include <stdbool.h>
#include <stdint.h>

enum { VITALS_LOADS = 3 };		/* 1, 5, 15 minutes */

struct vitals {
	uint64_t time_ns;		/* up to when everything is counted; the trace's clock */
	uint64_t interval_ns;		/* since the snapshot before */
	uint64_t elapsed_ns;		/* since the session began */
	unsigned int cpus;		/* that were seen to run something */
	unsigned int processes, threads;	/* that are there */

	/* CPU time of the interval. The six parts add up to interval_ns x cpus; irq and softirq time is nobody else's. */
	uint64_t user_ns, system_ns, irq_ns, softirq_ns, idle_ns, unclear_ns;
	/* CPU time that no task's row has: switches were lost, or this kernel hides them. Less than 0: what was so before has
	 * turned out to be somebody's. */
	int64_t uncharged_ns;
	bool split;			/* user and system are told apart (by samples); else system_ns is both */

	/* Now: on a CPU, waiting for one (the idle task is neither). Load: its average, exponentially weighted, from the
	 * session's begin on; before a minute has passed it is that of the time there was. */
	unsigned int running, runnable;
	double load[VITALS_LOADS];

	/* Waiting for a CPU, of the interval. */
	uint64_t waits, wait_p50_ns, wait_p99_ns, wait_max_ns;
	uint64_t switches, forks, threads_made;

	/* Socket calls' bytes; drops of packets and TCP segments sent again. */
	uint64_t rx_bytes, tx_bytes, drops, retransmits;

	/* Events that were read; lost: all causes; late: came behind the watermark, so they were counted out of order. */
	uint64_t events, event_bytes, lost, late;
	uint64_t lost_ever, late_ever;

	/* Kymograph itself: CPU time and events of its own processes, memory that is resident (its mapped rings are in it),
	 * and what its session takes in the kernel. Zeros in a replay: it takes nothing from the machine that is shown. */
	uint64_t own_cpu_ns, own_events, own_memory_bytes, own_kernel_bytes;
};

#endif
