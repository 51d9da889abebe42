/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An event type, the source that produces it and the sessions that want it. Sources see this file and emit.h.
 * They know neither rings nor sessions nor the device.
 */
#ifndef KYMO_TYPE_H
#define KYMO_TYPE_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <uapi/kymo.h>
#include <kymo/event.h>

struct kymo_session;
struct kymo_ringset;
struct kymo_source;
struct kymo_type;

/* Per CPU, of one event type in one session. Counted with single instructions: interrupts share them. */
struct kymo_count {
	u64 hits;
	u64 lost[KYMO_LOSS_CAUSES];
};

/*
 * One event type in one session: made at the first ENABLE, freed with the session (its counts outlive DISABLE).
 * `priv` belongs to the source between sub_on and sub_off.
 */
struct kymo_sub {
	struct kymo_session *session;
	struct kymo_ringset *set;
	struct kymo_type *type;
	struct kymo_count __percpu *counts;
	atomic64_t missed;		/* KYMO_LOSS_PROBE_MISSED: told by the source, see kymo_sub_missed */
	u64 rate_hz;
	void *priv;
	bool enabled;			/* under the catalogue's mutex */
	struct list_head in_session;
};

/* Who wants an event type. Replaced as a whole, read under RCU-sched (preemption off). */
struct kymo_subs {
	struct rcu_head rcu;
	unsigned int count;
	struct kymo_sub *sub[];
};

struct kymo_type {
	u16 id;
	u16 fields;
	u32 flags;			/* enum kymo_type_flags */
	const char *name;
	struct kymo_source *source;
	const struct kymo_field *field;
	const char *reason;		/* static or owned by the source; NULL: none */
	struct kymo_subs __rcu *subs;	/* NULL: nobody */
	void *priv;			/* the source's */
	struct list_head in_catalogue;
};

/*
 * All hooks may sleep and run under the catalogue's mutex, never under the CPU hotplug lock.
 * init: look up what the source needs; mark types that cannot work with kymo_type_unavailable(); an error here
 *	means the module cannot load (only memory should be a reason).
 * type_on / type_off: the first session wants the type, the last one no longer does. Attach the hook itself here.
 *	After type_off a grace period follows before anything is freed; the source need not wait for one.
 * sub_on / sub_off: for sources with a hook for each session (perf counters with a rate of their own).
 *	sub_rate: rate_hz of an enabled sub has changed.
 * sub_missed: for sources whose hooks count themselves what they miss (kprobes): kymo_sub_missed() what has come to it
 *	since the last time. Called for an enabled sub when START begins to count (what it tells then is dropped), before
 *	STOP ends it, before STATS reads, before and after type_off.
 * cpu_online: called from a work item when a CPU has come online: make what is missing there. The CPU may be gone
 *	again. Not under cpus_read_lock: making a perf counter takes it inside (jump labels), and a second read lock
 *	behind a waiting writer never comes. (The counters of a CPU that goes offline are taken down by perf itself.)
 * describe: fields of a type that init left out because they take long to find: called before anybody reads them.
 * make: an event type by name that is not in the catalogue yet (tracepoints); ERR_PTR(-ENOENT) if there is none.
 */
struct kymo_source {
	const char *name;
	int (*init)(void);
	void (*fini)(void);
	int (*type_on)(struct kymo_type *type);
	void (*type_off)(struct kymo_type *type);
	int (*sub_on)(struct kymo_sub *sub);
	void (*sub_off)(struct kymo_sub *sub);
	int (*sub_rate)(struct kymo_sub *sub);
	void (*sub_missed)(struct kymo_sub *sub);
	void (*cpu_online)(struct kymo_sub *sub, unsigned int cpu);
	int (*describe)(struct kymo_type *type);
	struct kymo_type *(*make)(const char *name);
};

extern struct kymo_source kymo_source_task, kymo_source_sched, kymo_source_cpu, kymo_source_irq,
	kymo_source_signal, kymo_source_net, kymo_source_syscall, kymo_source_tracepoint;

/* The built-in event types, by name: kymo_type_sched_switch, ... Defined in catalogue.c from kymo/event.h. */
#define KYMO_TYPE_DECLARE(id, name, source, flags) extern struct kymo_type kymo_type_##name;
KYMO_EVENTS(KYMO_TYPE_DECLARE)

/* For init and make. The type and all that it points to belong to the source and live as long as the module. */
int kymo_type_add(struct kymo_type *type);
void kymo_type_unavailable(struct kymo_type *type, const char *reason);

/* The source knows of `n` more events of this type that its hook missed. Any context. */
static inline void kymo_sub_missed(struct kymo_sub *sub, u64 n)
{
	atomic64_add(n, &sub->missed);
}

#endif
