// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several sessions at once, with overlapping event types that come and go: each ring holds what its session enabled
 * and nothing else, a DISABLE is final when it returns, and sessions do not share counters.
 *	session_isolation SECONDS
 */
#include <sys/wait.h>
#include <time.h>
#include "reader.h"

static const char *const wants[][3] = {
	{ "sched_switch" }, { "sched_waking", "sched_migrate_task" }, { "sched_*" },
	{ "sched_switch", "irq_*" }, { "sched_wakeup*" },
};

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Nothing of the type comes after DISABLE has returned, although its tracepoint stays on for other sessions. */
static void disable_is_final(struct reader *r, unsigned int id)
{
	unsigned long long hits;

	CHECK(reader_disable(r, "sched_switch") == 1);
	hits = reader_stats(r, id)->hits;
	for (int i = 0; i < 20; i++)
		usleep(1000); /* switches */
	CHECK(reader_stats(r, id)->hits == hits);
	CHECK(reader_enable(r, "sched_switch", 0) == 1);
}

static void session(unsigned int number, long ms)
{
	static struct reader r;
	unsigned int id;
	long end;

	CHECK(!reader_open(&r, &(struct kymo_setup){ .sets = 1, .set = { { .packet_bytes = 16384, .watermark = 1 } } }));
	id = reader_type(&r, "sched_switch");
	for (int i = 0; i < 3 && wants[number][i]; i++)
		if (reader_enable(&r, wants[number][i], 0) < 1)
			CHECK(!strcmp(wants[number][i], "irq_*"));
	CHECK(reader_map_all(&r) > 0 && !ioctl(r.fd, KYMO_IOC_START));
	end = now_ms() + ms; /* enabling took its time: all sessions attach probes at once */
	while (now_ms() < end) {
		struct pollfd p = { .fd = r.fd, .events = POLLIN };

		poll(&p, 1, 50);
		reader_drain(&r);
		if (number == 3)
			disable_is_final(&r, id);
	}
	printf("session %u: ", number);
	CHECK(reader_finish(&r) > 0);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const unsigned int sessions = sizeof(wants) / sizeof(wants[0]);
	int status, bad = 0;

	for (unsigned int i = 0; i < sessions; i++)
		if (!fork()) {
			session(i, 1000 * (argc > 1 ? atoi(argv[1]) : 5));
			_exit(0);
		}
	for (unsigned int i = 0; i < sessions; i++)
		bad += wait(&status) < 0 || status;
	return bad;
}
