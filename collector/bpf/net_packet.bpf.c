// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Packets at devices: given to the driver, taken from it, dropped. Lengths are those that the device's own counters
 * add up. A packet that segmentation offload will cut, or that receive offload has joined, is one packet here.
 */
#include "net.h"

enum { PACKET_LOOPBACK = 8, PACKET_ETHERNET = 14, PACKET_NO_HEADER = 0xffff };

/* The cookie if the socket has got one: the kernel does not let us make one through a packet. */
#define PACKET_FILL(ev, skb, dev) do { \
	bpf_probe_read_kernel((ev)->name, sizeof((ev)->name), &(dev)->name); \
	(ev)->ifindex = (dev)->ifindex; \
	(ev)->netns = (dev)->nd_net.net->ns.inum; \
	(ev)->protocol = bpf_ntohs((skb)->protocol); \
	(ev)->cookie = BPF_CORE_READ(skb, sk, __sk_common.skc_cookie.counter); \
} while (0)

/* The loopback device counts packets after it has taken the Ethernet header off, all others with it. */
SEC("tp_btf/net_dev_start_xmit")
int BPF_PROG(net_dev_xmit, struct sk_buff *skb, struct net_device *dev)
{
	struct ev_net_dev_xmit *r = emit_reserve(net_dev_xmit);
	__u32 len;

	if (!r)
		return 0;
	PACKET_FILL(&r->ev, skb, dev);
	len = skb->len;
	if (dev->flags & PACKET_LOOPBACK)
		len -= len < PACKET_ETHERNET ? len : PACKET_ETHERNET;
	r->ev.len = len;
	emit_submit(r);
	return 0;
}

SEC("tp_btf/netif_receive_skb")
int BPF_PROG(net_if_receive_skb, struct sk_buff *skb)
{
	struct ev_net_if_receive_skb *r = emit_reserve(net_if_receive_skb);
	struct net_device *dev = skb->dev;
	__u32 len;

	if (!r)
		return 0;
	PACKET_FILL(&r->ev, skb, dev);
	len = skb->len;
	if (!(dev->flags & PACKET_LOOPBACK) && skb->mac_header != PACKET_NO_HEADER)
		len += (__u64)BPF_CORE_READ(skb, data) - (__u64)BPF_CORE_READ(skb, head) - skb->mac_header;
	r->ev.len = len;
	emit_submit(r);
	return 0;
}

/*
 * A dropped packet's pointers may be something else: queues keep tree nodes and lengths in `dev`, reassembly an
 * offset in `sk`. So they are only read where a fault is allowed, and believed if they lead to a network namespace,
 * which is known by its operations: those of the namespaces of tasks.
 */
static const void *packet_netns_operations;

static __always_inline const void *packet_operations(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	const void *ops;

	if (!packet_netns_operations) {
		ops = BPF_CORE_READ(task, nsproxy, net_ns, ns.ops);
		if (ops)
			packet_netns_operations = ops;
	}
	return packet_netns_operations;
}

static __always_inline __u32 packet_netns(const struct net *net)
{
	const void *ops = packet_operations();

	return ops && BPF_CORE_READ(net, ns.ops) == ops ? BPF_CORE_READ(net, ns.inum) : 0;
}

static __always_inline void packet_sock(struct kymo_ev_skb_kfree *ev, const struct sock *sk)
{
	__u32 netns = sk ? packet_netns(BPF_CORE_READ(sk, __sk_common.skc_net.net)) : 0;

	if (!netns)
		return;
	ev->cookie = BPF_CORE_READ(sk, __sk_common.skc_cookie.counter);
	if (!ev->netns)
		ev->netns = netns;
}

/* The reason's name is the collector's to add. */
static __always_inline int packet_dropped(const struct sk_buff *skb, __u64 location, __u32 reason, const struct sock *sk)
{
	struct ev_skb_kfree *r = emit_reserve_more(skb_kfree, 1);
	struct kymo_ev_skb_kfree ev = {};
	const struct net_device *dev;

	if (!r)
		return 0;
	dev = BPF_CORE_READ(skb, dev);
	ev.netns = dev ? packet_netns(BPF_CORE_READ(dev, nd_net.net)) : 0;
	if (ev.netns) {
		ev.ifindex = BPF_CORE_READ(dev, ifindex);
		bpf_probe_read_kernel(ev.name, sizeof(ev.name), &dev->name);
	} else {
		ev.ifindex = BPF_CORE_READ(skb, skb_iif);
	}
	packet_sock(&ev, sk);
	if (!ev.cookie)
		packet_sock(&ev, BPF_CORE_READ(skb, sk));
	ev.len = BPF_CORE_READ(skb, len);
	ev.protocol = bpf_ntohs(BPF_CORE_READ(skb, protocol));
	ev.location = location;
	ev.reason = reason;
	r->ev = ev;
	*((char *)&r->ev + sizeof(r->ev)) = 0;
	r->head.len = sizeof(r->ev) + 1;
	emit_submit(r);
	return 0;
}

/* The kernel has had the receiving socket as a parameter since 6.11. */
SEC("raw_tp/kfree_skb")
int skb_kfree(struct bpf_raw_tracepoint_args *ctx)
{
	return packet_dropped((void *)ctx->args[0], ctx->args[1], ctx->args[2], (void *)ctx->args[3]);
}

SEC("raw_tp/kfree_skb")
int skb_kfree__older(struct bpf_raw_tracepoint_args *ctx)
{
	return packet_dropped((void *)ctx->args[0], ctx->args[1], ctx->args[2], NULL);
}

char _license[] SEC("license") = "Dual BSD/GPL";
