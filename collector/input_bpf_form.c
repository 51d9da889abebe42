// SPDX-License-Identifier: GPL-2.0-or-later
/* Event types that the programs leave for the collector to finish: stacks are made compact, drop reasons get names. */
#include <kymo/event.h>
#include <string.h>

#include "input_bpf_internal.h"

static uint8_t *form_stack(uint8_t *to, const __u64 *address, int64_t bytes)
{
	const uint16_t count = bytes > 0 ? (uint16_t)((uint64_t)bytes / sizeof(*address)) : 0;

	memcpy(to, &count, sizeof(count));
	memcpy(to + sizeof(count), address, count * sizeof(*address));
	return to + sizeof(count) + count * sizeof(*address);
}

/* The kernel does not say why a walk ended. One address alone is a walk that found no frame. */
static uint8_t form_flags(const struct bpf_stacks *s)
{
	const int64_t full = BPF_STACK_MAX * sizeof(s->user[0]);

	return (s->kernel_bytes == full ? KYMO_SAMPLE_KSTACK_TRUNCATED : 0) |
	       (s->user_bytes == full ? KYMO_SAMPLE_USTACK_TRUNCATED : 0) |
	       (s->user_bytes == sizeof(s->user[0]) || s->user_bytes < 0 ? KYMO_SAMPLE_USTACK_BROKEN : 0);
}

static const uint8_t *form_sample(struct bpf *b, const struct bpf_head *head, uint32_t *bytes)
{
	const size_t at = (sizeof(*head) + sizeof(struct kymo_ev_cpu_sample) + 7) & ~7ul;
	const struct bpf_stacks *stacks = (const struct bpf_stacks *)((const uint8_t *)head + at);
	struct kymo_ev_cpu_sample ev;
	uint8_t *to = b->form;

	memcpy(&ev, head + 1, sizeof(ev));
	ev.flags |= form_flags(stacks);
	memcpy(to, &ev, sizeof(ev));
	to = form_stack(to + sizeof(ev), stacks->kernel, stacks->kernel_bytes);
	to = form_stack(to, stacks->user, stacks->user_bytes);
	*bytes = (uint32_t)(to - b->form);
	return b->form;
}

static const uint8_t *form_drop(struct bpf *b, const struct bpf_head *head, uint32_t *bytes)
{
	struct kymo_ev_skb_kfree ev;
	const char *name;
	size_t name_bytes;

	memcpy(&ev, head + 1, sizeof(ev));
	name = bpf_programs_drop_reason(b->programs, ev.reason);
	name_bytes = strnlen(name, sizeof(b->form) - sizeof(ev) - 1);
	memcpy(b->form, &ev, sizeof(ev));
	memcpy(b->form + sizeof(ev), name, name_bytes);
	b->form[sizeof(ev) + name_bytes] = 0;
	*bytes = (uint32_t)(sizeof(ev) + name_bytes + 1);
	return b->form;
}

static const uint8_t *form_tracepoint(struct bpf *b, const struct bpf_head *head, uint32_t *bytes)
{
	const struct tracepoint *t = b->made[head->id - BPF_MADE_FIRST]->tracepoint;

	*bytes = (uint32_t)tracepoint_payload(t, (const uint8_t *)(head + 1), head->len, b->form, sizeof(b->form));
	return b->form;
}

const uint8_t *bpf_form(struct bpf *b, const struct bpf_head *head, uint32_t *bytes)
{
	if (bpf_slot_is_made(head->id))
		return form_tracepoint(b, head, bytes);
	switch (head->id) {
	case KYMO_ID_cpu_sample:
		return form_sample(b, head, bytes);
	case KYMO_ID_skb_kfree:
		return form_drop(b, head, bytes);
	default:
		*bytes = head->len;
		return (const uint8_t *)(head + 1);
	}
}
