/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file: its build-id, where its debug file is said to be, its functions by their place in the file. Files come
 * from strangers: they are read, never mapped (one that shrinks is a short read, no SIGBUS), every size is checked
 * against bounds before it is believed. A leaf: knows nothing of processes.
 */
#ifndef KYMO_SYMBOL_IMAGE_H
#define KYMO_SYMBOL_IMAGE_H

#include "binary.h"
#include "functions.h"

enum { IMAGE_LINK = 256 };

struct image;

/* fd: stays the caller's, and open as long as the image. NULL: no ELF file that could be mapped, or no memory. */
struct image *image_open(int fd);
struct image *image_open_memory(void *bytes, size_t count);	/* likewise the memory */
/* The symbols that were packed into the file when it was stripped (.gnu_debugdata). NULL: none. */
struct image *image_open_packed(const struct image *image);
void image_close(struct image *image);

unsigned int image_build_id(const struct image *image, uint8_t id[BINARY_BUILD_ID]); /* its bytes; 0: none */
bool image_debug_link(const struct image *image, char name[IMAGE_LINK], uint32_t *crc); /* false: none */
bool image_has_symtab(const struct image *image);	/* not only .dynsym */

/*
 * The functions of `image`, and of its debug file or packed symbols, which have the same addresses; by their offset in the
 * file `image`. debug may be NULL. -ENOMEM; -E2BIG: more than fit, the rest is missing.
 */
int image_functions(const struct image *image, const struct image *debug, struct functions *into);

/* The check sum that .gnu_debuglink has, of a whole file of at most bytes_max. False: cannot be read. */
bool image_crc(int fd, uint64_t bytes_max, uint32_t *crc);

#endif
