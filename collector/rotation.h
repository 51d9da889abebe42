/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The size limit of a trace: which finished files there are, oldest first, and what had to go. Knows sizes and
 * names, not what is in the files.
 */
#ifndef KYMO_ROTATION_H
#define KYMO_ROTATION_H

#include "trace.h"

struct rotation {
	uint64_t max_bytes;		/* 0: no limit */
	uint64_t bytes;			/* of the whole trace at this moment */
	struct rotation_file {
		struct trace_file file;
		uint64_t bytes;
		uint64_t end_ns;	/* time, */
		uint64_t seq, lost;	/* number and loss of its last packet */
	} *finished;			/* in the order in which they were finished */
	unsigned int first, count, capacity;
	/* What was deleted. */
	uint64_t deleted_bytes, deleted_until_ns;
	unsigned int deleted_files;
};

void rotation_fini(struct rotation *r);

/* This file will not grow any more. */
int rotation_finished(struct rotation *r, const struct rotation_file *file);

/* Makes room for `bytes` more, by deleting, and counts them in. -EFBIG: nothing is left to delete. */
int rotation_room(struct rotation *r, int dir, uint64_t bytes);

#endif
