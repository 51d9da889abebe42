// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Socket calls that moved data, charged to the task that made the call; TCP's state changes and retransmits. The
 * kernel does not tell the peer of an unconnected socket's datagram here.
 */
#include "net.h"

enum { CALL_PEEK = 2, CALL_ERRQUEUE = 0x2000, CALL_TCP_LISTEN = 10, CALL_TCP_SYN_RECV = 3 };

#define CALL_MOVED(name, sk, moved) do { \
	struct ev_##name *r; \
	struct net_ends ends; \
	__u64 who; \
	\
	if ((moved) <= 0 || !net_family_known(sk)) \
		return 0; \
	r = emit_reserve(name); \
	if (!r) \
		return 0; \
	who = bpf_get_current_pid_tgid(); \
	r->ev.tid = (__u32)who; \
	r->ev.pid = who >> 32; \
	net_ends_of_sock(&ends, sk); \
	r->ev.cookie = net_cookie(sk); \
	NET_ENDS_COPY(&r->ev, &ends); \
	r->ev.protocol = (sk)->sk_protocol; \
	r->ev.bytes = (moved); \
	emit_submit(r); \
} while (0)

SEC("tp_btf/sock_send_length")
int BPF_PROG(net_send, struct sock *sk, int ret, int flags)
{
	CALL_MOVED(net_send, sk, ret);
	return 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(net_recv, struct sock *sk, int ret, int flags)
{
	if (flags & (CALL_PEEK | CALL_ERRQUEUE))
		return 0;
	CALL_MOVED(net_recv, sk, ret);
	return 0;
}

SEC("tp_btf/tcp_retransmit_skb")
int BPF_PROG(tcp_retransmit_skb, struct sock *sk)
{
	struct ev_tcp_retransmit_skb *r = emit_reserve(tcp_retransmit_skb);
	struct net_ends ends;

	if (!r)
		return 0;
	net_ends_of_sock(&ends, sk);
	r->ev.cookie = net_cookie(sk);
	NET_ENDS_COPY(&r->ev, &ends);
	r->ev.state = sk->__sk_common.skc_state;
	emit_submit(r);
	return 0;
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(inet_sock_set_state, struct sock *sk, int oldstate, int newstate)
{
	struct ev_inet_sock_set_state *r = emit_reserve(inet_sock_set_state);
	struct net_ends ends;

	if (!r)
		return 0;
	net_ends_of_sock(&ends, sk);
	/* A listener's child just cloned: the kernel sets its cookie anew right after this, to that of the request. */
	r->ev.cookie = oldstate == CALL_TCP_LISTEN && newstate == CALL_TCP_SYN_RECV ? 0 : net_cookie(sk);
	NET_ENDS_COPY(&r->ev, &ends);
	r->ev.oldstate = oldstate;
	r->ev.newstate = newstate;
	r->ev.protocol = sk->sk_protocol;
	emit_submit(r);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
