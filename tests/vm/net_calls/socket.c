// SPDX-License-Identifier: GPL-2.0-or-later
/* Pairs of sockets on the loopback address. */
#include <arpa/inet.h>
#include <err.h>
#include <string.h>
#include <unistd.h>
#include "net_calls.h"

int address(enum addressing how, int port, struct sockaddr_storage *a)
{
	struct sockaddr_in *v4 = (void *)a;
	struct sockaddr_in6 *v6 = (void *)a;

	memset(a, 0, sizeof(*a));
	if (how == V4) {
		*v4 = (struct sockaddr_in) { .sin_family = AF_INET, .sin_port = htons(port),
					      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		return sizeof(*v4);
	}
	*v6 = (struct sockaddr_in6) { .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_loopback };
	if (how == MAPPED)
		inet_pton(AF_INET6, "::ffff:127.0.0.1", &v6->sin6_addr);
	return sizeof(*v6);
}

int bound(enum addressing how, int type)
{
	struct sockaddr_storage a;
	int n = address(how, 0, &a), fd = socket(a.ss_family, type, 0);

	if (fd < 0 || bind(fd, (void *)&a, n))
		err(1, "bind");
	return fd;
}

void connect_to(int fd, int peer)
{
	struct sockaddr_storage a;
	socklen_t n = sizeof(a);

	if (getsockname(peer, (void *)&a, &n) || connect(fd, (void *)&a, n))
		err(1, "connect");
}

void stream_pair(enum addressing how, int fd[2])
{
	int listener = bound(how, SOCK_STREAM);

	if (listen(listener, 1))
		err(1, "listen");
	fd[0] = bound(how, SOCK_STREAM);
	connect_to(fd[0], listener);
	fd[1] = accept(listener, NULL, NULL);
	if (fd[1] < 0)
		err(1, "accept");
	close(listener);
}

void datagram_pair(enum addressing how, int connected, int fd[2])
{
	fd[0] = bound(how, SOCK_DGRAM);
	fd[1] = bound(how, SOCK_DGRAM);
	if (connected) {
		connect_to(fd[0], fd[1]);
		connect_to(fd[1], fd[0]);
	}
}

int pass_fd(int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int pair[2];

	*c = (struct cmsghdr) { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) };
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || sendmsg(pair[0], &m, 0) != 1)
		err(1, "SCM_RIGHTS");
	close(fd);
	m.msg_controllen = sizeof(control);
	if (recvmsg(pair[1], &m, 0) != 1)
		err(1, "SCM_RIGHTS");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}
