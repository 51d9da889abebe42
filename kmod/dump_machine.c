// SPDX-License-Identifier: GPL-2.0-only
/* The start dump's kernel modules, interrupts and network interfaces. */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include "compat.h"
#include "dump_part.h"
#include "task.h"

/* ---- modules ---- */

/*
 * The kernel does not export the head of its list of modules, but we are in that list ourselves: round it once. The
 * head is the one member that is not in memory where modules lie.
 */
static bool dump_is_module(const struct module *module)
{
	const unsigned long at = (unsigned long)module;

#ifdef MODULES_VADDR
	if (at >= MODULES_VADDR && at < MODULES_END)
		return true;
#endif
	return is_vmalloc_addr((const void *)at);
}

static bool dump_module(struct kymo_sub *sub, const struct module *module)
{
	struct kymo_ev_lttng_statedump_module ev;
	u32 bytes;

	ev.base = task_module_base(module, &bytes);
	ev.bytes = bytes;
	return module->state == MODULE_STATE_UNFORMED ||
	       dump_put(sub, &ev, sizeof(ev), module->name, sizeof(module->name));
}

/* cursor: base of the first module that is not written yet. If that one has gone meanwhile: all of them once more. */
static int dump_modules_from(struct kymo_sub *sub, u64 *base)
{
	struct module *module = THIS_MODULE;
	bool skip = *base;
	u32 bytes;

	do {
		if (dump_is_module(module)) {
			skip = skip && task_module_base(module, &bytes) != *base;
			if (!skip && !dump_module(sub, module)) {
				*base = task_module_base(module, &bytes);
				return DUMP_FULL;
			}
		}
		module = list_entry_rcu(module->list.next, struct module, list);
	} while (module != THIS_MODULE);
	return skip ? -ESTALE : 0;
}

int dump_modules(struct dump_out *out)
{
	struct kymo_sub *sub = kymo_session_sub(out->session, &kymo_type_lttng_statedump_module);
	int err;

	if (!sub)
		return 0;
	/* A module leaves the list before a grace period, its memory after it. */
	rcu_read_lock();
	err = dump_modules_from(sub, &out->cursor[0]);
	if (err == -ESTALE) {
		out->cursor[0] = 0;
		err = dump_modules_from(sub, &out->cursor[0]);
	}
	rcu_read_unlock();
	return err;
}

/* ---- interrupts ---- */

static bool dump_action(struct kymo_sub *sub, unsigned int irq, const char *chip, const char *action)
{
	const struct kymo_ev_lttng_statedump_interrupt ev = { .irq = irq };
	const struct kymo_part part[] = {
		{ &ev, sizeof(ev) },
		{ chip, strnlen(chip, KYMO_NAME_BYTES) }, { "", 1 },
		{ action, strnlen(action, KYMO_NAME_BYTES) }, { "", 1 },
	};

	return kymo_emit_dump(sub, part, ARRAY_SIZE(part));
}

/* All handlers of one interrupt, from number *from on. */
static bool dump_actions(struct kymo_sub *sub, unsigned int irq, struct irq_desc *desc, u64 *from)
{
	const struct irqaction *action;
	const char *chip;
	unsigned long flags;
	bool room = true;
	u64 n = 0;

	/* While it is held no handler is taken away: names stay. */
	raw_spin_lock_irqsave(&desc->lock, flags);
	chip = desc->irq_data.chip && desc->irq_data.chip->name ? desc->irq_data.chip->name : "";
	for (action = desc->action; action && room; action = action->next, n++) {
		if (n < *from)
			continue;
		room = dump_action(sub, irq, chip, action->name ?: "");
		*from += room;
	}
	raw_spin_unlock_irqrestore(&desc->lock, flags);
	return room;
}

/* cursor: the interrupt; how many of its handlers have been written. irq_to_desc is not exported, its data is. */
int dump_interrupts(struct dump_out *out)
{
	struct kymo_sub *sub = kymo_session_sub(out->session, &kymo_type_lttng_statedump_interrupt);
	struct irq_data *data;
	bool room = true;

	for (; sub && out->cursor[0] < irq_get_nr_irqs(); out->cursor[0]++, out->cursor[1] = 0) {
		rcu_read_lock();
		data = irq_get_irq_data(out->cursor[0]);
		if (data)
			room = dump_actions(sub, out->cursor[0], irq_data_to_desc(data), &out->cursor[1]);
		rcu_read_unlock();
		if (!room)
			return DUMP_FULL;
	}
	return 0;
}

/* ---- network interfaces ---- */

static bool dump_interface(struct kymo_sub *sub, const struct net *net, const struct net_device *dev)
{
	struct kymo_ev_lttng_statedump_network_interface ev = { .ifindex = dev->ifindex, .netns = net->ns.inum };

	strscpy(ev.name, dev->name, sizeof(ev.name));
	return dump_put(sub, &ev, sizeof(ev), NULL, 0);
}

/* cursor: namespace and index of the first one not written yet. If it has gone meanwhile: all of them once more. */
static int dump_interfaces_from(struct kymo_sub *sub, u64 cursor[2])
{
	struct net_device *dev;
	struct net *net;
	bool skip = cursor[0];

	for_each_net(net) {
		for_each_netdev_rcu(net, dev) {
			skip = skip && (net->ns.inum != cursor[0] || dev->ifindex != cursor[1]);
			if (!skip && !dump_interface(sub, net, dev)) {
				cursor[0] = net->ns.inum;
				cursor[1] = dev->ifindex;
				return DUMP_FULL;
			}
		}
	}
	return skip ? -ESTALE : 0;
}

int dump_interfaces(struct dump_out *out)
{
	struct kymo_sub *sub = kymo_session_sub(out->session, &kymo_type_lttng_statedump_network_interface);
	int err;

	if (!sub)
		return 0;
	down_read(&net_rwsem);
	rcu_read_lock();
	err = dump_interfaces_from(sub, out->cursor);
	if (err == -ESTALE) {
		out->cursor[0] = 0;
		err = dump_interfaces_from(sub, out->cursor);
	}
	rcu_read_unlock();
	up_read(&net_rwsem);
	return err;
}
