// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets at devices: given to the driver, taken from it, dropped. Lengths are those that the device's own counters
 * add up. A packet that segmentation offload will cut, or that receive offload has joined, is one packet here.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/uaccess.h>
#include <net/dropreason.h>
#include <net/net_namespace.h>
#include <trace/events/net.h>
#include <trace/events/skb.h>
#include "emit.h"
#include "hook.h"
#include "source_net.h"

/* The loopback device counts packets after it has taken the Ethernet header off, all others with it. */
static u32 packet_mac_bytes(const struct sk_buff *skb, const struct net_device *dev)
{
	return dev->flags & IFF_LOOPBACK || !skb_mac_header_was_set(skb) ? 0 : skb->data - skb_mac_header(skb);
}

static void packet_xmit_probe(void *type, const struct sk_buff *skb, const struct net_device *dev)
{
	struct kymo_ev_net_dev_xmit ev = {
		.ifindex = dev->ifindex, .netns = dev_net(dev)->ns.inum, .len = skb->len,
		.protocol = ntohs(skb->protocol), .cookie = net_cookie(skb->sk),
	};

	if (dev->flags & IFF_LOOPBACK)
		ev.len -= min_t(u32, ev.len, ETH_HLEN);
	memcpy(ev.name, dev->name, sizeof(ev.name));
	kymo_emit(net_dev_xmit, &ev);
}

static void packet_receive_probe(void *type, struct sk_buff *skb)
{
	const struct net_device *dev = skb->dev;
	struct kymo_ev_net_if_receive_skb ev = {
		.ifindex = dev->ifindex, .netns = dev_net(dev)->ns.inum, .len = skb->len + packet_mac_bytes(skb, dev),
		.protocol = ntohs(skb->protocol), .cookie = net_cookie(skb->sk),
	};

	memcpy(ev.name, dev->name, sizeof(ev.name));
	kymo_emit(net_if_receive_skb, &ev);
}

/*
 * A dropped packet's pointers may be something else: queues keep tree nodes and lengths in `dev`, reassembly an
 * offset in `sk`. So they are only read where a fault is allowed, and believed if they lead to a network namespace,
 * which is known by its operations.
 */
static bool packet_netns_read(const possible_net_t *owner, u32 *inum)
{
	struct ns_common ns;
	possible_net_t copy;

	if (copy_from_kernel_nofault(&copy, owner, sizeof(copy)) ||
	    copy_from_kernel_nofault(&ns, &read_pnet(&copy)->ns, sizeof(ns)) || ns.ops != init_net.ns.ops)
		return false;
	*inum = ns.inum;
	return true;
}

static bool packet_device_read(const struct net_device *dev, struct kymo_ev_skb_kfree *ev)
{
	char name[IFNAMSIZ];
	int ifindex;

	if (!packet_netns_read(&dev->nd_net, &ev->netns) ||
	    copy_from_kernel_nofault(&ifindex, &dev->ifindex, sizeof(ifindex)) ||
	    copy_from_kernel_nofault(name, dev->name, sizeof(name)))
		return false;
	ev->ifindex = ifindex;
	memcpy(ev->name, name, sizeof(ev->name));
	return true;
}

static bool packet_sock_read(const struct sock *sk, struct kymo_ev_skb_kfree *ev)
{
	u64 cookie;
	u32 netns;

	if (!packet_netns_read(&sk->__sk_common.skc_net, &netns) ||
	    copy_from_kernel_nofault(&cookie, &sk->sk_cookie, sizeof(cookie)))
		return false;
	ev->cookie = cookie;
	if (!ev->netns)
		ev->netns = netns;
	return true;
}

#define PACKET_REASON(name) [SKB_DROP_REASON_##name] = #name,
#define PACKET_REASON_END(name)
static const char *const packet_reasons[] = { DEFINE_DROP_REASON(PACKET_REASON, PACKET_REASON_END) };

/* Empty for the numbers of subsystems that are modules. */
static const char *packet_reason_name(unsigned int reason)
{
	return reason < ARRAY_SIZE(packet_reasons) && packet_reasons[reason] ? packet_reasons[reason] : "";
}

static void packet_dropped(const struct sk_buff *skb, const void *location, unsigned int reason, const struct sock *sk)
{
	struct kymo_ev_skb_kfree ev = {
		.len = skb->len, .protocol = ntohs(skb->protocol), .location = (unsigned long)location, .reason = reason,
	};

	if (!packet_device_read(skb->dev, &ev))
		ev.ifindex = skb->skb_iif;
	if (!sk || !packet_sock_read(sk, &ev))
		packet_sock_read(skb->sk, &ev);
	kymo_emit_string(skb_kfree, &ev, packet_reason_name(reason));
}

#ifdef KYMO_HAVE_kfree_skb_rx_sk
static void packet_drop_probe(void *type, struct sk_buff *skb, void *location, enum skb_drop_reason reason,
			      struct sock *rx_sk)
{
	packet_dropped(skb, location, reason, rx_sk);
}
#else
static void packet_drop_probe(void *type, struct sk_buff *skb, void *location, enum skb_drop_reason reason)
{
	packet_dropped(skb, location, reason, NULL);
}
#endif

static struct kymo_hook packet_hooks[] = {
	KYMO_HOOK(kymo_type_net_dev_xmit, net_dev_start_xmit, packet_xmit_probe),
	KYMO_HOOK(kymo_type_net_if_receive_skb, netif_receive_skb, packet_receive_probe),
	KYMO_HOOK(kymo_type_skb_kfree, kfree_skb, packet_drop_probe),
};

void net_packet_init(void)
{
	kymo_hooks_init(packet_hooks, ARRAY_SIZE(packet_hooks));
}

int net_packet_on(struct kymo_type *type)
{
	return kymo_hooks_on(packet_hooks, ARRAY_SIZE(packet_hooks), type);
}

void net_packet_off(struct kymo_type *type)
{
	kymo_hooks_off(packet_hooks, ARRAY_SIZE(packet_hooks), type);
}
