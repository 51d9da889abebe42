// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Moves known numbers of bytes by every kind of socket call, each kind by a process of its own, and prints what each
 * process moved by the return values of its own calls and what the socket says of itself (getsockname, SO_COOKIE):
 *	call <pid> <tid> <send|recv> <kind> <events> <bytes> <cookie> <netns> <family> <protocol> <sport> <dport> <saddr> <daddr>
 * "-": not told. A peer with a "?" is one that only the call names. tid "-": any thread of the process.
 *
 *	net_gen [-w FIFO]	-w: opens all sockets first, then waits until somebody opens FIFO for writing
 * Exit status 0: everything went through, and what was sent is what was received.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <linux/io_uring.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 1000, DATAGRAMS = 20, SMALL = 100, CASES_MAX = 256, EVENTS_ANY = -1 };
enum addressing { V4, V6, MAPPED, ADDRESSINGS };
static const char *const addressing_name[] = { "v4", "v6", "mapped" };

/* What a process did by its own count. */
struct tally {
	long long bytes;
	long events;
	int any_thread;
};

struct method {
	const char *name;
	void (*run)(int fd, long total, struct tally *tally);
};

/* Two ends and who does what with them; fd[1] < 0: one process does both with fd[0]. */
struct test {
	char name[48];
	int fd[2];
	const struct method *method[2];
	long total;
	int pass_by_unix;
};

static struct test tests[CASES_MAX];
static unsigned int test_count;
static char buffer[1 << 18];

static long done(struct tally *tally, long n, const char *what)
{
	if (n < 0)
		err(1, "%s", what);
	tally->bytes += n;
	if (n && tally->events != EVENTS_ANY)
		tally->events++;
	return n;
}

static long smaller(long a, long b)
{
	return a < b ? a : b;
}

/* ---- io_uring by its system calls ---- */

struct uring {
	int fd;
	unsigned int *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
};

static void uring_open(struct uring *u)
{
	struct io_uring_params p = { 0 };
	char *sq, *cq;

	u->fd = syscall(SYS_io_uring_setup, 4, &p);
	if (u->fd < 0)
		err(1, "io_uring_setup");
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(*u->cqe), PROT_READ | PROT_WRITE, MAP_SHARED, u->fd,
		  IORING_OFF_CQ_RING);
	u->sqe = mmap(NULL, p.sq_entries * sizeof(*u->sqe), PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || u->sqe == MAP_FAILED)
		err(1, "io_uring mmap");
	u->sq_tail = (void *)(sq + p.sq_off.tail);
	u->sq_mask = (void *)(sq + p.sq_off.ring_mask);
	u->sq_array = (void *)(sq + p.sq_off.array);
	u->cq_head = (void *)(cq + p.cq_off.head);
	u->cq_tail = (void *)(cq + p.cq_off.tail);
	u->cq_mask = (void *)(cq + p.cq_off.ring_mask);
	u->cqe = (void *)(cq + p.cq_off.cqes);
}

/* One request, and its result. */
static long uring_do(struct uring *u, int op, unsigned int flags, int fd, void *addr, unsigned int len)
{
	unsigned int tail = *u->sq_tail, i = tail & *u->sq_mask;
	long result;

	u->sqe[i] = (struct io_uring_sqe) { .opcode = op, .flags = flags, .fd = fd, .addr = (unsigned long)addr, .len = len };
	u->sq_array[i] = i;
	__atomic_store_n(u->sq_tail, tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, u->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		err(1, "io_uring_enter");
	if (*u->cq_head == __atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE))
		errx(1, "io_uring: no result");
	result = u->cqe[*u->cq_head & *u->cq_mask].res;
	__atomic_store_n(u->cq_head, *u->cq_head + 1, __ATOMIC_RELEASE);
	if (result < 0) {
		errno = -result;
		return -1;
	}
	return result;
}

static void uring_move(int op, unsigned int flags, int fd, long total, struct tally *t)
{
	struct uring u;
	long left, n = 1;

	uring_open(&u);
	for (left = total; left > 0 && n > 0; left -= n)
		n = done(t, uring_do(&u, op, flags, fd, buffer, op == IORING_OP_SEND ? smaller(left, CHUNK) : CHUNK), "io_uring");
}

