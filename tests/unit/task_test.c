// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is who when numbers are used again, threads call exec, and the dump comes after the first events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "task.h"

static struct room {
	struct task_set *s;
	unsigned int moved, processes_gone, tasks_gone;
	int32_t moved_from, moved_to;
} room;

static void moved(void *context, struct process *from, struct process *to)
{
	struct room *r = context;

	r->moved++;
	r->moved_from = from->pid;
	r->moved_to = to->pid;
}

static void process_gone(void *context, struct process *p)
{
	((struct room *)context)->processes_gone++;
}

static void task_gone(void *context, struct task *t)
{
	((struct room *)context)->tasks_gone++;
}

static void room_begin(unsigned int tasks_max)
{
	memset(&room, 0, sizeof(room));
	room.s = task_set_create(tasks_max, &(struct task_hooks){ &room, moved, process_gone, task_gone, NULL });
	assert_non_null(room.s);
}

static void tell(uint16_t id, const void *data)
{
	const struct event e = { .data = data };

	task_event(room.s, id, &e);
}

static void forked(int32_t parent, int32_t tid, int32_t pid, uint64_t start)
{
	const struct kymo_ev_sched_process_fork ev = {
		.parent_tid = parent, .parent_pid = parent, .parent_comm = "sh", .child_comm = "sh", .child_tid = tid,
			.child_pid = pid, .child_start_ns = start,
	};

	tell(KYMO_ID_sched_process_fork, &ev);
}

static void dumped(int32_t tid, int32_t pid, const char *name, uint64_t start)
{
	struct kymo_ev_lttng_statedump_process_state ev = { .tid = tid, .pid = pid, .ppid = 1, .start_ns = start };

	strncpy(ev.name, name, 15);
	tell(KYMO_ID_lttng_statedump_process_state, &ev);
}

static void test_guess(void **state)
{
	struct task *t;

	room_begin(100);
	t = task_get(room.s, 11, 0, "thread\0\0\0\0\0\0\0\0\0");
	assert_true(t->process->guessed);
	assert_int_equal(t->process->pid, 11);
	dumped(10, 10, "leader", 5);
	dumped(11, 10, "thread", 6);
	assert_int_equal(room.moved, 1);
	assert_int_equal(room.moved_from, 11);
	assert_int_equal(room.moved_to, 10);
	assert_ptr_equal(task_find(room.s, 11)->process, task_find(room.s, 10)->process);
	assert_string_equal(t->process->comm, "leader");
	assert_int_equal(t->process->threads, 2);
	/* The thread's name is not the process's. */
	task_get(room.s, 11, 10, "renamed\0\0\0\0\0\0\0\0");
	assert_string_equal(t->process->comm, "leader");
	/* A thread never changes its process: the number was given again. */
	t = task_get(room.s, 11, 12, NULL);
	assert_int_equal(t->process->pid, 12);
	assert_int_equal(task_find(room.s, 10)->process->threads, 1);
	assert_int_equal(room.tasks_gone, 1);
	task_set_destroy(room.s);
	assert_int_equal(room.tasks_gone, 4);		/* with the overflow's */
	assert_int_equal(room.processes_gone, 4);	/* the guess, 10, 12, the overflow's */
}

static void test_reuse(void **state)
{
	struct process *old;

	room_begin(100);
	dumped(1, 1, "init", 1);
	forked(1, 50, 50, 100);
	old = task_find(room.s, 50)->process;
	assert_int_equal(old->start_ns, 100);
	assert_int_equal(old->ppid, 1);
	/* Its end is not seen; a thread of it is left; the number comes again. */
	forked(50, 51, 50, 101);
	assert_int_equal(old->threads, 2);
	forked(1, 50, 50, 200);
	assert_int_equal(task_find(room.s, 50)->process->start_ns, 200);
	assert_ptr_not_equal(task_find(room.s, 50)->process, old);
	assert_ptr_equal(task_find(room.s, 51)->process, old);
	/* The dump comes late and tells of the old one. */
	dumped(50, 50, "ghost", 100);
	assert_int_equal(task_find(room.s, 50)->start_ns, 200);
	task_dead(room.s, task_find(room.s, 51));
	assert_null(task_find(room.s, 51));
	assert_int_equal(room.processes_gone, 1);
	/* The dump saw it before the fork was told: the same one. */
	dumped(60, 60, "early", 300);
	forked(1, 60, 60, 300);
	assert_int_equal(room.tasks_gone, 2);
	assert_int_equal(task_count(room.s), 3);
	task_set_destroy(room.s);
}

