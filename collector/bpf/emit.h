/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a program writes an event: into the ring of (its type's set, this CPU), or into the counters of what was lost.
 *
 *	struct ev_NAME *r = emit_reserve(NAME);		or emit_reserve_more(NAME, bytes) with room for a string
 *	if (!r) return 0;
 *	r->ev.field = ...;
 *	emit_submit(r);
 *
 * Nothing wakes the reader, which comes by its own clock, unless a ring is half full: that is looked at now and then.
 */
#ifndef KYMO_BPF_EMIT_H
#define KYMO_BPF_EMIT_H

#include "kernel.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <kymo/event.h>
#include "layout.h"

/* The inner rings are of the size that the collector chooses; this one only says of which kind they are. */
struct emit_ring { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 4096); };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct emit_ring);
} rings __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bpf_cpu_counts);
} counts __weak SEC(".maps");

const volatile __u32 emit_cpus __weak = 1;	/* CPU numbers are below this */
/* Of the session: known when it is set up, and the programs are loaded by then. */
volatile __u32 emit_active __weak = 0;		/* it runs */
volatile __u32 emit_ring_bytes __weak = 0;
volatile __u8 emit_set[BPF_TYPES] __weak = {};	/* by event type; BPF_SET_NONE: not wanted */
volatile __u8 emit_known[BPF_SYSCALLS] __weak = {};	/* system call numbers that have types of their own */

/* A program that the kernel may run on top of itself on the same CPU says so before it includes this file. */
#ifdef EMIT_COUNTS_ATOMIC
#define EMIT_COUNT(what) __sync_fetch_and_add(&(what), 1)
#else
#define EMIT_COUNT(what) ((what)++)
#endif

enum { EMIT_HEADER = 8, EMIT_LOOK = 128 };	/* of the kernel before a record; hits of a type from look to look */

static __always_inline __u64 emit_filled(void *ring)
{
	return bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA);
}

/* For programs that serve several types. */
static __always_inline bool emit_wanted(__u32 id)
{
	return emit_active && emit_set[id & (BPF_TYPES - 1)] != BPF_SET_NONE;
}

static __always_inline void *emit_reserve_bytes(__u32 id, __u16 len, __u32 bytes)
{
	__u32 cpu = bpf_get_smp_processor_id(), index = emit_set[id & (BPF_TYPES - 1)] * emit_cpus + cpu;
	struct bpf_cpu_counts *of_cpu;
	struct bpf_count *count;
	struct bpf_head *head;
	void *ring;

	if (!emit_active)
		return NULL;
	of_cpu = bpf_map_lookup_elem(&counts, &cpu);
	if (!of_cpu)
		return NULL;
	count = &of_cpu->type[id & (BPF_TYPES - 1)];
	ring = bpf_map_lookup_elem(&rings, &index);
	if (!ring) {
		EMIT_COUNT(count->no_ring);
		return NULL;
	}
	head = bpf_ringbuf_reserve(ring, bytes, 0);
	if (!head) {	/* why is not told; an NMI finds the ring locked by what it came on top of */
		if (emit_filled(ring) + ((bytes + EMIT_HEADER + 7) & ~7u) < emit_ring_bytes)
			EMIT_COUNT(count->nested);
		else
			EMIT_COUNT(count->full);
		return NULL;
	}
	head->time_ns = bpf_ktime_get_ns();
	head->id = id;
	head->len = len;
	/* Until it is handed over, time_low says whether the reader is to be woken. */
	head->time_low = !(EMIT_COUNT(count->hits) % EMIT_LOOK) && emit_filled(ring) > emit_ring_bytes / 2;
	return head;
}

static __always_inline void emit_submit(void *record)
{
	bpf_ringbuf_submit(record, ((struct bpf_head *)record)->time_low ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

/* Packed, as it lies in the packet, but known to begin at a multiple of 8: else each byte would be stored by itself. */
#define EMIT_RECORD(number, name, source, flags) \
	struct ev_##name { struct bpf_head head; struct kymo_ev_##name ev; } __attribute__((packed, aligned(8)));
KYMO_EVENTS(EMIT_RECORD)

#define emit_reserve(name) \
	((struct ev_##name *)emit_reserve_bytes(KYMO_ID_##name, sizeof(struct kymo_ev_##name), sizeof(struct ev_##name)))
/* `more` bytes behind the fixed fields; head.len says later how many of them count. */
#define emit_reserve_more(name, more) \
	((struct ev_##name *)emit_reserve_bytes(KYMO_ID_##name, sizeof(struct kymo_ev_##name), sizeof(struct ev_##name) + (more)))

/* A string behind the fixed fields, with its NUL, at most `bytes`, which were reserved. */
#define emit_string(r, string, bytes) do { \
	char *emit_at = (char *)(r) + sizeof((r)->head) + sizeof((r)->ev); \
	long emit_n = bpf_probe_read_kernel_str(emit_at, bytes, string); \
	if (emit_n <= 0) { \
		*emit_at = 0; \
		emit_n = 1; \
	} \
	(r)->head.len = sizeof((r)->ev) + emit_n; \
} while (0)

/* By words: the compiler would take it byte by byte. */
static __always_inline void emit_comm(char to[16], const struct task_struct *task)
{
	const __u64 *from = (const __u64 *)&task->comm;

	((__u64 *)to)[0] = from[0];
	((__u64 *)to)[1] = from[1];
}

#endif