static void s_uring(int fd, long total, struct tally *t)
{
	uring_move(IORING_OP_SEND, 0, fd, total, t);
}

static void s_uring_worker(int fd, long total, struct tally *t)
{
	t->any_thread = 1;
	uring_move(IORING_OP_SEND, IOSQE_ASYNC, fd, total, t);
}

static void r_uring(int fd, long total, struct tally *t)
{
	uring_move(IORING_OP_RECV, 0, fd, total, t);
}

static void r_uring_worker(int fd, long total, struct tally *t)
{
	t->any_thread = 1;
	t->events = EVENTS_ANY;
	uring_move(IORING_OP_RECV, IOSQE_ASYNC, fd, total, t);
}

/* ---- senders; each sends `total` bytes in calls of CHUNK, so that a datagram socket sends total / CHUNK ---- */

#define SENDER(name, call) \
static void s_##name(int fd, long total, struct tally *t) \
{ \
	for (long left = total; left > 0; ) { \
		long n = smaller(left, CHUNK); \
		left -= done(t, (call), #name); \
	} \
}

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
SENDER(sendto, sendto(fd, buffer, n, 0, NULL, 0))
SENDER(sendmsg, do_sendmsg(fd, n))
SENDER(write, write(fd, buffer, n))
SENDER(writev, do_writev(fd, n))
SENDER(more, send(fd, buffer, n, left > n ? MSG_MORE : 0))

static void s_sendmmsg(int fd, long total, struct tally *t)
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
	int file = memfd_create("net_gen", 0);

	if (file < 0 || ftruncate(file, total))
		err(1, "memfd");
	t->events = EVENTS_ANY;
	for (long left = total; left > 0; )
		left -= done(t, sendfile(fd, file, NULL, left), "sendfile");
}

static void s_splice(int fd, long total, struct tally *t)
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

struct job {
	void (*run)(int fd, long total, struct tally *tally);
	int fd;
	long total;
	struct tally *tally;
	pid_t tid;
};

static pid_t mover_tid;

static void *job_run(void *arg)
{
	struct job *job = arg;

	mover_tid = gettid();
	job->run(job->fd, job->total, job->tally);
	return NULL;
}

static void in_thread(struct job job)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, job_run, &job) || pthread_join(thread, NULL))
		errx(1, "thread");
}

static void s_thread(int fd, long total, struct tally *t)
{
	in_thread((struct job) { .run = s_send, .fd = fd, .total = total, .tally = t });
}

/* ---- receivers of a stream: until total or the end ---- */

#define RECEIVER(name, call) \
static void r_##name(int fd, long total, struct tally *t) \
{ \
	for (long left = total, n = 1; left > 0 && n > 0; left -= n) \
		n = done(t, (call), #name); \
}

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
RECEIVER(recvmsg, do_recvmsg(fd, 0))
RECEIVER(peek, do_peeks(fd))
RECEIVER(trunc, recv(fd, NULL, CHUNK, MSG_TRUNC))
RECEIVER(waitall, recv(fd, buffer, left, MSG_WAITALL))
RECEIVER(nonblock, do_nonblock(fd))

static void r_recvmmsg(int fd, long total, struct tally *t)
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

static void r_splice(int fd, long total, struct tally *t)
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
	in_thread((struct job) { .run = r_recv, .fd = fd, .total = total, .tally = t });
}

/* ---- datagrams: DATAGRAMS of CHUNK bytes, whatever the receiver keeps of them ---- */

