/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that opens and reads what names come from, so that nobody else waits for a file system. Requests go in, in
 * any number up to a bound, answers are picked up when it suits. A file may be held open before anybody needs its
 * names: programs are deleted while they run.
 */
#ifndef KYMO_SYMBOL_LOADER_H
#define KYMO_SYMBOL_LOADER_H

#include "binary.h"
#include "functions.h"
#include "locate.h"

enum loader_what {
	LOADER_HOLD,			/* open it; no answer */
	LOADER_BINARY,			/* its functions, by offset in the file */
	LOADER_PERF_MAP,		/* of process `pid`, by address */
	LOADER_KERNEL,			/* by address */
};

struct loader_request {
	enum loader_what what;
	uint32_t binary;		/* its number: the answer has it, and files are held by it */
	int32_t pid;
	struct binary_map map;
	struct binary_id id;
};

struct loader_answer {
	enum loader_what what;
	uint32_t binary;
	int32_t pid;
	struct functions *functions;	/* the taker's; NULL: there is none to be had */
};

struct loader;

/* Every file gives at most functions_bytes of memory. NULL: no memory, or no thread. */
struct loader *loader_create(const struct locate *locate, size_t functions_bytes);

/* Waits at most wait_ms for what the thread is at; a file system that hangs keeps the thread, and its memory. */
void loader_destroy(struct loader *l, unsigned int wait_ms);

/* False: there are too many; ask again later. path: is copied. */
bool loader_ask(struct loader *l, const struct loader_request *request, const char *path);

/* False: none is ready now. */
bool loader_take(struct loader *l, struct loader_answer *answer);

/* Waits until an answer is ready, or nothing is being worked at, or the time is over. */
void loader_wait(struct loader *l, unsigned int ms);

uint64_t loader_files_opened(struct loader *l);
unsigned int loader_files_held(struct loader *l);

#endif
