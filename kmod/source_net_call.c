// SPDX-License-Identifier: GPL-2.0-only
/*
 * Socket calls that moved data: net_send and net_recv, charged to the task that made the call. From the tracepoints
 * of the kernel where it has them, else from return probes on the functions that all calls on AF_INET and AF_INET6
 * sockets go through. Which of the two it is, is a matter of the kernel that the module was built for.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/socket.h>
#include <trace/events/sock.h>
#include "emit.h"
#include "hook.h"
#include "source_net.h"
#include "source_net_probe.h"
#include "source_net_waiting.h"

static_assert(sizeof(struct kymo_ev_net_send) == sizeof(struct kymo_ev_net_recv));

void net_call_moved(struct kymo_type *type, const struct net_ends *ends, long bytes)
{
	struct kymo_ev_net_send ev = { .bytes = bytes };
	const struct kymo_part part = { &ev, sizeof(ev) };

	if (in_task()) {	/* else current has nothing to do with it */
		ev.tid = current->pid;
		ev.pid = current->tgid;
	}
	NET_ENDS_COPY(&ev, ends);
	ev.protocol = ends->protocol;
	kymo_emit_parts(type, &part, 1);
}

void net_call_moved_on(struct kymo_type *type, const struct sock *sk, long bytes, const void *peer, int peer_bytes)
{
	struct net_ends ends;

	net_ends_of_sock(&ends, sk);
	if (sk->sk_type != SOCK_STREAM)
		net_ends_take_peer(&ends, peer, peer_bytes);
	net_call_moved(type, &ends, bytes);
}

#ifdef KYMO_HAVE_sock_send_length

/* The kernel does not tell the peer of an unconnected socket's datagram here. */
static void net_send_probe(void *type, struct sock *sk, int ret, int flags)
{
	if (ret > 0 && net_family_known(sk))
		net_call_moved_on(type, sk, ret, NULL, 0);
}

static void net_recv_probe(void *type, struct sock *sk, int ret, int flags)
{
	if (ret > 0 && !(flags & (MSG_PEEK | MSG_ERRQUEUE)) && net_family_known(sk))
		net_call_moved_on(type, sk, ret, NULL, 0);
}

static struct kymo_hook net_call_hooks[] = {
	KYMO_HOOK(kymo_type_net_send, sock_send_length, net_send_probe),
	KYMO_HOOK(kymo_type_net_recv, sock_recv_length, net_recv_probe),
};
#define NET_CALL_HOOKS ARRAY_SIZE(net_call_hooks)

static struct net_probe net_recv_probes[] = {
	NET_PROBE(net_recv, tcp_splice_read, NET_PROBE_SPLICE, NET_PROBE_ACTIVE_FEW),
};

#else

static struct kymo_hook net_call_hooks[0];
#define NET_CALL_HOOKS 0

/*
 * Who gets here: send, sendto, sendmsg, sendmmsg, write, writev, io_uring and the kernel's own users through sock_sendmsg
 * or its inlined likes: inet_sendmsg, inet6_sendmsg; sendfile and splice into a socket: inet_sendpage, which for
 * some protocols and devices ends in inet_sendmsg: only the outer one counts.
 */
static struct net_probe net_send_probes[] = {
	NET_PROBE(net_send, inet_sendmsg, NET_PROBE_MSG, NET_PROBE_ACTIVE_SEND),
	NET_PROBE(net_send, inet6_sendmsg, NET_PROBE_MSG | NET_PROBE_OPTIONAL, NET_PROBE_ACTIVE_SEND),
	NET_PROBE(net_send, inet_sendpage, NET_PROBE_PAGE | NET_PROBE_OPTIONAL, NET_PROBE_ACTIVE_FEW),
};

/*
 * read, readv, recv, recvfrom, recvmsg, recvmmsg, io_uring, and splice from a datagram socket: inet_recvmsg,
 * inet6_recvmsg; IPv6 raw and ping sockets: sock_common_recvmsg; splice from a TCP socket: tcp_splice_read.
 */
