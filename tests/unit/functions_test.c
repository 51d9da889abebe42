// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples counted by function, from traces made by hand: mappings, fork and exec decide whose code an address is; the
 * trace's own names are used, and none of this machine.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "trace_make.h"
#include "report.h"

enum { MS = 1000000 };

#define KERNEL	0xffffffff81000000ull

static const char symbols[] = "ffffffff81000000 100 vfs_read\nffffffff81000100 100 ksys_read\nffffffffc0000000 10 hook [mod]\n";
static const char functions[] =
	"binary aabbccdd 800001 50 /bin/prog\n"
	"1000 100 hot\n1100 100 cold\n1200 100 main\n1300 10 _ZN3foo3barIiEEvT_\n"
	"binary - 800001 60 /lib/evil\n"
	"2000 100 esc\\x1b[31m\xff\n"
	"process 400\n7f0000001000 20 jitted\n";

static int room_make(void **state)
{
	char *dir = malloc(200);

	make_clock_ns = 5000000000;
	make_room(dir);
	*state = dir;
	return 0;
}

static int room_remove(void **state)
{
	make_remove(*state);
	free(*state);
	return 0;
}

struct stack {
	unsigned int kernels, users;
	uint64_t kernel[8], user[140];
};

static void sample(struct make_stream *s, int32_t pid, uint8_t flags, uint64_t period, const struct stack *stack)
{
	struct kymo_ev_cpu_sample ev = { .tid = pid, .pid = pid, .comm = "prog", .period = period, .flags = flags };
	const uint16_t kernels = (uint16_t)stack->kernels, users = (uint16_t)stack->users;
	uint8_t data[2000], *at = data;

	ev.ip = kernels ? stack->kernel[0] : stack->user[0];
#define PUT(from, bytes) (memcpy(at, from, bytes), at += (bytes))
	PUT(&ev, sizeof(ev));
	PUT(&kernels, 2);
	PUT(stack->kernel, kernels * 8u);
	PUT(&users, 2);
	PUT(stack->user, users * 8u);
#undef PUT
	make_clock_ns += MS;
	assert_int_equal(make_event(s, KYMO_ID_cpu_sample, data, (uint32_t)(at - data)), KYMO_RING_OK);
}

#define SAMPLE(s, pid, flags, period, ...) sample(s, pid, flags, period, &(struct stack){ __VA_ARGS__ })

static struct make_stream *begin(struct make_trace *t, const char *dir)
{
	make_begin(t, dir);
	make_file(dir, "kymo/symbols", symbols, sizeof(symbols) - 1);
	make_file(dir, "kymo/functions", functions, sizeof(functions) - 1);
	return make_stream(t, "stream_0_0", 0);
}

/* The program as of `functions`, at 0x555500000000, its text from offset 0x1000 on. */
#define PROG(s, pid_) make_ev_string(s, task_mmap, "/bin/prog", .tid = pid_, .pid = pid_, .start = 0x555500000000, \
	.end = 0x555500001000, .offset = 0x1000, .inode = 50, .dev = 0x800001, .build_id_bytes = 4, \
	.build_id = { 0xaa, 0xbb, 0xcc, 0xdd })

#define HOT	0x555500000010
#define COLD	0x555500000110
#define MAIN	0x555500000210

static struct report read_trace(const char *dir)
{
	char error[INPUT_TRACE_ERROR];
	struct report r;

	if (report_read(&r, dir, NULL, error))
		fail_msg("%s", error);
	return r;
}

static const struct snapshot_row *row_of(const struct report *r, enum tally_table table, const char *name, int32_t pid)
{
	const struct snapshot_table *t = &r->snapshot->table[table];

	for (unsigned int i = 0; i < t->rows; i++) {
		const struct tally_function *f = *(const struct tally_function *const *)t->row[i].label;

		if (t->row[i].overflow || strcmp(f->name, name))
			continue;
		if (pid == -1 || ((const struct tally_process_key *)t->row[i].key)->pid == pid)
			return &t->row[i];
	}
	return NULL;
}

static void check(const struct report *r, const char *name, uint64_t self, uint64_t total)
{
	const struct snapshot_row *row = row_of(r, TALLY_FUNCTIONS, name, -1);

	if (!row)
		fail_msg("no row of %s", name);
	assert_int_equal(row->value[FUNCTION_SELF], self);
	assert_int_equal(row->value[FUNCTION_TOTAL], total);
}

