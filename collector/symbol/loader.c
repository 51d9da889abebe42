// SPDX-License-Identifier: GPL-2.0-or-later
/* A thread, two queues, and the files it holds. */
#include "loader.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "image.h"
#include "kallsyms.h"
#include "perfmap.h"

enum {
	LOADER_QUEUE = 4096,		/* requests that wait */
	LOADER_HELD = 128,		/* files open for later; the one that was opened first is closed for another */
	LOADER_PERF_MAP_MAX = 64 << 20,	/* bytes of a map that are read */
};

/* A request; then, in the other queue, its answer. */
struct loader_work {
	struct loader_work *next;
	struct loader_request request;
	struct functions *functions;
	char path[];
};

struct loader_held {
	uint32_t binary;
	int fd;
};

struct loader {
	struct locate locate;
	size_t functions_bytes;
	pthread_t thread;
	pthread_mutex_t lock;		/* of what follows, up to `held` */
	pthread_cond_t work_came, work_done;
	struct loader_work *first, **last, *done, **done_last;
	unsigned int waiting;
	bool busy, stop, orphan;	/* orphan: nobody waits for the thread, it frees all */
	uint64_t opened;
	unsigned int held_count;
	/* The thread's own. */
	struct loader_held held[LOADER_HELD];
	unsigned int held_next;
};

static void loader_opened(struct loader *l, int held)
{
	pthread_mutex_lock(&l->lock);
	l->opened++;
	l->held_count += (unsigned int)held;
	pthread_mutex_unlock(&l->lock);
}

/* ---- held files ---- */

static struct loader_held *loader_find_held(struct loader *l, uint32_t binary)
{
	for (unsigned int i = 0; i < LOADER_HELD; i++)
		if (l->held[i].fd >= 0 && l->held[i].binary == binary)
			return &l->held[i];
	return NULL;
}

static void loader_hold(struct loader *l, const struct loader_work *w)
{
	const struct loader_request *r = &w->request;
	struct loader_held *slot = &l->held[l->held_next];
	int fd;

	if (loader_find_held(l, r->binary))
		return;
	fd = locate_map(&l->locate, r->pid, &r->map, &r->id, w->path);
	if (fd < 0)
		return;
	loader_opened(l, slot->fd < 0);
	if (slot->fd >= 0)
		close(slot->fd);
	*slot = (struct loader_held){ r->binary, fd };
	l->held_next = (l->held_next + 1) % LOADER_HELD;
}

/* The fd is the caller's from now on; -1: none. */
static int loader_take_held(struct loader *l, uint32_t binary)
{
	struct loader_held *held = loader_find_held(l, binary);
	const int fd = held ? held->fd : -1;

	if (!held)
		return -1;
	held->fd = -1;
	pthread_mutex_lock(&l->lock);
	l->held_count--;
	pthread_mutex_unlock(&l->lock);
	return fd;
}

/* ---- reading ---- */

static struct functions *loader_read_image(struct loader *l, const struct loader_work *w, int fd)
{
	struct image *image = image_open(fd), *debug = NULL;
	struct functions *functions = image ? functions_create(l->functions_bytes) : NULL;
	int debug_fd = -1;

	if (functions && !image_has_symtab(image)) {
		debug_fd = locate_debug(&l->locate, w->request.pid, w->path, image);
		debug = debug_fd >= 0 ? image_open(debug_fd) : image_open_packed(image);
		if (debug_fd >= 0)
			loader_opened(l, 0);
	}
	/* Of a file with too many functions those are missing that come last: what there is has right names. */
	if (functions)
		image_functions(image, debug, functions);
	image_close(debug);
	image_close(image);
	if (debug_fd >= 0)
		close(debug_fd);
	return functions;
}

static struct functions *loader_read_binary(struct loader *l, const struct loader_work *w)
{
	int fd = loader_take_held(l, w->request.binary);
	struct functions *functions;

	if (fd < 0) {
		fd = locate_map(&l->locate, w->request.pid, &w->request.map, &w->request.id, w->path);
		if (fd < 0)
			return NULL;
		loader_opened(l, 0);
	}
	functions = loader_read_image(l, w, fd);
	close(fd);
	return functions;
}

static struct functions *loader_read_perf_map(struct loader *l, int32_t pid)
{
	const int fd = locate_perf_map(&l->locate, pid);
	struct functions *functions;

	if (fd < 0)
		return NULL;
	loader_opened(l, 0);
	functions = perfmap_read(fd, LOADER_PERF_MAP_MAX, l->functions_bytes);
	close(fd);
	return functions;
}

static struct functions *loader_read_kernel(const struct loader *l)
{
	uint64_t base;
	char path[128];

	snprintf(path, sizeof(path), "%.100s/kallsyms", l->locate.proc);
	return kallsyms_read(path, &base);
}

static struct functions *loader_read(struct loader *l, const struct loader_work *w)
{
	switch (w->request.what) {
	case LOADER_BINARY:
		return loader_read_binary(l, w);
	case LOADER_PERF_MAP:
		return loader_read_perf_map(l, w->request.pid);
	case LOADER_KERNEL:
		return loader_read_kernel(l);
	case LOADER_HOLD:
		loader_hold(l, w);
		break;
	}
	return NULL;
}

