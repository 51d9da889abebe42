// SPDX-License-Identifier: GPL-2.0-or-later
/* Views of the tables of tally. */
#include "view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpu_range.h"
#include "loss.h"
#include "packet.h"
#include "text.h"
#include "user.h"

/* Columns aligned to the right or to the left (last: what else there is to say of one), and those of JSON only. */
#define RIGHT(head_, key_, fill_, arg_, ...) { .head = head_, .key = key_, .fill = fill_, .arg = arg_, __VA_ARGS__ }
#define LEFT(head_, key_, fill_, arg_, ...) { .head = head_, .key = key_, .fill = fill_, .arg = arg_, .left = true, __VA_ARGS__ }
#define DROP(n) .drop = n
#define RATE .rate = true
#define RAW(key_, fill_, arg_) { .head = "", .key = key_, .fill = fill_, .arg = arg_, .json_only = true }

#define FILL(name) \
	static void name(const struct snapshot *s, const struct snapshot_row *row, unsigned int arg, struct view_cell *out)

static void view_text(struct view_cell *out, const char *text, size_t bytes)
{
	out->unit = VIEW_TEXT;
	text_clean(out->text, sizeof(out->text), text, bytes);
}

static void view_number(struct view_cell *out, enum view_unit unit, uint64_t number)
{
	out->unit = unit;
	out->number = number;
}

/* ---- cells of any table: arg is the column ---- */

FILL(view_sum)
{
	view_number(out, VIEW_NUMBER, row->value[arg]);
}

FILL(view_bytes)
{
	view_number(out, VIEW_BYTES, row->value[arg]);
}

FILL(view_ns)
{
	view_number(out, VIEW_NS, row->value[arg]);
}

static double view_per_ns(const struct snapshot *s, uint64_t value)
{
	return s->end_ns > s->begin_ns ? (double)value / (double)(s->end_ns - s->begin_ns) : 0;
}

FILL(view_rate)
{
	out->unit = VIEW_REAL;
	out->real = view_per_ns(s, row->value[arg]) * 1e9;
}

/* Of one CPU's time. */
FILL(view_percent)
{
	out->unit = VIEW_REAL;
	out->real = view_per_ns(s, row->value[arg]) * 100;
}

static void view_quantile(const struct snapshot_row *row, unsigned int column, double q, struct view_cell *out)
{
	const struct histogram *h = row->histogram[column];

	if (h)
		view_number(out, VIEW_NS, histogram_quantile(h, q));
}

FILL(view_p50)
{
	view_quantile(row, arg, 0.5, out);
}

FILL(view_p99)
{
	view_quantile(row, arg, 0.99, out);
}

FILL(view_max)
{
	view_quantile(row, arg, 1, out);
}

/* ---- tasks ---- */

FILL(view_pid)
{
	if (!row->overflow)
		view_number(out, VIEW_ID, (uint64_t)(uint32_t)((const struct tally_process_key *)row->key)->pid);
}

/* The label has what was learned after the key had been made from a tid alone. */
FILL(view_thread_pid)
{
	const struct tally_name *label = row->label;
	const struct tally_thread_key *key = row->key;

	if (!row->overflow)
		view_number(out, VIEW_ID, (uint64_t)(uint32_t)(label->pid ? label->pid : key->pid));
}

FILL(view_tid)
{
	if (!row->overflow)
		view_number(out, VIEW_ID, (uint64_t)(uint32_t)((const struct tally_thread_key *)row->key)->tid);
}

FILL(view_ppid)
{
	const struct tally_name *label = row->label;

	if (!row->overflow && label->ppid)
		view_number(out, VIEW_ID, (uint64_t)(uint32_t)label->ppid);
}

FILL(view_start)
{
	const struct tally_name *label = row->label;

	if (!row->overflow && label->start_ns)
		view_number(out, VIEW_NS, label->start_ns);
}

FILL(view_command)
{
	const struct tally_name *label = row->label;
	char name[sizeof(label->name) + 2];

	if (row->overflow) {
		view_text(out, "(others)", 8);
		return;
	}
	snprintf(name, sizeof(name), label->kernel ? "[%.*s]" : "%.*s",
		 (int)strnlen(label->name, sizeof(label->name) - 1), label->name);
	view_text(out, name, sizeof(name));
}

static bool view_task_kernel(const struct snapshot_row *row)
{
	return !row->overflow && ((const struct tally_name *)row->label)->kernel;
}

static bool view_task_idle(const struct snapshot_row *row)
{
	return !row->overflow && !((const struct tally_process_key *)row->key)->pid;
}