#define DATAGRAM_RECEIVER(name, call) \
static void d_##name(int fd, long total, struct tally *t) \
{ \
	for (int i = 0; i < total / CHUNK; i++) \
		done(t, (call), #name); \
}

static struct sockaddr_storage named;	/* the receiver's own address, for senders that are not connected */
static socklen_t named_bytes;

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

SENDER(sendto_name, sendto(fd, buffer, n, 0, (void *)&named, named_bytes))
SENDER(sendmsg_name, do_sendmsg_name(fd, n))
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

/* ---- one process, one socket ---- */

/* Calls that move nothing. */
static void o_errors(int fd, long total, struct tally *t)
{
	if (recv(fd, buffer, CHUNK, MSG_DONTWAIT) != -1 || errno != EAGAIN)
		err(1, "recv of nothing");
	if (shutdown(fd, SHUT_RDWR) || send(fd, buffer, CHUNK, MSG_NOSIGNAL) != -1 || errno != EPIPE)
		err(1, "send after shutdown");
	if (recv(fd, buffer, CHUNK, 0) != 0)
		err(1, "recv at the end");
}

/* A datagram to a port where nobody is comes back by the error queue, with its first bytes: no receive. */
static void o_unreachable(int fd, long total, struct tally *t)
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

static void echo_send(int fd, long total, struct tally *t)
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

static void echo_recv(int fd, long total, struct tally *t)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, 10000) != 1)
		errx(1, "no echo");
	done(t, recv(fd, buffer, sizeof(buffer), 0), "recv of an echo");
}

/* ---- sockets ---- */

static int address(enum addressing how, int port, struct sockaddr_storage *a)
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

static int bound(enum addressing how, int type)
{
	struct sockaddr_storage a;
	int n = address(how, 0, &a), fd = socket(a.ss_family, type, 0);

	if (fd < 0 || bind(fd, (void *)&a, n))
		err(1, "bind");
	return fd;
}

static void connect_to(int fd, int peer)
{
	struct sockaddr_storage a;
	socklen_t n = sizeof(a);

	if (getsockname(peer, (void *)&a, &n) || connect(fd, (void *)&a, n))
		err(1, "connect");
}

static void stream_pair(enum addressing how, int fd[2])
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

static void datagram_pair(enum addressing how, int connected, int fd[2])
{
	fd[0] = bound(how, SOCK_DGRAM);
	fd[1] = bound(how, SOCK_DGRAM);
	if (connected) {
		connect_to(fd[0], fd[1]);
		connect_to(fd[1], fd[0]);
	}
}

/* ---- what a process prints of itself ---- */

struct end {
	unsigned char address[16];
	int port, known;
};

static struct end end_of(int (*get)(int, struct sockaddr *, socklen_t *), int fd)
{
	struct sockaddr_storage a = { 0 };
	struct sockaddr_in6 *v6 = (void *)&a;
	socklen_t n = sizeof(a);
	struct end end = { .known = !get(fd, (void *)&a, &n) };

	end.port = ntohs(v6->sin6_port);
	if (a.ss_family == AF_INET) {
		memset(end.address + 10, 0xff, 2);
		memcpy(end.address + 12, &((struct sockaddr_in *)&a)->sin_addr, 4);
	} else {
		memcpy(end.address, &v6->sin6_addr, 16);
	}
	return end;
}

static int print_end(char *at, const struct end *end, const char *mark)
{
	int n = sprintf(at, "%s[", mark);

	for (int i = 0; i < 16; i++)
		n += sprintf(at + n, i ? ",%d" : "%d", end->address[i]);
	return n + sprintf(at + n, "]");
}

