// SPDX-License-Identifier: GPL-2.0-or-later
/* What a process prints of itself: what it moved, and what the socket says of itself. */
#include <arpa/inet.h>
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "net_calls.h"

struct end end_of(int (*get)(int, struct sockaddr *, socklen_t *), int fd)
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

void tell_call(const char *direction, const char *name, int fd, const struct tally *t, const struct end *call_peer)
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