static bool view_thread_idle(const struct snapshot_row *row)
{
	return !row->overflow && !((const struct tally_thread_key *)row->key)->tid;
}

/* arg 1: the number itself. */
FILL(view_user)
{
	const struct tally_name *label = row->label;
	const char *name;

	if (row->overflow || label->uid == UINT32_MAX)
		return;
	name = s->here && !arg ? user_name(label->uid) : NULL;
	if (name)
		view_text(out, name, strlen(name));
	else
		view_number(out, VIEW_ID, label->uid);
}

#define VIEW_TASK_COLUMNS \
	RIGHT("CPU%", "cpu_percent", view_percent, TASK_CPU_NS), \
	RIGHT("CPU", "cpu_ns", view_ns, TASK_CPU_NS, DROP(9)), \
	RIGHT("RUNQ", "wait_ns", view_ns, TASK_WAIT_NS, DROP(1), RATE)

#define VIEW_TASK_COUNTS \
	RIGHT("CSW", "switches", view_sum, TASK_SWITCHES, DROP(3), RATE), \
	RIGHT("THR+", "threads_created", view_sum, TASK_THREADS, DROP(4), RATE), \
	RIGHT("FORK+", "processes_created", view_sum, TASK_FORKS, DROP(6), RATE), \
	RIGHT("RX", "rx_bytes", view_bytes, TASK_RX_BYTES, DROP(2), RATE), \
	RIGHT("TX", "tx_bytes", view_bytes, TASK_TX_BYTES, DROP(2), RATE), \
	RAW("rx_calls", view_sum, TASK_RX_CALLS), \
	RAW("tx_calls", view_sum, TASK_TX_CALLS), \
	RIGHT("SAMPLES", "samples", view_sum, TASK_SAMPLES, DROP(10)), \
	RAW("start_ns", view_start, 0), \
	LEFT("COMMAND", "command", view_command, 0)

static const struct view_column view_tasks[] = {
	RIGHT("PID", "pid", view_pid, 0),
	RIGHT("PPID", "ppid", view_ppid, 0, DROP(7)),
	LEFT("USER", "user", view_user, 0, DROP(7)),
	RAW("uid", view_user, 1),
	VIEW_TASK_COLUMNS,
	RIGHT("P99", "wait_p99_ns", view_p99, TASK_WAIT_NS, DROP(5)),
	RIGHT("MAX", "wait_max_ns", view_max, TASK_WAIT_NS, DROP(8)),
	VIEW_TASK_COUNTS,
};

static const struct view_column view_threads[] = {
	RIGHT("PID", "pid", view_thread_pid, 0, DROP(7)),
	RIGHT("TID", "tid", view_tid, 0),
	VIEW_TASK_COLUMNS,
	VIEW_TASK_COUNTS,
};

static const struct view_column view_network[] = {
	RIGHT("PID", "pid", view_pid, 0),
	LEFT("USER", "user", view_user, 0, DROP(4)),
	RIGHT("RX", "rx_bytes", view_bytes, TASK_RX_BYTES, RATE),
	RIGHT("TX", "tx_bytes", view_bytes, TASK_TX_BYTES, RATE),
	RIGHT("RX CALLS", "rx_calls", view_sum, TASK_RX_CALLS, DROP(2), RATE),
	RIGHT("TX CALLS", "tx_calls", view_sum, TASK_TX_CALLS, DROP(2), RATE),
	RIGHT("CPU%", "cpu_percent", view_percent, TASK_CPU_NS, DROP(3)),
	RAW("net_bytes", view_sum, TASK_NET_BYTES),
	LEFT("COMMAND", "command", view_command, 0),
};

/* ---- flows ---- */

static void view_endpoint(const uint8_t address[16], uint16_t port, struct view_cell *out)
{
	char text[64], whole[80];

	packet_address_text(address, text, sizeof(text));
	snprintf(whole, sizeof(whole), strchr(text, ':') ? "[%s]:%u" : "%s:%u", text, port);
	view_text(out, whole, sizeof(whole));
}

FILL(view_flow_local)
{
	const struct tally_flow *flow = row->label;

	if (row->overflow)
		view_text(out, "(others)", 8);
	else
		view_endpoint(flow->saddr, flow->sport, out);
}

FILL(view_flow_peer)
{
	const struct tally_flow *flow = row->label;

	if (!row->overflow)
		view_endpoint(flow->daddr, flow->dport, out);
}

