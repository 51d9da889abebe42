/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a record of two 64-bit words costs in user space, by itself and as a multiple of reading the clock it needs.
 * Built twice: with clock_gettime, and with the processor's counter (RING_BENCH_TSC). Nobody reads: overwrite mode.
 * The best of many short rounds counts: others use the machine, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef RING_BENCH_TSC
#define KYMO_RING_CLOCK() __builtin_ia32_rdtsc()
#endif
#include <kymo/ring.h>

enum { RECORDS = 10000, ROUNDS = 2000, PACKET_SHIFT = 16, PACKETS = 4 };

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static __attribute__((noinline)) void write_one(struct kymo_ring *r, __u64 a, __u64 b)
{
	struct kymo_slot slot;

	if (ring_reserve(r, 7, 16, &slot) != KYMO_RING_OK)
		return;
	memcpy(slot.payload, &a, 8);
	memcpy(slot.payload + 8, &b, 8);
	ring_commit(r);
}

int main(void)
{
	struct kymo_ring_control *control = aligned_alloc(4096, 4096);
	struct kymo_ring_tail *tail = aligned_alloc(4096, 4096);
	struct kymo_ring r = { .control = control, .tail = tail, .data = aligned_alloc(4096, PACKETS << PACKET_SHIFT),
		.packet_shift = PACKET_SHIFT, .packets = PACKETS, .mode = KYMO_MODE_OVERWRITE };
	double best = 1e9, best_clock = 1e9;
	int round, i;

	if (!control || !tail || !r.data)
		return 1;
	memset(control, 0, 4096);
	memset(tail, 0, 4096);
	memset(r.data, 0, PACKETS << PACKET_SHIFT);
	ring_init(&r);
	for (round = 0; round < ROUNDS; round++) {
		double start = now_ns(), middle, end;
		__u64 sum = 0;

		for (i = 0; i < RECORDS; i++)
			write_one(&r, i, round);
		middle = now_ns();
		for (i = 0; i < RECORDS; i++)
			sum += KYMO_RING_CLOCK();
		end = now_ns();
		__asm__ volatile("" : : "r"(sum));
		if (middle - start < best)
			best = middle - start;
		if (end - middle < best_clock)
			best_clock = end - middle;
	}
	printf("%.1f %.1f\n", best / RECORDS, best_clock / RECORDS);
	free(control);
	free(tail);
	free(r.data);
	return 0;
}