static void print_call(const char *direction, const char *name, int fd, const struct tally *t, const struct end *call_peer)
{
	struct end self = end_of(getsockname, fd), peer = end_of(getpeername, fd);
	unsigned long long cookie = 0;
	const char *mark = "";
	int protocol = 0, type = 0, n = 0;
	struct stat ns;
	char line[512];
	static const unsigned char v4[12] = { [10] = 0xff, [11] = 0xff };

	if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &(socklen_t) { sizeof(cookie) }) ||
	    getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &(socklen_t) { sizeof(protocol) }) ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &(socklen_t) { sizeof(type) }) || stat("/proc/self/ns/net", &ns))
		err(1, "%s: asking the socket", name);
	if (!peer.known && call_peer) {
		peer = *call_peer;
		mark = "?";
	}
	n += sprintf(line, "call %d ", getpid());
	n += t->any_thread ? sprintf(line + n, "- ") : sprintf(line + n, "%d ", mover_tid ? mover_tid : getpid());
	n += sprintf(line + n, "%s %s ", direction, name);
	n += t->events == EVENTS_ANY ? sprintf(line + n, "- ") : sprintf(line + n, "%ld ", t->events);
	n += sprintf(line + n, "%lld %llu %lu ", t->bytes, cookie, (unsigned long)ns.st_ino);
	n += sprintf(line + n, "%d %d ", memcmp(self.address, v4, 12) ? AF_INET6 : AF_INET, protocol);
	if (type == SOCK_RAW || !peer.known) {
		n += sprintf(line + n, "- - - -\n");
	} else {
		n += sprintf(line + n, "%d %s%d ", self.port, mark, peer.port);
		n += print_end(line + n, &self, "");
		line[n++] = ' ';
		n += print_end(line + n, &peer, mark);
		line[n++] = '\n';
	}
	if (write(STDOUT_FILENO, line, n) != n)
		err(1, "write");
}

/* ---- running them ---- */

static int pass_fd(int fd)
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

/* The call itself tells or is told the other end. */
static int names_peer(const struct method *method)
{
	return strstr(method->name, "name") || !strcmp(method->name, "recvfrom");
}

static pid_t run_end(const struct test *test, int i)
{
	static const char *const direction[] = { "send", "recv" };
	struct tally tally = { 0 };
	pid_t pid = fork();
	int fd = test->fd[i];
	struct end other;

	if (pid)
		return pid < 0 ? err(1, "fork"), 0 : pid;
	alarm(120);
	other = end_of(getsockname, test->fd[!i]);
	named_bytes = sizeof(named);
	if (getsockname(test->fd[!i], (void *)&named, &named_bytes))
		err(1, "getsockname");
	if (test->pass_by_unix)
		fd = pass_fd(fd);
	test->method[i]->run(fd, test->total, &tally);
	print_call(direction[i], test->name, fd, &tally, names_peer(test->method[i]) ? &other : NULL);
	exit(0);
}

static void run_single(const struct test *test)
{
	struct tally sent = { 0 }, received = { 0 };

	if (fork())
		return;
	alarm(120);
	test->method[0]->run(test->fd[0], test->total, &sent);
	if (test->method[1])
		test->method[1]->run(test->fd[0], test->total, &received);
	print_call("send", test->name, test->fd[0], &sent, NULL);
	print_call("recv", test->name, test->fd[0], &received, NULL);
	exit(0);
}

static int wait_for(int children, const char *name)
{
	int status, bad = 0;

	while (children--)
		if (wait(&status) > 0 && status) {
			warnx("%s: a process ended with status %#x", name, status);
			bad = 1;
		}
	return bad;
}

static struct test *test_add(const char *kind, const char *a, const char *b, enum addressing how)
{
	struct test *test = &tests[test_count];

	if (test_count == CASES_MAX)
		errx(1, "too many cases");
	snprintf(test->name, sizeof(test->name), "%s-%s-%s/%s", kind, a, b, addressing_name[how]);
	test->total = DATAGRAMS * CHUNK + (*kind == 't' ? (long)test_count * CHUNK : 0);
	test_count++;
	return test;
}

#define M(direction, name) { #name, direction##_##name }
static const struct method senders[] = {
	M(s, send), M(s, sendto), M(s, sendmsg), M(s, write), M(s, writev), M(s, sendmmsg), M(s, more), M(s, sendfile),
	M(s, splice), M(s, zerocopy), M(s, uring), M(s, uring_worker), M(s, thread),
};
static const struct method receivers[] = {
	M(r, recv), M(r, read), M(r, readv), M(r, recvfrom), M(r, recvmsg), M(r, recvmmsg), M(r, splice), M(r, peek),
	M(r, trunc), M(r, waitall), M(r, nonblock), M(r, uring), M(r, uring_worker), M(r, thread),
};
enum { SENDERS = sizeof(senders) / sizeof(*senders), RECEIVERS = sizeof(receivers) / sizeof(*receivers) };

