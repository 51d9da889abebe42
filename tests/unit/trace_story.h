/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine that never was, as a trace: a web server under load, a build that forks, kernel threads, interrupts, names
 * that a terminal must be protected from, process numbers of seven digits. Always the same for the same number of
 * seconds. What screens are tested with. Included by a test, which defines nothing before.
 */
#ifndef KYMO_TRACE_STORY_H
#define KYMO_TRACE_STORY_H

#include "trace_make.h"
#include "trace_story_code.h"

enum { STORY_CPUS = 4, STORY_TICK_NS = 2000000, STORY_SLOTS = 8 };
#define STORY_BEGIN_NS 1000000000000ULL

struct story_task {
	int32_t tid, pid, ppid;
	const char *name;
	uint32_t uid;
	unsigned int cpu, weight;	/* of 1000 in that CPU's time */
	bool kernel;
	unsigned int rx, tx;		/* bytes each time it runs */
	uint64_t cookie;
	uint16_t port;
};

static const struct story_task story_tasks[] = {
	{ 1, 1, 0, "systemd", 0, 0, 2, false, 0, 0, 0, 0 },
	{ 2, 2, 0, "kthreadd", 0, 1, 1, true, 0, 0, 0, 0 },
	{ 15, 15, 2, "ksoftirqd/0", 0, 0, 20, true, 0, 0, 0, 0 },
	{ 22, 22, 2, "ksoftirqd/1", 0, 1, 30, true, 0, 0, 0, 0 },
	{ 17, 17, 2, "rcu_preempt", 0, 2, 8, true, 0, 0, 0, 0 },
	{ 301, 301, 2, "kworker/3:1H", 0, 3, 5, true, 0, 0, 0, 0 },
	{ 611, 611, 1, "sshd", 0, 2, 3, false, 40, 120, 11, 22 },
	{ 900, 900, 611, "bash", 1000, 3, 1, false, 0, 0, 0, 0 },
	{ 18229, 18229, 1, "nginx", 0, 0, 1, false, 0, 0, 0, 0 },
	{ 18231, 18231, 18229, "nginx", 33, 0, 612, false, 4200, 116000, 21, 443 },
	{ 18232, 18232, 18229, "nginx", 33, 1, 587, false, 4000, 110600, 22, 443 },
	{ 18233, 18233, 18229, "nginx", 33, 2, 402, false, 2800, 75000, 23, 443 },
	{ 20011, 20011, 900, "wrk", 1000, 3, 210, false, 90000, 3900, 31, 50312 },
	{ 20012, 20011, 900, "wrk", 1000, 2, 205, false, 88000, 3700, 32, 50314 },
	{ 4194303, 4194303, 1, "java", 114, 1, 120, false, 0, 0, 0, 0 },
	{ 4194290, 4194303, 1, "GC Thread#0", 114, 3, 95, false, 0, 0, 0, 0 },
	{ 4194291, 4194303, 1, "C2 CompilerThre", 114, 2, 60, false, 0, 0, 0, 0 },
	{ 777, 777, 1, "\346\274\242\345\255\227\343\203\207\343\203\274", 1000, 0, 12, false, 0, 0, 0, 0 },
	{ 778, 778, 1, "\033[31mred\033]0;x\a", 1000, 1, 11, false, 0, 0, 0, 0 },
	{ 779, 779, 1, "bad\377\376utf\302", 1000, 2, 9, false, 0, 0, 0, 0 },
	{ 780, 780, 1, "a\\b \342\200\256rtl e\314\201", 1000, 3, 7, false, 0, 0, 0, 0 },
	{ 950, 950, 900, "make", 1000, 3, 10, false, 0, 0, 0, 0 },
};

enum { STORY_TASKS = sizeof(story_tasks) / sizeof(story_tasks[0]), STORY_MAKE = STORY_TASKS - 1 };

struct story {
	struct make_trace trace;
	struct make_stream *cpu[STORY_CPUS], *own;
	uint32_t seed, code_seed;	/* two: samples change nothing of what happens */
	int32_t on[STORY_CPUS];
	char on_name[STORY_CPUS][16];
	struct story_task child[STORY_SLOTS];	/* compilers that come and go; tid 0: free */
	unsigned int child_ticks[STORY_SLOTS];
	int32_t next_tid;
};

