// SPDX-License-Identifier: GPL-2.0-only
/* Return probes on functions that send or receive; see the header. Knows nothing of tracepoints. */
#include <linux/moduleparam.h>
#include <linux/net.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/socket.h>
#include "emit.h"
#include "source_net.h"
#include "source_net_probe.h"
#include "source_net_waiting.h"

static int net_recv_active = 16384;
module_param(net_recv_active, int, 0444);
MODULE_PARM_DESC(net_recv_active,
		 "receive calls that may wait at the same time before some are lost (kernels without sock_recv_length)");

static int net_send_active = 4096;
module_param(net_send_active, int, 0444);
MODULE_PARM_DESC(net_send_active,
		 "send calls that may wait at the same time before some are lost (kernels without sock_send_length)");

enum { NET_PROBE_FEW = 1024, NET_PROBE_LIMIT_MIN = 16, NET_PROBE_LIMIT_MAX = 1 << 20 };

/* What the entry leaves for the return: the call's own arguments, which live until then. */
struct net_probe_call {
	struct sock *sk;
	const struct msghdr *msg;	/* NULL: has none */
};

static struct net_probe *net_probe_of(struct kretprobe_instance *instance)
{
	struct kretprobe *rp = get_kretprobe(instance);

	return rp ? container_of(rp, struct net_probe, rp) : NULL;
}

/* The one with NET_PROBE_PAGE while it is on: calls inside its calls are not counted again. */
static struct net_probe *net_probe_outer;

/* Current is inside a call that `probe` follows: the kernel lists a task's return probes. */
static bool net_probe_holds_current(const struct net_probe *probe)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	struct rethook_node *node;

	if (in_serving_softirq())
		return false;
	llist_for_each_entry(node, current->rethooks.first, llist)
		if (node->rethook == probe->rp.rh)
			return true;
#else
	struct kretprobe_instance *instance;

	if (in_serving_softirq())
		return false;
	llist_for_each_entry(instance, current->kretprobe_instances.first, llist)
		if (get_kretprobe(instance) == &probe->rp)
			return true;
#endif
	return false;
}

/* Not zero: this call is not followed, its instance goes back. */
static int net_probe_enter(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct net_probe *probe = net_probe_of(instance);
	struct net_probe_call *call = (struct net_probe_call *)instance->data;
	struct socket *sock = (struct socket *)regs_get_kernel_argument(regs, 0);

	if (!probe || !net_family_known(sock->sk))
		return 1;
	if (probe->flags & NET_PROBE_FLAGS && regs_get_kernel_argument(regs, 3) & (MSG_PEEK | MSG_ERRQUEUE))
		return 1;
	if (probe->flags & NET_PROBE_MSG && net_probe_outer && net_probe_holds_current(net_probe_outer))
		return 1;
	net_waiting_entered(probe->type);
	if (atomic_inc_return(&probe->inside) > probe->limit) {
		atomic_dec(&probe->inside);
		kymo_emit_lost(probe->type, KYMO_LOSS_PROBE_MISSED);
		return 1;
	}
	call->sk = sock->sk;
	call->msg = probe->flags & NET_PROBE_MSG ? (const struct msghdr *)regs_get_kernel_argument(regs, 1) : NULL;
	return 0;
}

static int net_probe_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct net_probe *probe = net_probe_of(instance);
	struct net_probe_call *call = (struct net_probe_call *)instance->data;
	long bytes = regs_return_value(regs);

	if (!probe)
		return 0;
	atomic_dec(&probe->inside);
	if (probe->flags & NET_PROBE_MSG)
		bytes = (int)bytes;
	if (bytes > 0)
		net_call_moved_on(probe->type, call->sk, bytes, call->msg ? call->msg->msg_name : NULL,
				  call->msg ? call->msg->msg_namelen : 0);
	return 0;
}

static int net_probe_limit(enum net_probe_active active)
{
	switch (active) {
	case NET_PROBE_ACTIVE_SEND:
		return clamp_t(int, net_send_active, NET_PROBE_LIMIT_MIN, NET_PROBE_LIMIT_MAX);
	case NET_PROBE_ACTIVE_RECV:
		return clamp_t(int, net_recv_active, NET_PROBE_LIMIT_MIN, NET_PROBE_LIMIT_MAX);
	default:
		return NET_PROBE_FEW;
	}
}

/* The kernel wants a struct without traces of an earlier registration. Calls that were inside then never come back. */
static int net_probe_on(struct net_probe *probe)
{
	int err;

	probe->limit = net_probe_limit(probe->active);
	atomic_set(&probe->inside, 0);
	memset(&probe->rp, 0, sizeof(probe->rp));
	probe->rp.kp.symbol_name = probe->symbol;
	probe->rp.entry_handler = net_probe_enter;
	probe->rp.handler = net_probe_return;
	probe->rp.data_size = sizeof(struct net_probe_call);
	probe->rp.maxactive = probe->limit + 16 + 4 * num_possible_cpus();
	err = register_kretprobe(&probe->rp);
	if (err == -ENOENT && probe->flags & NET_PROBE_OPTIONAL)
		return 0;
	probe->on = !err;
	if (probe->on && probe->flags & NET_PROBE_PAGE)
		WRITE_ONCE(net_probe_outer, probe);
	return err;
}

/* What the kernel did not even show to our entry handler: a socket call inside some probe's handler. */
static u64 net_probe_missed_now(const struct net_probe *probe)
{
	return READ_ONCE(probe->rp.nmissed) + READ_ONCE(probe->rp.kp.nmissed);
}

static void net_probe_off(struct net_probe *probe)
{
	if (!probe->on)
		return;
	if (probe->flags & NET_PROBE_PAGE)
		WRITE_ONCE(net_probe_outer, NULL);
	unregister_kretprobe(&probe->rp);
	probe->on = false;
	probe->missed += net_probe_missed_now(probe);
}

int net_probes_on(struct net_probe_set set)
{
	unsigned int i;
	int err;

	for (i = 0; i < set.probes; i++) {
		err = net_probe_on(&set.probe[i]);
		if (err) {
			net_probes_off(set);
			return err;
		}
	}
	return 0;
}

void net_probes_off(struct net_probe_set set)
{
	unsigned int i;

	for (i = 0; i < set.probes; i++)
		net_probe_off(&set.probe[i]);
}

u64 net_probes_missed(struct net_probe_set set)
{
	u64 missed = 0;
	unsigned int i;

	for (i = 0; i < set.probes; i++)
		missed += set.probe[i].missed + (set.probe[i].on ? net_probe_missed_now(&set.probe[i]) : 0);
	return missed;
}

/* Tries one that every kernel has, without arming it. */
bool net_probes_work(void)
{
	struct kprobe probe = { .symbol_name = "tcp_splice_read", .flags = KPROBE_FLAG_DISABLED };

	if (register_kprobe(&probe))
		return false;
	unregister_kprobe(&probe);
	return true;
}
