/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts events into tables: CPU time and waiting by task, bytes by task, flow and interface, time in interrupts,
 * what each CPU did, hits and losses by event type. Fed with the merged sequence; the same for a trace and for a live
 * view. Knows what the built-in event types mean, not where they come from nor how tables are shown.
 *
 * CPU time is exact: each CPU's time from its stream's begin to its end is given to the task that sched_switch says
 * was on it, the first and the last one included; what cannot be told (switches were lost) is `unclear`. A live view
 * asks in between: tally_advance() counts the time since the last switch ahead, to whom it looks then, and takes it
 * back if the next switch tells otherwise. So what it has told by the end is what a report finds in the same packets.
 */
#ifndef KYMO_TALLY_H
#define KYMO_TALLY_H

#include <stdint.h>
#include "machine.h"
#include "packet.h"
#include "table.h"

enum tally_table {
	TALLY_PROCESSES,	/* key struct tally_process_key, label struct tally_name; columns enum tally_task_column */
	TALLY_THREADS,		/* key struct tally_thread_key, label struct tally_name; the same columns */
	TALLY_FLOWS,
	TALLY_INTERFACES,
	TALLY_DROPS,
	TALLY_INTERRUPTS,
	TALLY_CPUS,
	TALLY_RINGS,
	TALLY_TYPES,
	TALLY_FUNCTIONS,		/* key struct tally_function_key, label a pointer to a struct tally_function */
	TALLY_PROCESS_FUNCTIONS,
	TALLY_CALLERS,
	TALLY_TABLES,
};

enum { TALLY_NAME = 32 };

struct tally_process_key {
	int32_t pid, reserved;
	uint64_t start_ns;
	uint64_t serial;		/* of processes whose start is not known */
};

struct tally_thread_key {
	int32_t pid, tid;
	uint64_t start_ns;
	uint64_t serial;
};

struct tally_name {
	char name[TALLY_NAME];		/* as it came: not cleaned */
	int32_t pid, ppid;
	uint64_t start_ns;		/* 0: not known */
	uint32_t uid;			/* UINT32_MAX: not known */
	bool kernel;
	bool exited;
	bool unknown;			/* nothing was ever said of it but its tid */
};

enum tally_task_column {
	TASK_CPU_NS, TASK_WAIT_NS /* histogram in TALLY_PROCESSES */, TASK_SWITCHES, TASK_THREADS, TASK_FORKS, TASK_RX_BYTES,
	TASK_TX_BYTES, TASK_NET_BYTES /* both */, TASK_RX_CALLS, TASK_TX_CALLS, TASK_SAMPLES, TASK_COLUMNS,
};

struct tally_flow_key {
	uint64_t cookie;
	uint32_t netns;
	uint16_t family, protocol;
};

/* Where several tasks or peers share a socket: the last of them. */
struct tally_flow {
	uint8_t saddr[16], daddr[16];
	uint16_t sport, dport;
	int32_t pid;
	char comm[16];
};

enum tally_flow_column {
	FLOW_BYTES, FLOW_RX_BYTES, FLOW_TX_BYTES, FLOW_RX_CALLS, FLOW_TX_CALLS, FLOW_RETRANSMITS, FLOW_COLUMNS,
};

struct tally_interface_key {
	uint32_t netns;
	int32_t ifindex;
};

enum tally_interface_column {
	INTERFACE_BYTES, INTERFACE_RX_PACKETS, INTERFACE_RX_BYTES, INTERFACE_TX_PACKETS, INTERFACE_TX_BYTES,
	INTERFACE_DROPS, INTERFACE_COLUMNS,
};

struct tally_drop_key {
	uint32_t netns;
	int32_t ifindex;
	uint32_t reason, reserved;
};

struct tally_drop {
	char interface[16];
	char reason[48];
};

enum tally_drop_column { DROP_PACKETS, DROP_BYTES, DROP_COLUMNS };

