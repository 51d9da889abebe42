// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A reader that lies in its tail page. The tail is a hint: whatever stands there, the writers stay in their ring, no
 * unread packet is given up for a tail beyond head, and the ring's records are whole.
 *	forged_tail ahead	only tails beyond head: the ring must fill up once and then lose, as with no reader
 *	forged_tail wild	any values, changed as fast as possible; then all slots are looked at
 */
#include <pthread.h>
#include <time.h>
#include "reader.h"

static struct reader r;
static volatile bool over;

static unsigned long long lie(bool wild, unsigned long long head)
{
	switch (random() % (wild ? 6 : 3)) {
	case 0: return head + 1 + random();
	case 1: return ~0ull - random() % 100000;
	case 2: return 1ull << 63 | random();
	case 3: return random() % (head + 1);
	case 4: return head;
	default: return 0;
	}
}

static void *lies(void *wild)
{
	while (!over)
		for (unsigned int i = 0; i < r.setup.cpus; i++)
			if (r.ring[i].control)
				__atomic_store_n(&r.ring[i].tail->tail, lie(wild, r.ring[i].control->reserve + 1),
						 __ATOMIC_RELAXED);
	return NULL;
}

static unsigned long long lost(void)
{
	unsigned long long lost = 0;

	for (unsigned int i = 0; i < r.setup.cpus; i++)
		if (r.ring[i].control)
			lost += r.ring[i].control->lost;
	return lost;
}

/* Every slot that was ever written holds one whole packet of the last round or, not given up, of the one before. */
static void look_at_slots(unsigned int cpu)
{
	struct reader_ring *ring = &r.ring[cpu];
	const unsigned int bytes = r.setup.set[0].packet_bytes, packets = r.setup.set[0].packets;
	const unsigned long long head = ring->control->head;
	unsigned long long start = head > reader_ring_bytes(&r, cpu) ? head - reader_ring_bytes(&r, cpu) : 0;

	CHECK(head == ring->control->reserve && head % bytes == 0 && ring->control->nest == 0);
	CHECK(packets == ring->control->packets);
	ring->at = start;
	ring->last_ns = 0;
	ring->lost = 0;
	reader_drain_ring(&r, cpu);
	CHECK(ring->at == head);
}

int main(int argc, char **argv)
{
	const bool wild = argc > 1 && !strcmp(argv[1], "wild");
	const int ms = argc > 2 ? atoi(argv[2]) : 3000;
	struct timespec start, now;
	pthread_t thread;

	CHECK(!reader_open(&r, &(struct kymo_setup){ .sets = 1, .set = { { .packet_bytes = 4096, .packets = 8 } } }));
	CHECK(reader_map_all(&r) > 0 && reader_enable(&r, "sched_*", 0) > 0);
	CHECK(!ioctl(r.fd, KYMO_IOC_START) && !pthread_create(&thread, NULL, lies, wild ? &r : NULL));
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		usleep(1000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < ms || (!wild && !lost()));
	over = true;
	pthread_join(thread, NULL);
	CHECK(!ioctl(r.fd, KYMO_IOC_STOP));
	if (!wild) { /* all that was ever written is still there */
		CHECK(reader_finish(&r) > 0);
		return 0;
	}
	for (unsigned int i = 0; i < r.setup.cpus; i++)
		if (r.ring[i].control)
			look_at_slots(i);
	puts("wild: every slot holds a whole packet");
	return 0;
}