FILL(view_flow_protocol)
{
	const struct tally_flow_key *key = row->key;
	char text[24];

	if (row->overflow)
		return;
	switch (key->protocol) {
	case 6:
		view_text(out, "tcp", 3);
		break;
	case 17:
		view_text(out, "udp", 3);
		break;
	case 1:
	case 58:
		view_text(out, "icmp", 4);
		break;
	default:
		snprintf(text, sizeof(text), "%u/%u", key->family, key->protocol);
		view_text(out, text, sizeof(text));
	}
}

FILL(view_flow_key)
{
	const struct tally_flow_key *key = row->key;

	if (!row->overflow)
		view_number(out, VIEW_ID, arg == 0 ? key->cookie : arg == 1 ? key->netns : key->family);
}

FILL(view_flow_port)
{
	const struct tally_flow *flow = row->label;

	if (!row->overflow)
		view_number(out, VIEW_ID, arg ? flow->dport : flow->sport);
}

FILL(view_flow_pid)
{
	const struct tally_flow *flow = row->label;

	if (!row->overflow && flow->pid)
		view_number(out, VIEW_ID, (uint64_t)(uint32_t)flow->pid);
}

FILL(view_flow_command)
{
	const struct tally_flow *flow = row->label;

	view_text(out, flow->comm, sizeof(flow->comm));
}

static const struct view_column view_flows[] = {
	LEFT("PROTO", "protocol", view_flow_protocol, 0, DROP(4)),
	LEFT("LOCAL", "local", view_flow_local, 0, DROP(5)),
	LEFT("PEER", "peer", view_flow_peer, 0),
	RIGHT("RX", "rx_bytes", view_bytes, FLOW_RX_BYTES, DROP(2), RATE),
	RIGHT("TX", "tx_bytes", view_bytes, FLOW_TX_BYTES, DROP(1), RATE),
	RIGHT("RX CALLS", "rx_calls", view_sum, FLOW_RX_CALLS, DROP(8), RATE),
	RIGHT("TX CALLS", "tx_calls", view_sum, FLOW_TX_CALLS, DROP(8), RATE),
	RIGHT("RETR", "retransmits", view_sum, FLOW_RETRANSMITS, DROP(6)),
	RIGHT("NETNS", "netns", view_flow_key, 1, DROP(9)),
	RIGHT("COOKIE", "cookie", view_flow_key, 0, DROP(10)),
	RAW("family", view_flow_key, 2),
	RAW("sport", view_flow_port, 0),
	RAW("dport", view_flow_port, 1),
	RIGHT("PID", "pid", view_flow_pid, 0, DROP(3)),
	LEFT("COMMAND", "command", view_flow_command, 0),
};

/* ---- interfaces and drops ---- */

FILL(view_interface_name)
{
	const char *name = row->label;

	if (row->overflow)
		name = "(others)";
	view_text(out, name, strnlen(name, 16));
}

FILL(view_interface_key)
{
	const struct tally_interface_key *key = row->key;

	if (!row->overflow)
		view_number(out, VIEW_ID, arg ? key->netns : (uint64_t)(uint32_t)key->ifindex);
}

static const struct view_column view_interfaces[] = {
	LEFT("INTERFACE", "interface", view_interface_name, 0),
	RIGHT("INDEX", "ifindex", view_interface_key, 0, DROP(6)),
	RIGHT("NETNS", "netns", view_interface_key, 1, DROP(5)),
	RIGHT("RX", "rx_bytes", view_bytes, INTERFACE_RX_BYTES, DROP(1), RATE),
	RIGHT("TX", "tx_bytes", view_bytes, INTERFACE_TX_BYTES, DROP(1), RATE),
	RIGHT("RX PACKETS", "rx_packets", view_sum, INTERFACE_RX_PACKETS, DROP(3), RATE),
	RIGHT("TX PACKETS", "tx_packets", view_sum, INTERFACE_TX_PACKETS, DROP(3), RATE),
	RIGHT("DROPS", "drops", view_sum, INTERFACE_DROPS, DROP(2)),
};

FILL(view_drop_reason)
{
	const struct tally_drop *drop = row->label;

	if (row->overflow)
		view_text(out, "(others)", 8);
	else
		view_text(out, drop->reason, sizeof(drop->reason));
}

FILL(view_drop_number)
{
	const struct tally_drop_key *key = row->key;

	if (!row->overflow)
		view_number(out, VIEW_ID, key->reason);
}

