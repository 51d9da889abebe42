// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keeps a CPU busy at a place that is known by name, for so many seconds of CPU time:
 *	busy user SECONDS	in busy_spin, called by busy_inner, busy_middle, busy_outer, busy
 *	busy deep SECONDS	the same 300 calls deep
 *	busy kernel SECONDS	in the kernel, reading from /dev/zero
 * A child of it does so. Prints the child's tid, where it is loaded (add nm's addresses) and its CPU time in ns, which
 * is the scheduler's sum up to the very end: what wait4(2) tells, user and system together.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FRAME __attribute__((noinline, noclone, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))

extern const char __executable_start[];
static volatile unsigned long sink;

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Long enough that asking for the time between two turns is nothing beside it. */
FRAME void busy_spin(void)
{
	/* A leaf has a frame only if it asks for its address. */
	sink = (unsigned long)__builtin_frame_address(0);
	for (unsigned long i = 0; i < 20000000; i++)
		sink += i;
}

FRAME void busy_inner(void)
{
	busy_spin();
	sink++;
}

FRAME void busy_middle(void)
{
	busy_inner();
	sink++;
}

FRAME void busy_outer(void)
{
	busy_middle();
	sink++;
}

FRAME void busy_deep(int more)
{
	if (more)
		busy_deep(more - 1);
	else
		busy_spin();
	sink++;
}

static void busy_kernel(void)
{
	static char buf[1 << 20];
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < 50; i++)
		if (read(fd, buf, sizeof(buf)) != sizeof(buf))
			err(1, "/dev/zero");
	close(fd);
}

FRAME void busy(const char *how, double seconds)
{
	const double end = cpu_seconds() + seconds;

	while (cpu_seconds() < end)
		if (!strcmp(how, "user"))
			busy_outer();
		else if (!strcmp(how, "deep"))
			busy_deep(300);
		else
			busy_kernel();
}

FRAME int main(int argc, char **argv)
{
	struct rusage used;
	pid_t pid;
	int status;

	if (argc != 3)
		errx(2, "busy user|deep|kernel SECONDS");
	pid = fork();
	if (!pid) {
		busy(argv[1], atof(argv[2]));
		_exit(0);
	}
	if (wait4(pid, &status, 0, &used) != pid || status)
		errx(1, "the child ended with %d", status);
	printf("tid=%d base=%llx cpu=%llu\n", pid, (unsigned long long)__executable_start,
	       (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000ull +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000ull);
	return 0;
}
