// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts: hard ones by handler, soft ones by vector, and the expiry of high-resolution timers. One event for
 * each call of the kernel's own tracepoint, with its values.
 */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <trace/events/irq.h>
#include <trace/events/timer.h>
#include "emit.h"
#include "hook.h"

static void irq_handler_entry_probe(void *type, int irq, struct irqaction *action)
{
	struct kymo_ev_irq_handler_entry ev = { .irq = irq };

	kymo_emit_string(irq_handler_entry, &ev, action->name ?: "");
}

static void irq_handler_exit_probe(void *type, int irq, struct irqaction *action, int ret)
{
	struct kymo_ev_irq_handler_exit ev = { .irq = irq, .ret = ret };

	kymo_emit(irq_handler_exit, &ev);
}

static void softirq_raise_probe(void *type, unsigned int vec)
{
	struct kymo_ev_irq_softirq_raise ev = { .vec = vec };

	kymo_emit(irq_softirq_raise, &ev);
}

static void softirq_entry_probe(void *type, unsigned int vec)
{
	struct kymo_ev_irq_softirq_entry ev = { .vec = vec };

	kymo_emit(irq_softirq_entry, &ev);
}

static void softirq_exit_probe(void *type, unsigned int vec)
{
	struct kymo_ev_irq_softirq_exit ev = { .vec = vec };

	kymo_emit(irq_softirq_exit, &ev);
}

static void hrtimer_expire(struct hrtimer *hrtimer, s64 now)
{
	struct kymo_ev_timer_hrtimer_expire_entry ev = {
		.hrtimer = (unsigned long)hrtimer,
		.now = now,
		.function = (unsigned long)ACCESS_PRIVATE(hrtimer, function),
	};

	kymo_emit(timer_hrtimer_expire_entry, &ev);
}

/* The kernel passes the time by address, since 7.1 by value: the probe is the one that its prototype fits. */
static void __maybe_unused hrtimer_entry_address_probe(void *type, struct hrtimer *hrtimer, ktime_t *now)
{
	hrtimer_expire(hrtimer, *now);
}

static void __maybe_unused hrtimer_entry_value_probe(void *type, struct hrtimer *hrtimer, ktime_t now)
{
	hrtimer_expire(hrtimer, now);
}

#define hrtimer_entry_probe __builtin_choose_expr( \
	__builtin_types_compatible_p(typeof(&check_trace_callback_type_hrtimer_expire_entry), \
				     void (*)(typeof(&hrtimer_entry_value_probe))), \
	hrtimer_entry_value_probe, hrtimer_entry_address_probe)

static void hrtimer_exit_probe(void *type, struct hrtimer *hrtimer)
{
	struct kymo_ev_timer_hrtimer_expire_exit ev = { .hrtimer = (unsigned long)hrtimer };

	kymo_emit(timer_hrtimer_expire_exit, &ev);
}

static struct kymo_hook irq_hooks[] = {
	KYMO_HOOK(kymo_type_irq_handler_entry, irq_handler_entry, irq_handler_entry_probe),
	KYMO_HOOK(kymo_type_irq_handler_exit, irq_handler_exit, irq_handler_exit_probe),
	KYMO_HOOK(kymo_type_irq_softirq_raise, softirq_raise, softirq_raise_probe),
	KYMO_HOOK(kymo_type_irq_softirq_entry, softirq_entry, softirq_entry_probe),
	KYMO_HOOK(kymo_type_irq_softirq_exit, softirq_exit, softirq_exit_probe),
	KYMO_HOOK(kymo_type_timer_hrtimer_expire_entry, hrtimer_expire_entry, hrtimer_entry_probe),
	KYMO_HOOK(kymo_type_timer_hrtimer_expire_exit, hrtimer_expire_exit, hrtimer_exit_probe),
};

static int irq_init(void)
{
	kymo_hooks_init(irq_hooks, ARRAY_SIZE(irq_hooks));
	return 0;
}

static int irq_type_on(struct kymo_type *type)
{
	return kymo_hooks_on(irq_hooks, ARRAY_SIZE(irq_hooks), type);
}

static void irq_type_off(struct kymo_type *type)
{
	kymo_hooks_off(irq_hooks, ARRAY_SIZE(irq_hooks), type);
}

struct kymo_source kymo_source_irq = {
	.name = "irq",
	.init = irq_init,
	.type_on = irq_type_on,
	.type_off = irq_type_off,
};
