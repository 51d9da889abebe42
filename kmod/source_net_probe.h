/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Return probes on functions that send or receive for a socket. A call holds an instance until it returns, and calls
 * wait: the instances of a probe are many and are made when the event type is enabled. A call that finds none is
 * counted as loss at once, before anybody knows whether it will move data.
 */
#ifndef KYMO_SOURCE_NET_PROBE_H
#define KYMO_SOURCE_NET_PROBE_H

#include <linux/kprobes.h>
#include "type.h"

enum net_probe_flags {
	NET_PROBE_MSG = 1 << 0,		/* f(socket, msghdr, ...) returns int */
	NET_PROBE_FLAGS = 1 << 1,	/* the fourth argument holds MSG_PEEK and the like */
	NET_PROBE_PAGE = 1 << 2,	/* f(socket, ...) returns ssize_t; calls inside it are part of it */
	NET_PROBE_SPLICE = 1 << 3,	/* f(socket, ...) returns ssize_t */
	NET_PROBE_OPTIONAL = 1 << 4,	/* a kernel without it has no such sockets or calls */
};

enum net_probe_active {
	NET_PROBE_ACTIVE_FEW,		/* nobody waits here by thousands */
	NET_PROBE_ACTIVE_SEND,
	NET_PROBE_ACTIVE_RECV,
};

struct net_probe {
	struct kymo_type *type;
	const char *symbol;
	unsigned int flags;		/* enum net_probe_flags */
	enum net_probe_active active;
	/* while it is on: */
	struct kretprobe rp;
	bool on;
	int limit;			/* calls at once; there are a few more instances, so that each call meets our handler */
	atomic_t inside;
	/* for ever: */
	u64 missed;			/* by the kernel, in the times when it was on; under the catalogue's mutex */
};

#define NET_PROBE(type_name, symbol_name, probe_flags, how_many) { \
	.type = &kymo_type_##type_name, .symbol = #symbol_name, .flags = (probe_flags), .active = (how_many), \
}

struct net_probe_set {
	struct net_probe *probe;
	unsigned int probes;
};

bool net_probes_work(void);
int net_probes_on(struct net_probe_set set);
void net_probes_off(struct net_probe_set set);
/* Calls that the kernel did not show to the probes, since the module was loaded. Not those beyond the limit. */
u64 net_probes_missed(struct net_probe_set set);

#endif
