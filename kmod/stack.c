// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel stacks by the kernel's own unwinder, user stacks by frame pointers: a program without them gives its
 * innermost address and is marked.
 */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/unwind.h>
#include <kymo/event.h>
#include "stack.h"

static void stack_walk_kernel(struct kymo_stack *stack, struct pt_regs *regs)
{
	struct unwind_state state;

	stack->address[stack->kernel++] = instruction_pointer(regs);
	/* Started from registers, the unwinder's first frame is the caller's. */
	for (unwind_start(&state, current, regs, NULL); !unwind_done(&state); unwind_next_frame(&state)) {
		unsigned long address = unwind_get_return_address(&state);

		if (!address)
			break;
		if (stack->kernel == KYMO_STACK_KERNEL_MAX) {
			stack->flags |= KYMO_SAMPLE_KSTACK_TRUNCATED;
			break;
		}
		stack->address[stack->kernel++] = address;
	}
}

/* What a function's prologue leaves: the caller's frame pointer, then the return address. */
struct user_frame {
	u64 next;
	u64 address;
};

static bool stack_read_frame(struct user_frame *frame, u64 at, bool is_32bit)
{
	u32 narrow[2];

	if (!is_32bit)
		return !copy_from_user_nofault(frame, (const void __user *)at, sizeof(*frame));
	if (copy_from_user_nofault(narrow, (const void __user *)at, sizeof(narrow)))
		return false;
	frame->next = narrow[0];
	frame->address = narrow[1];
	return true;
}

static void stack_walk_user(struct kymo_stack *stack, struct pt_regs *regs)
{
	const bool is_32bit = !user_64bit_mode(regs);
	u64 *address = stack->address + stack->kernel;
	const unsigned int room = KYMO_STACK_MAX - stack->kernel;
	u64 at = regs->bp, below = regs->sp;
	struct user_frame frame;

	if (is_32bit) {
		at = (u32)at;
		below = (u32)below;
	}
	address[stack->user++] = instruction_pointer(regs);
	/* A frame pointer of 0 is how a program's first function marks that nothing is above it. */
	while (at) {
		if (stack->user == room) {
			stack->flags |= KYMO_SAMPLE_USTACK_TRUNCATED;
			return;
		}
		/* Callers lie above: whatever does not go up is no frame pointer, and cannot be followed for ever. */
		if (at < below || at % (is_32bit ? sizeof(u32) : sizeof(u64)) || !stack_read_frame(&frame, at, is_32bit)) {
			stack->flags |= KYMO_SAMPLE_USTACK_BROKEN;
			return;
		}
		if (!frame.address)
			return;
		address[stack->user++] = frame.address;
		below = at + 1;
		at = frame.next;
	}
}

void kymo_stack_walk(struct kymo_stack *stack, struct pt_regs *regs)
{
	stack->kernel = 0;
	stack->user = 0;
	stack->flags = 0;
	if (!user_mode(regs)) {
		stack_walk_kernel(stack, regs);
		regs = task_pt_regs(current);
	}
	/* A borrowed mm is not the kernel thread's; the kernel's workers in a user's process have no registers there. */
	if (!(current->flags & PF_KTHREAD) && current->mm && user_mode(regs) && regs->sp)
		stack_walk_user(stack, regs);
}
