// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls made by another thread than the process's first. */
#include <err.h>
#include <pthread.h>
#include <unistd.h>
#include "net_calls.h"

struct job {
	void (*run)(int fd, long total, struct tally *tally);
	int fd;
	long total;
	struct tally *tally;
};

pid_t mover_tid;

static void *job_run(void *arg)
{
	struct job *job = arg;

	mover_tid = gettid();
	job->run(job->fd, job->total, job->tally);
	return NULL;
}

void in_thread(void (*run)(int fd, long total, struct tally *tally), int fd, long total, struct tally *tally)
{
	struct job job = { run, fd, total, tally };
	pthread_t thread;

	if (pthread_create(&thread, NULL, job_run, &job) || pthread_join(thread, NULL))
		errx(1, "thread");
}
