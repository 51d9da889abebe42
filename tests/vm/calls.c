// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes something happen in the kernel exactly N times:
 *	calls getppid N		system calls, with arguments 1 to 6 that nobody looks at
 *	calls rename N		changes of its own name, to n0, n1, ...
 *	calls timer N		expiries of a timerfd, each read
 * calls -t KIND N says how long one takes, too: the shortest of 50 stretches, in ns.
 * Prints its tid.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { STRETCHES = 50 };

static void call_getppid(long i)
{
	syscall(SYS_getppid, 1, 2, 3, 4, 5, 6);
}

static void call_rename(long i)
{
	char name[16];

	snprintf(name, sizeof(name), "n%ld", i % 100000);
	prctl(PR_SET_NAME, name);
}

static void call_timer(long i)
{
	const struct itimerspec soon = { .it_value.tv_nsec = 200000 };
	static int fd = -1;
	uint64_t times;

	if (fd < 0)
		fd = timerfd_create(CLOCK_MONOTONIC, 0);
	if (timerfd_settime(fd, 0, &soon, NULL) || read(fd, &times, sizeof(times)) != sizeof(times) || times != 1)
		err(1, "timerfd");
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*call)(long); } kinds[] = {
		{ "getppid", call_getppid }, { "rename", call_rename }, { "timer", call_timer },
	};
	const int timed = argc > 1 && !strcmp(argv[1], "-t");
	void (*call)(long) = NULL;
	double best = 1e18;
	long n, i = 0;

	argv += timed;
	argc -= timed;
	for (unsigned int k = 0; argc == 3 && k < sizeof(kinds) / sizeof(kinds[0]); k++)
		if (!strcmp(argv[1], kinds[k].name))
			call = kinds[k].call;
	if (!call)
		errx(2, "see the head of calls.c");
	n = atol(argv[2]);
	for (int stretch = 0; stretch < STRETCHES; stretch++) {
		const long end = n * (stretch + 1) / STRETCHES, begin = i;
		const double start = now_ns();

		for (; i < end; i++)
			call(i);
		if (i > begin && (now_ns() - start) / (i - begin) < best)
			best = (now_ns() - start) / (i - begin);
	}
	printf("tid=%d", getpid());
	if (timed)
		printf(" ns=%.1f", best);
	putchar('\n');
	return 0;
}