static inline uint32_t story_random(struct story *s, uint32_t below)
{
	s->seed = s->seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(s->seed >> 8) * below >> 24);
}

static inline void story_comm(char out[16], const char *name)
{
	memset(out, 0, 16);
	for (unsigned int i = 0; i < 15 && name[i]; i++)
		out[i] = name[i];
}

static inline void story_dump(struct story *s)
{
	for (unsigned int i = 0; i < STORY_TASKS; i++) {
		const struct story_task *t = &story_tasks[i];
		struct kymo_ev_lttng_statedump_process_state ev = {
			.tid = t->tid, .vtid = t->tid, .pid = t->pid, .vpid = t->pid, .ppid = t->ppid, .vppid = t->ppid,
			.type = t->kernel, .cpu = t->cpu, .start_ns = 1000000ull * (uint64_t)t->tid, .uid = t->uid,
		};

		story_comm((char *)ev.name, t->name);
		make_event(s->cpu[0], KYMO_ID_lttng_statedump_process_state, &ev, sizeof(ev));
		if (t->tid == t->pid)
			code_map(s->cpu[0], t->pid, t->name, false);
		if (!strcmp(t->name, "java"))
			code_map_jit(s->cpu[0], t->pid);
	}
}

enum { STORY_SLEEPS = 1, STORY_EXITED = 0x10 };

static inline void story_switch_state(struct story *s, unsigned int cpu, int32_t tid, const char *name, int64_t state)
{
	struct kymo_ev_sched_switch ev = { .prev_tid = s->on[cpu], .prev_state = state, .next_tid = tid };

	if (s->on[cpu] == tid)
		return;
	if (tid) {
		struct kymo_ev_sched_wakeup wakeup = { .tid = tid, .target_cpu = (int32_t)cpu };

		story_comm((char *)wakeup.comm, name);
		make_event(s->cpu[cpu], KYMO_ID_sched_wakeup, &wakeup, sizeof(wakeup));
		make_clock_ns += 2000 + story_random(s, 90000);
	}
	memcpy(ev.prev_comm, s->on_name[cpu], 16);
	story_comm((char *)ev.next_comm, name);
	make_event(s->cpu[cpu], KYMO_ID_sched_switch, &ev, sizeof(ev));
	s->on[cpu] = tid;
	story_comm(s->on_name[cpu], name);
}

static inline void story_switch(struct story *s, unsigned int cpu, int32_t tid, const char *name)
{
	story_switch_state(s, cpu, tid, name, STORY_SLEEPS);
}

static inline void story_net(struct story *s, const struct story_task *t)
{
	const bool client = t->port > 1024;

	if (!t->cookie)
		return;
	make_ev(s->cpu[t->cpu], net_recv, .tid = t->tid, .pid = t->pid, .cookie = t->cookie, .netns = 4026531840u,
		.family = t->cookie == 23 ? 10 : 2, .protocol = 6, .saddr = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 1 },
		.daddr = { [10] = 0xff, [11] = 0xff, 10, 0, client ? 0 : 7, 9 }, .sport = t->port,
		.dport = client ? 443 : 50312, .bytes = t->rx + story_random(s, 512));
	make_ev(s->cpu[t->cpu], net_send, .tid = t->tid, .pid = t->pid, .cookie = t->cookie, .netns = 4026531840u,
		.family = t->cookie == 23 ? 10 : 2, .protocol = 6, .saddr = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 1 },
		.daddr = { [10] = 0xff, [11] = 0xff, 10, 0, client ? 0 : 7, 9 }, .sport = t->port,
		.dport = client ? 443 : 50312, .bytes = t->tx + story_random(s, 512));
	make_ev(s->cpu[t->cpu], net_dev_xmit, .ifindex = 2, .name = "eth0", .netns = 4026531840u, .len = 1514,
		.protocol = 0x800, .cookie = t->cookie);
	make_ev(s->cpu[t->cpu], net_if_receive_skb, .ifindex = 2, .name = "eth0", .netns = 4026531840u,
		.len = 66 + story_random(s, 1000), .protocol = 0x800, .cookie = t->cookie);
}

