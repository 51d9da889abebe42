// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Interrupts: hard ones by handler, soft ones by vector, and the expiry of high-resolution timers. */
#include "emit.h"

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(irq_handler_entry, int irq, struct irqaction *action)
{
	struct ev_irq_handler_entry *r = emit_reserve_more(irq_handler_entry, BPF_NAME_BYTES);

	if (!r)
		return 0;
	r->ev.irq = irq;
	emit_string(r, action->name, BPF_NAME_BYTES);
	emit_submit(r);
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(irq_handler_exit, int irq, struct irqaction *action, int ret)
{
	struct ev_irq_handler_exit *r = emit_reserve(irq_handler_exit);

	if (!r)
		return 0;
	r->ev.irq = irq;
	r->ev.ret = ret;
	emit_submit(r);
	return 0;
}

#define IRQ_SOFT(which) \
	SEC("tp_btf/softirq_" #which) \
	int BPF_PROG(irq_softirq_##which, unsigned int vec) \
	{ \
		struct ev_irq_softirq_##which *r = emit_reserve(irq_softirq_##which); \
		\
		if (!r) \
			return 0; \
		r->ev.vec = vec; \
		emit_submit(r); \
		return 0; \
	}
IRQ_SOFT(raise)
IRQ_SOFT(entry)
IRQ_SOFT(exit)

static __always_inline int irq_timer_entry(const struct hrtimer *timer, __s64 now)
{
	struct ev_timer_hrtimer_expire_entry *r = emit_reserve(timer_hrtimer_expire_entry);

	if (!r)
		return 0;
	r->ev.hrtimer = (unsigned long)timer;
	r->ev.now = now;
	r->ev.function = (unsigned long)timer->function;
	emit_submit(r);
	return 0;
}

/* The kernel passes the time by address; since 7.1 by value. Addresses of the kernel are negative, times are not. */
SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(timer_hrtimer_expire_entry, struct hrtimer *timer, __s64 *now)
{
	__s64 value = (__s64)now;

	if (value < 0)
		bpf_probe_read_kernel(&value, sizeof(value), now);
	return irq_timer_entry(timer, value);
}

SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(timer_hrtimer_expire_exit, struct hrtimer *timer)
{
	struct ev_timer_hrtimer_expire_exit *r = emit_reserve(timer_hrtimer_expire_exit);

	if (!r)
		return 0;
	r->ev.hrtimer = (unsigned long)timer;
	emit_submit(r);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
