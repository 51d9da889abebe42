/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What net_waiters and net_blocked share: many threads, each of which waits in a system call, and the kernel's word
 * that it does. Knows nothing of sockets.
 */
#ifndef WAITING_H
#define WAITING_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct waiting {
	pthread_t thread;
	pid_t tid;			/* 0: the thread does not run yet */
};

/* The thread's first deed. */
static inline void waiting_begins(struct waiting *w)
{
	__atomic_store_n(&w->tid, gettid(), __ATOMIC_RELEASE);
}

/* Thousands of them have room. */
static inline void waiting_start(struct waiting *w, void *(*run)(void *), void *arg)
{
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	errno = pthread_create(&w->thread, &small, run, arg);
	if (errno)
		err(1, "thread");
	pthread_attr_destroy(&small);
}

/* The kernel says that the thread is in this system call and sleeps. */
static inline int waiting_is(const struct waiting *w, int syscall)
{
	const pid_t tid = __atomic_load_n(&w->tid, __ATOMIC_ACQUIRE);
	char path[64], line[32] = "";
	int fd, n;

	if (!tid)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(1, "%s", path);
	n = read(fd, line, sizeof(line) - 1);
	close(fd);
	return n > 0 && strncmp(line, "running", 7) && atoi(line) == syscall;
}

static inline void waiting_until(const struct waiting *w, int syscall)
{
	while (!waiting_is(w, syscall))
		usleep(1000);
}

/* All wait: says so and goes on when somebody has opened the FIFO for writing (none: at once). */
static inline void waiting_hold(const char *fifo)
{
	fprintf(stderr, "all wait\n");
	if (fifo && open(fifo, O_RDONLY) < 0)
		err(1, "%s", fifo);
}

static inline void waiting_files(int files)
{
	const struct rlimit limit = { files, files };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		err(1, "RLIMIT_NOFILE");
}

#endif