static const struct view_column view_drops[] = {
	LEFT("REASON", "reason", view_drop_reason, 0),
	RAW("reason_number", view_drop_number, 0),
	LEFT("INTERFACE", "interface", view_interface_name, 0, DROP(2)),
	RIGHT("NETNS", "netns", view_interface_key, 1, DROP(4)),
	RIGHT("PACKETS", "packets", view_sum, DROP_PACKETS, DROP(1)),
	RIGHT("BYTES", "bytes", view_bytes, DROP_BYTES, DROP(3)),
};

/* ---- interrupts ---- */

FILL(view_irq_kind)
{
	const struct tally_interrupt_key *key = row->key;

	if (!row->overflow)
		view_text(out, key->soft ? "soft" : "hard", 4);
}

FILL(view_irq_number)
{
	const struct tally_interrupt_key *key = row->key;

	if (!row->overflow)
		view_number(out, VIEW_ID, (uint64_t)(uint32_t)key->number);
}

FILL(view_irq_name)
{
	const struct tally_interrupt_key *key = row->key;

	if (row->overflow)
		view_text(out, "(others)", 8);
	else
		view_text(out, key->name, sizeof(key->name));
}

static const struct view_column view_irqs[] = {
	LEFT("KIND", "kind", view_irq_kind, 0, DROP(5)),
	RIGHT("NO", "number", view_irq_number, 0, DROP(6)),
	LEFT("NAME", "name", view_irq_name, 0),
	RIGHT("COUNT", "count", view_sum, INTERRUPT_COUNT, DROP(8)),
	RIGHT("PER S", "rate", view_rate, INTERRUPT_COUNT, DROP(2)),
	RIGHT("TIME", "time_ns", view_ns, INTERRUPT_NS),
	RIGHT("CPU%", "cpu_percent", view_percent, INTERRUPT_NS, DROP(3)),
	RIGHT("P50", "time_p50_ns", view_p50, INTERRUPT_NS, DROP(4)),
	RIGHT("P99", "time_p99_ns", view_p99, INTERRUPT_NS, DROP(1)),
	RIGHT("MAX", "time_max_ns", view_max, INTERRUPT_NS, DROP(5)),
	RIGHT("DELAY P50", "delay_p50_ns", view_p50, INTERRUPT_DELAY_NS, DROP(8)),
	RIGHT("DELAY P99", "delay_p99_ns", view_p99, INTERRUPT_DELAY_NS, DROP(7)),
};

/* ---- functions ---- */

static const struct tally_function *view_function_of(const struct snapshot_row *row, unsigned int place)
{
	return row->overflow ? NULL : ((const struct tally_function *const *)row->label)[place];
}

/* arg: which of the functions that the label begins with. */
FILL(view_function)
{
	const struct tally_function *f = view_function_of(row, arg);

	view_text(out, f ? f->name : "(others)", f ? strlen(f->name) : 8);
}

FILL(view_module)
{
	const struct tally_function *f = view_function_of(row, arg);

	if (f)
		view_text(out, f->module, strlen(f->module));
}

FILL(view_function_number)
{
	const struct tally_function *f = view_function_of(row, arg);

	if (f)
		view_number(out, VIEW_ID, f->number);
}

FILL(view_function_start)
{
	const struct tally_function *f = view_function_of(row, arg);

	if (f && f->named)
		view_number(out, VIEW_ID, f->start);
}

FILL(view_function_build_id)
{
	const struct tally_function *f = view_function_of(row, arg);
	char text[2 * sizeof(f->build_id) + 1] = "";

	if (!f || !f->build_id_bytes)
		return;
	for (unsigned int i = 0; i < f->build_id_bytes; i++)
		snprintf(text + 2 * i, 3, "%02x", f->build_id[i]);
	view_text(out, text, sizeof(text));
}

FILL(view_process_function_command)
{
	const struct tally_process_function *label = row->label;

	if (!row->overflow)
		view_text(out, label->comm, sizeof(label->comm));
}

FILL(view_process_start)
{
	const struct tally_process_key *key = row->key;

	if (!row->overflow && key->start_ns)
		view_number(out, VIEW_NS, key->start_ns);
}

/* Cycles are no time, and what part of a CPU they are is not known. */
FILL(view_sampled)
{
	view_number(out, s->totals.sample_cycles ? VIEW_NUMBER : VIEW_NS, row->value[arg]);
}

FILL(view_sampled_percent)
{
	if (!s->totals.sample_cycles)
		view_percent(s, row, arg, out);
}