static void test_exec_by_thread(void **state)
{
	const struct { struct kymo_ev_sched_process_exec ev; char path[4]; } __attribute__((packed)) exec = {
		{ .tid = 70, .old_tid = 71, .comm = "new" }, "/n",
	};
	struct task *thread;

	room_begin(100);
	forked(1, 70, 70, 10);
	forked(70, 71, 70, 11);
	thread = task_find(room.s, 71);
	tell(KYMO_ID_sched_process_exec, &exec);
	assert_null(task_find(room.s, 71));
	assert_ptr_equal(task_find(room.s, 70), thread);
	assert_int_equal(thread->process->threads, 1);
	assert_int_equal(thread->start_ns, 10);
	assert_string_equal(thread->process->comm, "new");
	task_set_destroy(room.s);
}

static void freed(int32_t tid, int32_t pid)
{
	const struct kymo_ev_sched_process_free ev = { .tid = tid, .pid = pid };

	tell(KYMO_ID_sched_process_free, &ev);
}

/* Past their exits when the recording began: their last switch is seen, and then whose threads they were. */
static void test_ghosts(void **state)
{
	struct task *t;

	room_begin(10000);
	dumped(10, 10, "leader", 5);
	task_dead(room.s, task_get(room.s, 11, 0, NULL));
	assert_int_equal(room.tasks_gone, 0);
	freed(11, 10);
	assert_int_equal(room.moved, 1);
	assert_int_equal(room.moved_to, 10);
	assert_null(task_find(room.s, 11));
	/* Not yet waited for: the dump tells, and nothing takes it back to life. */
	task_dead(room.s, task_get(room.s, 20, 0, NULL));
	dumped(20, 20, "zombie", 7);
	assert_false(task_find(room.s, 20)->process->guessed);
	assert_true(task_find(room.s, 20)->dead);
	freed(20, 20);
	assert_null(task_find(room.s, 20));
	/* The number is another's before its end is told. */
	task_dead(room.s, task_get(room.s, 30, 0, NULL));
	t = task_get(room.s, 30, 0, NULL);
	assert_false(t->dead);
	task_dead(room.s, t);
	forked(10, 30, 30, 100);
	assert_int_equal(task_find(room.s, 30)->start_ns, 100);
	assert_int_equal(room.tasks_gone, 4);
	/* Nobody tells of their ends: not all are kept. */
	for (int32_t tid = 1000; tid < 9000; tid++)
		task_dead(room.s, task_get(room.s, tid, 0, NULL));
	assert_in_range(task_count(room.s), 100, 200);
	task_set_destroy(room.s);
}

static void test_full(void **state)
{
	room_begin(10);
	for (int32_t tid = 1; tid <= 30; tid++)
		task_get(room.s, tid, 0, NULL);
	assert_int_equal(task_count(room.s), 10);
	assert_ptr_equal(task_get(room.s, 30, 0, NULL), task_overflow(room.s));
	forked(30, 31, 31, 5);
	dumped(32, 32, "x", 6);
	task_dead(room.s, task_overflow(room.s));
	task_dead(room.s, task_find(room.s, 1));
	assert_ptr_not_equal(task_get(room.s, 30, 0, NULL), task_overflow(room.s));
	task_set_destroy(room.s);
}

static uint32_t random_state = 7;

static int32_t random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return (int32_t)(random_state % n);
}

/* Any order of any events: the sanitizers watch, and every object made is gone at the end. */
static void storm(unsigned int tasks_max)
{
	room_begin(tasks_max);
	for (unsigned int i = 0; i < 200000; i++) {
		const int32_t a = random_below(60), b = random_below(60);
		struct task *t;

		switch (random_below(7)) {
		case 0:
			forked(a, b, random_below(2) ? b : a, (uint64_t)random_below(5));
			break;
		case 1:
			dumped(a, random_below(2) ? a : b, "d", (uint64_t)random_below(5));
			break;
		case 2: {
			const struct kymo_ev_sched_process_exec ev = { .tid = a, .old_tid = random_below(2) ? a : b };

			tell(KYMO_ID_sched_process_exec, &ev);
			break;
		}
		case 3:
			t = task_find(room.s, a);
			if (t)
				task_dead(room.s, t);
			break;
		case 4:
			freed(a, random_below(2) ? a : b);
			break;
		default:
			t = task_get(room.s, a, random_below(2) ? b : 0, "storm\0\0\0\0\0\0\0\0\0\0");
			assert_true(t->process->threads > 0 || t == task_overflow(room.s) ||
				t->process == task_overflow(room.s)->process);
		}
	}
	task_set_destroy(room.s);
}

static void test_storm(void **state)
{
	storm(40);	/* always full */
	storm(640);	/* with ghosts */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guess), cmocka_unit_test(test_reuse), cmocka_unit_test(test_exec_by_thread),
		cmocka_unit_test(test_ghosts), cmocka_unit_test(test_full), cmocka_unit_test(test_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
