// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that all wait in recv() at once, each on a socket of its own; then each gets one datagram.
 *	net_waiters THREADS [FIFO]	FIFO: all wait already, then somebody opens it for writing, then the datagrams
 * Prints "waited <threads> received <calls> <bytes>" by the return values of its own calls.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

struct waiter {
	pthread_t thread;
	int fd;
	pid_t tid;
	long bytes;
};

static void *wait_here(void *arg)
{
	struct waiter *w = arg;
	char buffer[64];

	__atomic_store_n(&w->tid, gettid(), __ATOMIC_RELEASE);
	w->bytes = recv(w->fd, buffer, sizeof(buffer), 0);
	return NULL;
}

/* The kernel says that the thread is in recvfrom and sleeps. */
static int is_waiting(struct waiter *w)
{
	pid_t tid = __atomic_load_n(&w->tid, __ATOMIC_ACQUIRE);
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
	return n > 0 && atoi(line) == SYS_recvfrom && strncmp(line, "running", 7);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 100, out = socket(AF_INET, SOCK_DGRAM, 0);
	struct rlimit files = { threads + 64, threads + 64 };
	struct waiter *w = calloc(threads, sizeof(*w));
	long calls = 0, bytes = 0;
	pthread_attr_t small;

	if (setrlimit(RLIMIT_NOFILE, &files))
		err(1, "RLIMIT_NOFILE");
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (int i = 0; i < threads; i++) {
		struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

		w[i].fd = socket(AF_INET, SOCK_DGRAM, 0);
		if (w[i].fd < 0 || bind(w[i].fd, (void *)&a, sizeof(a)))
			err(1, "socket %d", i);
		errno = pthread_create(&w[i].thread, &small, wait_here, &w[i]);
		if (errno)
			err(1, "thread %d", i);
	}
	for (int i = 0; i < threads; i++)
		while (!is_waiting(&w[i]))
			usleep(1000);
	fprintf(stderr, "all wait\n");
	if (argc > 2 && open(argv[2], O_RDONLY) < 0)
		err(1, "%s", argv[2]);
	for (int i = 0; i < threads; i++) {
		struct sockaddr_in a;
		socklen_t n = sizeof(a);

		if (getsockname(w[i].fd, (void *)&a, &n) || sendto(out, "0123456789", 10, 0, (void *)&a, n) != 10)
			err(1, "sendto");
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(w[i].thread, NULL);
		calls += w[i].bytes > 0;
		bytes += w[i].bytes;
	}
	printf("waited %d received %ld %ld\n", threads, calls, bytes);
	return calls != threads;
}
