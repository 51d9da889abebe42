// SPDX-License-Identifier: GPL-2.0-or-later
/* kymo record as a child. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void child_name(struct child *c)
{
	const time_t now = time(NULL);
	struct tm tm;
	char when[32] = "";

	if (localtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	snprintf(c->dir, sizeof(c->dir), "kymo-%s-%d", when, (int)getpid());
}

/*
 * In a group of its own: Ctrl-C and Ctrl-Z at the terminal are for the screen. If the screen is killed the recording
 * ends properly. Only async-signal-safe calls: the program has threads.
 */
static void child_become(const char *dir, int said_fd, pid_t parent)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGINT);
	if (getppid() != parent)
		_exit(1);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(said_fd, STDERR_FILENO);
	execl("/proc/self/exe", "kymo", "record", "-o", dir, "--allow-loss", "--quiet", (char *)NULL);
	_exit(127);
}

int child_begin(struct child *c)
{
	const pid_t parent = getpid();
	int pipes[2];
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	*c = (struct child){ .said_fd = pipes[0] };
	child_name(c);
	pid = fork();
	if (!pid)
		child_become(c->dir, pipes[1], parent);
	close(pipes[1]);
	if (pid < 0) {
		const int err = errno;

		close(pipes[0]);
		return -err;
	}
	c->pid = pid;
	return 0;
}

void child_ask_end(struct child *c)
{
	if (c->pid)
		kill(c->pid, SIGINT);
}

/* Only the last line counts: it is the sentence that says why. */
static void child_listen(struct child *c)
{
	char piece[256];
	ssize_t n;

	while ((n = read(c->said_fd, piece, sizeof(piece))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (c->said_bytes && c->said[c->said_bytes - 1] == '\n')
				c->said_bytes = 0;
			if (c->said_bytes < sizeof(c->said) - 1)
				c->said[c->said_bytes++] = piece[i];
		}
	}
	c->said[c->said_bytes] = 0;
}

bool child_ended(struct child *c, bool wait, int *status)
{
	int raw;
	pid_t got;

	if (!c->pid)
		return false;
	child_listen(c);
	do
		got = waitpid(c->pid, &raw, wait ? 0 : WNOHANG);
	while (got < 0 && errno == EINTR);
	if (!got)
		return false;
	child_listen(c);
	c->said[strcspn(c->said, "\n")] = 0;
	close(c->said_fd);
	c->pid = 0;
	*status = got < 0 ? 1 : WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
	return true;
}
