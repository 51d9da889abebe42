/* SPDX-License-Identifier: GPL-2.0-only */
/* What an executable mapping is of: path, inode, device, offset, build-id. Knows nothing of events. */
#ifndef KYMO_MAPPING_H
#define KYMO_MAPPING_H

#include <linux/limits.h>
#include "buildid.h"

struct vm_area_struct;

enum { MAPPING_PATH_BYTES = 1024 };	/* what is kept of a path, with its NUL */

struct mapping {
	u64 inode;			/* these are 0 for anonymous memory */
	u32 dev;
	u8 build_id_bytes;
	u8 build_id[BUILDID_BYTES];
	const char *path;		/* in the buffer, or constant; as in /proc/PID/maps; "" if anonymous */
	u32 path_bytes;			/* without a NUL: at most MAPPING_PATH_BYTES - 1 */
};

/*
 * With the mmap lock of its memory held. Does not sleep: takes what perf_event_mmap takes itself when perf records
 * mappings, at the same place (d_path: RCU, and rename_lock after a race).
 */
void mapping_describe(struct mapping *mapping, struct vm_area_struct *vma, char buffer[PATH_MAX]);

#endif
