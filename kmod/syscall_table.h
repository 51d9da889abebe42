/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The system calls of this kernel: their names, known when the module is built, and their arguments, asked of the
 * running kernel. Knows nothing of events.
 */
#ifndef KYMO_SYSCALL_TABLE_H
#define KYMO_SYSCALL_TABLE_H

#include <linux/types.h>

enum { SYSCALL_ARGS = 6, SYSCALL_NUMBERS = 512 };

struct syscall_arg {
	char name[32];
	u8 bytes;		/* of the value; 0: a string in user memory */
	bool is_signed;
	bool is_hex;		/* an address, or of unknown type */
};

/* "openat" for 257; NULL: there is no such call. */
const char *syscall_table_name(unsigned int nr);

/* Fills in arg[] and returns how many there are; arg0 ... arg5 where the kernel does not tell. May sleep. */
unsigned int syscall_table_args(unsigned int nr, struct syscall_arg arg[SYSCALL_ARGS]);

#endif
