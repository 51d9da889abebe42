// SPDX-License-Identifier: GPL-2.0-only
/* From a source to the rings of this CPU. Any context; the only code between a probe and the ring. */
#include <linux/irq_work.h>
#include <linux/preempt.h>
#include "dump.h"
#include "emit.h"
#include "session.h"

static __always_inline u32 emit_bytes(const struct kymo_part *part, unsigned int parts)
{
	u32 bytes = 0;
	unsigned int i;

	for (i = 0; i < parts; i++)
		bytes += part[i].bytes;
	return bytes;
}

enum { EMIT_WORD = sizeof(u64), EMIT_SHORT = 16 * EMIT_WORD };

/* Fields are short: for them a call of memcpy and its start cost more than the copying. The last word may overlap. */
static __always_inline void emit_copy_part(u8 *to, const u8 *from, u32 bytes)
{
	const u8 *const last = from + bytes - EMIT_WORD;
	u64 word;

	if (unlikely(bytes < EMIT_WORD || bytes > EMIT_SHORT)) {
		memcpy(to, from, bytes);
		return;
	}
	memcpy(&word, last, EMIT_WORD);
	memcpy(to + bytes - EMIT_WORD, &word, EMIT_WORD);
	for (; from < last; from += EMIT_WORD, to += EMIT_WORD) {
		memcpy(&word, from, EMIT_WORD);
		memcpy(to, &word, EMIT_WORD);
		barrier(); /* else the compiler makes a call of memcpy of the loop */
	}
}

static __always_inline void emit_copy(u8 *to, const struct kymo_part *part, unsigned int parts)
{
	unsigned int i;

	for (i = 0; i < parts; i++) {
		emit_copy_part(to, part[i].data, part[i].bytes);
		to += part[i].bytes;
	}
}

/*
 * Preemption is off; so STOP, which waits for a grace period after `active` is false, waits for us. time_ns: when it
 * happened, 0: not known yet.
 */
static __always_inline void emit_into(struct kymo_sub *sub, struct kymo_ring *ring, const struct kymo_part *part,
				      unsigned int parts, u32 bytes, u64 time_ns)
{
	struct kymo_slot slot;
	int cause = KYMO_LOSS_NO_RING;

	if (likely(ring))
		cause = ring_reserve_at(ring, sub->type->id, bytes, time_ns, &slot);
	if (unlikely(cause != KYMO_RING_OK)) {
		this_cpu_inc(sub->counts->lost[cause]);
		return;
	}
	emit_copy(slot.payload, part, parts);
	ring_commit(ring);
	this_cpu_inc(sub->counts->hits);
	if (unlikely(slot.crossed))
		irq_work_queue(&sub->session->wake);
}

/* The clock is read once for all sessions. */
static __always_inline void emit_to_all(const struct kymo_type *type, const struct kymo_part *part, unsigned int parts)
{
	const u32 bytes = emit_bytes(part, parts);
	const struct kymo_subs *subs;
	u64 now = 0;
	unsigned int i;

	preempt_disable_notrace();
	subs = rcu_dereference_sched(type->subs);
	for (i = 0; subs && i < subs->count; i++) {
		struct kymo_sub *sub = subs->sub[i];

		if (!READ_ONCE(sub->session->active))
			continue;
		if (!now)
			now = KYMO_RING_CLOCK();
		emit_into(sub, kymo_ringset_this_cpu(sub->set), part, parts, bytes, now);
	}
	preempt_enable_notrace();
}

void kymo_emit_parts(struct kymo_type *type, const struct kymo_part *part, unsigned int parts)
{
	if (likely(parts == 1)) /* loops that the compiler can take apart */
		emit_to_all(type, part, 1);
	else
		emit_to_all(type, part, parts);
}

void kymo_emit_sub(struct kymo_sub *sub, const struct kymo_part *part, unsigned int parts)
{
	preempt_disable_notrace();
	if (READ_ONCE(sub->session->active))
		emit_into(sub, kymo_ringset_this_cpu(sub->set), part, parts, emit_bytes(part, parts), 0);
	preempt_enable_notrace();
}

/* Whether `bytes` more leave a whole packet free. What interrupts write meanwhile has that packet. */
static bool emit_spare(struct kymo_ring *ring, u32 bytes)
{
	const struct kymo_ring_control *c = ring->control;
	const u64 packet = ring_packet_bytes(ring), reserve = READ_ONCE(c->reserve), in = reserve & (packet - 1);
	u64 end = ring_floor(ring, reserve + packet - 1);

	if (ring->mode == KYMO_MODE_OVERWRITE)
		return true;
	if (!in || in + sizeof(struct kymo_record) + bytes > packet)
		end += packet;
	return end + packet - ring_floor(ring, ring_freed(ring, READ_ONCE(c->head))) <= ring_bytes(ring);
}

bool kymo_emit_dump(struct kymo_sub *sub, const struct kymo_part *part, unsigned int parts)
{
	const u32 bytes = emit_bytes(part, parts);
	struct kymo_ring *ring;
	bool spare;

	preempt_disable_notrace();
	ring = kymo_ringset_this_cpu(sub->set);
	spare = !ring || emit_spare(ring, bytes);
	if (spare && READ_ONCE(sub->session->active))
		emit_into(sub, ring, part, parts, bytes, 0);
	preempt_enable_notrace();
	return spare;
}

/* Preemption is off. */
static void emit_count_lost(struct kymo_sub *sub, enum kymo_loss cause)
{
	struct kymo_ring *ring;

	if (!READ_ONCE(sub->session->active))
		return;
	this_cpu_inc(sub->counts->lost[cause]);
	ring = kymo_ringset_this_cpu(sub->set);
	if (ring)
		ring_add(&ring->control->lost, 1);
}

void kymo_emit_lost(struct kymo_type *type, enum kymo_loss cause)
{
	const struct kymo_subs *subs;
	unsigned int i;

	preempt_disable_notrace();
	subs = rcu_dereference_sched(type->subs);
	for (i = 0; subs && i < subs->count; i++)
		emit_count_lost(subs->sub[i], cause);
	preempt_enable_notrace();
}

void kymo_emit_sub_lost(struct kymo_sub *sub, enum kymo_loss cause)
{
	preempt_disable_notrace();
	emit_count_lost(sub, cause);
	preempt_enable_notrace();
}
