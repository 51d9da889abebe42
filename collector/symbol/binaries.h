/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All files that were seen mapped, each with a number. The same file with and without a known build-id is one; a file
 * whose inode was used again is another. Bounded: what does not fit is one of its own, "(other files)". A leaf.
 */
#ifndef KYMO_SYMBOL_BINARIES_H
#define KYMO_SYMBOL_BINARIES_H

#include "binary.h"

enum {
	BINARIES_NONE = 0,		/* anonymous memory */
	BINARIES_OTHERS = 1,		/* no room for more */
	BINARIES_FIRST = 2,
};

struct binaries;

struct binaries *binaries_create(unsigned int max);	/* NULL: no memory */
void binaries_destroy(struct binaries *b);

/* The file's number; *made: it is new. path is cut at BINARY_PATH - 1 bytes. */
uint32_t binaries_get(struct binaries *b, const struct binary_id *id, const char *path, bool *made);

uint32_t binaries_count(const struct binaries *b);	/* numbers are below this */
const struct binary_id *binaries_id(const struct binaries *b, uint32_t number);
const char *binaries_path(const struct binaries *b, uint32_t number);	/* as it came: not cleaned */

/* Files of the same build-id are the same code: the number of the first of them. */
uint32_t binaries_same(const struct binaries *b, uint32_t number);

#endif
