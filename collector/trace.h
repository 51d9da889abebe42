/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace directory: which files there are and what they are called, and how a trace is repaired whose recorder
 * was killed. Shared by the recorder, its guard and the reader. Knows packets' headers, not their records.
 *
 *	metadata			CTF 1.8, text; locked (flock) as long as the trace is being written
 *	stream_<set>_<cpu>		packets of one ring
 *	stream_<set>_<cpu>.<chunk>	the same in several files: 0 has only the opening packet, which stands for the
 *					oldest of the others, if they were deleted
 *	stream_kymo, stream_kymo.<chunk>	the collector's own events
 *	kymo/catalogue, kymo/session.json
 *	kymo/symbols			names of the kernel addresses in it
 *	kymo/functions			names of the user addresses in it (symbol/stored.h)
 *	kymo/tasks, kymo/mappings, kymo/modules	who was there and what was mapped where (machine_file.h)
 */
#ifndef KYMO_TRACE_H
#define KYMO_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uapi/kymo.h>

#define TRACE_METADATA	"metadata"
#define TRACE_OWN_DIR	"kymo"
#define TRACE_CATALOGUE	"kymo/catalogue"
#define TRACE_SYMBOLS	"kymo/symbols"
#define TRACE_FUNCTIONS	"kymo/functions"
#define TRACE_TASKS	"kymo/tasks"
#define TRACE_MAPPINGS	"kymo/mappings"
#define TRACE_MODULES	"kymo/modules"
#define TRACE_SESSION	"kymo/session.json"
#define TRACE_UNFINISHED ".new"		/* behind the name of such a file while it is being written */

enum { TRACE_NAME_BYTES = 64 };

struct trace_file {
	bool own;			/* stream_kymo; set and cpu are 0 */
	unsigned int set, cpu;
	int chunk;			/* -1: the name has no chunk number */
};

bool trace_file_parse(const char *name, struct trace_file *out);
void trace_file_name(const struct trace_file *f, char name[TRACE_NAME_BYTES]);

/* The stream files of a directory, sorted by (own, set, cpu, chunk). *out is for free(). Number of files, or -errno. */
int trace_files(int dir, struct trace_file **out);

/*
 * Is this the header of a whole packet, of which `bytes` are in the file from its begin on? uuid: what it must be,
 * or NULL. All that a reader relies on: magic, stream class, sizes, order of the times.
 */
bool trace_packet_ok(const struct kymo_packet *packet, const uint8_t *uuid, uint64_t bytes);

/* Bytes of the file up to the end of its last whole packet; -errno. */
int64_t trace_whole_bytes(int fd, const uint8_t *uuid);

/*
 * How much of the metadata, of the catalogue is there up to the last whole block, if what follows is the beginning of
 * another one: a recorder was killed while it wrote it, and no record is of that type yet. Else all of it.
 */
size_t trace_metadata_whole(const char *text, size_t bytes);
size_t trace_catalogue_whole(const char *entries, size_t bytes);

struct trace_repair {
	unsigned int files;		/* that were cut */
	uint64_t bytes;			/* cut off */
};

/*
 * Whoever writes a trace holds it as long as the file is open. 0, -EWOULDBLOCK: somebody else does; or -errno. A kernel
 * without file locks has none to give, and is no reason not to record.
 */
int trace_lock(int metadata);

/*
 * Cuts off what a kill has left of the packet that was being written, at the end of every stream file (one packet at
 * most, behind which nothing is), and half a block of metadata and catalogue; files of ours that it has not finished
 * are deleted. Damage of any other kind is left alone.
 * -EBUSY: somebody is recording into it. -EROFS, -EACCES: it would have to be cut, but may not be; a reader then stops
 * at trace_whole_bytes() itself. locked: the caller holds the lock.
 */
int trace_repair(int dir, bool locked, struct trace_repair *done);

#endif
