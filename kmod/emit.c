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

static __always_inline void emit_copy(u8 *to, const struct kymo_part *part, unsigned int parts)
{
	unsigned int i;

	for (i = 0; i < parts; i++) {
		memcpy(to, part[i].data, part[i].bytes);
		to += part[i].bytes;
	}
}

/* Preemption is off; so STOP, which waits for a grace period after `active` is false, waits for us. */
static __always_inline void emit_into(struct kymo_sub *sub, struct kymo_ring *ring, const struct kymo_part *part,
				      unsigned int parts, u32 bytes)
{
	struct kymo_slot slot;
	int cause = KYMO_LOSS_NO_RING;

	if (likely(ring))
		cause = ring_reserve(ring, sub->type->id, bytes, &slot);
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

void kymo_emit_parts(struct kymo_type *type, const struct kymo_part *part, unsigned int parts)
{
	const u32 bytes = emit_bytes(part, parts);
	const struct kymo_subs *subs;
	unsigned int i;

	preempt_disable_notrace();
	subs = rcu_dereference_sched(type->subs);
	for (i = 0; subs && i < subs->count; i++) {
		struct kymo_sub *sub = subs->sub[i];

		if (READ_ONCE(sub->session->active))
			emit_into(sub, kymo_ringset_this_cpu(sub->set), part, parts, bytes);
	}
	preempt_enable_notrace();
}

void kymo_emit_sub(struct kymo_sub *sub, const struct kymo_part *part, unsigned int parts)
{
	preempt_disable_notrace();
	if (READ_ONCE(sub->session->active))
		emit_into(sub, kymo_ringset_this_cpu(sub->set), part, parts, emit_bytes(part, parts));
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
		emit_into(sub, ring, part, parts, bytes);
	preempt_enable_notrace();
	return spare;
}

void kymo_emit_lost(struct kymo_type *type, enum kymo_loss cause)
{
	const struct kymo_subs *subs;
	struct kymo_ring *ring;
	unsigned int i;

	preempt_disable_notrace();
	subs = rcu_dereference_sched(type->subs);
	for (i = 0; subs && i < subs->count; i++) {
		struct kymo_sub *sub = subs->sub[i];

		if (!READ_ONCE(sub->session->active))
			continue;
		this_cpu_inc(sub->counts->lost[cause]);
		ring = kymo_ringset_this_cpu(sub->set);
		if (ring)
			ring_add(&ring->control->lost, 1);
	}
	preempt_enable_notrace();
}
