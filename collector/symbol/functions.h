/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one piece of code, sorted by where they start: of the kernel, of an ELF file, of a JIT's map. What
 * the numbers count (addresses, bytes into a file) is the caller's affair. Names are as they were found: neither
 * demangled nor cleaned. Filled, then sealed, then only read. A leaf.
 */
#ifndef KYMO_SYMBOL_FUNCTIONS_H
#define KYMO_SYMBOL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FUNCTIONS_NAME_MAX = 4096 };	/* a longer name is cut */

struct function {
	uint64_t start;
	uint32_t bytes;			/* 0: up to the next one */
	uint32_t name;			/* offset in the names */
};

/* Of several names of one place the best is kept: that with the lowest rank, then fewest leading underscores. */
enum function_rank { FUNCTION_GLOBAL, FUNCTION_WEAK, FUNCTION_LOCAL, FUNCTION_UNTYPED };

struct functions;

struct functions *functions_create(size_t bytes_max);	/* of memory; NULL: no memory */
void functions_destroy(struct functions *f);

/* -ENOMEM; -E2BIG: there would be more than bytes_max. An empty name is passed over. */
int functions_add(struct functions *f, uint64_t start, uint64_t bytes, const char *name, size_t name_bytes,
		  enum function_rank rank);

/* Sorts; after it nothing is added. A later name of the same place and rank wins if `latest` is set (a JIT's map). */
void functions_seal(struct functions *f, bool latest);

/* The function that `at` lies in; of nested ones the innermost. NULL: none. */
const struct function *functions_find(const struct functions *f, uint64_t at);

const char *functions_name(const struct functions *f, const struct function *function);
uint64_t functions_bytes_of(const struct functions *f, const struct function *function); /* never 0 */
size_t functions_count(const struct functions *f);
const struct function *functions_at(const struct functions *f, size_t index);
size_t functions_memory(const struct functions *f);	/* bytes */

#endif
