// SPDX-License-Identifier: GPL-2.0-or-later
/* One process, one socket: calls that move nothing, what comes by the error queue, echoes. */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <string.h>
#include "net_calls.h"

/* Calls that move nothing. */
void o_errors(int fd, long total, struct tally *t)
{
	if (recv(fd, buffer, CHUNK, MSG_DONTWAIT) != -1 || errno != EAGAIN)
		err(1, "recv of nothing");
	if (shutdown(fd, SHUT_RDWR) || send(fd, buffer, CHUNK, MSG_NOSIGNAL) != -1 || errno != EPIPE)
		err(1, "send after shutdown");
	if (recv(fd, buffer, CHUNK, 0) != 0)
		err(1, "recv at the end");
}

/* A datagram to a port where nobody is comes back by the error queue, with its first bytes: no receive. */
void o_unreachable(int fd, long total, struct tally *t)
{
	struct pollfd p = { .fd = fd };
	char control[512];
	struct iovec v = { buffer, CHUNK };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	int one = 1;

	if (setsockopt(fd, IPPROTO_IP, IP_RECVERR, &one, sizeof(one)))
		err(1, "IP_RECVERR");
	done(t, send(fd, buffer, CHUNK, 0), "send to nobody");
	if (poll(&p, 1, 10000) != 1 || recvmsg(fd, &m, MSG_ERRQUEUE) <= 0)
		err(1, "recvmsg MSG_ERRQUEUE of a datagram");
}

void echo_send(int fd, long total, struct tally *t)
{
	struct sockaddr_storage self;
	socklen_t n = sizeof(self);
	struct icmphdr h = { .type = ICMP_ECHO, .un.echo.id = htons(77) };
	unsigned int sum = 0;

	getsockname(fd, (void *)&self, &n);
	memset(buffer, 0, 64);
	if (self.ss_family == AF_INET6)
		h.type = ICMP6_ECHO_REQUEST;
	memcpy(buffer, &h, sizeof(h));
	for (int i = 0; i < 64; i += 2)
		sum += *(unsigned short *)(buffer + i);
	if (self.ss_family == AF_INET)
		((struct icmphdr *)buffer)->checksum = ~((sum & 0xffff) + (sum >> 16));
	done(t, send(fd, buffer, 64, 0), "send of an echo request");
}

void echo_recv(int fd, long total, struct tally *t)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, 10000) != 1)
		errx(1, "no echo");
	done(t, recv(fd, buffer, sizeof(buffer), 0), "recv of an echo");
}
