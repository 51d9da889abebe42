// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A generator whose events carry their number: getpriority(PRIO_PROCESS, n) for n = 1, 2, ... Writes down when each
 * call was made, so that a trace can be compared with it.
 *
 *	mark_calls COUNT RATE	COUNT calls (0: until SIGTERM), RATE a second (0: as fast as can be); a line for each
 *				on stdout: n, CLOCK_REALTIME before and after the call in ns
 *	mark_calls -q COUNT RATE	without lines; at the end the number of calls made
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	stop = 1;
}

static long long now_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

int main(int argc, char **argv)
{
	const int quiet = argc > 1 && !strcmp(argv[1], "-q");
	const long count = argc == 3 + quiet ? atol(argv[1 + quiet]) : -1;
	const double rate = argc == 3 + quiet ? atof(argv[2 + quiet]) : 0;
	const long long start = now_ns(CLOCK_MONOTONIC);
	long n = 0;

	if (count < 0)
		return 2;
	signal(SIGTERM, on_signal);
	while (!stop && (!count || n < count)) {
		long long before, after;

		if (rate > 0) {
			long long due = start + (long long)((double)n * 1e9 / rate);
			struct timespec at = { due / 1000000000, due % 1000000000 };

			/* In bursts: to sleep for each call is slower than most rates. */
			if (n % 16 == 0)
				clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		}
		n++;
		before = now_ns(CLOCK_REALTIME);
		getpriority(PRIO_PROCESS, (id_t)n);
		after = now_ns(CLOCK_REALTIME);
		if (!quiet)
			printf("%ld %lld %lld\n", n, before, after);
		if (!quiet && n % 16 == 0)
			fflush(stdout);
	}
	if (quiet)
		printf("%ld\n", n);
	return 0;
}
