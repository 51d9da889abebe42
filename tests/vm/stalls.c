// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long this machine makes a task wait at worst: a thread on each CPU sleeps 5 ms at a time until SIGTERM; then the
 * greatest delay of all is printed in ns. A guest on a busy host stands still at times, and who promises to do
 * something twice a second cannot do it then.
 */
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { STALLS_CPUS_MAX = 64, STALLS_STEP_NS = 5000000 };

static volatile sig_atomic_t over;
static long long worst_ns[STALLS_CPUS_MAX];

static void on_signal(int number)
{
	over = 1;
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void *watch(void *arg)
{
	const int cpu = (int)(long)arg;
	const struct timespec step = { .tv_nsec = STALLS_STEP_NS };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (!over) {
		const long long due = now_ns() + STALLS_STEP_NS;
		long long late;

		clock_nanosleep(CLOCK_MONOTONIC, 0, &step, NULL);
		late = now_ns() - due;
		if (late > worst_ns[cpu])
			worst_ns[cpu] = late;
	}
	return NULL;
}

int main(void)
{
	const int online = (int)sysconf(_SC_NPROCESSORS_ONLN), cpus = online < STALLS_CPUS_MAX ? online : STALLS_CPUS_MAX;
	pthread_t thread[STALLS_CPUS_MAX];
	long long worst = 0;

	signal(SIGTERM, on_signal);
	for (long i = 0; i < cpus; i++)
		if (pthread_create(&thread[i], NULL, watch, (void *)i))
			errx(1, "pthread_create");
	for (int i = 0; i < cpus; i++) {
		pthread_join(thread[i], NULL);
		if (worst_ns[i] > worst)
			worst = worst_ns[i];
	}
	printf("%lld\n", worst);
	return 0;
}