#define VIEW_FUNCTION_COLUMNS \
	RIGHT("SELF%", "self_percent", view_sampled_percent, FUNCTION_SELF), \
	RIGHT("TOTAL%", "total_percent", view_sampled_percent, FUNCTION_TOTAL, DROP(2)), \
	RIGHT("SELF", "self_ns", view_sampled, FUNCTION_SELF, DROP(4)), \
	RIGHT("TOTAL", "total_ns", view_sampled, FUNCTION_TOTAL, DROP(5)), \
	RIGHT("SAMPLES", "self_samples", view_sum, FUNCTION_SELF_SAMPLES, DROP(6)), \
	RAW("total_samples", view_sum, FUNCTION_TOTAL_SAMPLES), \
	RAW("function_number", view_function_number, 0), \
	RAW("start", view_function_start, 0), \
	RAW("build_id", view_function_build_id, 0), \
	LEFT("MODULE", "module", view_module, 0, DROP(3)), \
	LEFT("FUNCTION", "function", view_function, 0)

static const struct view_column view_functions[] = {
	VIEW_FUNCTION_COLUMNS,
};

static const struct view_column view_process_functions[] = {
	RIGHT("PID", "pid", view_pid, 0),
	LEFT("COMMAND", "command", view_process_function_command, 0, DROP(1)),
	RAW("process_start_ns", view_process_start, 0),
	VIEW_FUNCTION_COLUMNS,
};

static const struct view_column view_callers[] = {
	RIGHT("TIME%", "time_percent", view_sampled_percent, CALLER_TIME),
	RIGHT("TIME", "time_ns", view_sampled, CALLER_TIME, DROP(2)),
	RIGHT("SAMPLES", "samples", view_sum, CALLER_SAMPLES, DROP(3)),
	LEFT("MODULE", "caller_module", view_module, 0, DROP(1)),
	LEFT("CALLER", "caller", view_function, 0),
	LEFT("FUNCTION", "function", view_function, 1),
	RAW("module", view_module, 1),
	RAW("caller_number", view_function_number, 0),
	RAW("function_number", view_function_number, 1),
};

/* ---- CPUs ---- */

FILL(view_cpu)
{
	if (!row->overflow)
		view_number(out, VIEW_ID, ((const struct tally_cpu_key *)row->key)->cpu);
}

FILL(view_cpu_runnable)
{
	if (!row->overflow)
		view_number(out, VIEW_NUMBER, ((const struct tally_cpu_label *)row->label)->runnable);
}

FILL(view_cpu_tid)
{
	const struct tally_cpu_label *label = row->label;

	if (!row->overflow && label->tid >= 0)
		view_number(out, VIEW_ID, (uint64_t)label->tid);
}

/* A task's own code, or the kernel's for it: by samples. */
FILL(view_cpu_task)
{
	const uint64_t sampled = row->value[CPU_USER_SAMPLED] + row->value[CPU_KERNEL_SAMPLED];
	const uint64_t ns = s->end_ns - s->begin_ns;

	if (!sampled && row->value[CPU_TASK_NS])
		return;
	out->unit = VIEW_REAL;
	if (sampled && ns)
		out->real = (double)row->value[CPU_TASK_NS] * 100 / (double)ns * (double)row->value[arg] / (double)sampled;
}

FILL(view_cpu_range)
{
	const uint32_t size = cpu_range_size(&s->table[TALLY_CPUS]);

	if (!row->overflow)
		view_number(out, VIEW_ID, ((const struct tally_cpu_key *)row->key)->cpu / size * size);
}

static const struct view_column view_cpus[] = {
	RIGHT("CPU", "cpu", view_cpu, 0),
	RAW("range", view_cpu_range, 0),
	RIGHT("BUSY%", "busy_percent", view_percent, CPU_BUSY_NS),
	RIGHT("USER%", "user_percent", view_cpu_task, CPU_USER_SAMPLED, DROP(2)),
	RIGHT("SYS%", "system_percent", view_cpu_task, CPU_KERNEL_SAMPLED, DROP(2)),
	RIGHT("IRQ%", "irq_percent", view_percent, CPU_IRQ_NS, DROP(3)),
	RIGHT("SOFT%", "softirq_percent", view_percent, CPU_SOFTIRQ_NS, DROP(3)),
	RIGHT("IDLE%", "idle_percent", view_percent, CPU_IDLE_NS),
	RIGHT("CSW", "switches", view_sum, CPU_SWITCHES, DROP(1), RATE),
	RIGHT("WAITING", "runnable", view_cpu_runnable, 0, DROP(4)),
	RIGHT("RUNQ P99", "wait_p99_ns", view_p99, CPU_WAIT_NS, DROP(4)),
	RIGHT("EVENTS", "events", view_sum, CPU_EVENTS, DROP(5), RATE),
	RIGHT("TID", "tid", view_cpu_tid, 0, DROP(6)),
	RAW("task_ns", view_sum, CPU_TASK_NS),
	RAW("idle_ns", view_sum, CPU_IDLE_NS),
	RAW("irq_ns", view_sum, CPU_IRQ_NS),
	RAW("softirq_ns", view_sum, CPU_SOFTIRQ_NS),
	RAW("unclear_ns", view_sum, CPU_UNCLEAR_NS),
};

