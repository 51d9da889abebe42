// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Creates threads at a rate: thread_gen COUNT PER_SECOND. Each gives itself a name and ends at once. Prints its pid
 * and how many threads it created; then waits until its standard input ends, so that it can be looked at.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void *thread_run(void *name)
{
	pthread_setname_np(pthread_self(), name);
	return NULL;
}

int main(int argc, char **argv)
{
	const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, rate = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct timespec due;
	unsigned int created = 0;
	char byte;

	if (!count || !rate)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &due);
	for (unsigned int i = 0; i < count; i++) {
		char name[16];
		pthread_t thread;

		snprintf(name, sizeof(name), "gen%u", i);
		if (pthread_create(&thread, NULL, thread_run, name))
			return 1;
		pthread_join(thread, NULL);
		created++;
		due.tv_nsec += 1000000000l / (long)rate;
		if (due.tv_nsec >= 1000000000l) {
			due.tv_nsec -= 1000000000l;
			due.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
	}
	printf("%d %u\n", getpid(), created);
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
