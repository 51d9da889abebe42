// SPDX-License-Identifier: GPL-2.0-only
/* A small table of the tasks that are inside exec at this moment. If it is full the registers must do. */
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/unistd.h>
#include "syscall_exec.h"

enum {
	EXEC_BITS = 8,
	EXEC_PROBES = 16,
	EXEC_IA32 = 11,		/* execve and execveat of the 32-bit ABI */
	EXECAT_IA32 = 358,
};

struct exec_inside {
	struct task_struct *task;	/* NULL: free. The rest is its own alone */
	long nr;
	bool compat;
};

static struct exec_inside exec_table[1 << EXEC_BITS];

static bool exec_is(long nr, bool compat)
{
	return compat ? nr == EXEC_IA32 || nr == EXECAT_IA32 : nr == __NR_execve || nr == __NR_execveat;
}

static struct exec_inside *exec_place(unsigned int i)
{
	return &exec_table[(hash_ptr(current, EXEC_BITS) + i) & ((1 << EXEC_BITS) - 1)];
}

void syscall_exec_init(void)
{
	memset(exec_table, 0, sizeof(exec_table));
}

void syscall_exec_entered(long nr, bool compat)
{
	unsigned int i;

	if (likely(!exec_is(nr, compat)))
		return;
	for (i = 0; i < EXEC_PROBES; i++) {
		struct exec_inside *inside = exec_place(i);

		if (READ_ONCE(inside->task) || cmpxchg(&inside->task, NULL, current))
			continue;
		inside->nr = nr;
		inside->compat = compat;
		return;
	}
}

void syscall_exec_leaves(long *nr, bool *compat)
{
	unsigned int i;

	if (likely(!exec_is(*nr, *compat)))
		return;
	for (i = 0; i < EXEC_PROBES; i++) {
		struct exec_inside *inside = exec_place(i);

		if (READ_ONCE(inside->task) != current)
			continue;
		*nr = inside->nr;
		*compat = inside->compat;
		smp_store_release(&inside->task, NULL); /* read before the place is another's */
		return;
	}
}
