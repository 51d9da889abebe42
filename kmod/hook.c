// SPDX-License-Identifier: GPL-2.0-only
/* Finds the kernel's tracepoints by name and attaches the probes of the sources to them. */
#include <linux/string.h>
#include "hook.h"

struct hook_search {
	struct kymo_hook *hook;
	unsigned int hooks;
};

static void hook_match(struct tracepoint *tracepoint, void *priv)
{
	struct hook_search *search = priv;
	unsigned int i;

	for (i = 0; i < search->hooks; i++)
		if (!strcmp(search->hook[i].name, tracepoint->name))
			search->hook[i].tracepoint = tracepoint;
}

void kymo_hooks_init(struct kymo_hook *hook, unsigned int hooks)
{
	struct hook_search search = { hook, hooks };
	unsigned int i;

	for_each_kernel_tracepoint(hook_match, &search);
	for (i = 0; i < hooks; i++) {
		if (!hook[i].tracepoint) {
			kymo_type_unavailable(hook[i].type,
					      "this kernel does not have the tracepoint that it comes from");
		} else if (!hook[i].probe) {
			hook[i].tracepoint = NULL;
			kymo_type_unavailable(hook[i].type,
					      "this kernel's tracepoint has arguments that this module does not know");
		}
	}
}

struct tracepoint *kymo_hook_find(const char *name)
{
	struct kymo_hook hook = { .name = name };
	struct hook_search search = { &hook, 1 };

	for_each_kernel_tracepoint(hook_match, &search);
	return hook.tracepoint;
}

static struct kymo_hook *hook_of(struct kymo_hook *hook, unsigned int hooks, const struct kymo_type *type)
{
	unsigned int i;

	for (i = 0; i < hooks; i++)
		if (hook[i].type == type && hook[i].tracepoint)
			return &hook[i];
	return NULL;
}

int kymo_hooks_on(struct kymo_hook *hook, unsigned int hooks, const struct kymo_type *type)
{
	hook = hook_of(hook, hooks, type);
	return hook ? tracepoint_probe_register(hook->tracepoint, hook->probe, hook->type) : -ENOENT;
}

void kymo_hooks_off(struct kymo_hook *hook, unsigned int hooks, const struct kymo_type *type)
{
	hook = hook_of(hook, hooks, type);
	if (hook)
		tracepoint_probe_unregister(hook->tracepoint, hook->probe, hook->type);
}
