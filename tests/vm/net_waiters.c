// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that all wait in recv() at once, each on a socket of its own; then each gets one datagram.
 *	net_waiters THREADS [FIFO]	FIFO: all wait already, then somebody opens it for writing, then the datagrams
 * Prints "waited <threads> received <calls> <bytes>" by the return values of its own calls.
 */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "waiting.h"

struct waiter {
	struct waiting waiting;
	int fd;
	long bytes;
};

static void *wait_here(void *arg)
{
	struct waiter *w = arg;
	char buffer[64];

	waiting_begins(&w->waiting);
	w->bytes = recv(w->fd, buffer, sizeof(buffer), 0);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 100, out = socket(AF_INET, SOCK_DGRAM, 0);
	struct waiter *w = calloc(threads, sizeof(*w));
	long calls = 0, bytes = 0;

	waiting_files(threads + 64);
	for (int i = 0; i < threads; i++) {
		struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

		w[i].fd = socket(AF_INET, SOCK_DGRAM, 0);
		if (w[i].fd < 0 || bind(w[i].fd, (void *)&a, sizeof(a)))
			err(1, "socket %d", i);
		waiting_start(&w[i].waiting, wait_here, &w[i]);
	}
	for (int i = 0; i < threads; i++)
		waiting_until(&w[i].waiting, SYS_recvfrom);
	waiting_hold(argc > 2 ? argv[2] : NULL);
	for (int i = 0; i < threads; i++) {
		struct sockaddr_in a;
		socklen_t n = sizeof(a);

		if (getsockname(w[i].fd, (void *)&a, &n) || sendto(out, "0123456789", 10, 0, (void *)&a, n) != 10)
			err(1, "sendto");
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(w[i].waiting.thread, NULL);
		calls += w[i].bytes > 0;
		bytes += w[i].bytes;
	}
	printf("waited %d received %ld %ld\n", threads, calls, bytes);
	return calls != threads;
}
