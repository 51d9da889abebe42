/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A writer thread against a reader thread, for ThreadSanitizer: publishing by head and giving back by tail are all
 * the order there is between the two. (It delays signals, so nesting is not its business: see ring_signals.)
 */
#include <pthread.h>
#include <sched.h>
#include "ring_fixture.h"

enum { RECORDS = 300000 };

static struct fixture fixture;
static bool over;

static void *writer(void *unused)
{
	__u64 n;

	for (n = 0; n < RECORDS; n++)
		while (fixture_write(&fixture, 0, n, NULL) != KYMO_RING_OK)
			sched_yield();
	ring_close(&fixture.ring);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	return NULL;
}

static int run(bool live)
{
	struct fixture_reader rd;
	pthread_t thread;
	bool last = false;

	over = false;
	fixture_init(&fixture, 12, 4, KYMO_MODE_DISCARD, 2);
	fixture_reader_init(&rd, &fixture);
	rd.live = live;
	if (pthread_create(&thread, NULL, writer, NULL))
		abort();
	while (fixture_take(&rd) && !last) {
		last = __atomic_load_n(&over, __ATOMIC_ACQUIRE);
		/* poll's question may be asked at any time */
		if (!last && !ring_ready(&fixture.ring))
			sched_yield();
	}
	pthread_join(thread, NULL);
	fixture_fini(&fixture);
	if (rd.fault[0] || rd.found[0] != RECORDS || rd.sum[0] != (__u64)RECORDS * (RECORDS - 1) / 2)
		return printf("%llu of %d records read: %s\n", rd.found[0], RECORDS, rd.fault), 1;
	printf("  %d records written and read, %s: no race, no fault\n", RECORDS, live ? "at once" : "by packets");
	return 0;
}

int main(void)
{
	return run(false) || run(true);
}