static void check_of(const struct report *r, int32_t pid, const char *name, uint64_t self)
{
	const struct snapshot_row *row = row_of(r, TALLY_PROCESS_FUNCTIONS, name, pid);

	if (!row)
		fail_msg("no row of %s in %d", name, pid);
	assert_int_equal(row->value[FUNCTION_SELF], self);
}

static void check_caller(const struct report *r, const char *caller, const char *callee, uint64_t time)
{
	const struct snapshot_table *t = &r->snapshot->table[TALLY_CALLERS];

	for (unsigned int i = 0; i < t->rows; i++) {
		const struct tally_caller *c = t->row[i].label;

		if (strcmp(c->caller->name, caller) || strcmp(c->callee->name, callee))
			continue;
		assert_int_equal(t->row[i].value[CALLER_TIME], time);
		return;
	}
	fail_msg("%s is not known to call %s", caller, callee);
}

static void test_counts(void **state)
{
	struct make_trace t;
	struct make_stream *s = begin(&t, *state);
	struct report r;

	PROG(s, 100);
	for (int i = 0; i < 7; i++)
		SAMPLE(s, 100, KYMO_SAMPLE_USER, 10 * MS, 0, 2, .user = { HOT, MAIN });
	for (int i = 0; i < 3; i++)
		SAMPLE(s, 100, KYMO_SAMPLE_USER, 10 * MS, 0, 2, .user = { COLD, MAIN });
	/* In the kernel, called by hot; a sample that stands for more. The module's function has a module of its own. */
	SAMPLE(s, 100, 0, 50 * MS, 3, 2, .kernel = { 0xffffffffc0000005, KERNEL + 0x10, KERNEL + 0x110 }, .user = { HOT, MAIN });
	/* Recursion counts once, as function and as edge. */
	SAMPLE(s, 100, KYMO_SAMPLE_USER, 10 * MS, 0, 5, .user = { COLD, COLD, COLD, COLD, MAIN });
	/* A return address behind the last call of cold is cold's, not main's. */
	SAMPLE(s, 100, KYMO_SAMPLE_USER, 10 * MS, 0, 2, .user = { HOT, MAIN - 0x10 });
	make_end(&t);
	r = read_trace(*state);
	check(&r, "hot", 80 * MS, 130 * MS);
	check(&r, "cold", 40 * MS, 50 * MS);
	check(&r, "main", 0, 160 * MS);
	check(&r, "hook", 50 * MS, 50 * MS);
	check(&r, "vfs_read", 0, 50 * MS);
	check(&r, "ksys_read", 0, 50 * MS);
	check_of(&r, 100, "hot", 80 * MS);
	check_caller(&r, "main", "hot", 120 * MS);
	check_caller(&r, "hot", "ksys_read", 50 * MS);
	check_caller(&r, "cold", "cold", 10 * MS);
	check_caller(&r, "cold", "hot", 10 * MS);
	assert_string_equal((*(const struct tally_function **)row_of(&r, TALLY_FUNCTIONS, "hook", -1)->label)->module, "[mod]");
	assert_string_equal((*(const struct tally_function **)row_of(&r, TALLY_FUNCTIONS, "hot", -1)->label)->module, "prog");
	assert_int_equal(r.snapshot->totals.sample_weight, 170 * MS);
	assert_int_equal(r.snapshot->totals.samples_unnamed, 0);
	report_fini(&r);
}

