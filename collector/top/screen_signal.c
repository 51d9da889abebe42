// SPDX-License-Identifier: GPL-2.0-or-later
/* Handlers: async-signal-safe, all of them. */
#include "screen_signal.h"

#include <unistd.h>

#include "screen.h"

static const struct screen_restore *signal_restore;
static volatile sig_atomic_t signal_resized, signal_stop, signal_continued, signal_end;
static struct sigaction signal_before[NSIG];
static bool signal_taken[NSIG];
static char signal_stack[64 << 10];	/* a crash may be for want of stack */

/* First asked politely: the loop ends and closes everything. */
static const int signal_ends[] = { SIGHUP, SIGINT, SIGTERM };

/* All others that end a program if nobody handles them. */
static const int signal_crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1,
	SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT };

static void screen_signal_restore(void)
{
	const struct screen_restore *r = signal_restore;

	if (!r || !r->ours)
		return;
	for (size_t at = 0; at < r->length;) {
		const ssize_t n = write(r->fd, r->bytes + at, r->length - at);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	tcsetattr(r->fd, TCSANOW, &r->modes);
}

/*
 * The terminal first, then what would have happened without us. A fault happens again at the same instruction, so that a
 * core dump or a sanitizer sees it as it was; what somebody has sent is sent again.
 */
static void screen_signal_crash(int number, siginfo_t *info, void *context)
{
	(void)context;
	screen_signal_restore();
	sigaction(number, &signal_before[number], NULL);
	if (info->si_code <= 0 || info->si_code == SI_KERNEL)
		raise(number);
}

static void screen_signal_note(int number, siginfo_t *info, void *context)
{
	switch (number) {
	case SIGWINCH:
		signal_resized = 1;
		break;
	case SIGTSTP:
		signal_stop = 1;
		break;
	case SIGCONT:
		signal_continued = 1;
		break;
	default:
		if (signal_end) /* the loop does not get round to it */
			screen_signal_crash(number, info, context);
		signal_end = number;
	}
}

static void screen_signal_one(int number, void (*handler)(int, siginfo_t *, void *), bool always)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	sigfillset(&action.sa_mask);
	if (sigaction(number, NULL, &signal_before[number]))
		return;
	if (!always && signal_before[number].sa_handler == SIG_IGN)
		return;
	signal_taken[number] = !sigaction(number, &action, NULL);
}

void screen_signal_take(const struct screen_restore *restore)
{
	const stack_t stack = { .ss_sp = signal_stack, .ss_size = sizeof(signal_stack) };
	stack_t before;

	signal_restore = restore;
	signal_resized = signal_stop = signal_continued = signal_end = 0;
	if (!sigaltstack(NULL, &before) && before.ss_flags & SS_DISABLE)
		sigaltstack(&stack, NULL);
	for (unsigned int i = 0; i < sizeof(signal_crashes) / sizeof(int); i++)
		screen_signal_one(signal_crashes[i], screen_signal_crash, false);
	for (unsigned int i = 0; i < sizeof(signal_ends) / sizeof(int); i++)
		screen_signal_one(signal_ends[i], screen_signal_note, false);
	screen_signal_one(SIGTSTP, screen_signal_note, false);
	screen_signal_one(SIGCONT, screen_signal_note, true);
	screen_signal_one(SIGWINCH, screen_signal_note, true);
}

void screen_signal_give_back(void)
{
	for (int i = 1; i < NSIG; i++) {
		if (signal_taken[i])
			sigaction(i, &signal_before[i], NULL);
		signal_taken[i] = false;
	}
	signal_restore = NULL;
}

unsigned int screen_signal_asked(void)
{
	unsigned int asked = 0;

	if (signal_resized) {
		signal_resized = 0;
		asked |= SCREEN_RESIZED;
	}
	if (signal_stop) {
		signal_stop = 0;
		asked |= SCREEN_STOP;
	}
	if (signal_end)
		asked |= SCREEN_END;
	return asked;
}

bool screen_signal_continued(void)
{
	const bool continued = signal_continued;

	signal_continued = 0;
	return continued;
}

int screen_signal_end(void)
{
	return signal_end;
}

/* SIGTSTP, not SIGSTOP: in a group of processes that no shell watches over it does nothing, and nobody hangs. */
void screen_signal_stop(void)
{
	struct sigaction ours;
	const struct sigaction def = { .sa_handler = SIG_DFL };

	sigaction(SIGTSTP, &def, &ours);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
}
