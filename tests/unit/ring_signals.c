/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread writes; four real-time signals that may interrupt each other and themselves, from timers that
 * drift through it, write on top of it; another thread reads. Discard mode: everything that is not lost
 * is read, whole, in order of time. Overwrite mode: what the reader copied in time is whole.
 *
 * Usage: ring_signals [RECORDS]	recorded by the main line, for each mode
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
#include "ring_fixture.h"

enum { SIGNALS = 4, WRITERS = SIGNALS + 1, DEEPEST = 24 };

static struct fixture fixture;
static __u64 number[WRITERS], recorded[WRITERS], sum[WRITERS], lost[KYMO_LOSS_CAUSES], on_top, depth_seen[DEEPEST + 1];
static unsigned int depth;
static bool over;
static pid_t writer_tid;

/* The signals' handlers share these: one instruction each. */
static inline void add(__u64 *p, __u64 n)
{
	__asm__ volatile("addq %1, %0" : "+m"(*p) : "er"(n) : "memory");
}

static inline __u64 take_number(unsigned int writer)
{
	__u64 n = 1;

	__asm__ volatile("xaddq %0, %1" : "+r"(n), "+m"(number[writer]) : : "memory");
	return n - 1;
}

static int write_one(unsigned int writer)
{
	const __u64 n = take_number(writer);
	int cause = fixture_write(&fixture, writer, n, NULL);

	if (cause == KYMO_RING_OK) {
		add(&recorded[writer], 1);
		add(&sum[writer], n);
	} else {
		add(&lost[cause], 1);
	}
	return cause;
}

static void on_signal(int signal)
{
	const unsigned int d = __atomic_load_n(&depth, __ATOMIC_RELAXED);
	unsigned int records = 1 + number[1 + signal - SIGRTMIN] % 97;

	__atomic_store_n(&depth, d + 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&fixture.control->nest, __ATOMIC_RELAXED))
		add(&on_top, 1);
	add(&depth_seen[d + 1 < DEEPEST ? d + 1 : DEEPEST], 1);
	/* Several, so that the next signal meets a handler inside a reservation too. */
	while (records--)
		write_one(1 + signal - SIGRTMIN);
	__atomic_store_n(&depth, d, __ATOMIC_RELAXED);
}

/* Timers without common measure; an expiry while the signal is still pending adds none, so they cannot pile up. */
static void timers_start(timer_t timer[SIGNALS])
{
	static const long period_ns[SIGNALS] = { 131013, 193067, 271051, 390017 };
	int i;

	for (i = 0; i < SIGNALS; i++) {
		struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + i };
		struct itimerspec when = { .it_value.tv_nsec = period_ns[i], .it_interval.tv_nsec = period_ns[i] };

		event._sigev_un._tid = writer_tid;
		if (timer_create(CLOCK_MONOTONIC, &event, &timer[i]) || timer_settime(timer[i], 0, &when, NULL)) {
			perror("timer");
			exit(1);
		}
	}
}

static void *reader(void *argument)
{
	struct fixture_reader *rd = argument;
	__u8 *copy = malloc(ring_packet_bytes(&fixture.ring));
	bool last = false, right = copy;

	while (right) {
		right = fixture.ring.mode == KYMO_MODE_DISCARD ? fixture_take(rd) : fixture_snapshot(rd, copy);
		if (last)
			break;
		last = __atomic_load_n(&over, __ATOMIC_ACQUIRE);
		if (!last)
			sched_yield();
	}
	free(copy);
	return NULL;
}

static void block(int how)
{
	sigset_t set;
	int i;

	sigemptyset(&set);
	for (i = 0; i < SIGNALS; i++)
		sigaddset(&set, SIGRTMIN + i);
	pthread_sigmask(how, &set, NULL);
}

