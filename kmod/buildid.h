/* SPDX-License-Identifier: GPL-2.0-only */
/* The build-id of an ELF file, as far as it lies in the page cache. Knows nothing of mappings or events. */
#ifndef KYMO_BUILDID_H
#define KYMO_BUILDID_H

#include <linux/types.h>

struct address_space;

enum { BUILDID_BYTES = 20 };

/*
 * Bytes of the build-id, 0 if the file has none, is no ELF file, or what is needed of it is not in memory now. A
 * longer one is cut at BUILDID_BYTES. Any context in which a reference to a page may be dropped; never waits.
 */
u8 buildid_read(struct address_space *file, u8 id[BUILDID_BYTES]);

#endif