/* ---- the thread ---- */

static void loader_free(struct loader *l)
{
	struct loader_work *w;

	*l->last = l->done;
	while ((w = l->first)) {
		l->first = w->next;
		functions_destroy(w->functions);
		free(w);
	}
	for (unsigned int i = 0; i < LOADER_HELD; i++)
		if (l->held[i].fd >= 0)
			close(l->held[i].fd);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->work_came);
	pthread_cond_destroy(&l->work_done);
	free(l);
}

static struct loader_work *loader_next(struct loader *l)
{
	struct loader_work *w;

	while (!l->first && !l->stop)
		pthread_cond_wait(&l->work_came, &l->lock);
	w = l->stop ? NULL : l->first;
	if (!w)
		return NULL;
	l->first = w->next;
	if (!l->first)
		l->last = &l->first;
	l->waiting--;
	l->busy = true;
	return w;
}

static void loader_put(struct loader *l, struct loader_work *w)
{
	w->next = NULL;
	if (w->request.what != LOADER_HOLD) {
		*l->done_last = w;
		l->done_last = &w->next;
	} else {
		free(w);
	}
	l->busy = false;
	pthread_cond_broadcast(&l->work_done);
}

static void *loader_main(void *context)
{
	struct loader *l = context;
	struct loader_work *w;
	bool orphan;

	pthread_mutex_lock(&l->lock);
	while ((w = loader_next(l))) {
		pthread_mutex_unlock(&l->lock);
		w->functions = loader_read(l, w);
		pthread_mutex_lock(&l->lock);
		loader_put(l, w);
	}
	orphan = l->orphan;
	pthread_mutex_unlock(&l->lock);
	if (orphan)
		loader_free(l);
	return NULL;
}

/* ---- the other side ---- */

/* Signals are for those who draw and drain. */
static int loader_start(struct loader *l)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&l->thread, NULL, loader_main, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

struct loader *loader_create(const struct locate *locate, size_t functions_bytes)
{
	struct loader *l = calloc(1, sizeof(*l));
	pthread_condattr_t clock;

	if (!l)
		return NULL;
	l->locate = *locate;
	l->functions_bytes = functions_bytes;
	l->last = &l->first;
	l->done_last = &l->done;
	for (unsigned int i = 0; i < LOADER_HELD; i++)
		l->held[i].fd = -1;
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&l->work_came, NULL);
	pthread_cond_init(&l->work_done, &clock);
	pthread_condattr_destroy(&clock);
	if (!loader_start(l))
		return l;
	loader_free(l);
	return NULL;
}

static struct timespec loader_deadline(unsigned int ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	return t;
}

void loader_destroy(struct loader *l, unsigned int wait_ms)
{
	const struct timespec deadline = loader_deadline(wait_ms);
	bool hangs;

	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	pthread_cond_signal(&l->work_came);
	while (l->busy && pthread_cond_timedwait(&l->work_done, &l->lock, &deadline) != ETIMEDOUT)
		;
	hangs = l->orphan = l->busy;
	pthread_mutex_unlock(&l->lock);
	if (hangs) {
		pthread_detach(l->thread);
		return;
	}
	pthread_join(l->thread, NULL);
	loader_free(l);
}

bool loader_ask(struct loader *l, const struct loader_request *request, const char *path)
{
	const size_t bytes = strlen(path) + 1;
	struct loader_work *w = malloc(sizeof(*w) + bytes);
	bool taken;

	if (!w)
		return false;
	w->next = NULL;
	w->request = *request;
	w->functions = NULL;
	memcpy(w->path, path, bytes);
	pthread_mutex_lock(&l->lock);
	taken = l->waiting < LOADER_QUEUE;
	if (taken) {
		*l->last = w;
		l->last = &w->next;
		l->waiting++;
		pthread_cond_signal(&l->work_came);
	}
	pthread_mutex_unlock(&l->lock);
	if (!taken)
		free(w);
	return taken;
}

bool loader_take(struct loader *l, struct loader_answer *answer)
{
	struct loader_work *w;

	pthread_mutex_lock(&l->lock);
	w = l->done;
	if (w) {
		l->done = w->next;
		if (!l->done)
			l->done_last = &l->done;
	}
	pthread_mutex_unlock(&l->lock);
	if (!w)
		return false;
	*answer = (struct loader_answer){ w->request.what, w->request.binary, w->request.pid, w->functions };
	free(w);
	return true;
}

void loader_wait(struct loader *l, unsigned int ms)
{
	const struct timespec deadline = loader_deadline(ms);

	pthread_mutex_lock(&l->lock);
	while (!l->done && (l->busy || l->first) && pthread_cond_timedwait(&l->work_done, &l->lock, &deadline) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&l->lock);
}

uint64_t loader_files_opened(struct loader *l)
{
	uint64_t n;

	pthread_mutex_lock(&l->lock);
	n = l->opened;
	pthread_mutex_unlock(&l->lock);
	return n;
}

unsigned int loader_files_held(struct loader *l)
{
	unsigned int n;

	pthread_mutex_lock(&l->lock);
	n = l->held_count;
	pthread_mutex_unlock(&l->lock);
	return n;
}