static inline void story_irq(struct story *s, unsigned int cpu)
{
	if (story_random(s, 3) == 0) {
		make_ev_string(s->cpu[cpu], irq_handler_entry, "eth0-rx-0", .irq = 24);
		make_clock_ns += 1500 + story_random(s, 3000);
		make_ev(s->cpu[cpu], irq_softirq_raise, .vec = 3);
		make_ev(s->cpu[cpu], irq_handler_exit, .irq = 24, .ret = 1);
		make_clock_ns += 900;
		make_ev(s->cpu[cpu], irq_softirq_entry, .vec = 3);
		make_clock_ns += 4000 + story_random(s, 60000);
		make_ev(s->cpu[cpu], irq_softirq_exit, .vec = 3);
	}
	make_ev(s->cpu[cpu], irq_softirq_raise, .vec = 1);
	make_clock_ns += 600;
	make_ev(s->cpu[cpu], irq_softirq_entry, .vec = 1);
	make_clock_ns += 2000 + story_random(s, 2000);
	make_ev(s->cpu[cpu], irq_softirq_exit, .vec = 1);
}

/* A compiler is born on CPU 3, renamed by its exec, and lives for some ticks. */
static inline void story_born(struct story *s, unsigned int slot)
{
	const struct story_task *make = &story_tasks[STORY_MAKE];
	struct story_task *child = &s->child[slot];

	*child = (struct story_task){ s->next_tid, s->next_tid, make->tid, "cc1plus", 1000, 3, 0, false, 0, 0, 0, 0 };
	s->next_tid += 3;
	s->child_ticks[slot] = 60 + story_random(s, 400);
	make_ev(s->cpu[3], sched_process_fork, .parent_comm = "make", .parent_tid = make->tid, .parent_pid = make->pid,
		.child_comm = "make", .child_tid = child->tid, .child_pid = child->pid, .child_start_ns = make_clock_ns);
	code_map(s->cpu[3], child->tid, "cc1plus", true);
	make_ev_string(s->cpu[3], sched_process_exec, "/usr/lib/gcc/cc1plus", .tid = child->tid,
		.old_tid = child->tid, .comm = "cc1plus");
}

static inline void story_dies(struct story *s, unsigned int slot)
{
	struct story_task *child = &s->child[slot];

	story_switch(s, 3, child->tid, child->name);
	make_clock_ns += 30000;
	make_ev(s->cpu[3], sched_process_exit, .comm = "cc1plus", .tid = child->tid, .pid = child->pid, .group_dead = 1);
	story_switch_state(s, 3, 0, "swapper/3", STORY_EXITED);
	child->tid = 0;
}

static inline void story_children(struct story *s)
{
	const unsigned int slot = story_random(s, STORY_SLOTS);

	for (unsigned int i = 0; i < STORY_SLOTS; i++)
		if (s->child[i].tid && !--s->child_ticks[i])
			story_dies(s, i);
	if (!s->child[slot].tid && story_random(s, 12) == 0)
		story_born(s, slot);
	else if (s->child[slot].tid)
		story_switch(s, 3, s->child[slot].tid, s->child[slot].name);
}

static inline void story_thread(struct story *s)
{
	make_ev(s->cpu[1], sched_process_fork, .parent_comm = "java", .parent_tid = 4194303, .parent_pid = 4194303,
		.child_comm = "pool-1-thread", .child_tid = s->next_tid, .child_pid = 4194303, .clone_flags = 0x10000,
		.child_start_ns = make_clock_ns);
	story_switch(s, 1, s->next_tid, "pool-1-thread");
	make_ev(s->cpu[1], sched_process_exit, .comm = "pool-1-thread", .tid = s->next_tid, .pid = 4194303);
	story_switch_state(s, 1, 0, "swapper/1", STORY_EXITED);
	s->next_tid += 3;
}

