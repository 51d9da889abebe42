// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that wait inside socket calls of many kinds before somebody opens FIFO for writing; then each call gets what
 * it waits for. By the return values of their own calls each prints
 *	<tid> <recv|send> <kind> <bytes> <exact|piece|none>
 * exact: the call that waited moved these bytes; piece: it is one of several that one system call makes; none: the call
 * that waited moves nothing that counts, the bytes are those of the thread's next call.
 *	net_blocked FIFO [OF EACH KIND]
 */
#include <arpa/inet.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "waiting.h"

enum { RECEIVED = 10, SENT = 300000, PIECES = 3 };

struct waiter {
	const struct kind *kind;
	struct waiting waiting;
	int fd, peer;			/* peer: main's end */
	long bytes;
};

struct kind {
	const char *name;
	long (*call)(int fd);
	int type, family, syscall;
	const char *told;
	int sends;
};

static char buffer[SENT];

static long do_recv(int fd) { return recv(fd, buffer, RECEIVED, 0); }
static long do_waitall(int fd) { return recv(fd, buffer, RECEIVED, MSG_WAITALL); }
static long do_read(int fd) { return read(fd, buffer, RECEIVED); }
static long do_peek(int fd) { return recv(fd, buffer, RECEIVED, MSG_PEEK) == RECEIVED ? recv(fd, buffer, RECEIVED, 0) : -1; }
static long do_send(int fd) { return send(fd, buffer, SENT, 0); }
static long do_write(int fd) { return write(fd, buffer, SENT); }

static long do_readv(int fd)
{
	struct iovec v[2] = { { buffer, 3 }, { buffer, RECEIVED } };

	return readv(fd, v, 2);
}

static long do_recvmsg(int fd)
{
	struct iovec v = { buffer, RECEIVED };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	return recvmsg(fd, &m, 0);
}

static long do_recvfrom(int fd)
{
	struct sockaddr_storage name;

	return recvfrom(fd, buffer, RECEIVED, 0, (void *)&name, &(socklen_t) { sizeof(name) });
}

static long recv_messages(int fd, int flags)
{
	struct iovec v = { buffer, RECEIVED };
	struct mmsghdr m[PIECES];
	long bytes = 0;
	int n;

	for (int i = 0; i < PIECES; i++)
		m[i] = (struct mmsghdr) { .msg_hdr = { .msg_iov = &v, .msg_iovlen = 1 } };
	n = recvmmsg(fd, m, flags ? PIECES : 2, flags, NULL);
	for (int i = 0; i < n; i++)
		bytes += m[i].msg_len;
	return n < 0 ? n : bytes;
}

static long do_recvmmsg_first(int fd) { return recv_messages(fd, MSG_WAITFORONE); }
static long do_recvmmsg(int fd) { return recv_messages(fd, 0); }

static long do_splice(int fd)
{
	int end[2];

	if (pipe(end))
		err(1, "pipe");
	return splice(fd, NULL, end[1], NULL, RECEIVED, 0);
}

static long do_sendmsg(int fd)
{
	struct iovec v[2] = { { buffer, SENT / 2 }, { buffer, SENT / 2 } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };

	return sendmsg(fd, &m, 0);
}

static long do_sendfile(int fd)
{
	int file = memfd_create("net_blocked", 0);
	long all = 0, n = 1;

	if (file < 0 || ftruncate(file, SENT))
		err(1, "memfd");
	while (all < SENT && n > 0) {
		n = sendfile(fd, file, NULL, SENT - all);
		all += n;
	}
	return n < 0 ? n : all;
}

