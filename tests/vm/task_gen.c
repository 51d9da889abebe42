// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes known numbers of things happen, and says on stderr what it did: the independent source of the task, signal
 * and system call tests. Knows nothing of kymo.
 *
 *	threads N HZ		N threads, HZ a second; "thread <tid> <name>" for each
 *	exec N PATH		runs PATH N times, one after the other; "exec <pid>" for each
 *	sleep N			N threads more, then "ready", then sleeps until killed
 *	signals N		N signals to itself (SIGUSR1, handled) and N to a child (SIGRTMIN, queued); "child <pid>"
 *	syscalls N		N times umask; N times openat of /nonexistent/gen-<i>; N with number 999;
 *				N by int 0x80, "int80 <how many>"
 *	io_uring		makes the kernel start a worker for an asynchronous request; "worker <tid>"
 */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long number(const char *text)
{
	char *end;
	const long n = strtol(text, &end, 10);

	if (n <= 0 || *end)
		errx(2, "%s: not a number above 0", text);
	return n;
}

/* ---- threads ---- */

static void *thread_named(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "gen-%ld", (long)arg);
	prctl(PR_SET_NAME, name);
	fprintf(stderr, "thread %ld %s\n", syscall(SYS_gettid), name);
	return NULL;
}

static int threads(char **argv)
{
	const long n = number(argv[0]), step_ns = 1000000000 / number(argv[1]);
	struct timespec next;
	pthread_t thread;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (long i = 0; i < n; i++) {
		if (pthread_create(&thread, NULL, thread_named, (void *)i))
			errx(1, "pthread_create");
		pthread_detach(thread);
		next.tv_nsec += step_ns;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	pthread_exit(NULL); /* when the last of them is gone, so are we, with status 0 */
}

static void *thread_sleeping(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static int sleepers(char **argv)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	for (long i = strtol(argv[0], NULL, 10); i > 0; i--)
		if (pthread_create(&thread, &attr, thread_sleeping, NULL))
			errx(1, "pthread_create");
	fprintf(stderr, "ready\n");
	pause();
	return 0;
}

/* ---- processes ---- */

static int exec(char **argv)
{
	char *args[] = { argv[1], NULL };
	int status;
	pid_t pid;

	for (long n = number(argv[0]); n; n--) {
		if (posix_spawn(&pid, argv[1], NULL, NULL, args, environ))
			errx(1, "cannot run %s", argv[1]);
		if (waitpid(pid, &status, 0) != pid || status)
			errx(1, "%s: status %d", argv[1], status);
		fprintf(stderr, "exec %d\n", pid);
	}
	return 0;
}

/* ---- signals ---- */

static volatile sig_atomic_t handled;

static void handler(int sig)
{
	handled++;
}

static void queue_to_child(long n)
{
	const struct sigaction action = { .sa_handler = handler };
	sigset_t blocked, before;
	int status;
	pid_t pid;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	sigaction(SIGRTMIN, &action, NULL);
	pid = fork();
	if (!pid) {
		handled = 0;
		while (handled < n)
			sigsuspend(&before);
		_exit(0);
	}
	fprintf(stderr, "child %d\n", pid);
	for (long i = 0; i < n; i++)
		if (sigqueue(pid, SIGRTMIN, (union sigval){ .sival_int = i }))
			err(1, "sigqueue");
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "the child got too few signals: status %d", status);
}

static int signals(char **argv)
{
	const struct sigaction action = { .sa_handler = handler };
	const long n = number(argv[0]);

	sigaction(SIGUSR1, &action, NULL);
	for (long i = 0; i < n; i++)
		kill(getpid(), SIGUSR1);
	if (handled != n)
		errx(1, "handled %d of %ld signals", (int)handled, n);
	queue_to_child(n);
	return 0;
}

/* ---- system calls ---- */

static long call_by_int80(long nr)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(nr) : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static void no_int80(int sig)
{
	static const char text[] = "int80 0\n";

	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0);
}

static int syscalls(char **argv)
{
	const long n = number(argv[0]);
	char path[64];

	for (long i = 0; i < n; i++)
		syscall(SYS_umask, 022);
	for (long i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/nonexistent/gen-%ld", i);
		if (open(path, O_RDONLY | O_CLOEXEC) >= 0)
			errx(1, "%s exists", path);
	}
	for (long i = 0; i < n; i++)
		syscall(999, i, 2, 3, 4, 5, 6);
	signal(SIGSEGV, no_int80);
	for (long i = 0; i < n; i++)
		if (call_by_int80(20) != getpid())	/* getpid of the 32-bit ABI */
			errx(1, "int 0x80 does something else");
	fprintf(stderr, "int80 %ld\n", n);
	return 0;
}

/* ---- io_uring: without liburing ---- */

static int worker_tid(void)
{
	char path[288], comm[32] = "";
	struct dirent *entry;
	int tid = 0;
	FILE *file;
	DIR *dir = opendir("/proc/self/task");

	while (!tid && dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(comm, sizeof(comm), file) && !strncmp(comm, "iou-wrk-", 8))
			tid = atoi(entry->d_name);
		fclose(file);
	}
	closedir(dir);
	return tid;
}

static int uring(char **argv)
{
	struct io_uring_params params = { 0 };
	const int fd = syscall(SYS_io_uring_setup, 4, &params);
	struct io_uring_sqe *sqe;
	unsigned char *ring;
	int pipes[2], tid = 0;
	static char byte;

	if (fd < 0)
		err(77, "io_uring_setup");
	ring = mmap(NULL, params.sq_off.array + 4 * sizeof(unsigned int), PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, params.sq_entries * sizeof(*sqe), PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	if (ring == MAP_FAILED || sqe == MAP_FAILED || pipe(pipes))
		err(1, "io_uring");
	*sqe = (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .flags = IOSQE_ASYNC, .fd = pipes[0], .addr = (unsigned long)&byte, .len = 1, .off = -1,
	};
	*(unsigned int *)(ring + params.sq_off.array) = 0;
	__atomic_store_n((unsigned int *)(ring + params.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, fd, 1, 0, 0, NULL, 0) != 1)
		err(1, "io_uring_enter");
	/* The worker blocks in the read of the empty pipe, so it will be there. */
	for (int i = 0; !tid && i < 10000; i++) {
		tid = worker_tid();
		usleep(1000);
	}
	if (!tid)
		errx(1, "no worker came");
	fprintf(stderr, "worker %d\n", tid);
	return write(pipes[1], "", 1) != 1;
}

static const struct command {
	const char *name;
	int args;
	int (*run)(char **argv);
} commands[] = {
	{ "threads", 2, threads }, { "exec", 2, exec }, { "sleep", 1, sleepers }, { "signals", 1, signals },
	{ "syscalls", 1, syscalls }, { "io_uring", 0, uring },
};

int main(int argc, char **argv)
{
	setlinebuf(stderr);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (argc == commands[i].args + 2 && !strcmp(argv[1], commands[i].name))
			return commands[i].run(argv + 2);
	errx(2, "see the head of task_gen.c");
}
