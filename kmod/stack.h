/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of the current task at a moment given by registers: return addresses, innermost first. Any context,
 * NMI included; memory that is not there is not waited for. Knows nothing of events.
 */
#ifndef KYMO_STACK_H
#define KYMO_STACK_H

#include <linux/types.h>

struct pt_regs;

enum kymo_stack_limits {
	KYMO_STACK_KERNEL_MAX = 64,
	KYMO_STACK_MAX = 127,		/* of both: what the kernel does not use is left to the user stack */
};

struct kymo_stack {
	u16 kernel;			/* addresses in kernel mode, they come first; 0 if the registers are a user's */
	u16 user;			/* 0 for kernel threads */
	u8 flags;			/* KYMO_SAMPLE_*_TRUNCATED, _BROKEN */
	u64 address[KYMO_STACK_MAX];
};

void kymo_stack_walk(struct kymo_stack *stack, struct pt_regs *regs);

#endif
