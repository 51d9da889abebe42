// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits at a pipe for the recorder's goodbye or its death. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard.h"
#include "trace.h"

enum { GUARD_GOODBYE = 'g' };

/* The first of three files that is not below fd; UINT_MAX: none. */
static unsigned int guard_next(unsigned int fd, int a, int b, int c)
{
	const unsigned int kept[] = { (unsigned int)a, (unsigned int)b, (unsigned int)c };
	unsigned int next = UINT_MAX;

	for (int i = 0; i < 3; i++)
		if (kept[i] >= fd && kept[i] < next)
			next = kept[i];
	return next;
}

/* All files but three: above all not the device, or the session would outlive the recorder. */
static void guard_keep_files(int a, int b, int c)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	unsigned int next;

	for (int fd = 0; fd < 3; fd++)
		if (fd != a && fd != b && fd != c)
			dup2(null, fd);
	/* A shell may have handed down any number. */
	for (unsigned int fd = 3; fd; fd = next + 1) {	/* behind the last number comes 0 */
		next = guard_next(fd, a, b, c);
		if (next > fd)
			close_range(fd, next - 1, 0);
	}
}

static void guard_ignore_signals(void)
{
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_IGN);	/* SIGKILL and SIGSTOP are refused, which is as it should be */
}

static void guard_run(int pipe, int dir, int lock)
{
	struct trace_repair done;
	char word = 0;
	ssize_t n;

	setsid();
	guard_ignore_signals();
	prctl(PR_SET_NAME, "kymo-guard");
	guard_keep_files(pipe, dir, lock);
	if (chdir("/")) {
		/* It would only keep a directory busy. */
	}
	do
		n = read(pipe, &word, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1 && word == GUARD_GOODBYE)
		_exit(0);
	_exit(trace_repair(dir, true, &done) ? 1 : 0);
}

int guard_start(struct guard *g, int dir, int lock)
{
	int ends[2];

	g->pipe = -1;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	g->pid = fork();
	if (g->pid < 0) {
		int err = -errno;

		close(ends[0]);
		close(ends[1]);
		return err;
	}
	if (!g->pid) {
		close(ends[1]);
		guard_run(ends[0], dir, lock);
	}
	close(ends[0]);
	g->pipe = ends[1];
	return 0;
}

void guard_dismiss(struct guard *g)
{
	const char word = GUARD_GOODBYE;

	if (g->pipe < 0)
		return;
	/* If it was killed, it is gone already: nothing to do about that (SIGPIPE is ignored). */
	if (write(g->pipe, &word, 1) != 1)
		errno = 0;
	close(g->pipe);
	g->pipe = -1;
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
