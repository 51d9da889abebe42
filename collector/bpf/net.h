/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who the two ends of a socket are. Only AF_INET and AF_INET6 sockets are seen. */
#ifndef KYMO_BPF_NET_H
#define KYMO_BPF_NET_H

#include "emit.h"
#include <bpf/bpf_endian.h>

enum { NET_INET = 2, NET_INET6 = 10, NET_RAW = 3, NET_STATE_TIME_WAIT = 6, NET_STATE_NEW_SYN_RECV = 12 };

static __always_inline bool net_family_known(const struct sock *sk)
{
	return sk->__sk_common.skc_family == NET_INET || sk->__sk_common.skc_family == NET_INET6;
}

/* The small sockets of a handshake or of TIME_WAIT have a cookie only if somebody else gave them one. */
static __always_inline __u64 net_cookie(struct sock *sk)
{
	if (!sk)
		return 0;
	if (sk->__sk_common.skc_state == NET_STATE_TIME_WAIT || sk->__sk_common.skc_state == NET_STATE_NEW_SYN_RECV)
		return sk->__sk_common.skc_cookie.counter;
	return bpf_get_socket_cookie(sk);
}

struct net_address {
	union {
		__u64 half[2];
		__u32 word[4];
	};
};

static __always_inline void net_address_v4(struct net_address *a, __u32 v4)
{
	a->half[0] = 0;
	a->word[2] = bpf_htonl(0xffff);
	a->word[3] = v4;
}

static __always_inline bool net_address_is_v4(const struct net_address *a)
{
	return !a->half[0] && a->word[2] == bpf_htonl(0xffff);
}

struct net_ends {
	struct net_address saddr, daddr;
	__u16 sport, dport, family;
	__u32 netns;
};

/* One rule for all net events: the family of the packets. Where the peer is not known the local end tells. */
static __always_inline void net_ends_of_sock(struct net_ends *ends, const struct sock *sk)
{
	const struct inet_sock *inet = (const struct inet_sock *)sk;
	const struct net_address *told;

	ends->netns = sk->__sk_common.skc_net.net->ns.inum;
	ends->sport = bpf_ntohs(BPF_CORE_READ(inet, inet_sport));
	ends->dport = bpf_ntohs(sk->__sk_common.skc_dport);
	if (sk->sk_type == NET_RAW)	/* has its protocol there */
		ends->sport = ends->dport = 0;
	if (sk->__sk_common.skc_family != NET_INET6) {
		net_address_v4(&ends->saddr, BPF_CORE_READ(inet, inet_saddr));
		net_address_v4(&ends->daddr, sk->__sk_common.skc_daddr);
		ends->family = NET_INET;
		return;
	}
	bpf_probe_read_kernel(&ends->saddr, sizeof(ends->saddr), &sk->__sk_common.skc_v6_rcv_saddr);
	bpf_probe_read_kernel(&ends->daddr, sizeof(ends->daddr), &sk->__sk_common.skc_v6_daddr);
	told = ends->daddr.half[0] || ends->daddr.half[1] ? &ends->daddr : &ends->saddr;
	ends->family = net_address_is_v4(told) ? NET_INET : NET_INET6;
}

static __always_inline void net_address_copy(__u8 to[16], const struct net_address *from)
{
	((__u64 *)to)[0] = from->half[0];
	((__u64 *)to)[1] = from->half[1];
}

#define NET_ENDS_COPY(to, ends) do { \
	(to)->netns = (ends)->netns; \
	(to)->family = (ends)->family; \
	net_address_copy((to)->saddr, &(ends)->saddr); \
	net_address_copy((to)->daddr, &(ends)->daddr); \
	(to)->sport = (ends)->sport; \
	(to)->dport = (ends)->dport; \
} while (0)

#endif
