/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From places in code to functions. Live, the files of the machine tell, by way of a loader thread: a place may be
 * pending for a while. For a trace, what the trace holds tells, and nothing else. Knows all binaries by number.
 *
 * Bounded: so many files, so many bytes of functions (the least recently used are forgotten, and read again if needed).
 */
#ifndef KYMO_SYMBOL_NAMES_H
#define KYMO_SYMBOL_NAMES_H

#include "binaries.h"
#include "locate.h"
#include "spaces.h"

enum names_kind {
	NAMES_NOWHERE,			/* no code that we know of */
	NAMES_KERNEL,			/* at: address */
	NAMES_FILE,			/* at: offset in the file */
	NAMES_ANONYMOUS,		/* at: address in the process: a JIT's code */
};

struct names_place {
	enum names_kind kind;
	uint64_t at;
	int32_t pid;
	struct binary_map map;		/* unless kernel or nowhere */
};

enum names_state {
	NAMES_NAMED,
	NAMES_NONE,			/* there is no name for it */
	NAMES_PENDING,			/* ask again after names_poll() has said that there is news */
};

/* Identity: (owner, start). Valid until the next call that is not names_find(). */
struct names_function {
	uint64_t owner;			/* 0: the kernel; a binary's number; above 2^32 a process's JIT */
	uint64_t start, bytes;
	const char *name;		/* neither demangled nor cleaned */
};

struct names;

struct names *names_create(void);	/* as it is, it names nothing. NULL: no memory */
void names_destroy(struct names *n);

/* From now on the machine is asked. -ENOMEM: no thread. */
int names_go_live(struct names *n, const struct locate *locate);

/* The texts of TRACE_SYMBOLS and TRACE_FUNCTIONS; either may be NULL. -ENOMEM. */
int names_read_stored(struct names *n, const char *kernel, size_t kernel_bytes, const char *user, size_t user_bytes);

/* The number of the file behind a mapping. hold: it may be deleted soon, have it opened now. */
uint32_t names_binary(struct names *n, int32_t pid, const struct binary_map *map, const struct binary_id *id,
		      const char *path, bool hold);
const struct binaries *names_binaries(const struct names *n);

void names_kernel_changed(struct names *n);	/* a module was loaded */

/* Where an address is. kernel: it is one of the kernel's. */
struct names_place names_place(const struct spaces *spaces, int32_t pid, uint64_t address, bool kernel);

enum names_state names_find(struct names *n, const struct names_place *place, struct names_function *out);

/* Takes what the loader has got. True: there is news. */
bool names_poll(struct names *n);

/* Waits until there is news, or nothing is being loaded, or the time is over. */
void names_wait(struct names *n, unsigned int ms);
unsigned int names_pending(const struct names *n);	/* requests that are not answered */
size_t names_memory(const struct names *n);		/* bytes of functions that are held */

#endif