static int judge(const struct fixture_reader *rd, const char *mode)
{
	__u64 happened = 0, kept = 0, gone = 0, from_signals, deepest;
	unsigned int i;

	for (i = 0; i < WRITERS; i++) {
		happened += number[i];
		kept += recorded[i];
	}
	for (i = 0; i < KYMO_LOSS_CAUSES; i++)
		gone += lost[i];
	from_signals = kept - recorded[0];
	for (deepest = DEEPEST; deepest && !depth_seen[deepest];)
		deepest--;
	printf("  %-9s %llu happened = %llu recorded + %llu lost; signals wrote %llu; "
	       "%llu signals came inside a reservation, up to %llu deep; %llu packets read, %llu given up\n",
	       mode, happened, kept, gone, from_signals, on_top, deepest, rd->packets, rd->skipped);
	if (rd->fault[0])
		return printf("%s: %s\n", mode, rd->fault), 1;
	if (happened != kept + gone || fixture.control->lost != gone || fixture.control->nest ||
	    fixture.control->head != fixture.control->reserve)
		return printf("%s: the ring says %llu lost, nest %u\n", mode, fixture.control->lost, fixture.control->nest), 1;
	for (i = 0; i < WRITERS && fixture.ring.mode == KYMO_MODE_DISCARD; i++)
		if (rd->found[i] != recorded[i] || rd->sum[i] != sum[i])
			return printf("%s: writer %u recorded %llu, read %llu\n", mode, i, recorded[i], rd->found[i]), 1;
	if (fixture.ring.mode == KYMO_MODE_DISCARD ? rd->discarded != gone : !rd->packets)
		return printf("%s: the last packet says %llu lost of %llu; %llu packets read\n", mode,
			      rd->discarded, gone, rd->packets), 1;
	if (!on_top)
		return printf("%s: no signal came inside a reservation\n", mode), 1;
	return 0;
}

static int run(enum kymo_mode mode, __u64 records)
{
	struct fixture_reader rd;
	timer_t timer[SIGNALS];
	pthread_t thread;
	int i, result;

	memset(number, 0, sizeof(number));
	memset(recorded, 0, sizeof(recorded));
	memset(sum, 0, sizeof(sum));
	memset(lost, 0, sizeof(lost));
	memset(depth_seen, 0, sizeof(depth_seen));
	on_top = 0;
	over = false;
	/* Small, so that packets change often; the lap counts for overwrite mode. */
	fixture_init(&fixture, mode == KYMO_MODE_DISCARD ? 12 : 14, mode == KYMO_MODE_DISCARD ? 16 : 64, mode, 0);
	fixture_reader_init(&rd, &fixture);
	block(SIG_BLOCK); /* the reader inherits it */
	if (pthread_create(&thread, NULL, reader, &rd))
		abort();
	block(SIG_UNBLOCK);
	timers_start(timer);
	while (recorded[0] < records)
		if (write_one(0) != KYMO_RING_OK)
			sched_yield();
	for (i = 0; i < SIGNALS; i++)
		timer_delete(timer[i]);
	block(SIG_BLOCK);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	ring_close(&fixture.ring);
	if (mode == KYMO_MODE_DISCARD && !rd.fault[0])
		fixture_take(&rd);
	result = judge(&rd, mode == KYMO_MODE_DISCARD ? "discard" : "overwrite");
	fixture_fini(&fixture);
	for (i = 0; i < SIGNALS; i++) /* what is still pending belongs to no ring */
		signal(SIGRTMIN + i, SIG_IGN);
	return result;
}

int main(int argc, char **argv)
{
	const __u64 records = argc > 1 ? strtoull(argv[1], NULL, 0) : 2000000;
	const enum kymo_mode modes[] = { KYMO_MODE_DISCARD, KYMO_MODE_OVERWRITE };
	unsigned int m;
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	writer_tid = (pid_t)syscall(SYS_gettid);
	for (m = 0; m < 2; m++) {
		for (i = 0; i < SIGNALS; i++) {
			struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER | SA_RESTART };

			sigaction(SIGRTMIN + i, &action, NULL);
		}
		if (run(modes[m], records))
			return 1;
	}
	return 0;
}
