// SPDX-License-Identifier: GPL-2.0-or-later
/* Datagrams: DATAGRAMS of CHUNK bytes, whatever the receiver keeps of them. */
#include <err.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include "net_calls.h"

#define DATAGRAM_RECEIVER(name, call) \
static void d_##name(int fd, long total, struct tally *t) \
{ \
	for (int i = 0; i < total / CHUNK; i++) \
		done(t, (call), #name); \
}

struct sockaddr_storage named;
socklen_t named_bytes;

static long do_sendmsg_name(int fd, long n)
{
	struct iovec v = { buffer, n };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_name = &named, .msg_namelen = named_bytes };

	return sendmsg(fd, &m, 0);
}

static long do_recvmsg_name(int fd)
{
	struct sockaddr_storage name;
	struct iovec v = { buffer, CHUNK };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_name = &name, .msg_namelen = sizeof(name) };

	return recvmsg(fd, &m, 0);
}

static long do_peek_datagram(int fd)
{
	if (recv(fd, buffer, CHUNK, MSG_PEEK) != CHUNK)
		err(1, "recv MSG_PEEK of a datagram");
	return recv(fd, buffer, CHUNK, 0);
}

static SENDER(sendto_name, sendto(fd, buffer, n, 0, (void *)&named, named_bytes))
static SENDER(sendmsg_name, do_sendmsg_name(fd, n))
DATAGRAM_RECEIVER(recv, recv(fd, buffer, CHUNK, 0))
DATAGRAM_RECEIVER(small, recv(fd, buffer, SMALL, 0))
DATAGRAM_RECEIVER(small_trunc, recv(fd, buffer, SMALL, MSG_TRUNC))
DATAGRAM_RECEIVER(recvmsg_name, do_recvmsg_name(fd))
DATAGRAM_RECEIVER(peek, do_peek_datagram(fd))

static void s_gso(int fd, long total, struct tally *t)
{
	int segment = CHUNK;

	if (setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)))
		err(1, "UDP_SEGMENT");
	for (long left = total; left > 0; )
		left -= done(t, send(fd, buffer, 4 * CHUNK, 0), "send UDP_SEGMENT");
}

static void s_empty(int fd, long total, struct tally *t)
{
	for (int i = 0; i < total / CHUNK; i++)
		done(t, send(fd, buffer, 0, 0), "send of nothing");
}

const struct datagram_case datagram_cases[] = {
	{ 1, M(s, send), M(d, recv) }, { 1, M(s, write), M(r, read) }, { 1, M(s, sendmmsg), M(r, recvmmsg) },
	{ 1, M(s, splice), M(r, splice) }, { 1, M(s, gso), M(d, recv) }, { 1, M(s, empty), M(d, recv) },
	{ 1, M(s, writev), M(r, readv) }, { 1, M(s, sendmsg), M(d, peek) }, { 1, M(s, uring), M(r, uring) },
	{ 0, M(s, sendto_name), M(d, small) }, { 0, M(s, sendto_name), M(d, small_trunc) },
	{ 0, M(s, sendmsg_name), M(d, recvmsg_name) }, { 0, M(s, sendto_name), M(r, recvfrom) },
};
const unsigned int datagram_cases_count = sizeof(datagram_cases) / sizeof(*datagram_cases);
