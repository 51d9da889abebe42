// SPDX-License-Identifier: GPL-2.0-only
/*
 * The net source: puts its parts together, and the state changes and retransmits of TCP. Knows who the two ends of a
 * socket are. Only AF_INET and AF_INET6 sockets are seen.
 */
#include <linux/in6.h>
#include <linux/sock_diag.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/tcp_states.h>
#include <trace/events/sock.h>
#include <trace/events/tcp.h>
#include "emit.h"
#include "hook.h"
#include "source_net.h"

/*
 * __sock_gen_cookie is not exported, sock_diag_save_cookie does the same. The small sockets of a handshake or of
 * TIME_WAIT have a cookie only if somebody else gave them one.
 */
u64 net_cookie(const struct sock *sk)
{
	u32 half[2];

	if (!sk)
		return 0;
	if (!sk_fullsock(sk))
		return atomic64_read(&sk->sk_cookie);
	sock_diag_save_cookie((struct sock *)sk, half);
	return half[0] | (u64)half[1] << 32;
}

static void net_address_v4(u8 address[16], __be32 v4)
{
	memset(address, 0, 10);
	memset(address + 10, 0xff, 2);
	memcpy(address + 12, &v4, 4);
}

static bool net_address_is_v4(const u8 address[16])
{
	return ipv6_addr_v4mapped((const struct in6_addr *)address);
}

static bool net_address_is_any(const u8 address[16])
{
	return ipv6_addr_any((const struct in6_addr *)address);
}

/* One rule for all net events: the family of the packets. Where the peer is not known the local end tells. */
static void net_ends_find_family(struct net_ends *ends)
{
	const u8 *address = net_address_is_any(ends->daddr) ? ends->saddr : ends->daddr;

	ends->family = net_address_is_v4(address) ? AF_INET : AF_INET6;
}

void net_ends_of_sock(struct net_ends *ends, const struct sock *sk)
{
	const struct inet_sock *inet = inet_sk(sk);

	ends->cookie = net_cookie(sk);
	ends->netns = sock_net(sk)->ns.inum;
	ends->protocol = sk->sk_protocol;
	ends->sport = ntohs(inet->inet_sport);
	ends->dport = ntohs(inet->inet_dport);
	if (sk->sk_type == SOCK_RAW)	/* has its protocol there */
		ends->sport = ends->dport = 0;
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6) {
		memcpy(ends->saddr, &sk->sk_v6_rcv_saddr, sizeof(ends->saddr));
		memcpy(ends->daddr, &sk->sk_v6_daddr, sizeof(ends->daddr));
		net_ends_find_family(ends);
		return;
	}
#endif
	net_address_v4(ends->saddr, inet->inet_saddr);
	net_address_v4(ends->daddr, inet->inet_daddr);
	ends->family = AF_INET;
}

void net_ends_take_peer(struct net_ends *ends, const void *name, int name_bytes)
{
	const struct sockaddr_in6 *v6 = name;
	const struct sockaddr_in *v4 = name;

	if (!name || name_bytes < (int)sizeof(*v4))
		return;
	if (v4->sin_family == AF_INET) {
		net_address_v4(ends->daddr, v4->sin_addr.s_addr);
		ends->dport = ntohs(v4->sin_port);
	} else if (v4->sin_family == AF_INET6 && name_bytes >= SIN6_LEN_RFC2133) {
		memcpy(ends->daddr, &v6->sin6_addr, sizeof(ends->daddr));
		ends->dport = ntohs(v6->sin6_port);
	} else {
		return;
	}
	net_ends_find_family(ends);
}

static void net_retransmit_probe(void *type, const struct sock *sk, const struct sk_buff *skb)
{
	struct kymo_ev_tcp_retransmit_skb ev = { .state = sk->sk_state };
	struct net_ends ends;

	net_ends_of_sock(&ends, sk);
	NET_ENDS_COPY(&ev, &ends);
	kymo_emit(tcp_retransmit_skb, &ev);
}

static void net_state_probe(void *type, const struct sock *sk, const int oldstate, const int newstate)
{
	struct kymo_ev_inet_sock_set_state ev = {
		.oldstate = oldstate, .newstate = newstate, .protocol = sk->sk_protocol,
	};
	struct net_ends ends;

	net_ends_of_sock(&ends, sk);
	/* A listener's child just cloned: the kernel sets its cookie anew right after this, to that of the request. */
	if (oldstate == TCP_LISTEN && newstate == TCP_SYN_RECV)
		ends.cookie = 0;
	NET_ENDS_COPY(&ev, &ends);
	kymo_emit(inet_sock_set_state, &ev);
}

static struct kymo_hook net_hooks[] = {
	KYMO_HOOK(kymo_type_tcp_retransmit_skb, tcp_retransmit_skb, net_retransmit_probe),
	KYMO_HOOK(kymo_type_inet_sock_set_state, inet_sock_set_state, net_state_probe),
};

static int net_init(void)
{
	kymo_hooks_init(net_hooks, ARRAY_SIZE(net_hooks));
	net_packet_init();
	net_call_init();
	return 0;
}

/* Each part answers -ENOENT for a type that is not its own. */
static int net_type_on(struct kymo_type *type)
{
	int err = kymo_hooks_on(net_hooks, ARRAY_SIZE(net_hooks), type);

	if (err == -ENOENT)
		err = net_packet_on(type);
	if (err == -ENOENT)
		err = net_call_on(type);
	return err;
}

static void net_type_off(struct kymo_type *type)
{
	kymo_hooks_off(net_hooks, ARRAY_SIZE(net_hooks), type);
	net_packet_off(type);
	net_call_off(type);
}

static int net_sub_on(struct kymo_sub *sub)
{
	sub->priv = (void *)(unsigned long)net_call_missed(sub->type);
	return 0;
}

static void net_sub_missed(struct kymo_sub *sub)
{
	unsigned long now;

	net_call_ask(sub->type);
	now = net_call_missed(sub->type);
	kymo_sub_missed(sub, now - (unsigned long)sub->priv);
	sub->priv = (void *)now;
}

struct kymo_source kymo_source_net = {
	.name = "net",
	.init = net_init,
	.type_on = net_type_on,
	.type_off = net_type_off,
	.sub_on = net_sub_on,
	.sub_missed = net_sub_missed,
};
