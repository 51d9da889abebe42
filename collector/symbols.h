/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of the kernel addresses that stand in a trace, taken at its end, while the kernel that knows them still
 * runs: as lines "address size name [module]" in hex, sorted. Reads the trace's files and /proc/kallsyms.
 */
#ifndef KYMO_SYMBOLS_H
#define KYMO_SYMBOLS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols {
	char *text;			/* for free(); may be NULL */
	size_t bytes;
	uint64_t kernel_base;		/* address of _stext; 0: the kernel does not tell (kptr_restrict) */
	unsigned int addresses;		/* different ones that were found */
	uint64_t scanned_bytes;
	bool cut;			/* given up at a signal: there may be more addresses */
};

struct symbols_limits {
	uint64_t scan_bytes;		/* of the trace */
	size_t text_bytes;
	const volatile sig_atomic_t *signals; /* the search is given up when it is not `before`; may be NULL */
	sig_atomic_t before;
};

/* 0 or -errno. */
int symbols_collect(struct symbols *s, int dir, const struct symbols_limits *limits);

#endif