/* ---- ranges of CPUs: shares are averages over the range's CPUs ---- */

FILL(view_range_first)
{
	view_number(out, VIEW_ID, ((const struct cpu_range_key *)row->key)->first);
}

FILL(view_range_name)
{
	const struct cpu_range *range = row->label;
	char text[32];

	snprintf(text, sizeof(text), range->cpus > 1 ? "%u-%u" : "%u", range->first, range->last);
	view_text(out, text, sizeof(text));
}

/* arg: 0 how many, 1 waiting, 2 the busiest */
FILL(view_range_number)
{
	const struct cpu_range *range = row->label;

	view_number(out, arg == 2 ? VIEW_ID : VIEW_NUMBER, arg == 0 ? range->cpus : arg == 1 ? range->runnable : range->busiest);
}

static void view_range_average(const struct snapshot_row *row, struct view_cell *out)
{
	if (out->unit == VIEW_REAL)
		out->real /= ((const struct cpu_range *)row->label)->cpus;
}

FILL(view_range_percent)
{
	view_percent(s, row, arg, out);
	view_range_average(row, out);
}

FILL(view_range_task)
{
	view_cpu_task(s, row, arg, out);
	view_range_average(row, out);
}

FILL(view_range_busiest)
{
	out->unit = VIEW_REAL;
	out->real = view_per_ns(s, ((const struct cpu_range *)row->label)->busiest_ns) * 100;
}

static const struct view_column view_cpu_ranges[] = {
	LEFT("CPUS", "cpus", view_range_name, 0),
	RAW("range", view_range_first, 0),
	RIGHT("N", "count", view_range_number, 0, DROP(7), .width = 4),
	RIGHT("BUSY%", "busy_percent", view_range_percent, CPU_BUSY_NS),
	RIGHT("MAX%", "busiest_percent", view_range_busiest, 0, DROP(1)),
	RIGHT("OF CPU", "busiest_cpu", view_range_number, 2, DROP(6), .width = 6),
	RIGHT("USER%", "user_percent", view_range_task, CPU_USER_SAMPLED, DROP(3)),
	RIGHT("SYS%", "system_percent", view_range_task, CPU_KERNEL_SAMPLED, DROP(3)),
	RIGHT("IRQ%", "irq_percent", view_range_percent, CPU_IRQ_NS, DROP(4)),
	RIGHT("SOFT%", "softirq_percent", view_range_percent, CPU_SOFTIRQ_NS, DROP(4)),
	RIGHT("IDLE%", "idle_percent", view_range_percent, CPU_IDLE_NS, DROP(2)),
	RIGHT("CSW", "switches", view_sum, CPU_SWITCHES, DROP(2), RATE),
	RIGHT("WAITING", "runnable", view_range_number, 1, DROP(5)),
	RIGHT("RUNQ P99", "wait_p99_ns", view_p99, CPU_WAIT_NS, DROP(5)),
	RIGHT("EVENTS", "events", view_sum, CPU_EVENTS, DROP(8), RATE),
	RAW("task_ns", view_sum, CPU_TASK_NS),
	RAW("idle_ns", view_sum, CPU_IDLE_NS),
	RAW("irq_ns", view_sum, CPU_IRQ_NS),
	RAW("softirq_ns", view_sum, CPU_SOFTIRQ_NS),
	RAW("unclear_ns", view_sum, CPU_UNCLEAR_NS),
};

/* ---- rings ---- */

FILL(view_ring_name)
{
	const struct tally_ring_key *key = row->key;
	char text[48];

	snprintf(text, sizeof(text), key->own ? "kymo" : "set %u, CPU %u", key->set, key->cpu);
	view_text(out, row->overflow ? "(others)" : text, sizeof(text));
}

FILL(view_ring_key)
{
	const struct tally_ring_key *key = row->key;

	if (!row->overflow && !key->own)
		view_number(out, VIEW_ID, arg ? key->cpu : key->set);
}

