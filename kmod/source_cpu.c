// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of who runs where: a perf counter on every CPU for each session that wants them, at the session's rate.
 * Hardware cycles, in NMI, where there is a PMU; else the CPU clock, a timer interrupt, which cannot look into
 * code that keeps interrupts off: such time is charged to the same task, at the place where they are on again.
 *
 * An idle CPU is not sampled: cycles stand still there, and the clock's ticks in the idle loop are left out.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include "counter.h"
#include "emit.h"
#include "stack.h"

enum {
	CPU_RATE_DEFAULT = 99,
	CPU_RATE_MAX = 10000,		/* far below where perf begins to throttle, which it does without a count */
};

static bool cpu_has_cycles;

/* The idle task with an interrupt on top is no idle CPU. The clock's own interrupt is not such a one; an NMI counts as one. */
static bool cpu_is_idle(void)
{
	return is_idle_task(current) && !in_serving_softirq() && !(in_nmi() && hardirq_count() > HARDIRQ_OFFSET);
}

static bool cpu_counts_cycles(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_HARDWARE;
}

/*
 * How much the sample stands for. The clock's timer skips the periods that it was late for (interrupts off, a
 * virtual CPU that did not run); the sample stands for them too.
 */
static u64 cpu_period(struct perf_event *event)
{
	const u64 period = event->hw.last_period;
	s64 late;

	if (cpu_counts_cycles(event))
		return period;
	late = (s64)ktime_get_mono_fast_ns() - hrtimer_get_expires_ns(&event->hw.hrtimer);
	return late < (s64)period ? period : (1 + div64_u64(late, period)) * period;
}

static void cpu_overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct kymo_ev_cpu_sample ev;
	struct kymo_stack stack;

	if (cpu_is_idle())
		return;
	kymo_stack_walk(&stack, regs);
	ev.tid = current->pid;
	ev.pid = current->tgid;
	memcpy(ev.comm, current->comm, sizeof(ev.comm));
	ev.ip = instruction_pointer(regs);
	ev.period = cpu_period(event);
	ev.flags = stack.flags | (user_mode(regs) ? KYMO_SAMPLE_USER : 0) | (cpu_counts_cycles(event) ? KYMO_SAMPLE_CYCLES : 0);
	{
		const struct kymo_part part[] = {
			{ &ev, sizeof(ev) },
			{ &stack.kernel, sizeof(stack.kernel) },
			{ stack.address, stack.kernel * sizeof(stack.address[0]) },
			{ &stack.user, sizeof(stack.user) },
			{ stack.address + stack.kernel, stack.user * sizeof(stack.address[0]) },
		};

		kymo_emit_sub(event->overflow_handler_context, part, ARRAY_SIZE(part));
	}
}

static struct perf_event *cpu_create(struct kymo_sub *sub, unsigned int cpu, bool cycles)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = sub && sub->rate_hz ? sub->rate_hz : CPU_RATE_DEFAULT,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, cpu_overflow, sub);
}

/* Where cores differ, some may have no cycles counter of this kind: they are sampled by the clock. */
static struct perf_event *cpu_make(struct kymo_sub *sub, unsigned int cpu)
{
	struct perf_event *event = ERR_PTR(-ENOENT);

	if (cpu_has_cycles)
		event = cpu_create(sub, cpu, true);
	return IS_ERR(event) ? cpu_create(sub, cpu, false) : event;
}

/* Asks the kernel for a counter that does not sample: it counts, so it calls nobody. */
static bool cpu_probe_cycles(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .disabled = 1,
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL, NULL, NULL);

	if (IS_ERR(event))
		return false;
	perf_event_release_kernel(event);
	return true;
}

static int cpu_source_init(void)
{
	cpu_has_cycles = cpu_probe_cycles();
	kymo_type_cpu_sample.reason = cpu_has_cycles ?
		"by hardware cycles, in NMI" :
		"by the CPU clock: no PMU here; code with interrupts off is seen where they are on again";
	return 0;
}

static int cpu_check_rate(const struct kymo_sub *sub)
{
	return sub->rate_hz > CPU_RATE_MAX ? -EINVAL : 0;
}

static int cpu_sub_on(struct kymo_sub *sub)
{
	return cpu_check_rate(sub) ?: kymo_counters_on(sub, cpu_make);
}

static int cpu_sub_rate(struct kymo_sub *sub)
{
	return cpu_check_rate(sub) ?: kymo_counters_renew(sub, cpu_make);
}

static void cpu_sub_online(struct kymo_sub *sub, unsigned int cpu)
{
	kymo_counters_cpu_online(sub, cpu, cpu_make);
}

struct kymo_source kymo_source_cpu = {
	.name = "cpu",
	.init = cpu_source_init,
	.sub_on = cpu_sub_on,
	.sub_off = kymo_counters_off,
	.sub_rate = cpu_sub_rate,
	.cpu_online = cpu_sub_online,
};
