/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A probe on one of the kernel's static tracepoints, for one event type: found at init, attached while somebody
 * wants the type. For sources whose types have one tracepoint each; knows nothing of what the probes do.
 *
 *	static struct kymo_hook hooks[] = {
 *		KYMO_HOOK(kymo_type_sched_switch, sched_switch, switch_probe),
 *	};
 * The probe's first argument is the type, then the tracepoint's own ones; the compiler checks their types.
 */
#ifndef KYMO_HOOK_H
#define KYMO_HOOK_H

#include <linux/tracepoint.h>
#include "type.h"

struct kymo_hook {
	struct kymo_type *type;
	const char *name;		/* of the tracepoint */
	void *probe;
	struct tracepoint *tracepoint;	/* NULL: this kernel does not have it */
};

#define KYMO_HOOK_FITS(name, function) \
	__builtin_types_compatible_p(typeof(&check_trace_callback_type_##name), void (*)(typeof(&(function))))

#define KYMO_HOOK(kymo_type, tracepoint_name, function) { \
	.type = &(kymo_type), .name = #tracepoint_name, \
	.probe = __builtin_choose_expr(KYMO_HOOK_FITS(tracepoint_name, function), (void *)(function), (void)0), \
}

/* For a tracepoint whose arguments have changed: the function that fits. */
#define KYMO_HOOK_EITHER(kymo_type, tracepoint_name, newer, older) { \
	.type = &(kymo_type), .name = #tracepoint_name, \
	.probe = __builtin_choose_expr(KYMO_HOOK_FITS(tracepoint_name, newer), (void *)(newer), \
		 __builtin_choose_expr(KYMO_HOOK_FITS(tracepoint_name, older), (void *)(older), (void)0)), \
}

/* Finds the tracepoints; a type whose tracepoint is not here becomes unavailable. */
void kymo_hooks_init(struct kymo_hook *hook, unsigned int hooks);

/* For type_on and type_off. -ENOENT: no hook of these is for this type. */
int kymo_hooks_on(struct kymo_hook *hook, unsigned int hooks, const struct kymo_type *type);
void kymo_hooks_off(struct kymo_hook *hook, unsigned int hooks, const struct kymo_type *type);

/* A tracepoint by name, or NULL. Slow: walks them all. */
struct tracepoint *kymo_hook_find(const char *name);

#endif
