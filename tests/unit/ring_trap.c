/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring's machine code, interrupted after every single instruction. A writer runs with EFLAGS.TF set; in the
 * SIGTRAP after its k-th instruction a nested writer runs, for every k; at depth 2 the nested writer is itself
 * single-stepped, and a third one runs after its j-th instruction, for every j. After each run all records are read.
 */
#include <signal.h>
#include <ucontext.h>

static unsigned long long trap_clock(void);
#define KYMO_RING_CLOCK() trap_clock()
#include "ring_fixture.h"

enum { SHIFT = 9, TRAP_FLAG = 0x100 };

struct start {
	const char *name;
	enum kymo_mode mode;
	unsigned int packets;
	unsigned int before;	/* records written first: where in a packet the run starts */
	bool taken;		/* and read */
	bool deep;		/* depth 2 */
};

/*
 * A trap takes 20 us on a virtual machine, so of depth 2's pairs (k, j) every STRIDE-th is taken, differently for
 * each k; all of them with --soak.
 */
enum { STRIDE = 97 };

/* 512 bytes less the header hold four to seven of the fixture's records. */
static const struct start starts[] = {
	{ "inside a packet", KYMO_MODE_DISCARD, 4, 1, false, true },
	{ "from nothing", KYMO_MODE_DISCARD, 4, 0, false, false },
	{ "into the next packet", KYMO_MODE_DISCARD, 4, 5, false, true },
	{ "around the end of the ring", KYMO_MODE_DISCARD, 4, 23, true, false },
	{ "into a full ring", KYMO_MODE_DISCARD, 4, 100, false, false },
	{ "overwriting", KYMO_MODE_OVERWRITE, 2, 12, false, true },
};

static struct fixture fixture;
static volatile unsigned int depth, steps[2], target[2];
static volatile bool deep;
static volatile unsigned long long ticks, number[3], written[3], lost, nested_inside;

static unsigned long long trap_clock(void)
{
	return __atomic_add_fetch(&ticks, 1, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void write_one(unsigned int writer)
{
	/* One instruction each: these are shared with who interrupts. */
	if (fixture_write(&fixture, writer, __atomic_fetch_add(&number[writer], 1, __ATOMIC_RELAXED), NULL) == KYMO_RING_OK)
		__atomic_fetch_add(&written[writer], 1, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
}

/* The trap comes after the instruction that follows popf. */
#define trap_on() __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(TRAP_FLAG) : "memory", "cc")
#define trap_off() __asm__ volatile("pushfq; andq %0, (%%rsp); popfq" : : "i"(~TRAP_FLAG) : "memory", "cc")

static void write_stepped(unsigned int writer, unsigned int k)
{
	target[depth] = k;
	steps[depth] = 0;
	trap_on();
	write_one(writer);
	trap_off();
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	if (++steps[depth] != target[depth])
		return;
	/* The rest of the interrupted writer runs freely. */
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	if (fixture.control->nest)
		nested_inside++;
	if (deep && depth == 0) {
		depth = 1;
		write_stepped(1, target[1]);
		depth = 0;
	} else {
		write_one(depth + 1);
	}
}

static int check(const struct start *start, struct fixture_reader *rd, unsigned int k, unsigned int j)
{
	__u8 copy[1 << SHIFT];
	bool right;

	ring_close(&fixture.ring);
	right = start->mode == KYMO_MODE_DISCARD ? fixture_take(rd) : fixture_snapshot(rd, copy);
	if (right && start->mode == KYMO_MODE_DISCARD &&
	    (rd->found[0] != written[0] || rd->found[1] != written[1] || rd->found[2] != written[2]))
		right = snprintf(rd->fault, sizeof(rd->fault), "%llu %llu %llu written, %llu %llu %llu found",
				 written[0], written[1], written[2], rd->found[0], rd->found[1], rd->found[2]) < 0;
	if (right && (fixture.control->nest || fixture.control->lost != lost ||
		      fixture.control->head != fixture.control->reserve))
		right = snprintf(rd->fault, sizeof(rd->fault), "nest %u, lost %llu of %llu",
				 fixture.control->nest, fixture.control->lost, lost) < 0;
	if (!right)
		printf("%s: interrupted after instruction %u, then %u: %s\n", start->name, k, j, rd->fault);
	return right ? 0 : -1;
}

/* 1: done; 0: the writer, or the one nested in it, has fewer instructions; -1: a fault, told */
static int run(const struct start *start, unsigned int k, unsigned int j)
{
	struct fixture_reader rd;
	unsigned int i;
	int result;

	fixture_init(&fixture, SHIFT, start->packets, start->mode, 1);
	fixture_reader_init(&rd, &fixture);
	lost = depth = 0;
	for (i = 0; i < 3; i++)
		number[i] = written[i] = 0;
	for (i = 0; i < start->before; i++)
		write_one(0);
	if (start->taken && !fixture_take(&rd))
		return -1;
	deep = j != 0;
	steps[1] = 0;
	target[1] = j;
	write_stepped(0, k);
	result = steps[0] >= k && steps[1] >= j;
	if (check(start, &rd, k, j))
		result = -1;
	fixture_fini(&fixture);
	return result;
}

int main(int argc, char **argv)
{
	const unsigned int stride = argc > 1 && !strcmp(argv[1], "--soak") ? 1 : STRIDE;
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER };
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGTRAP, &action, NULL);
	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		unsigned long long runs = 0;
		unsigned int k, j, instructions;
		int result;

		nested_inside = 0;
		for (k = 1; (result = run(&starts[i], k, 0)) == 1; k++)
			runs++;
		instructions = k - 1;
		for (k = 1; result >= 0 && starts[i].deep && k <= instructions; k++)
			for (j = 1 + k * 7 % stride; (result = run(&starts[i], k, j)) == 1; j += stride)
				runs++;
		if (result < 0)
			return 1;
		if (nested_inside < runs / 2) {
			printf("%s: only %llu of %llu runs interrupted an open reservation\n", starts[i].name, nested_inside, runs);
			return 1;
		}
		printf("  %-30s %u instructions, %llu runs, %llu on top of an unfinished record: all whole\n", starts[i].name,
		       instructions, runs, nested_inside);
	}
	return 0;
}
