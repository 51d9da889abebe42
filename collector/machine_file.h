/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine as three files of a trace, text for other programs, too. Each line is words with single spaces between;
 * a text is the last word: what is not printable ASCII, a space or a backslash stands as \ooo (octal), an empty one is "-".
 * Addresses, offsets and sizes are hex without 0x, all else is decimal; times are CLOCK_MONOTONIC in ns, 0 where
 * struct machine_* has 0. The first line is the name and version of the format; lines of a kind that a reader does not
 * know are passed over.
 *
 *	kymo/tasks	"kymo-tasks 1", then a process before its threads, and the threads of each:
 *		process PID START UNTIL PPID KERNEL(0|1) CGROUP COMM
 *		thread TID START UNTIL COMM
 *	kymo/mappings	"kymo-mappings 1", then objects, numbered from 0 in order, and of each process what it mapped:
 *		object INODE MAJOR:MINOR(hex) BUILD-ID(hex|-) PATH
 *		process PID START
 *		map FROM UNTIL ADDRESS BYTES OFFSET OBJECT
 *	kymo/modules	"kymo-modules 1", then
 *		module BASE BYTES FROM UNTIL BUILD-ID(hex|-) NAME
 *
 * A last line "left-out N" says that N records were left out for want of room (--max-size): the longest dead.
 */
#ifndef KYMO_MACHINE_FILE_H
#define KYMO_MACHINE_FILE_H

#include <stddef.h>
#include "machine.h"

enum machine_file { MACHINE_FILE_TASKS, MACHINE_FILE_MAPPINGS, MACHINE_FILE_MODULES, MACHINE_FILES };

extern const char *const machine_file_heads[MACHINE_FILES];	/* the first lines */

struct machine_texts {
	char *text[MACHINE_FILES];	/* each for free() */
	size_t bytes[MACHINE_FILES];
	uint64_t left_out;
};

/* At most most_bytes in all. 0 or -errno. */
int machine_write(struct machine *m, size_t most_bytes, struct machine_texts *out);
void machine_texts_fini(struct machine_texts *t);

/* Adds what a file says; TASKS first. 0; -EBADMSG: it is damaged, what was before that is in; -ENOMEM. */
int machine_read(struct machine *m, enum machine_file which, const char *text, size_t bytes);

#endif