/* fork has the parent's mappings, exec only its own, also where another program lay before; exit does not hurry. */
static void test_processes(void **state)
{
	struct make_trace t;
	struct make_stream *s = begin(&t, *state);
	struct report r;

	PROG(s, 100);
	make_ev(s, sched_process_fork, .parent_tid = 100, .parent_pid = 100, .child_tid = 200, .child_pid = 200,
		.child_start_ns = 9);
	make_ev(s, sched_process_fork, .parent_tid = 100, .parent_pid = 100, .child_tid = 300, .child_pid = 300,
		.child_start_ns = 10);
	SAMPLE(s, 200, KYMO_SAMPLE_USER, MS, 0, 1, .user = { HOT });
	make_ev(s, task_rename, .tid = 300, .pid = 300, .newcomm = "evil");
	make_ev_string(s, task_mmap, "/lib/evil", .tid = 300, .pid = 300, .start = 0x7000, .end = 0x9000,
		       .offset = 0x1000, .inode = 60, .dev = 0x800001);
	make_ev_string(s, sched_process_exec, "/bin/evil", .tid = 300, .old_tid = 300, .comm = "evil");
	SAMPLE(s, 300, KYMO_SAMPLE_USER, MS, 0, 1, .user = { 0x8000 });
	SAMPLE(s, 300, KYMO_SAMPLE_USER, MS, 0, 1, .user = { HOT });
	make_ev(s, sched_process_exit, .tid = 200, .pid = 200, .group_dead = 1);
	SAMPLE(s, 200, KYMO_SAMPLE_USER, MS, 0, 1, .user = { COLD });
	make_ev(s, sched_process_free, .tid = 200);
	SAMPLE(s, 200, KYMO_SAMPLE_USER, MS, 0, 1, .user = { MAIN });
	/* A JIT's code, and another process's at the same place. */
	make_ev_string(s, task_mmap, "", .tid = 400, .pid = 400, .start = 0x7f0000000000, .end = 0x7f0000100000);
	make_ev_string(s, task_mmap, "", .tid = 500, .pid = 500, .start = 0x7f0000000000, .end = 0x7f0000100000);
	SAMPLE(s, 400, KYMO_SAMPLE_USER, MS, 0, 1, .user = { 0x7f0000001010 });
	SAMPLE(s, 500, KYMO_SAMPLE_USER, MS, 0, 1, .user = { 0x7f0000001010 });
	/* Mapped, but without names; and C++. */
	make_ev_string(s, task_mmap, "/usr/lib/libstripped.so.1 (deleted)", .tid = 500, .pid = 500, .start = 0x1000, .end = 0x9000,
		       .inode = 70, .dev = 3);
	SAMPLE(s, 500, KYMO_SAMPLE_USER, MS, 0, 1, .user = { 0x1010 });
	SAMPLE(s, 500, KYMO_SAMPLE_USER, MS, 0, 1, .user = { 0x2010 });
	SAMPLE(s, 100, KYMO_SAMPLE_USER, MS, 0, 1, .user = { 0x555500000300 });
	make_end(&t);
	r = read_trace(*state);
	check_of(&r, 200, "hot", MS);
	check_of(&r, 200, "cold", MS);
	check_of(&r, 200, "(unknown code)", MS);
	check_of(&r, 300, "esc\033[31m\xff", MS);
	check_of(&r, 300, "(unknown code)", MS);
	check_of(&r, 400, "jitted", MS);
	check_of(&r, 500, "(anonymous memory)", MS);
	check_of(&r, 500, "[libstripped.so.1]", 2 * MS);
	check_of(&r, 100, "foo::bar<int>", MS);
	assert_null(row_of(&r, TALLY_FUNCTIONS, "main", -1));
	report_fini(&r);
}

/* What a stack lacks stands in it. */
static void test_stacks_that_end(void **state)
{
	struct stack deep = { .users = 120 };
	struct make_trace t;
	struct make_stream *s = begin(&t, *state);
	struct report r;

	PROG(s, 100);
	SAMPLE(s, 100, KYMO_SAMPLE_USER | KYMO_SAMPLE_USTACK_BROKEN, MS, 0, 1, .user = { HOT });
	/* The module followed a register that was no frame pointer to where no code is. */
	SAMPLE(s, 100, KYMO_SAMPLE_USER, MS, 0, 3, .user = { HOT, 0x123456, MAIN });
	for (unsigned int i = 0; i < deep.users; i++)
		deep.user[i] = COLD + i;
	sample(s, 100, KYMO_SAMPLE_USER | KYMO_SAMPLE_USTACK_TRUNCATED, MS, &deep);
	SAMPLE(s, 100, KYMO_SAMPLE_USER, MS, 0, 2, .user = { HOT, MAIN });
	make_end(&t);
	r = read_trace(*state);
	check(&r, "hot", 3 * MS, 3 * MS);
	check(&r, "main", 0, MS);
	check(&r, "(callers unknown: no frame pointers)", 0, 2 * MS);
	check(&r, "(more callers: the stack is too deep)", 0, MS);
	check_caller(&r, "(callers unknown: no frame pointers)", "hot", 2 * MS);
	assert_int_equal(r.snapshot->totals.stacks_broken, 2);
	assert_int_equal(r.snapshot->totals.stacks_cut, 1);
	report_fini(&r);
}

