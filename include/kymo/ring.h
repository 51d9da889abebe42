/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring: reserve, store, commit. One text for the kernel (a ring for each CPU; interrupts and NMIs nest) and
 * for user space (a ring for each thread; signal handlers nest). One producer context, one reader elsewhere; no
 * locks, no lock-prefixed instructions, nothing that waits. Layout and reader's rules: uapi/kymo.h.
 *
 * The caller keeps the context pinned (kernel: preemption off) from ring_reserve to ring_commit, and counts by
 * event type; the ring counts only the sum that stands in its packets. It knows neither sessions nor event types.
 */
#ifndef KYMO_RING_H
#define KYMO_RING_H

#include <uapi/kymo.h>

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <asm/barrier.h>
#include <asm/cmpxchg.h>
#ifndef KYMO_RING_CLOCK
#define KYMO_RING_CLOCK() ktime_get_mono_fast_ns()
#endif
#define KYMO_RING_INLINE static __always_inline
#define KYMO_RING_SLOW static noinline notrace __maybe_unused
#define kymo_likely(x) likely(x)
#define ring_fence_stores() smp_wmb()
#define ring_fence() smp_mb()
#else
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#ifndef KYMO_RING_CLOCK
#define KYMO_RING_CLOCK() ring_clock_monotonic()
static inline __u64 ring_clock_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000u + (__u64)now.tv_nsec;
}
#endif
#define KYMO_RING_INLINE static inline __attribute__((always_inline, unused))
#define KYMO_RING_SLOW static __attribute__((noinline, unused))
#define kymo_likely(x) __builtin_expect(!!(x), 1)
#ifdef __SANITIZE_THREAD__ /* knows no fences, and what they are for is no data race */
#define ring_fence_stores() do { } while (0)
#define ring_fence() do { } while (0)
#else
#define ring_fence_stores() __atomic_thread_fence(__ATOMIC_RELEASE)
#define ring_fence() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif
#endif

/* A test that enumerates interleavings defines this: it stands before every access to shared memory. */
#ifndef KYMO_RING_STEP
#define KYMO_RING_STEP() do { } while (0)
#endif

enum { KYMO_RING_OK = -1 }; /* else enum kymo_loss */

/* The writer's private side. The caller sets what is marked *, ring_init the rest; only `freed` and `told` change later. */
struct kymo_ring {
	struct kymo_ring_control *control;	/* * with its constants filled in */
	const struct kymo_ring_tail *tail;	/* * */
	__u8 *data;			/* * packets << packet_shift zeroed bytes, aligned to 8 */
	__u64 packet_mask;
	__u64 ring_mask;
	__u64 freed;			/* the furthest valid tail seen; the page is only a stranger's hint */
	__u64 told;			/* the value of `freed` for which the reader was last told of the watermark */
	__u32 packet_shift;		/* * */
	__u32 packets;			/* * a power of two */
	__u32 mode;			/* * enum kymo_mode */
	__u32 watermark;		/* * packets; 0: never tell */
	struct kymo_packet begin;	/* the begin fields that do not change */
};

struct kymo_slot {
	__u8 *payload;		/* the record's fields go here */
	bool crossed;		/* the ring is filled up to the watermark: wake the reader after ring_commit */
};

/* ---- accesses to memory that nested writers or the reader share ---- */

#ifdef __KERNEL__
#define ring_load(p) ({ KYMO_RING_STEP(); READ_ONCE(*(p)); })
#define ring_store(p, v) do { KYMO_RING_STEP(); WRITE_ONCE(*(p), v); } while (0)
#else
#define ring_load(p) ({ KYMO_RING_STEP(); __atomic_load_n(p, __ATOMIC_RELAXED); })
#define ring_store(p, v) do { KYMO_RING_STEP(); __atomic_store_n(p, v, __ATOMIC_RELAXED); } while (0)
#endif
#define ring_barrier() __asm__ volatile("" ::: "memory")

KYMO_RING_INLINE __u64 ring_load_acquire(const __u64 *p)
{
	KYMO_RING_STEP();
#ifdef __KERNEL__
	return smp_load_acquire(p);
#else
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
#endif
}

KYMO_RING_INLINE void ring_store_release(__u64 *p, __u64 value)
{
	KYMO_RING_STEP();
#ifdef __KERNEL__
	smp_store_release(p, value);
#else
	__atomic_store_n(p, value, __ATOMIC_RELEASE);
#endif
}