FILL(view_ring_memory)
{
	const struct tally_ring *ring = row->label;

	if (!row->overflow && ring->ring_bytes)
		view_number(out, VIEW_BYTES, arg ? ring->unread_bytes : ring->ring_bytes);
}

static const struct view_column view_sessions[] = {
	LEFT("RING", "ring", view_ring_name, 0),
	RAW("set", view_ring_key, 0),
	RAW("cpu", view_ring_key, 1),
	RIGHT("SIZE", "ring_bytes", view_ring_memory, 0),
	RIGHT("UNREAD", "unread_bytes", view_ring_memory, 1),
	RIGHT("EVENTS", "events", view_sum, RING_EVENTS, RATE),
	RIGHT("BYTES", "bytes", view_bytes, RING_BYTES, RATE),
	RIGHT("PACKETS", "packets", view_sum, RING_PACKETS, DROP(1)),
	RIGHT("LOST", "lost", view_sum, RING_LOST),
};

/* ---- event types ---- */

FILL(view_type_name)
{
	const struct tally_type *type = row->label;

	if (row->overflow)
		view_text(out, "(others)", 8);
	else
		view_text(out, type->name, sizeof(type->name));
}

FILL(view_type_id)
{
	if (!row->overflow)
		view_number(out, VIEW_ID, ((const struct tally_type_key *)row->key)->id);
}

FILL(view_type_causes)
{
	size_t at = 0;

	out->unit = VIEW_TEXT;
	out->text[0] = 0;
	for (unsigned int i = 0; i < KYMO_LOSS_CAUSES && at < sizeof(out->text); i++) {
		const uint64_t n = row->value[TYPE_LOST_CAUSE + i];

		if (n)
			at += (size_t)snprintf(out->text + at, sizeof(out->text) - at, "%s%s %" PRIu64,
				at ? ", " : "", loss_cause(i), n);
	}
}

static const struct view_column view_events[] = {
	LEFT("EVENT TYPE", "type", view_type_name, 0),
	RAW("id", view_type_id, 0),
	RIGHT("COUNT", "count", view_sum, TYPE_COUNT, DROP(5)),
	RIGHT("PER S", "rate", view_rate, TYPE_COUNT, DROP(1)),
	RIGHT("BYTES", "bytes", view_bytes, TYPE_BYTES, DROP(3), RATE),
	RIGHT("LOST", "lost", view_sum, TYPE_LOST),
	LEFT("BECAUSE", NULL, view_type_causes, 0, DROP(2)),
	RAW("lost_full", view_sum, TYPE_LOST_CAUSE + KYMO_LOSS_FULL),
	RAW("lost_overwritten", view_sum, TYPE_LOST_CAUSE + KYMO_LOSS_OVERWRITTEN),
	RAW("lost_nested", view_sum, TYPE_LOST_CAUSE + KYMO_LOSS_NESTED),
	RAW("lost_too_big", view_sum, TYPE_LOST_CAUSE + KYMO_LOSS_TOO_BIG),
	RAW("lost_no_ring", view_sum, TYPE_LOST_CAUSE + KYMO_LOSS_NO_RING),
	RAW("lost_paused", view_sum, TYPE_LOST_CAUSE + KYMO_LOSS_PAUSED),
	RAW("lost_writer_died", view_sum, TYPE_LOST_CAUSE + KYMO_LOSS_WRITER_DIED),
	RAW("lost_probe_missed", view_sum, TYPE_LOST_CAUSE + KYMO_LOSS_PROBE_MISSED),
	RAW("lost_rate", view_sum, TYPE_LOST_CAUSE + KYMO_LOSS_RATE),
	RAW("lost_threads", view_sum, TYPE_LOST_CAUSE + KYMO_LOSS_THREADS),
};

#define VIEW_COLUMNS(c) .column = c, .columns = sizeof(c) / sizeof(c[0])