static inline void story_run(struct story *s, unsigned int cpu)
{
	uint32_t at = story_random(s, 1000);

	for (unsigned int i = 0; i < STORY_TASKS; i++) {
		const struct story_task *t = &story_tasks[i];

		if (t->cpu != cpu)
			continue;
		if (at < t->weight) {
			story_switch(s, cpu, t->tid, t->name);
			story_net(s, t);
			return;
		}
		at -= t->weight;
	}
	story_switch(s, cpu, 0, "swapper");
}

/* As the sampling timer does it: whoever is on the CPU. */
static inline void story_sample(struct story *s, unsigned int cpu)
{
	int32_t pid = s->on[cpu];

	if (!pid)
		return;
	for (unsigned int i = 0; i < STORY_TASKS; i++)
		if (story_tasks[i].tid == pid)
			pid = story_tasks[i].pid;
	s->code_seed = s->code_seed * 1664525 + 1013904223;
	code_sample(s->cpu[cpu], s->on[cpu], pid, s->on_name[cpu], s->code_seed >> 16);
}

static inline void story_session(const char *dir, unsigned int seconds)
{
	char text[512];
	const int n = snprintf(text, sizeof(text),
		"{\"hostname\": \"web1\", \"release\": \"6.1.0-57-amd64\", \"machine\": \"x86_64\", "
		"\"command\": [\"kymo\", \"record\"], \"cpus\": %d, \"start_ns\": %llu, \"stop_ns\": %llu, "
		"\"clock_start\": {\"monotonic_ns\": %llu, \"realtime_ns\": 1893456000000000000, \"width_ns\": 100}}", STORY_CPUS,
		(unsigned long long)STORY_BEGIN_NS, (unsigned long long)(STORY_BEGIN_NS + seconds * 1000000000ULL),
		(unsigned long long)STORY_BEGIN_NS);

	make_file(dir, "kymo/session.json", text, (size_t)n);
}

static inline void story_tick(struct story *s, unsigned int tick)
{
	for (unsigned int cpu = 0; cpu < STORY_CPUS; cpu++) {
		story_run(s, cpu);
		if (story_random(s, 2) == 0)
			story_irq(s, cpu);
	}
	story_children(s);
	if (tick % (CODE_PERIOD_NS / STORY_TICK_NS) < STORY_CPUS)
		story_sample(s, tick % (CODE_PERIOD_NS / STORY_TICK_NS));
	if (tick % 41 == 0)
		story_thread(s);
	if (tick % 97 == 0)
		make_ev_string(s->cpu[0], skb_kfree, "NO_SOCKET", .ifindex = 2, .name = "eth0", .netns = 4026531840u,
			.len = 60, .reason = 3);
	if (tick % 2500 == 2499)
		make_ev_string(s->own, kymo_loss, "sched_switch\0full", .type_id = KYMO_ID_sched_switch, .count = 1234,
			.begin_ns = make_clock_ns - 1000000000, .end_ns = make_clock_ns);
}

static inline void story_make(const char *dir, unsigned int seconds)
{
	struct story *s = calloc(1, sizeof(*s));
	const unsigned int ticks = seconds * (1000000000 / STORY_TICK_NS);

	s->seed = 1;
	s->next_tid = 21000;
	make_clock_ns = STORY_BEGIN_NS;
	make_begin(&s->trace, dir);
	story_session(dir, seconds);
	code_names(dir);
	for (unsigned int i = 0; i < STORY_CPUS; i++) {
		char name[20];

		snprintf(name, sizeof(name), "stream_0_%u", i);
		s->cpu[i] = make_stream(&s->trace, name, i);
		story_comm(s->on_name[i], "swapper");
	}
	s->own = make_stream(&s->trace, "stream_kymo", 0);
	story_dump(s);
	for (unsigned int tick = 1; tick < ticks; tick++) {
		story_tick(s, tick);
		if (make_clock_ns < STORY_BEGIN_NS + (uint64_t)tick * STORY_TICK_NS)
			make_clock_ns = STORY_BEGIN_NS + (uint64_t)tick * STORY_TICK_NS;
	}
	if (make_clock_ns < STORY_BEGIN_NS + (uint64_t)ticks * STORY_TICK_NS)
		make_clock_ns = STORY_BEGIN_NS + (uint64_t)ticks * STORY_TICK_NS;
	make_end(&s->trace);
	free(s);
}

#endif