static struct net_probe net_recv_probes[] = {
	NET_PROBE(net_recv, inet_recvmsg, NET_PROBE_MSG | NET_PROBE_FLAGS, NET_PROBE_ACTIVE_RECV),
	NET_PROBE(net_recv, inet6_recvmsg, NET_PROBE_MSG | NET_PROBE_FLAGS | NET_PROBE_OPTIONAL, NET_PROBE_ACTIVE_RECV),
	NET_PROBE(net_recv, sock_common_recvmsg, NET_PROBE_MSG | NET_PROBE_FLAGS, NET_PROBE_ACTIVE_FEW),
	NET_PROBE(net_recv, tcp_splice_read, NET_PROBE_SPLICE, NET_PROBE_ACTIVE_FEW),
};
#define NET_CALL_SEND_PROBES net_send_probes

#endif

static bool net_call_probes;	/* work here */

static struct net_probe_set net_call_set(const struct kymo_type *type)
{
	if (net_call_probes && type == &kymo_type_net_recv)
		return (struct net_probe_set) { net_recv_probes, ARRAY_SIZE(net_recv_probes) };
#ifdef NET_CALL_SEND_PROBES
	if (net_call_probes && type == &kymo_type_net_send)
		return (struct net_probe_set) { net_send_probes, ARRAY_SIZE(net_send_probes) };
#endif
	return (struct net_probe_set) { NULL, 0 };
}

/* A return probe sees a call from its start; who waits already is found otherwise, but not on every machine. */
static void net_call_tell_inexact(void)
{
	static const char reason[] = "calls that already wait when it is enabled are not all seen on this machine";

	kymo_type_net_send.flags |= KYMO_TYPE_INEXACT;
	kymo_type_net_send.reason = reason;
	kymo_type_net_recv.flags |= KYMO_TYPE_INEXACT;
	kymo_type_net_recv.reason = reason;
}

void net_call_init(void)
{
	kymo_hooks_init(net_call_hooks, NET_CALL_HOOKS);
	net_call_probes = net_probes_work();
	if (net_call_probes) {
		if (!net_waiting_init())
			net_call_tell_inexact();
		return;
	}
	if (NET_CALL_HOOKS) {
		kymo_type_net_recv.flags |= KYMO_TYPE_INEXACT;
		kymo_type_net_recv.reason = "this kernel has no kprobes: splice from a TCP socket is not seen";
	} else {
		kymo_type_unavailable(&kymo_type_net_send, "this kernel has neither sock_send_length nor kprobes");
		kymo_type_unavailable(&kymo_type_net_recv, "this kernel has neither sock_recv_length nor kprobes");
	}
}

static int net_call_follow(struct kymo_type *type, struct net_probe_set set)
{
	int err = set.probes ? net_waiting_begin(type) : 0;

	if (!err)
		err = net_probes_on(set);
	if (!err && set.probes)
		err = net_waiting_find(type);
	return err;
}

int net_call_on(struct kymo_type *type)
{
	int err;

	if (type != &kymo_type_net_send && type != &kymo_type_net_recv)
		return -ENOENT;
	err = net_call_follow(type, net_call_set(type));
	if (!err && NET_CALL_HOOKS)
		err = kymo_hooks_on(net_call_hooks, NET_CALL_HOOKS, type);
	if (err)
		net_call_off(type);
	return err;
}

void net_call_off(struct kymo_type *type)
{
	const struct net_probe_set set = net_call_set(type);

	kymo_hooks_off(net_call_hooks, NET_CALL_HOOKS, type);
	if (set.probes)
		net_waiting_off(type);
	net_probes_off(set);
}

void net_call_ask(struct kymo_type *type)
{
	if (net_call_set(type).probes)
		net_waiting_ask(type);
}

u64 net_call_missed(const struct kymo_type *type)
{
	return net_probes_missed(net_call_set(type));
}
