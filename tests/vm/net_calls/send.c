// SPDX-License-Identifier: GPL-2.0-or-later
/* Senders of a stream; those of whole CHUNKs serve datagrams, too. */
#include <err.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>
#include "net_calls.h"

static long do_sendmsg(int fd, long n)
{
	struct iovec v[3] = { { buffer, n / 3 }, { buffer, n / 3 }, { buffer, n - n / 3 * 2 } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 3 };

	return sendmsg(fd, &m, 0);
}

static long do_writev(int fd, long n)
{
	struct iovec v[2] = { { buffer, n / 2 }, { buffer, n - n / 2 } };

	return writev(fd, v, 2);
}

SENDER(send, send(fd, buffer, n, 0))
static SENDER(sendto, sendto(fd, buffer, n, 0, NULL, 0))
SENDER(sendmsg, do_sendmsg(fd, n))
SENDER(write, write(fd, buffer, n))
SENDER(writev, do_writev(fd, n))
static SENDER(more, send(fd, buffer, n, left > n ? MSG_MORE : 0))

void s_sendmmsg(int fd, long total, struct tally *t)
{
	for (long left = total; left > 0; ) {
		struct iovec v = { buffer, CHUNK };
		struct mmsghdr m[5];
		int n;

		for (int i = 0; i < 5; i++)
			m[i] = (struct mmsghdr) { .msg_hdr = { .msg_iov = &v, .msg_iovlen = 1 } };
		n = sendmmsg(fd, m, smaller(5, left / CHUNK), 0);
		if (n <= 0)
			err(1, "sendmmsg");
		for (int i = 0; i < n; i++)
			left -= done(t, m[i].msg_len, "sendmmsg");
	}
}

static void s_sendfile(int fd, long total, struct tally *t)
{
	int file = memfd_create("net_calls", 0);

	if (file < 0 || ftruncate(file, total))
		err(1, "memfd");
	t->events = EVENTS_ANY;
	for (long left = total; left > 0; )
		left -= done(t, sendfile(fd, file, NULL, left), "sendfile");
}

void s_splice(int fd, long total, struct tally *t)
{
	int end[2];

	if (pipe(end))
		err(1, "pipe");
	t->events = EVENTS_ANY;
	for (long left = total; left > 0; ) {
		long n = write(end[1], buffer, smaller(left, CHUNK));

		while (n > 0) {
			long m = done(t, splice(end[0], NULL, fd, NULL, n, 0), "splice to a socket");

			n -= m;
			left -= m;
		}
	}
}

/* Reads the error queue, which is no receive; it holds what send(MSG_ZEROCOPY) has finished. */
static void s_zerocopy(int fd, long total, struct tally *t)
{
	char control[128];
	struct msghdr m;
	int one = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
		err(1, "SO_ZEROCOPY");
	for (long left = total; left > 0; ) {
		struct pollfd p = { .fd = fd };

		left -= done(t, send(fd, buffer, smaller(left, CHUNK), MSG_ZEROCOPY), "send MSG_ZEROCOPY");
		if (poll(&p, 1, 10000) != 1)
			errx(1, "no notice of MSG_ZEROCOPY");
		m = (struct msghdr) { .msg_control = control, .msg_controllen = sizeof(control) };
		if (recvmsg(fd, &m, MSG_ERRQUEUE) < 0)
			err(1, "recvmsg MSG_ERRQUEUE");
	}
}

static void s_thread(int fd, long total, struct tally *t)
{
	in_thread(s_send, fd, total, t);
}

const struct method senders[] = {
	M(s, send), M(s, sendto), M(s, sendmsg), M(s, write), M(s, writev), M(s, sendmmsg), M(s, more), M(s, sendfile),
	M(s, splice), M(s, zerocopy), M(s, uring), M(s, uring_worker), M(s, thread),
};
const unsigned int senders_count = sizeof(senders) / sizeof(*senders);
