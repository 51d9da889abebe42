// SPDX-License-Identifier: GPL-2.0-or-later
/* Receivers of a stream; most serve datagrams, too. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>
#include "net_calls.h"

static long do_readv(int fd)
{
	struct iovec v[2] = { { buffer, CHUNK / 2 }, { buffer, CHUNK } };

	return readv(fd, v, 2);
}

static long do_recvmsg(int fd, int flags)
{
	struct iovec v[2] = { { buffer, CHUNK / 2 }, { buffer, CHUNK } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };

	return recvmsg(fd, &m, flags);
}

static long do_peeks(int fd)
{
	if (recv(fd, buffer, CHUNK, MSG_PEEK) < 0 || do_recvmsg(fd, MSG_PEEK) < 0)
		err(1, "recv MSG_PEEK");
	return recv(fd, buffer, CHUNK, 0);
}

static long do_nonblock(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	long n;

	while ((n = recv(fd, buffer, CHUNK, MSG_DONTWAIT)) < 0 && errno == EAGAIN)
		poll(&p, 1, -1);
	return n;
}

RECEIVER(recv, recv(fd, buffer, CHUNK, 0))
RECEIVER(read, read(fd, buffer, CHUNK))
RECEIVER(readv, do_readv(fd))
RECEIVER(recvfrom, recvfrom(fd, buffer, CHUNK, 0, (void *)&(struct sockaddr_storage) { 0 },
			    &(socklen_t) { sizeof(struct sockaddr_storage) }))
static RECEIVER(recvmsg, do_recvmsg(fd, 0))
static RECEIVER(peek, do_peeks(fd))
static RECEIVER(trunc, recv(fd, NULL, CHUNK, MSG_TRUNC))
static RECEIVER(waitall, recv(fd, buffer, left, MSG_WAITALL))
static RECEIVER(nonblock, do_nonblock(fd))

void r_recvmmsg(int fd, long total, struct tally *t)
{
	for (long left = total; left > 0; ) {
		struct iovec v[2] = { { buffer, CHUNK }, { buffer, CHUNK } };
		struct mmsghdr m[2] = { { .msg_hdr = { .msg_iov = v, .msg_iovlen = 1 } },
					{ .msg_hdr = { .msg_iov = v + 1, .msg_iovlen = 1 } } };
		int n = recvmmsg(fd, m, left > CHUNK ? 2 : 1, MSG_WAITFORONE, NULL);

		if (n < 0)
			err(1, "recvmmsg");
		for (int i = 0; i < n; i++)
			left -= done(t, m[i].msg_len, "recvmmsg");
	}
}

void r_splice(int fd, long total, struct tally *t)
{
	int end[2];

	if (pipe(end))
		err(1, "pipe");
	for (long left = total, n = 1; left > 0 && n > 0; left -= n) {
		n = done(t, splice(fd, NULL, end[1], NULL, CHUNK, 0), "splice from a socket");
		for (long m = n; m > 0; )
			m -= read(end[0], buffer, m);
	}
}

static void r_thread(int fd, long total, struct tally *t)
{
	in_thread(r_recv, fd, total, t);
}

const struct method receivers[] = {
	M(r, recv), M(r, read), M(r, readv), M(r, recvfrom), M(r, recvmsg), M(r, recvmmsg), M(r, splice), M(r, peek),
	M(r, trunc), M(r, waitall), M(r, nonblock), M(r, uring), M(r, uring_worker), M(r, thread),
};
const unsigned int receivers_count = sizeof(receivers) / sizeof(*receivers);
