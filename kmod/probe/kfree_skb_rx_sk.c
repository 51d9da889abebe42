// SPDX-License-Identifier: GPL-2.0-only
/* "net: add rx_sk to trace_kfree_skb" */
#include <linux/skbuff.h>
#include <linux/tracepoint.h>
#include <trace/events/skb.h>
void probe(void (*cb)(void *, struct sk_buff *, void *, enum skb_drop_reason, struct sock *));
void probe(void (*cb)(void *, struct sk_buff *, void *, enum skb_drop_reason, struct sock *))
{
	check_trace_callback_type_kfree_skb(cb);
}