struct tally_interrupt_key {
	uint32_t soft;			/* a softirq: number is its vector */
	int32_t number;
	char name[TALLY_NAME];
};

/* Time without that of interrupts on top. Delay: from the first raise to the entry, softirqs only. */
enum tally_interrupt_column { INTERRUPT_COUNT, INTERRUPT_NS, INTERRUPT_DELAY_NS, INTERRUPT_COLUMNS };

struct tally_cpu_key {
	uint32_t cpu;
};

/* As of the last tally_moment(). */
struct tally_cpu_label {
	uint32_t runnable;		/* waiting on its run queue; who runs is not among them */
	int32_t tid;			/* on it: 0 the idle task; -1: nobody knows */
};

/*
 * The first five add up to the CPU's time. An interrupt's time is neither a task's nor idle time here. Sampled: what
 * cpu_sample events stand for outside of interrupts, to tell a task's own code from the kernel's.
 */
enum tally_cpu_column {
	CPU_TASK_NS, CPU_IDLE_NS, CPU_IRQ_NS, CPU_SOFTIRQ_NS, CPU_UNCLEAR_NS, CPU_BUSY_NS /* 1st + 3rd + 4th */,
	CPU_SWITCHES, CPU_WAIT_NS /* histogram: of tasks, until they came onto it */, CPU_USER_SAMPLED, CPU_KERNEL_SAMPLED,
	CPU_EVENTS, CPU_COLUMNS,
};

/* A stream of packets: what came out of one ring. */
struct tally_ring_key {
	uint32_t own;			/* the collector's own; set and cpu are 0 */
	uint32_t set, cpu;
};

struct tally_ring {
	uint64_t ring_bytes;		/* its memory; 0: not known, a trace does not tell */
	uint64_t unread_bytes;		/* in it, as of the snapshot */
};

enum tally_ring_column { RING_BYTES, RING_EVENTS, RING_PACKETS, RING_LOST, RING_COLUMNS };

struct tally_type_key {
	uint32_t id;
};

struct tally_type {
	char name[KYMO_NAME_BYTES];
};

enum tally_type_column {
	TYPE_COUNT, TYPE_BYTES, TYPE_LOST,
	TYPE_LOST_CAUSE, /* + enum kymo_loss */
	TYPE_COLUMNS = TYPE_LOST_CAUSE + KYMO_LOSS_CAUSES,
};

/*
 * A function that was sampled, or what stands for code without a name: all of one file's is one row, and where a stack
 * ends before its time a row says so in the place of the callers that are not known. They stay as long as the tally.
 */
struct tally_function {
	uint32_t number;
	bool named;
	const char *name;		/* demangled, not cleaned */
	const char *module;		/* of what file or kernel module; not cleaned */
	uint64_t start, bytes;		/* in the file; of the kernel and of JITs in memory */
	uint8_t build_id_bytes, build_id[20];	/* 0: none */
};

struct tally_function_key {
	uint32_t number;		/* of the struct tally_function */
};

struct tally_process_function_key {
	struct tally_process_key process;
	uint32_t number, reserved;
};

struct tally_process_function {
	const struct tally_function *function;
	char comm[16];			/* of the process, when it was first sampled there; not cleaned */
};

struct tally_caller_key {
	uint32_t caller, callee;
};

struct tally_caller {
	const struct tally_function *caller, *callee;
};

/*
 * By the samples' weight, which is CPU time (or cycles: tally_totals.sample_cycles). SELF: the code itself; TOTAL: with
 * what it has called. A function that is several times in one stack counts once.
 */
enum tally_function_column {
	FUNCTION_SELF, FUNCTION_TOTAL, FUNCTION_SELF_SAMPLES, FUNCTION_TOTAL_SAMPLES, FUNCTION_COLUMNS,
};

enum tally_caller_column { CALLER_TIME, CALLER_SAMPLES, CALLER_COLUMNS };