/* Atomic against interrupts on this context only: that is all that write each other's words. */
KYMO_RING_INLINE bool ring_cmpxchg(__u64 *p, __u64 old, __u64 value)
{
	KYMO_RING_STEP();
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	{
		bool same;

		__asm__ volatile("cmpxchgq %3, %1" : "=@ccz"(same), "+m"(*p), "+a"(old) : "r"(value) : "memory");
		return same;
	}
#elif defined(__KERNEL__)
	return cmpxchg64_local(p, old, value) == old;
#else
	return __atomic_compare_exchange_n(p, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/* For counters that nested writers share. */
KYMO_RING_INLINE void ring_add(__u64 *p, __u64 n)
{
	KYMO_RING_STEP();
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	__asm__ volatile("addq %1, %0" : "+m"(*p) : "er"(n) : "memory");
#else
	{
		__u64 old;

		do
			old = *(volatile __u64 *)p;
		while (!ring_cmpxchg(p, old, old + n));
	}
#endif
}

/* ---- geometry ---- */

KYMO_RING_INLINE __u64 ring_packet_bytes(const struct kymo_ring *r)
{
	return r->packet_mask + 1;
}

KYMO_RING_INLINE __u64 ring_bytes(const struct kymo_ring *r)
{
	return r->ring_mask + 1;
}

/* Where the packet begins that position `at` lies in. */
KYMO_RING_INLINE __u64 ring_floor(const struct kymo_ring *r, __u64 at)
{
	return at & ~r->packet_mask;
}

KYMO_RING_INLINE __u8 *ring_at(const struct kymo_ring *r, __u64 at)
{
	return r->data + (at & r->ring_mask);
}

/* A packet begins at `packet`. The member lies at a multiple of 8, in spite of the packed struct. */
KYMO_RING_INLINE __u64 *ring_begin_ns(__u8 *packet)
{
	return (__u64 *)(packet + offsetof(struct kymo_packet, timestamp_begin));
}

/* ---- writer ---- */

/* Not against a running writer. */
KYMO_RING_SLOW void ring_init(struct kymo_ring *r)
{
	struct kymo_ring_control *c = r->control;

	r->packet_mask = (1ull << r->packet_shift) - 1;
	r->ring_mask = ((__u64)r->packets << r->packet_shift) - 1;
	r->freed = 0;
	r->told = ~0ull;
	/* Seen when a packet is entered, so at most all the others are filled. */
	if (r->watermark >= r->packets)
		r->watermark = r->packets - 1;
	memset(&r->begin, 0, sizeof(r->begin));
	r->begin.magic = KYMO_CTF_MAGIC;
	memcpy(r->begin.uuid, c->uuid, sizeof(c->uuid));
	r->begin.stream_instance_id = c->stream_instance_id;
	r->begin.packet_size = ring_packet_bytes(r) * 8;
	r->begin.cpu_id = c->cpu;
}

/*
 * Opening writes the begin fields, closing the close fields, and neither touches the other's: a nested writer may
 * have closed a packet that the writer it interrupted has reserved and is still about to open.
 */
KYMO_RING_INLINE void ring_open_packet(struct kymo_ring *r, __u64 start, __u64 now)
{
	__u8 *packet = ring_at(r, start);
	struct kymo_packet *p = (struct kymo_packet *)packet;

	/* First, because those who interrupt us go by it. */
	ring_store(ring_begin_ns(packet), now);
	KYMO_RING_STEP();
	p->magic = r->begin.magic;
	memcpy(p->uuid, r->begin.uuid, sizeof(p->uuid));
	p->stream_id = 0;
	p->stream_instance_id = r->begin.stream_instance_id;
	p->packet_size = r->begin.packet_size;
	KYMO_RING_STEP();
	p->packet_seq_num = (start >> r->packet_shift) + 1;
	p->cpu_id = r->begin.cpu_id;
}

KYMO_RING_INLINE void ring_close_packet(struct kymo_ring *r, __u64 start, __u64 content_bytes, __u64 now, __u64 lost)
{
	struct kymo_packet *p = (struct kymo_packet *)ring_at(r, start);

	KYMO_RING_STEP();
	p->timestamp_end = now;
	KYMO_RING_STEP();
	p->content_size = content_bytes * 8;
	KYMO_RING_STEP();
	p->events_discarded = lost;
}

/* The reader's tail, never believed further than head, never taken back. */
KYMO_RING_INLINE __u64 ring_freed(struct kymo_ring *r, __u64 head)
{
	__u64 tail = ring_load_acquire(&r->tail->tail);

	if (tail > head || tail < ring_load(&r->freed))
		return ring_load(&r->freed);
	ring_store(&r->freed, tail);
	return tail;
}

KYMO_RING_INLINE bool ring_filled(const struct kymo_ring *r, __u64 start, __u64 freed)
{
	return (start - ring_floor(r, freed)) >> r->packet_shift >= r->watermark;
}

/*
 * The packet at `start` was entered: is the reader to be told? Once for each place it has freed up to. Who was told
 * and is still behind may be about to sleep just now, with a tail that we have not seen: either we see it after the
 * fence, or the reader sees our reservation after its own, in ring_ready().
 */
KYMO_RING_INLINE bool ring_crosses(struct kymo_ring *r, __u64 start, __u64 head, __u64 freed)
{
	if (!r->watermark || !ring_filled(r, start, freed))
		return false;
	if (ring_load(&r->told) == freed) {
		ring_fence();
		freed = ring_freed(r, head);
		if (ring_load(&r->told) == freed || !ring_filled(r, start, freed))
			return false;
	}
	ring_store(&r->told, freed);
	return true;
}

enum { KYMO_RING_AGAIN = -2 };

/* Reserves `size` bytes at the start of the packet after `off`; closes the old packet and opens the new one. */
KYMO_RING_SLOW int ring_enter_packet(struct kymo_ring *r, __u64 off, __u64 now, __u32 size, struct kymo_slot *slot)
{
	struct kymo_ring_control *c = r->control;
	const __u64 packet = ring_packet_bytes(r);
	const __u64 start = ring_floor(r, off + r->packet_mask);
	__u64 head, freed, lost;

	if (sizeof(struct kymo_packet) + size > packet)
		return KYMO_LOSS_TOO_BIG;
	/* From the published head on, records may be half written: their packets must not be used again. */
	head = ring_load(&c->head);
	if (start + packet - ring_floor(r, head) > ring_bytes(r))
		return KYMO_LOSS_NESTED;
	freed = ring_freed(r, head);
	if (r->mode == KYMO_MODE_DISCARD && start + packet - ring_floor(r, freed) > ring_bytes(r))
		return KYMO_LOSS_FULL;
	/* Read before the reservation: what is lost after it belongs to the next packet. */
	lost = ring_load(&c->lost);
	if (!ring_cmpxchg(&c->reserve, off, start + sizeof(struct kymo_packet) + size))
		return KYMO_RING_AGAIN;
	/* Overwrite mode: who copies what we write next must see this reservation afterwards. */
	ring_fence_stores();
	ring_open_packet(r, start, now);
	if (off > ring_load(&c->closed)) {
		__u64 old = ring_floor(r, off - 1);

		ring_close_packet(r, old, off - old, now, lost);
	}
	slot->payload = ring_at(r, start + sizeof(struct kymo_packet));
	slot->crossed = ring_crosses(r, start, head, freed);
	return KYMO_RING_OK;
}

/* Publishes what is whole. Only the outermost writer does: below its head nobody is unfinished. */
KYMO_RING_INLINE void ring_leave(struct kymo_ring *r)
{
	struct kymo_ring_control *c = r->control;
	__u32 nest = ring_load(&c->nest);
	__u64 reserve;

	if (nest > 1) {
		ring_store(&c->nest, nest - 1);
		return;
	}
	for (;;) {
		reserve = ring_load(&c->reserve);
		ring_store_release(&c->head, reserve);
		ring_store(&c->nest, 0);
		ring_barrier();
		/* A writer that came between the load and nest = 0 saw us inside and did not publish. */
		if (kymo_likely(ring_load(&c->reserve) == reserve))
			return;
		ring_store(&c->nest, 1);
	}
}

/* *time: 0, or a time that was read before; then that of the record. */
KYMO_RING_INLINE int ring_claim(struct kymo_ring *r, __u32 size, __u64 *time, struct kymo_slot *slot)
{
	const __u64 read_before = *time;
	struct kymo_ring_control *c = r->control;
	struct kymo_slot entered; /* not *slot: that stays in registers */
	__u64 off, in, last, now;
	int cause;

	for (;;) {
		off = ring_load(&c->reserve);
		last = ring_load(&c->last_ns);
		now = read_before ? read_before : KYMO_RING_CLOCK();
		if (now < last)
			now = last;
		/* Its own exchange: a plain store before or after the reservation loses a nested writer's later time. */
		if (!ring_cmpxchg(&c->last_ns, last, now))
			continue;
		*time = now;
		in = off & r->packet_mask;
		slot->payload = ring_at(r, off);
		/*
		 * If we interrupted who opens this packet, the begin may be that of the slot's previous one: it is
		 * earlier, so at worst a packet more is opened than needed.
		 */
		if (kymo_likely(in && in + size <= ring_packet_bytes(r) &&
				now - ring_load(ring_begin_ns(slot->payload - in)) < 1ull << 32)) {
			if (kymo_likely(ring_cmpxchg(&c->reserve, off, off + size)))
				return KYMO_RING_OK;
			continue;
		}
		cause = ring_enter_packet(r, off, now, size, &entered);
		if (cause == KYMO_RING_AGAIN)
			continue;
		if (cause == KYMO_RING_OK)
			*slot = entered;
		return cause;
	}
}

/*
 * Reserves a record of `bytes` payload. KYMO_RING_OK: fill slot->payload, then ring_commit. Else the cause of
 * the loss: the ring has counted it in its sum, nothing is left to undo.
 * time_ns: 0, or what the clock said since the context is pinned: for one event in several rings. If somebody has
 * written a later time meanwhile the record has that one, as with a clock that steps back.
 */
KYMO_RING_INLINE int ring_reserve_at(struct kymo_ring *r, __u16 id, __u32 bytes, __u64 time_ns, struct kymo_slot *slot)
{
	struct kymo_ring_control *c = r->control;
	struct kymo_record record;
	__u64 now = time_ns;
	int cause = KYMO_LOSS_TOO_BIG;

	ring_store(&c->nest, ring_load(&c->nest) + 1);
	ring_barrier();
	slot->crossed = false;
	if (kymo_likely(bytes <= 0xffff))
		cause = ring_claim(r, sizeof(record) + bytes, &now, slot);
	if (!kymo_likely(cause == KYMO_RING_OK)) {
		ring_add(&c->lost, 1);
		ring_leave(r);
		return cause;
	}
	KYMO_RING_STEP();
	record.time_low = (__u32)now;
	record.id = id;
	record.len = (__u16)bytes;
	memcpy(slot->payload, &record, sizeof(record));
	slot->payload += sizeof(record);
	return KYMO_RING_OK;
}

KYMO_RING_INLINE int ring_reserve(struct kymo_ring *r, __u16 id, __u32 bytes, struct kymo_slot *slot)
{
	return ring_reserve_at(r, id, bytes, 0, slot);
}

KYMO_RING_INLINE void ring_commit(struct kymo_ring *r)
{
	ring_barrier();
	ring_leave(r);
}

/* Closes the open packet, for STOP. The caller has made sure that no writer is inside nor comes; any CPU may call. */
KYMO_RING_SLOW void ring_close(struct kymo_ring *r)
{
	struct kymo_ring_control *c = r->control;
	__u64 off = c->reserve, now = KYMO_RING_CLOCK(), start, end;

	if (off <= c->closed)
		return;
	if (now < c->last_ns)
		now = c->last_ns;
	ring_store(&c->last_ns, now);
	start = ring_floor(r, off - 1);
	end = start + ring_packet_bytes(r);
	ring_close_packet(r, start, off - start, now, c->lost);
	ring_store(&c->reserve, end);
	ring_store_release(&c->closed, end);
	ring_store_release(&c->head, end);
}

/*
 * For poll: as many packets are filled as the watermark says. It goes by reserve: whoever crosses on top of an
 * unfinished record tells the reader before head has moved. Between queueing for the wake-up and this, a full fence.
 */
KYMO_RING_SLOW bool ring_ready(const struct kymo_ring *r)
{
	__u64 tail = ring_load_acquire(&r->tail->tail);
	__u64 reserve = ring_load(&r->control->reserve);

	/* A packet counts as filled when the next one is entered, not yet when it is full to the last byte. */
	return r->watermark && tail < reserve && ring_filled(r, ring_floor(r, reserve - 1), tail);
}

#endif