const struct view views[] = {
	{ "tasks", "Tasks (processes; RUNQ: waiting for a CPU)", "no task", TALLY_PROCESSES, TASK_CPU_NS, "cpu_percent", 20, false,
		VIEW_COLUMNS(view_tasks), .drill = "threads", .drill_key = { "pid" }, .drill_name = "command",
		.tree_key = { "pid", "ppid" }, .other = "threads", .kernel = view_task_kernel, .idle = view_task_idle },
	{ "threads", "Threads", "no thread", TALLY_THREADS, TASK_CPU_NS, "cpu_percent", 20, true, VIEW_COLUMNS(view_threads),
		.drill = "process_functions", .drill_key = { "pid" }, .drill_name = "command", .other = "tasks",
		.kernel = view_task_kernel, .idle = view_thread_idle },
	{ "network", "Network by process (socket calls)", "no socket call", TALLY_PROCESSES, TASK_NET_BYTES, NULL, 20, true,
		VIEW_COLUMNS(view_network), .drill = "flows", .drill_key = { "pid" }, .drill_name = "command",
		.kernel = view_task_kernel, .idle = view_task_idle },
	{ "flows", "Flows (socket calls)", "no socket call", TALLY_FLOWS, FLOW_BYTES, NULL, 15, false, VIEW_COLUMNS(view_flows) },
	{ "interfaces", "Interfaces (packets at the device)", "no packet", TALLY_INTERFACES, INTERFACE_BYTES, NULL, 15,
		false, VIEW_COLUMNS(view_interfaces) },
	{ "drops", "Dropped packets", "no dropped packet", TALLY_DROPS, DROP_PACKETS, "packets", 15, false,
		VIEW_COLUMNS(view_drops) },
	{ "irqs", "Interrupts (TIME: without those on top)", "no interrupt", TALLY_INTERRUPTS, INTERRUPT_NS, "time_ns", 20,
		false, VIEW_COLUMNS(view_irqs) },
	{ "functions", "Functions (sampled; SELF: their own code, TOTAL: with what it calls)", "no sample",
		TALLY_FUNCTIONS, FUNCTION_SELF, "self_percent", 20, false, VIEW_COLUMNS(view_functions),
		.drill = "callers", .drill_key = { "function_number" }, .drill_name = "function" },
	{ "process_functions", "Functions of each process", "no sample", TALLY_PROCESS_FUNCTIONS, FUNCTION_SELF,
		"self_percent", 30, true, VIEW_COLUMNS(view_process_functions),
		.drill = "callers", .drill_key = { "function_number" }, .drill_name = "function" },
	{ "callers", "Callers (TIME: in what was called)", "no sample of code that was called", TALLY_CALLERS, CALLER_TIME,
		"time_percent", 30, true, VIEW_COLUMNS(view_callers) },
	{ "cpus", "CPUs (an interrupt's time is neither a task's nor idle)", "no CPU", TALLY_CPUS, CPU_BUSY_NS, "busy_percent", 16,
		true, VIEW_COLUMNS(view_cpus), .many = "cpu_ranges", .many_from = 64 },
	{ "sessions", "Rings of this session", "no ring", TALLY_RINGS, RING_BYTES, NULL, 30, true, VIEW_COLUMNS(view_sessions) },
	{ "events", "Event types", "no event", TALLY_TYPES, TYPE_COUNT, "rate", 30, false, VIEW_COLUMNS(view_events) },
	{ "cpu_ranges", "CPUs by ranges (shares: averages; MAX: the busiest CPU)", "no CPU", SNAPSHOT_CPU_RANGES, CPU_BUSY_NS,
		"busy_percent", 32, true, VIEW_COLUMNS(view_cpu_ranges), .drill = "cpus", .drill_key = { "range" },
		.drill_name = "cpus", .stands_for = "cpus" },
};
const unsigned int views_count = sizeof(views) / sizeof(views[0]);

const struct view *view_of(const struct view *v)
{
	return v->stands_for ? view_find(v->stands_for) : v;
}

unsigned int views_placed(void)
{
	unsigned int placed = 0;

	while (placed < views_count && !views[placed].stands_for)
		placed++;
	return placed;
}

const struct view *view_find(const char *name)
{
	for (unsigned int i = 0; i < views_count; i++)
		if (!strcmp(views[i].name, name))
			return &views[i];
	return NULL;
}

char *view_cell_text(const struct view_cell *cell, char *out, size_t size)
{
	switch (cell->unit) {
	case VIEW_TEXT:
		snprintf(out, size, "%s", cell->text);
		break;
	case VIEW_NUMBER:
		return text_count(out, size, cell->number);
	case VIEW_ID:
		snprintf(out, size, "%" PRIu64, cell->number);
		break;
	case VIEW_BYTES:
		return text_bytes(out, size, cell->number);
	case VIEW_NS:
		return text_ns(out, size, cell->number);
	case VIEW_REAL:
		if (cell->real >= 1000)
			return text_count(out, size, (uint64_t)(cell->real + 0.5));
		snprintf(out, size, "%.*f", cell->real < 10 ? 2 : 1, cell->real);
		break;
	case VIEW_NONE:
		snprintf(out, size, "-");
		break;
	}
	return out;
}
