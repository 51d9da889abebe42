// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Moves known numbers of bytes by every kind of socket call, each kind by a process of its own, and prints what each
 * process moved by the return values of its own calls and what the socket says of itself (getsockname, SO_COOKIE):
 *	call <pid> <tid> <send|recv> <kind> <events> <bytes> <cookie> <netns> <family> <protocol> <sport> <dport> <saddr> <daddr>
 * "-": not told. A peer with a "?" is one that only the call names. tid "-": any thread of the process.
 *
 *	net_calls [-w FIFO]	-w: opens all sockets first, then waits until somebody opens FIFO for writing
 * Exit status 0: everything went through, and what was sent is what was received.
 */
#include <err.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "net_calls.h"

enum { CASES_MAX = 256 };
static const char *const addressing_name[] = { "v4", "v6", "mapped" };

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
char buffer[1 << 18];

long done(struct tally *tally, long n, const char *what)
{
	if (n < 0)
		err(1, "%s", what);
	tally->bytes += n;
	if (n && tally->events != EVENTS_ANY)
		tally->events++;
	return n;
}

long smaller(long a, long b)
{
	return a < b ? a : b;
}

/* ---- running them ---- */

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
	tell_call(direction[i], test->name, fd, &tally, names_peer(test->method[i]) ? &other : NULL);
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
	tell_call("send", test->name, test->fd[0], &sent, NULL);
	tell_call("recv", test->name, test->fd[0], &received, NULL);
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
		for (unsigned int i = 0; i < receivers_count; i++) {
			struct test *test = test_add("tcp", senders[i % senders_count].name, receivers[i].name, how);

			stream_pair(how, test->fd);
			test->method[0] = &senders[i % senders_count];
			test->method[1] = &receivers[i];
			test->pass_by_unix = i == 0;
		}
		for (unsigned int i = 0; i < datagram_cases_count; i++) {
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