/* Sums over everything. */
struct tally_totals {
	uint64_t events, bytes;
	uint64_t first_ns, last_ns;	/* of the events */
	uint64_t cpu_window_ns;		/* CPUs x time */
	uint64_t busy_ns, idle_ns, unclear_ns;
	unsigned int cpus;		/* with scheduler events */
	uint64_t switches, samples, rx_bytes, tx_bytes;
	uint64_t lost[KYMO_LOSS_CAUSES];	/* told by kymo_loss events */
	uint64_t unclear_waits;		/* not counted as waiting: across lost switches */
	uint64_t unmatched_interrupts;	/* exits without an entry */
	uint64_t unknown_tasks;		/* of which nothing but the tid was ever said */
	uint64_t forks, threads_made, drops, retransmits;
	uint64_t runnable_ns;		/* tasks that waited for a CPU x time */
	uint64_t own_events;		/* while a task of tally_own() was on the CPU */
	uint64_t sample_weight;		/* of all samples; in ns but for sample_cycles */
	uint64_t sample_cycles;		/* samples whose weight is in cycles */
	uint64_t stacks_cut;		/* deeper than was stored */
	uint64_t stacks_broken;		/* that end early for want of frame pointers */
	uint64_t samples_unnamed;	/* in code without a name */
	unsigned int foreign_types;	/* built-in by name, but with other fields: not in the tables */
	/* As of the last tally_moment(). */
	unsigned int processes, threads, running, runnable;
};

struct tally;
struct names;
struct spaces;

struct tally *tally_create(void); /* NULL: no memory */
void tally_destroy(struct tally *t);

/* Where a CPU's time begins: before the first event of its stream. */
void tally_event(struct tally *t, const struct event *e, uint64_t stream_begin_ns);

/* Who was there, for tasks whose begin is not among the events; stays the caller's. */
void tally_machine(struct tally *t, struct machine *m);

/* Before the first event: CPU time is counted inside of this only. Events just outside are counted all the same. */
void tally_window(struct tally *t, uint64_t start_ns, uint64_t stop_ns);

/* Whose events are own_events: our process. */
void tally_own(struct tally *t, int32_t pid);

/*
 * All events up to now_ns have been given: for each stream, with the gaps in it; begin_ns as of tally_event(). Then, once,
 * tally_moment(): names and numbers of this moment. After a snapshot was made, tally_age(): who is long gone leaves.
 */
void tally_advance(struct tally *t, unsigned int stream, uint32_t cpu, uint64_t gaps, uint64_t begin_ns, uint64_t now_ns);
void tally_moment(struct tally *t, uint64_t now_ns);
void tally_age(struct tally *t);

/* What a ring has given since the beginning. */
void tally_ring(struct tally *t, const struct tally_ring_key *key, const struct tally_ring *ring,
		const uint64_t totals[RING_COLUMNS]);

/* At the end, for each stream, before tally_cpu_end(): the gaps in it, also behind its last event. */
void tally_stream_end(struct tally *t, unsigned int stream, uint32_t cpu, uint64_t gaps);

/* Once, at the end: until when the stream of each CPU is known; then the totals and names are complete. */
void tally_cpu_end(struct tally *t, uint32_t cpu, uint64_t begin_ns, uint64_t end_ns);
void tally_finish(struct tally *t);

/*
 * Where functions get their names: as it is, nowhere. Before the first event names_go_live() or, for a trace,
 * trace_names(). What is mapped is told to tally_spaces() by events, or beforehand.
 */
struct names *tally_names(struct tally *t);
struct spaces *tally_spaces(struct tally *t);

/*
 * Samples whose functions are still being looked up are counted as soon as the names are there, or are not to be had in
 * time. Before a table is looked at. final: waits for them, within reason.
 */
void tally_settle(struct tally *t, bool final);

struct table *tally_table(struct tally *t, enum tally_table which);
const struct tally_totals *tally_totals(const struct tally *t);
const char *tally_softirq_name(unsigned int vec); /* as in /proc/softirqs */

#endif
