/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a mapping is of: a file, told by its build-id where it has one, else by device and inode. Plain data. */
#ifndef KYMO_SYMBOL_BINARY_H
#define KYMO_SYMBOL_BINARY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { BINARY_BUILD_ID = 20, BINARY_PATH = 1024 };

struct binary_id {
	uint64_t inode;
	uint32_t dev;			/* as in /proc/PID/maps: major << 20 | minor */
	uint8_t build_id_bytes;		/* 0: none, or not known */
	uint8_t build_id[BINARY_BUILD_ID];
};

/* One executable mapping. */
struct binary_map {
	uint64_t start, end;
	uint64_t offset;		/* bytes into the file */
	uint32_t binary;		/* whose: a number of binary_set; 0: anonymous memory */
};

static inline bool binary_has_build_id(const struct binary_id *id, const void *build_id, size_t bytes)
{
	return bytes && id->build_id_bytes == bytes && !memcmp(id->build_id, build_id, bytes);
}

#endif
