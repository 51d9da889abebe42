// SPDX-License-Identifier: GPL-2.0-or-later
/* Ranges of CPUs. */
#include "cpu_range.h"

#include <stdlib.h>

#include "snapshot.h"

static uint32_t cpu_range_cpu(const struct snapshot_row *row)
{
	return ((const struct tally_cpu_key *)row->key)->cpu;
}

uint32_t cpu_range_size(const struct snapshot_table *cpus)
{
	uint32_t size = CPU_RANGE_LEAST, last = 0;

	for (unsigned int i = 0; i < cpus->rows; i++)
		if (!cpus->row[i].overflow && cpu_range_cpu(&cpus->row[i]) > last)
			last = cpu_range_cpu(&cpus->row[i]);
	while (last / size >= CPU_RANGES)
		size *= 2;
	return size;
}

/* A row and what it points to. */
struct cpu_range_row {
	struct cpu_range_key key;
	struct cpu_range label;
	uint64_t value[CPU_COLUMNS], total[CPU_COLUMNS];
	struct histogram *histogram[CPU_COLUMNS];
};

static bool cpu_range_waits(struct cpu_range_row *to, const struct histogram *waits)
{
	if (!waits)
		return true;
	if (!to->histogram[CPU_WAIT_NS])
		to->histogram[CPU_WAIT_NS] = calloc(1, sizeof(*waits));
	if (!to->histogram[CPU_WAIT_NS])
		return false;
	histogram_merge(to->histogram[CPU_WAIT_NS], waits);
	return true;
}

static bool cpu_range_add(struct cpu_range_row *to, const struct snapshot_row *row)
{
	const uint32_t cpu = cpu_range_cpu(row);
	struct cpu_range *label = &to->label;

	if (!label->cpus || cpu < label->first)
		label->first = cpu;
	if (!label->cpus || cpu > label->last)
		label->last = cpu;
	if (!label->cpus || row->value[CPU_BUSY_NS] > label->busiest_ns) {
		label->busiest = cpu;
		label->busiest_ns = row->value[CPU_BUSY_NS];
	}
	label->cpus++;
	label->runnable += ((const struct tally_cpu_label *)row->label)->runnable;
	for (unsigned int i = 0; i < CPU_COLUMNS; i++) {
		to->value[i] += row->value[i];
		to->total[i] += row->total[i];
	}
	return cpu_range_waits(to, row->histogram[CPU_WAIT_NS]);
}

bool cpu_ranges(struct snapshot_table *out, const struct snapshot_table *cpus)
{
	const uint32_t size = cpu_range_size(cpus);
	struct cpu_range_row *rows;
	bool whole = true;

	/* One block, as every table of a snapshot is: the rows, then what they point to. */
	out->row = calloc(CPU_RANGES, sizeof(*out->row) + sizeof(*rows));
	if (!out->row)
		return false;
	rows = (struct cpu_range_row *)(out->row + CPU_RANGES);
	out->columns = CPU_COLUMNS;
	out->key_bytes = sizeof(struct cpu_range_key);
	for (unsigned int i = 0; i < cpus->rows && whole; i++)
		if (!cpus->row[i].overflow)
			whole = cpu_range_add(&rows[cpu_range_cpu(&cpus->row[i]) / size], &cpus->row[i]);
	for (unsigned int i = 0; i < CPU_RANGES; i++) {
		struct cpu_range_row *r = &rows[i];

		r->key.first = i * size;
		if (r->label.cpus)
			out->row[out->rows++] = (struct snapshot_row){ .key = &r->key, .label = &r->label, .value = r->value,
				.total = r->total, .histogram = r->histogram };
	}
	return whole;
}