static const struct kind kinds[] = {
	{ "recv-tcp", do_recv, SOCK_STREAM, AF_INET, SYS_recvfrom, "exact", 0 },
	{ "recv-tcp6", do_recv, SOCK_STREAM, AF_INET6, SYS_recvfrom, "exact", 0 },
	{ "waitall-tcp", do_waitall, SOCK_STREAM, AF_INET, SYS_recvfrom, "exact", 0 },
	{ "read-tcp", do_read, SOCK_STREAM, AF_INET, SYS_read, "exact", 0 },
	{ "readv-tcp6", do_readv, SOCK_STREAM, AF_INET6, SYS_readv, "exact", 0 },
	{ "recvmsg-tcp", do_recvmsg, SOCK_STREAM, AF_INET, SYS_recvmsg, "exact", 0 },
	{ "splice-tcp", do_splice, SOCK_STREAM, AF_INET, SYS_splice, "exact", 0 },
	{ "recv-udp", do_recv, SOCK_DGRAM, AF_INET, SYS_recvfrom, "exact", 0 },
	{ "read-udp6", do_read, SOCK_DGRAM, AF_INET6, SYS_read, "exact", 0 },
	{ "recvfrom-udp", do_recvfrom, SOCK_DGRAM, AF_INET, SYS_recvfrom, "exact", 0 },
	{ "recvmsg-udp6", do_recvmsg, SOCK_DGRAM, AF_INET6, SYS_recvmsg, "exact", 0 },
	{ "recvmmsg-first", do_recvmmsg_first, SOCK_DGRAM, AF_INET, SYS_recvmmsg, "exact", 0 },
	{ "recvmmsg", do_recvmmsg, SOCK_DGRAM, AF_INET, SYS_recvmmsg, "piece", 0 },
	{ "peek", do_peek, SOCK_STREAM, AF_INET, SYS_recvfrom, "none", 0 },
	{ "read-unix", do_read, SOCK_STREAM, AF_UNIX, SYS_read, "none", 0 },
	{ "send-tcp", do_send, SOCK_STREAM, AF_INET, SYS_sendto, "exact", 1 },
	{ "write-tcp6", do_write, SOCK_STREAM, AF_INET6, SYS_write, "exact", 1 },
	{ "sendmsg-tcp", do_sendmsg, SOCK_STREAM, AF_INET, SYS_sendmsg, "exact", 1 },
	{ "sendfile-tcp", do_sendfile, SOCK_STREAM, AF_INET, SYS_sendfile, "piece", 1 },
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static void *wait_here(void *arg)
{
	struct waiter *w = arg;

	waiting_begins(&w->waiting);
	w->bytes = w->kind->call(w->fd);
	if (w->bytes < 0)
		err(1, "%s", w->kind->name);
	return NULL;
}

static int bound(const struct kind *kind, struct sockaddr_storage *a, socklen_t *n)
{
	int fd = socket(kind->family, kind->type, 0);

	memset(a, 0, sizeof(*a));
	*n = kind->family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	a->ss_family = kind->family;
	if (kind->family == AF_INET)
		((struct sockaddr_in *)a)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		((struct sockaddr_in6 *)a)->sin6_addr = in6addr_loopback;
	if (fd < 0 || bind(fd, (void *)a, *n) || getsockname(fd, (void *)a, n))
		err(1, "%s: socket", kind->name);
	return fd;
}

static void make_pair(struct waiter *w)
{
	struct sockaddr_storage a;
	int pair[2], listener;
	socklen_t n;

	if (w->kind->family == AF_UNIX) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			err(1, "socketpair");
		w->fd = pair[0];
		w->peer = pair[1];
		return;
	}
	listener = bound(w->kind, &a, &n);
	if (w->kind->type == SOCK_STREAM && listen(listener, 1))
		err(1, "listen");
	w->peer = socket(w->kind->family, w->kind->type, 0);
	if (w->peer < 0 || connect(w->peer, (void *)&a, n))
		err(1, "connect");
	w->fd = w->kind->type == SOCK_STREAM ? accept(listener, NULL, NULL) : listener;
	if (w->fd < 0)
		err(1, "accept");
	if (w->fd != listener)
		close(listener);
}

/* So that a sender has to wait: nothing goes in any more. */
static void fill(struct waiter *w)
{
	int small = 4096;

	if (setsockopt(w->fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)))
		err(1, "SO_SNDBUF");
	while (send(w->fd, buffer, SENT, MSG_DONTWAIT) > 0)
		;
	if (errno != EAGAIN)
		err(1, "filling a socket");
}

static void start(struct waiter *w)
{
	make_pair(w);
	if (w->kind->sends)
		fill(w);
	waiting_start(&w->waiting, wait_here, w);
}

/* As many messages as its call is for. */
static void release(struct waiter *w)
{
	int n = w->kind->call == do_recvmmsg ? 2 : 1;

	while (n--)
		if (send(w->peer, buffer, RECEIVED, 0) != RECEIVED)
			err(1, "send");
}

/* All that is sent is read while its sender lives. */
static void *drain(void *arg)
{
	struct waiter *w = arg;
	static char sink[65536]; /* what comes is looked at by nobody */

	while (recv(w->peer, sink, sizeof(sink), 0) > 0)
		;
	return NULL;
}

static void finish(struct waiter *w)
{
	pthread_t drainer;

	if (w->kind->sends) {
		errno = pthread_create(&drainer, NULL, drain, w);
		if (errno)
			err(1, "thread");
	} else {
		release(w);
	}
	pthread_join(w->waiting.thread, NULL);
	if (w->kind->sends) {
		shutdown(w->fd, SHUT_WR);
		pthread_join(drainer, NULL);
	}
	printf("%d %s %s %ld %s\n", w->waiting.tid, w->kind->sends ? "send" : "recv", w->kind->name, w->bytes, w->kind->told);
}

int main(int argc, char **argv)
{
	int each = argc > 2 ? atoi(argv[2]) : 6, n = each * KINDS;
	struct waiter *w = calloc(n, sizeof(*w));

	if (argc < 2 || n < 1 || !w)
		errx(2, "net_blocked FIFO [OF EACH KIND]");
	waiting_files(4 * n + 64);
	for (int i = 0; i < n; i++) {
		w[i].kind = &kinds[i % KINDS];
		start(&w[i]);
	}
	for (int i = 0; i < n; i++)
		waiting_until(&w[i].waiting, w[i].kind->syscall);
	waiting_hold(argv[1]);
	for (int i = 0; i < n; i++)
		finish(&w[i]);
	return 0;
}