/* No name of a stranger reaches a terminal or breaks JSON. */
static void test_output(void **state)
{
	struct make_trace t;
	struct make_stream *s = begin(&t, *state);
	static const char *const names[] = { "functions", "process_functions", "callers" };
	struct report r;
	char *text;
	size_t bytes;

	make_ev_string(s, task_mmap, "/lib/evil", .tid = 300, .pid = 300, .start = 0x7000, .end = 0x9000,
		       .offset = 0x1000, .inode = 60, .dev = 0x800001);
	make_ev_string(s, task_mmap, "/tmp/\033]0;x\007\n\xc3(\xe2\x80\xae", .tid = 300, .pid = 300, .start = 0x9000, .end = 0xa000,
		       .inode = 61, .dev = 3);
	SAMPLE(s, 300, KYMO_SAMPLE_USER, MS, 0, 2, .user = { 0x8000, 0x9010 });
	make_end(&t);
	r = read_trace(*state);
	for (int i = 0; i < 3; i++) {
		FILE *to = open_memstream(&text, &bytes);

		assert_non_null(view_find(names[i]));
		report_text(&r, "x", view_find(names[i]), 0, to);
		report_json(&r, view_find(names[i]), 0, to);
		fclose(to);
		assert_non_null(strstr(text, "\\x1b[31m\\xff"));
		assert_non_null(strstr(text, "[\\x1b]0;x\\x07\\x0a\\xc3("));
		for (size_t k = 0; k < bytes; k++)
			assert_true(text[k] == '\n' || (text[k] >= ' ' && text[k] < 0x7f));
		assert_non_null(strchr(text, '{'));
		json_decref(json_loads(strchr(text, '{'), 0, NULL));
		free(text);
	}
	report_fini(&r);
}

/* More functions than there is room for: one row for the others, nothing lost. */
static void test_bound(void **state)
{
	enum { FILES = 66000 };
	struct tally *t = tally_create();
	struct table_row *row = NULL;
	uint64_t sum = 0, total = 0;
	const struct tally_totals *totals;
	struct catalogue *c = catalogue_create();
	size_t bytes;
	void *entries = builtin_entries(&bytes);
	struct event e = { .time_ns = 1 };
	struct { struct kymo_ev_task_mmap ev; char path[8]; } __attribute__((packed)) map = { .ev = { .tid = 7, .pid = 7 } };
	struct { struct kymo_ev_cpu_sample ev; uint16_t kernels, users; uint64_t user; } __attribute__((packed)) one = {
		.ev = { .tid = 7, .pid = 7, .period = 1, .flags = KYMO_SAMPLE_USER }, .users = 1 };

	catalogue_add(c, entries, bytes);
	free(entries);
	for (uint32_t i = 1; i <= FILES; i++) {
		map.ev.start = 0x1000;
		map.ev.end = 0x2000;
		map.ev.inode = i;
		snprintf(map.path, sizeof(map.path), "/%u", i);
		e.type = catalogue_by_id(c, KYMO_ID_task_mmap);
		e.data = (const uint8_t *)&map;
		e.bytes = sizeof(map);
		tally_event(t, &e, 0);
		one.user = 0x1800;
		e.type = catalogue_by_id(c, KYMO_ID_cpu_sample);
		e.data = (const uint8_t *)&one;
		e.bytes = sizeof(one);
		tally_event(t, &e, 0);
	}
	tally_finish(t);
	totals = tally_totals(t);
	while ((row = table_next(tally_table(t, TALLY_FUNCTIONS), row))) {
		sum += table_value(row, FUNCTION_SELF);
		total += table_value(row, FUNCTION_TOTAL);
	}
	assert_int_equal(sum + table_value(table_overflow(tally_table(t, TALLY_FUNCTIONS)), FUNCTION_SELF), FILES);
	assert_int_equal(total + table_value(table_overflow(tally_table(t, TALLY_FUNCTIONS)), FUNCTION_TOTAL), FILES);
	assert_int_equal(totals->samples_unnamed, FILES);
	tally_destroy(t);
	catalogue_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counts, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_processes, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_stacks_that_end, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_output, room_make, room_remove),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests_name("functions", tests, NULL, NULL);
}
