/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an exec was called by. A new program may be of another ABI, and the kernel sets the number of the call anew
 * (execveat becomes execve): at its end the registers no longer tell how it began.
 */
#ifndef KYMO_SYSCALL_EXEC_H
#define KYMO_SYSCALL_EXEC_H

#include <linux/types.h>

/* When the probes are attached: nobody is inside that we know of. */
void syscall_exec_init(void);

/* Current enters a system call; leaves one: nr and compat become those of the entry. Any other call passes at once. */
void syscall_exec_entered(long nr, bool compat);
void syscall_exec_leaves(long *nr, bool *compat);

#endif
