/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guard of a recording: a process that does nothing until the recorder dies without a word, and then cuts the
 * trace's files to their last whole packets. It belongs to no terminal and to no process group of the recorder.
 */
#ifndef KYMO_GUARD_H
#define KYMO_GUARD_H

#include <sys/types.h>

struct guard {
	int pipe;			/* -1: there is none */
	pid_t pid;
};

/* Forks. Of the open files the guard keeps the trace's directory and `lock` only. Before threads and maps are made. */
int guard_start(struct guard *g, int dir, int lock);

/* The trace is whole: the guard may go. Returns when it has gone. */
void guard_dismiss(struct guard *g);

#endif
