/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the files that names come from: what a process has mapped, its debug file, the map of its JIT. The processes
 * are strangers, and we have more rights than they: paths of theirs are resolved inside their root; only regular
 * files are ever opened (looked at first through O_PATH: no FIFO waits, no device notices); what is found must be what
 * was mapped, by build-id or inode. May take as long as a file system likes: not for the thread that drains rings.
 */
#ifndef KYMO_SYMBOL_LOCATE_H
#define KYMO_SYMBOL_LOCATE_H

#include "binary.h"
#include "image.h"

struct locate {
	const char *proc;		/* "/proc" */
	const char *root;		/* "/": where debug files of the machine are */
};

extern const struct locate locate_default;

/*
 * The file behind a mapping of `pid`, deleted or not, as long as the mapping or the path is there. Its fd, or -errno;
 * -ESTALE: there is a file, but another one.
 */
int locate_map(const struct locate *l, int32_t pid, const struct binary_map *map, const struct binary_id *id, const char *path);

/* The file with the symbols that were stripped from `image`, which was mapped from `path`. Its fd, or -ENOENT. */
int locate_debug(const struct locate *l, int32_t pid, const char *path, const struct image *image);

/* /tmp/perf-PID.map of the process, by its own pid in its own root, else by ours; it must be the process's user's. */
int locate_perf_map(const struct locate *l, int32_t pid);

#endif
