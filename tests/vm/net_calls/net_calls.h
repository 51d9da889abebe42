/* SPDX-License-Identifier: GPL-2.0-or-later */
/* net_calls: what its kinds of calls share. Each kind is a function that moves `total` bytes with one socket and counts. */
#ifndef NET_CALLS_H
#define NET_CALLS_H

#include <sys/socket.h>
#include <sys/types.h>

enum { CHUNK = 1000, DATAGRAMS = 20, SMALL = 100, EVENTS_ANY = -1 };
enum addressing { V4, V6, MAPPED, ADDRESSINGS };

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

struct datagram_case {
	int connected;
	struct method send, recv;
};

#define M(direction, name) { #name, direction##_##name }

/* What is sent, and where it is received. */
extern char buffer[1 << 18];
long done(struct tally *tally, long n, const char *what);
long smaller(long a, long b);

/* In calls of CHUNK, so that a datagram socket sends total / CHUNK. */
#define SENDER(name, call) \
void s_##name(int fd, long total, struct tally *t) \
{ \
	for (long left = total; left > 0; ) { \
		long n = smaller(left, CHUNK); \
		left -= done(t, (call), #name); \
	} \
}

/* Until total or the end. */
#define RECEIVER(name, call) \
void r_##name(int fd, long total, struct tally *t) \
{ \
	for (long left = total, n = 1; left > 0 && n > 0; left -= n) \
		n = done(t, (call), #name); \
}

/* send.c, recv.c, uring.c */
void s_send(int fd, long total, struct tally *t);
void s_write(int fd, long total, struct tally *t);
void s_writev(int fd, long total, struct tally *t);
void s_sendmsg(int fd, long total, struct tally *t);
void s_sendmmsg(int fd, long total, struct tally *t);
void s_splice(int fd, long total, struct tally *t);
void s_uring(int fd, long total, struct tally *t);
void s_uring_worker(int fd, long total, struct tally *t);
void r_recv(int fd, long total, struct tally *t);
void r_read(int fd, long total, struct tally *t);
void r_readv(int fd, long total, struct tally *t);
void r_recvfrom(int fd, long total, struct tally *t);
void r_recvmmsg(int fd, long total, struct tally *t);
void r_splice(int fd, long total, struct tally *t);
void r_uring(int fd, long total, struct tally *t);
void r_uring_worker(int fd, long total, struct tally *t);
extern const struct method senders[], receivers[];
extern const unsigned int senders_count, receivers_count;

/* datagram.c */
extern const struct datagram_case datagram_cases[];
extern const unsigned int datagram_cases_count;
extern struct sockaddr_storage named;	/* the receiver's own address, for senders that are not connected */
extern socklen_t named_bytes;

/* single.c: one process, one socket */
void o_errors(int fd, long total, struct tally *t);
void o_unreachable(int fd, long total, struct tally *t);
void echo_send(int fd, long total, struct tally *t);
void echo_recv(int fd, long total, struct tally *t);

/* thread.c: the kind of calls, in a thread of its own; its tid, 0: there was none */
void in_thread(void (*run)(int fd, long total, struct tally *tally), int fd, long total, struct tally *tally);
extern pid_t mover_tid;

/* socket.c */
int address(enum addressing how, int port, struct sockaddr_storage *a);
int bound(enum addressing how, int type);
void connect_to(int fd, int peer);
void stream_pair(enum addressing how, int fd[2]);
void datagram_pair(enum addressing how, int connected, int fd[2]);
/* Passes it to itself over a unix socket: another descriptor of the same socket. */
int pass_fd(int fd);

/* tell.c: a "call" line; call_peer: the other end that the call itself names, or NULL */
struct end {
	unsigned char address[16];
	int port, known;
};
struct end end_of(int (*get)(int, struct sockaddr *, socklen_t *), int fd);
void tell_call(const char *direction, const char *name, int fd, const struct tally *t, const struct end *call_peer);

#endif
