/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the net source share: the two ends of a socket, and the names of the parts. */
#ifndef KYMO_SOURCE_NET_H
#define KYMO_SOURCE_NET_H

#include <net/sock.h>
#include "type.h"

/* As the event types of kymo/event.h have them. Addresses are 16 bytes, ports in host order. */
struct net_ends {
	u64 cookie;
	u32 netns;
	u16 family;			/* of the packets: AF_INET too for an AF_INET6 socket with an IPv4 peer */
	u16 protocol;
	u16 sport;
	u16 dport;
	u8 saddr[16];
	u8 daddr[16];
};

void net_ends_of_sock(struct net_ends *ends, const struct sock *sk);
/* The peer of one datagram, from the address that the caller gave or got. */
void net_ends_take_peer(struct net_ends *ends, const void *name, int name_bytes);

/* Made if there is none yet; 0 where there is no socket. Any context. */
u64 net_cookie(const struct sock *sk);

static inline bool net_family_known(const struct sock *sk)
{
	return sk && (sk->sk_family == AF_INET || sk->sk_family == AF_INET6);
}

#define NET_ENDS_COPY(ev, ends) do { \
	(ev)->cookie = (ends)->cookie; \
	(ev)->netns = (ends)->netns; \
	(ev)->family = (ends)->family; \
	(ev)->sport = (ends)->sport; \
	(ev)->dport = (ends)->dport; \
	memcpy((ev)->saddr, (ends)->saddr, sizeof((ev)->saddr)); \
	memcpy((ev)->daddr, (ends)->daddr, sizeof((ev)->daddr)); \
} while (0)

/* source_net_call.c: net_send, net_recv. -ENOENT: not one of its types. */
void net_call_init(void);
int net_call_on(struct kymo_type *type);
void net_call_off(struct kymo_type *type);
/* A count that runs free: what the kernel's probes did not see. */
u64 net_call_missed(const struct kymo_type *type);
/* What ends without passing a hook is counted as missed. Under the catalogue's mutex. */
void net_call_ask(struct kymo_type *type);
/* `bytes` were moved by current. */
void net_call_moved(struct kymo_type *type, const struct net_ends *ends, long bytes);
/* The same; peer: the address of an unconnected socket's datagram or NULL. */
void net_call_moved_on(struct kymo_type *type, const struct sock *sk, long bytes, const void *peer, int peer_bytes);

/* source_net_packet.c: what devices do with packets. */
void net_packet_init(void);
int net_packet_on(struct kymo_type *type);
void net_packet_off(struct kymo_type *type);

#endif
