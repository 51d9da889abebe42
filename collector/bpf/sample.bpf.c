// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A sample of a CPU: run by a perf counter's overflow. The idle task is left out; an interrupt on top of it is not
 * told from it here.
 */
#include "emit.h"
#include <linux/bpf_perf_event.h>

struct sample_clock { __u64 last_ns; };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sample_clock);
} sample_clocks SEC(".maps");

volatile __u64 sample_period_ns = 0;	/* 0: the counter counts cycles, and the kernel says of how many it is */

struct sample {
	struct bpf_head head;
	struct kymo_ev_cpu_sample ev;
	struct bpf_stacks stacks __attribute__((aligned(8)));
} __attribute__((aligned(8)));

/* The clock's timer skips the periods that it was late for; the sample stands for them too. */
static __always_inline __u64 sample_period(const struct bpf_perf_event_data *ctx, __u64 now, __u64 before)
{
	const __u64 period = sample_period_ns;

	if (!period)
		return ctx->sample_period;
	if (!before || now - before < period + period / 2)
		return period;
	return (now - before + period / 2) / period * period;
}

SEC("perf_event")
int cpu_sample(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	const __u64 ip = ctx->regs.rip, now = bpf_ktime_get_ns();
	const bool user = (__s64)ip >= 0;
	struct sample_clock *clock;
	struct sample *r;
	__u64 before = 0;
	__u32 zero = 0;

	clock = bpf_map_lookup_elem(&sample_clocks, &zero);
	if (clock) {
		before = clock->last_ns;
		clock->last_ns = now;
	}
	if (!task->pid)
		return 0;
	r = emit_reserve_bytes(KYMO_ID_cpu_sample, sizeof(r->ev), sizeof(*r));
	if (!r)
		return 0;
	r->ev.tid = task->pid;
	r->ev.pid = task->tgid;
	emit_comm(r->ev.comm, task);
	r->ev.ip = ip;
	r->ev.period = sample_period(ctx, now, before);
	r->ev.flags = (user ? KYMO_SAMPLE_USER : 0) | (sample_period_ns ? 0 : KYMO_SAMPLE_CYCLES);
	r->stacks.kernel_bytes = user ? 0 : bpf_get_stack(ctx, r->stacks.kernel, sizeof(r->stacks.kernel), 0);
	r->stacks.user_bytes = task->mm ?
		bpf_get_stack(ctx, r->stacks.user, sizeof(r->stacks.user), BPF_F_USER_STACK) : 0;
	emit_submit(r);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