static const struct datagram_case {
	int connected;
	struct method send, recv;
} datagram_cases[] = {
	{ 1, M(s, send), M(d, recv) }, { 1, M(s, write), M(r, read) }, { 1, M(s, sendmmsg), M(r, recvmmsg) },
	{ 1, M(s, splice), M(r, splice) }, { 1, M(s, gso), M(d, recv) }, { 1, M(s, empty), M(d, recv) },
	{ 1, M(s, writev), M(r, readv) }, { 1, M(s, sendmsg), M(d, peek) }, { 1, M(s, uring), M(r, uring) },
	{ 0, M(s, sendto_name), M(d, small) }, { 0, M(s, sendto_name), M(d, small_trunc) },
	{ 0, M(s, sendmsg_name), M(d, recvmsg_name) }, { 0, M(s, sendto_name), M(r, recvfrom) },
};

static const struct method o_methods[] = { M(o, errors), M(o, unreachable), M(echo, send), M(echo, recv) };

static void make_single(const char *name, enum addressing how, int fd, int peer, const struct method *a, const struct method *b)
{
	struct test *test = test_add("one", name, "self", how);

	if (fd < 0)
		err(1, "%s", test->name);
	test->fd[0] = fd;
	test->fd[1] = -1;
	test->method[0] = a;
	test->method[1] = b;
	if (peer >= 0)
		connect_to(fd, peer);
}

static void make_echo(const char *name, enum addressing how, int type)
{
	struct sockaddr_storage a;
	int n = address(how, 0, &a);
	int fd = socket(a.ss_family, type, how == V4 ? IPPROTO_ICMP : IPPROTO_ICMPV6);

	if (fd < 0 || connect(fd, (void *)&a, n))
		err(1, "%s", name);
	make_single(name, how, fd, -1, &o_methods[2], &o_methods[3]);
}

static void make_tests(void)
{
	int pair[2], nobody;

	for (enum addressing how = V4; how < ADDRESSINGS; how++) {
		for (int i = 0; i < RECEIVERS; i++) {
			struct test *test = test_add("tcp", senders[i % SENDERS].name, receivers[i].name, how);

			stream_pair(how, test->fd);
			test->method[0] = &senders[i % SENDERS];
			test->method[1] = &receivers[i];
			test->pass_by_unix = i == 0;
		}
		for (size_t i = 0; i < sizeof(datagram_cases) / sizeof(*datagram_cases); i++) {
			const struct datagram_case *c = &datagram_cases[i];
			struct test *test = test_add("udp", c->send.name, c->recv.name, how);

			datagram_pair(how, c->connected, test->fd);
			test->method[0] = &c->send;
			test->method[1] = &c->recv;
		}
		stream_pair(how, pair);
		make_single("errors", how, pair[0], -1, &o_methods[0], NULL);
	}
	nobody = bound(V4, SOCK_DGRAM);
	make_single("unreachable", V4, bound(V4, SOCK_DGRAM), nobody, &o_methods[1], NULL);
	close(nobody);
	make_echo("raw", V4, SOCK_RAW);
	make_echo("raw", V6, SOCK_RAW);
	make_echo("ping", V4, SOCK_DGRAM);
	make_echo("ping", V6, SOCK_DGRAM);
}

int main(int argc, char **argv)
{
	int bad = 0, option, fd;
	const char *fifo = NULL;

	while ((option = getopt(argc, argv, "w:")) != -1)
		if (option == 'w')
			fifo = optarg;
		else
			return 2;
	make_tests();
	if (fifo) {
		fprintf(stderr, "sockets are open\n");
		fd = open(fifo, O_RDONLY);
		if (fd < 0)
			err(1, "%s", fifo);
	}
	for (unsigned int i = 0; i < test_count; i++) {
		const struct test *test = &tests[i];

		if (test->fd[1] < 0) {
			run_single(test);
			bad |= wait_for(1, test->name);
		} else {
			run_end(test, 1);
			run_end(test, 0);
			bad |= wait_for(2, test->name);
		}
	}
	return bad;
}
