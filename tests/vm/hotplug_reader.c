// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records everything that tasks and interrupts do, samples and a tracepoint, until SIGTERM, while CPUs come and go;
 * then compares all it found with the counters. A CPU that was off at the open gets its ring when it comes.
 *	hotplug_reader [OFFLINE_CPU]	this CPU is off now: its ring must be missing first (ENXIO)
 * Prints "ready" when it runs; SIGUSR1: prints how many records each CPU has.
 */
#include <signal.h>
#include "reader.h"

static struct reader r;
static volatile sig_atomic_t over, asked;

static void on_signal(int number)
{
	if (number == SIGTERM)
		over = 1;
	else
		asked = 1;
}

static void enable(const char *glob)
{
	if (reader_enable(&r, glob, 0) < 0)
		printf("not here: %s (%s)\n", glob, strerror(errno));
}

static void tell(void)
{
	for (unsigned int i = 0; i < r.setup.cpus; i++)
		if (r.ring[i].control)
			printf("cpu %u head %llu\n", i, (unsigned long long)r.ring[i].control->head);
	puts("told");
	fflush(stdout);
	asked = 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	CHECK(!reader_open(&r, &(struct kymo_setup){ .sets = 1, .set = { { .packet_bytes = 32768, .watermark = 4 } } }));
	CHECK(reader_map_all(&r) > 0);
	CHECK(argc < 2 || !r.ring[atoi(argv[1])].control);
	CHECK(reader_enable(&r, "sched_*", 0) > 0);
	enable("irq_*");
	enable("cpu_sample");
	enable("timer:timer_start");
	CHECK(!ioctl(r.fd, KYMO_IOC_START));
	puts("ready");
	fflush(stdout);
	while (!over) {
		struct pollfd p = { .fd = r.fd, .events = POLLIN };

		poll(&p, 1, 100);
		reader_map_all(&r);
		reader_drain(&r);
		if (asked)
			tell();
	}
	CHECK(reader_finish(&r) > 0);
	return 0;
}
