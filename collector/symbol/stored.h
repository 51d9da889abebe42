/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kymo/functions of a trace: the names of the sampled user functions. Text, one line each; a line of a binary or a
 * process says whose functions follow. Control characters and backslashes are written as \xNN. A leaf.
 *
 *	binary BUILD-ID DEV INODE PATH		(build-id in hex, or -; dev in hex) its functions, by offset in the file
 *	process PID				what its JIT has made, by address
 *	START BYTES NAME			a function, numbers in hex, the name as it stands in the symbol table
 */
#ifndef KYMO_SYMBOL_STORED_H
#define KYMO_SYMBOL_STORED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "binary.h"

void stored_write_binary(FILE *to, const struct binary_id *id, const char *path);
void stored_write_process(FILE *to, int32_t pid);
void stored_write_function(FILE *to, uint64_t start, uint64_t bytes, const char *name);

struct stored_reader {
	void *context;
	void (*binary)(void *context, const struct binary_id *id, const char *path);
	void (*process)(void *context, int32_t pid);
	void (*function)(void *context, uint64_t start, uint64_t bytes, const char *name, size_t name_bytes);
};

/* Lines that are none of these are passed over, and functions before the first binary or process. */
void stored_read(const char *text, size_t bytes, const struct stored_reader *reader);

#endif
