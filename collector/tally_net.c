// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts for the network: bytes of socket calls by task and flow, packets and drops by interface. */
#include <stdio.h>
#include <string.h>

#include "tally_internal.h"

enum { TALLY_TCP_CLOSE = 7 };		/* of the kernel's TCP states */

/* net_send and net_recv have the same fields. */
static void tally_call(struct tally *t, const struct event *e, bool send)
{
	const struct kymo_ev_net_send *ev = (const void *)e->data;
	const struct tally_flow_key key = { ev->cookie, ev->netns, ev->family, ev->protocol };
	struct task *task = task_get(t->tasks, ev->tid, ev->pid, NULL);
	struct table *flows = t->table[TALLY_FLOWS];
	struct table_row *row = table_row(flows, &key);

	tally_task_add(t, task, send ? TASK_TX_BYTES : TASK_RX_BYTES, ev->bytes);
	tally_task_add(t, task, TASK_NET_BYTES, ev->bytes);
	tally_task_add(t, task, send ? TASK_TX_CALLS : TASK_RX_CALLS, 1);
	*(send ? &t->totals.tx_bytes : &t->totals.rx_bytes) += ev->bytes;
	table_add(flows, row, FLOW_BYTES, ev->bytes);
	table_add(flows, row, send ? FLOW_TX_BYTES : FLOW_RX_BYTES, ev->bytes);
	table_add(flows, row, send ? FLOW_TX_CALLS : FLOW_RX_CALLS, 1);
	if (!table_is_overflow(row)) {
		struct tally_flow *flow = table_label(row);

		memcpy(flow->saddr, ev->saddr, sizeof(flow->saddr));
		memcpy(flow->daddr, ev->daddr, sizeof(flow->daddr));
		flow->sport = ev->sport;
		flow->dport = ev->dport;
		flow->pid = task->process->pid;
		memcpy(flow->comm, task->process->comm, sizeof(flow->comm));
	}
}

static void tally_retransmit(struct tally *t, const struct event *e)
{
	const struct kymo_ev_tcp_retransmit_skb *ev = (const void *)e->data;
	const struct tally_flow_key key = { ev->cookie, ev->netns, ev->family, 6 /* IPPROTO_TCP */ };
	struct table *flows = t->table[TALLY_FLOWS];
	struct table_row *row = table_row(flows, &key);
	struct tally_flow *flow = table_label(row);

	t->totals.retransmits++;
	table_add(flows, row, FLOW_RETRANSMITS, 1);
	if (table_is_overflow(row) || flow->pid)
		return;
	memcpy(flow->saddr, ev->saddr, sizeof(flow->saddr));
	memcpy(flow->daddr, ev->daddr, sizeof(flow->daddr));
	flow->sport = ev->sport;
	flow->dport = ev->dport;
}

/* Its socket is done with. */
static void tally_state(struct tally *t, const struct event *e)
{
	const struct kymo_ev_inet_sock_set_state *ev = (const void *)e->data;
	const struct tally_flow_key key = { ev->cookie, ev->netns, ev->family, ev->protocol };
	struct table_row *row = ev->newstate == TALLY_TCP_CLOSE ? table_find(t->table[TALLY_FLOWS], &key) : NULL;

	if (row)
		table_row_end(row);
}

static struct table_row *tally_interface(struct tally *t, uint32_t netns, int32_t ifindex, const char name[16])
{
	const struct tally_interface_key key = { netns, ifindex };
	struct table_row *row = table_row(t->table[TALLY_INTERFACES], &key);

	if (!table_is_overflow(row) && name[0])
		memcpy(table_label(row), name, 16);
	return row;
}

/* net_dev_xmit and net_if_receive_skb have the same fields. */
static void tally_packet(struct tally *t, const struct event *e, bool send)
{
	const struct kymo_ev_net_dev_xmit *ev = (const void *)e->data;
	struct table *interfaces = t->table[TALLY_INTERFACES];
	struct table_row *row = tally_interface(t, ev->netns, ev->ifindex, ev->name);

	table_add(interfaces, row, INTERFACE_BYTES, ev->len);
	table_add(interfaces, row, send ? INTERFACE_TX_BYTES : INTERFACE_RX_BYTES, ev->len);
	table_add(interfaces, row, send ? INTERFACE_TX_PACKETS : INTERFACE_RX_PACKETS, 1);
}

static void tally_drop(struct tally *t, const struct event *e)
{
	const struct kymo_ev_skb_kfree *ev = (const void *)e->data;
	const char *reason = (const char *)(ev + 1);
	const struct tally_drop_key key = { .netns = ev->netns, .ifindex = ev->ifindex, .reason = ev->reason };
	struct table *drops = t->table[TALLY_DROPS];
	struct table_row *row = table_row(drops, &key);

	t->totals.drops++;
	table_add(drops, row, DROP_PACKETS, 1);
	table_add(drops, row, DROP_BYTES, ev->len);
	if (!table_is_overflow(row)) {
		struct tally_drop *label = table_label(row);

		memcpy(label->interface, ev->name, sizeof(label->interface));
		snprintf(label->reason, sizeof(label->reason), "%s", reason);
	}
	if (ev->ifindex > 0)
		table_add(t->table[TALLY_INTERFACES], tally_interface(t, ev->netns, ev->ifindex, ev->name), INTERFACE_DROPS, 1);
}

bool tally_net_event(struct tally *t, uint16_t id, const struct event *e)
{
	switch (id) {
	case KYMO_ID_net_send:
	case KYMO_ID_net_recv:
		tally_call(t, e, id == KYMO_ID_net_send);
		return true;
	case KYMO_ID_tcp_retransmit_skb:
		tally_retransmit(t, e);
		return true;
	case KYMO_ID_inet_sock_set_state:
		tally_state(t, e);
		return true;
	case KYMO_ID_net_dev_xmit:
	case KYMO_ID_net_if_receive_skb:
		tally_packet(t, e, id == KYMO_ID_net_dev_xmit);
		return true;
	case KYMO_ID_skb_kfree:
		tally_drop(t, e);
		return true;
	case KYMO_ID_lttng_statedump_network_interface: {
		const struct kymo_ev_lttng_statedump_network_interface *ev = (const void *)e->data;

		tally_interface(t, ev->netns, ev->ifindex, ev->name);
		return true;
	}
	}
	return false;
}
