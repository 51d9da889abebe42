// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known of a moment: programs that replace one another, numbers that are used again, mappings that are
 * inherited; and the same after it has been through the files. Then files with damage of all kinds: refused, never a crash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "builtin.h"
#include "machine_feed.h"
#include "machine_file.h"

#undef errno

/* An event with its strings behind it. */
static void tell(struct machine *m, uint64_t now_ns, uint16_t id, const void *ev, size_t bytes, const char *string)
{
	char data[2048];
	const struct event e = { .data = (const uint8_t *)data, .time_ns = now_ns };

	memcpy(data, ev, bytes);
	strcpy(data + bytes, string);
	machine_event(m, id, &e);
}

#define TELL(m, now_ns, name, string, ...) ({ \
	const struct kymo_ev_##name ev_ = { __VA_ARGS__ }; \
	tell(m, now_ns, KYMO_ID_##name, &ev_, sizeof(ev_), string); \
})

/*
 * Process 10 (with thread 11) is there, forks 20 at 100, which execs at 200 with a rename at 190 and goes at 300; the number
 * 20 comes again at 400. Module mod is there, late comes at 150 and goes at 250.
 */
static struct machine *story(void)
{
	struct machine *m = machine_create();

	TELL(m, 50, lttng_statedump_process_state, "", .tid = 10, .pid = 10, .ppid = 1, .name = "shell", .start_ns = 7,
	     .cgroup_id = 5);
	TELL(m, 51, lttng_statedump_process_state, "", .tid = 11, .pid = 10, .ppid = 1, .name = "helper", .start_ns = 8,
	     .cgroup_id = 5);
	TELL(m, 52, lttng_statedump_process_state, "", .tid = 2, .pid = 2, .name = "kthreadd", .start_ns = 1, .type = 1);
	TELL(m, 53, lttng_statedump_vm_map, "/bin/a shell", .pid = 10, .start = 0x1000, .end = 0x3000, .pgoff = 0x1000, .inode = 77,
	     .dev = 8 << 20 | 1, .build_id_bytes = 20, .build_id = { 0xab, 1, [19] = 0xcd });
	TELL(m, 54, lttng_statedump_vm_map, "", .pid = 10, .start = 0x8000, .end = 0x9000);
	TELL(m, 55, lttng_statedump_module, "mod", .base = 0xffffffffc0000000, .bytes = 0x2000);
	TELL(m, 100, sched_process_fork, "", .parent_tid = 10, .parent_pid = 10, .parent_comm = "shell", .child_tid = 20,
	     .child_pid = 20, .child_comm = "shell", .child_start_ns = 99);
	TELL(m, 150, module_load, "late", .base = 0xffffffffc0010000, .bytes = 0x1000);
	TELL(m, 190, task_rename, "", .tid = 20, .pid = 20, .oldcomm = "shell", .newcomm = "program");
	TELL(m, 195, task_mmap, "/usr/bin/pro\\gram\n", .tid = 20, .pid = 20, .start = 0x1000, .end = 0x2000, .inode = 78,
	     .dev = 8 << 20 | 1);
	TELL(m, 200, sched_process_exec, "/usr/bin/program", .tid = 20, .old_tid = 20, .comm = "program");
	TELL(m, 220, task_mmap, "/lib/libc.so", .tid = 20, .pid = 20, .start = 0x4000, .end = 0x6000, .inode = 79);
	TELL(m, 250, module_free, "late");
	TELL(m, 300, sched_process_exit, "", .tid = 20, .pid = 20, .comm = "program", .group_dead = 1);
	TELL(m, 310, sched_process_free, "", .tid = 20, .comm = "program");
	TELL(m, 400, sched_process_fork, "", .parent_tid = 11, .parent_pid = 10, .parent_comm = "helper", .child_tid = 20,
	     .child_pid = 20, .child_comm = "helper", .child_start_ns = 399);
	return m;
}

static const char *path_at(struct machine *m, int32_t pid, uint64_t address, uint64_t at_ns)
{
	const struct machine_process *p = machine_process(m, pid, at_ns);
	const struct machine_mapping *a = p ? machine_mapping(p, address, at_ns) : NULL;

	return a ? a->object->path : "none";
}

static void check_story(struct machine *m)
{
	const struct machine_process *p = machine_process(m, 10, 60);
	const struct machine_task *t = machine_task(m, 11, 60);
	const struct machine_mapping *a;

	assert_non_null(p);
	assert_string_equal(p->comm, "shell");
	assert_int_equal(p->start_ns, 7);
	assert_int_equal(p->cgroup_id, 5);
	assert_int_equal(p->ppid, 1);
	assert_false(p->kernel);
	assert_true(machine_process(m, 2, 60)->kernel);
	assert_ptr_equal(t->process, p);
	assert_string_equal(t->comm, "helper");
	a = machine_mapping(p, 0x1fff, 1);	/* it was there before it was told */
	assert_non_null(a);
	assert_int_equal(a->offset, 0x1000);
	assert_int_equal(a->object->inode, 77);
	assert_int_equal(a->object->dev, 8 << 20 | 1);
	assert_int_equal(a->object->build_id_bytes, 20);
	assert_int_equal(a->object->build_id[0], 0xab);
	assert_int_equal(a->object->build_id[19], 0xcd);
	assert_null(machine_mapping(p, 0x3000, 60));
	assert_string_equal(path_at(m, 10, 0x8000, 60), "");
	/* 20 before its exec, after it, when it has gone, and the next of this number */
	assert_null(machine_process(m, 20, 98));
	assert_string_equal(path_at(m, 20, 0x1000, 150), "/bin/a shell");
	assert_string_equal(path_at(m, 20, 0x1000, 250), "/usr/bin/pro\\gram\n");
	assert_string_equal(path_at(m, 20, 0x2fff, 150), "/bin/a shell");
	assert_string_equal(path_at(m, 20, 0x2fff, 250), "none");
	assert_string_equal(path_at(m, 20, 0x4000, 250), "/lib/libc.so");
	assert_string_equal(machine_process(m, 20, 250)->comm, "program");
	assert_int_equal(machine_process(m, 20, 250)->ppid, 10);
	assert_int_equal(machine_task(m, 20, 250)->until_ns, 310);
	assert_null(machine_process(m, 20, 350));
	assert_null(machine_task(m, 20, 350));
	assert_string_equal(machine_task(m, 20, 450)->comm, "helper");
	assert_string_equal(path_at(m, 20, 0x1000, 450), "/bin/a shell");
	assert_null(machine_process(m, 30, 60));
	/* modules */
	assert_string_equal(machine_module(m, 0xffffffffc0001fff, 1)->name, "mod");
	assert_null(machine_module(m, 0xffffffffc0002000, 60));
	assert_null(machine_module(m, 0xffffffffc0010000, 149));
	assert_string_equal(machine_module(m, 0xffffffffc0010000, 200)->name, "late");
	assert_null(machine_module(m, 0xffffffffc0010000, 251));
	assert_int_equal(machine_forgotten(m), 0);
}

static struct machine *read_texts(const struct machine_texts *t)
{
	struct machine *m = machine_create();

	for (int i = 0; i < MACHINE_FILES; i++)
		assert_int_equal(machine_read(m, (enum machine_file)i, t->text[i], t->bytes[i]), 0);
	return m;
}

static void test_story(void **state)
{
	struct machine *m = story(), *read;
	struct machine_texts texts, again;

	check_story(m);
	assert_int_equal(machine_write(m, 1 << 20, &texts), 0);
	assert_int_equal(texts.left_out, 0);
	read = read_texts(&texts);
	check_story(read);
	assert_int_equal(machine_write(read, 1 << 20, &again), 0);
	for (int i = 0; i < MACHINE_FILES; i++)
		assert_string_equal(texts.text[i], again.text[i]);
	assert_non_null(strstr(texts.text[MACHINE_FILE_MAPPINGS], "object 78 8:1 - /usr/bin/pro\\134gram\\012\n"));
	machine_texts_fini(&texts);
	machine_texts_fini(&again);
	machine_destroy(read);
	machine_destroy(m);
}

/* A thread that calls exec takes the leader's number over; the mappings of before are the old program's. */
static void test_exec_by_thread(void **state)
{
	struct machine *m = machine_create();

	TELL(m, 50, lttng_statedump_process_state, "", .tid = 10, .pid = 10, .name = "leader", .start_ns = 7);
	TELL(m, 51, lttng_statedump_process_state, "", .tid = 11, .pid = 10, .name = "thread", .start_ns = 8);
	TELL(m, 52, lttng_statedump_vm_map, "/bin/old", .pid = 10, .start = 0x1000, .end = 0x3000);
	TELL(m, 90, task_rename, "", .tid = 10, .pid = 10, .oldcomm = "thread", .newcomm = "new");
	TELL(m, 95, task_mmap, "/bin/new", .tid = 10, .pid = 10, .start = 0x1000, .end = 0x2000);
	TELL(m, 100, sched_process_exec, "/bin/new", .tid = 10, .old_tid = 11, .comm = "new");
	assert_string_equal(machine_task(m, 11, 60)->comm, "thread");
	assert_null(machine_task(m, 11, 120));
	assert_string_equal(machine_task(m, 10, 120)->comm, "new");
	assert_string_equal(path_at(m, 10, 0x1000, 60), "/bin/old");
	assert_string_equal(path_at(m, 10, 0x1000, 120), "/bin/new");
	assert_string_equal(path_at(m, 10, 0x2fff, 120), "none");
	machine_destroy(m);
}

/* The same mapping from the dump and from its event is one; a program that maps without end is bounded. */
static void test_many_mappings(void **state)
{
	struct machine *m = machine_create();
	const struct machine_process *p;

	TELL(m, 50, lttng_statedump_process_state, "", .tid = 10, .pid = 10, .name = "jit", .start_ns = 7);
	TELL(m, 60, task_mmap, "/lib/x", .tid = 10, .pid = 10, .start = 0x100000, .end = 0x101000);
	TELL(m, 61, lttng_statedump_vm_map, "/lib/x", .pid = 10, .start = 0x100000, .end = 0x101000);
	p = machine_process(m, 10, 100);
	assert_int_equal(p->mappings, 1);
	for (unsigned int i = 0; i < 5000; i++)	/* two places, again and again, with other offsets */
		TELL(m, 100 + i, task_mmap, "/tmp/code", .tid = 10, .pid = 10, .start = 0x1000u << (i % 2),
		     .end = (0x1000u << (i % 2)) + 0x1000, .offset = i * 0x1000);
	p = machine_process(m, 10, 6000);
	assert_in_range(p->mappings, 3, 1024);
	assert_int_equal(machine_mapping(p, 0x1000, 6000)->offset, 4998 * 0x1000);
	assert_int_equal(machine_mapping(p, 0x2000, 6000)->offset, 4999 * 0x1000);
	assert_string_equal(path_at(m, 10, 0x100000, 6000), "/lib/x");
	assert_int_equal(machine_forgotten(m), 5001 - p->mappings);
	machine_destroy(m);
}

/* Many come and go: the longest dead are forgotten, the living never. */
static void test_many_tasks(void **state)
{
	enum { TASKS = 100000, REMEMBERED = 1 << 16 };
	struct machine *m = machine_create();
	struct machine_texts texts;

	TELL(m, 1, lttng_statedump_process_state, "", .tid = 1, .pid = 1, .name = "init");
	TELL(m, 2, lttng_statedump_vm_map, "/sbin/init", .pid = 1, .start = 0x1000, .end = 0x3000);
	for (int32_t i = 0; i < TASKS; i++) {
		const uint64_t now = 100 + 10 * (uint64_t)i;
		const int32_t pid = 100 + i % 1000;

		TELL(m, now, sched_process_fork, "", .parent_tid = 1, .parent_pid = 1, .parent_comm = "init", .child_tid = pid,
		     .child_pid = pid, .child_comm = "child", .child_start_ns = now);
		TELL(m, now + 5, sched_process_free, "", .tid = pid);
	}
	assert_int_equal(machine_forgotten(m), TASKS - REMEMBERED);
	assert_non_null(machine_task(m, 1, 5));
	assert_null(machine_task(m, 100, 103));
	assert_string_equal(machine_task(m, 100 + (TASKS - 1) % 1000, 100 + 10 * (uint64_t)(TASKS - 1) + 1)->comm, "child");
	/* Little room: the living, and of the dead the last. */
	assert_int_equal(machine_write(m, 200000, &texts), 0);
	assert_true(texts.bytes[0] + texts.bytes[1] + texts.bytes[2] <= 200000);
	assert_true(texts.left_out > 60000);
	machine_destroy(m);
	m = read_texts(&texts);
	assert_string_equal(machine_process(m, 1, 5)->comm, "init");
	assert_string_equal(path_at(m, 1, 0x1000, 5), "/sbin/init");
	assert_string_equal(machine_task(m, 100 + (TASKS - 1) % 1000, 100 + 10 * (uint64_t)(TASKS - 1) + 1)->comm, "child");
	machine_texts_fini(&texts);
	machine_destroy(m);
}

/* A packet of one ring, made by hand; its begin is at 1000. */
struct ring_packet {
	struct kymo_packet head;
	uint8_t records[2000];
	uint32_t bytes;
} __attribute__((packed));

static void put(struct ring_packet *p, uint32_t time, uint16_t id, const void *ev, uint16_t bytes)
{
	const struct kymo_record record = { .time_low = time, .id = id, .len = bytes };

	memcpy(p->records + p->bytes, &record, sizeof(record));
	memcpy(p->records + p->bytes + sizeof(record), ev, bytes);
	p->bytes += (uint32_t)sizeof(record) + bytes;
}

/* The fork is in the ring of one CPU, what came of it in that of another, which is taken first. */
static void test_feed(void **state)
{
	struct machine *m = machine_create();
	struct catalogue *c = catalogue_create();
	struct ring_packet a = { .head = { .timestamp_begin = 1000 } }, b = a;
	struct machine_feed *f;
	size_t bytes;
	void *entries = builtin_entries(&bytes);

	assert_true(catalogue_add(c, entries, bytes) > 0);
	f = machine_feed_create(m, c);
	put(&a, 1100, KYMO_ID_irq_softirq_raise, "\1\0\0", 4);
	put(&a, 1200, KYMO_ID_sched_process_fork, &(struct kymo_ev_sched_process_fork){ .parent_tid = 10, .parent_pid = 10,
	    .parent_comm = "shell", .child_tid = 20, .child_pid = 20, .child_comm = "shell", .child_start_ns = 1199 },
	    sizeof(struct kymo_ev_sched_process_fork));
	put(&b, 1300, KYMO_ID_task_rename, &(struct kymo_ev_task_rename){ .tid = 20, .pid = 20, .newcomm = "child" },
	    sizeof(struct kymo_ev_task_rename));
	put(&b, 1500, KYMO_ID_task_rename, &(struct kymo_ev_task_rename){ .tid = 20, .pid = 20, .newcomm = "late" },
	    sizeof(struct kymo_ev_task_rename));
	assert_int_equal(machine_feed_take(f, &(struct stretch){ .packet = &b.head, .from = sizeof(b.head),
		.to = (uint32_t)sizeof(b.head) + b.bytes, .last_ns = 2000 }), 0);
	assert_int_equal(machine_feed_take(f, &(struct stretch){ .packet = &a.head, .from = sizeof(a.head),
		.to = (uint32_t)sizeof(a.head) + a.bytes, .last_ns = 2000 }), 0);
	assert_null(machine_task(m, 20, 1400));
	machine_feed_tell(f, 1400);
	assert_string_equal(machine_task(m, 20, 1400)->comm, "child");
	assert_int_equal(machine_task(m, 20, 1400)->start_ns, 1199);
	assert_null(machine_task(m, 20, 1198));
	machine_feed_tell(f, UINT64_MAX);
	assert_string_equal(machine_task(m, 20, 1400)->comm, "late");
	machine_feed_destroy(f);
	machine_destroy(m);
	catalogue_destroy(c);
	free(entries);
}

/* ---- damage ---- */

static void read_any(const struct machine_texts *t, int which, const char *text, size_t bytes)
{
	struct machine *m = machine_create();
	struct machine_texts out;

	for (int i = 0; i < MACHINE_FILES; i++)
		machine_read(m, (enum machine_file)i, i == which ? text : t->text[i], i == which ? bytes : t->bytes[i]);
	path_at(m, 20, 0x1000, 150);
	assert_int_equal(machine_write(m, 1 << 20, &out), 0);
	machine_texts_fini(&out);
	machine_destroy(m);
}

static void test_damage(void **state)
{
	struct machine *m = story();
	struct machine_texts t;

	assert_int_equal(machine_write(m, 1 << 20, &t), 0);
	machine_destroy(m);
	for (int i = 0; i < MACHINE_FILES; i++) {
		char *text = malloc(t.bytes[i]);	/* of exactly this size, without a NUL: the sanitizer watches its end */

		for (size_t bytes = 0; bytes < t.bytes[i]; bytes++) {
			char *part = malloc(bytes + !bytes);

			memcpy(part, t.text[i], bytes);
			read_any(&t, i, part, bytes);
			free(part);
		}
		for (size_t at = 0; at < t.bytes[i]; at++) {
			static const char other[] = { ' ', '\n', '\\', '-', 'f', '9', 0, (char)0xff };

			for (size_t j = 0; j < sizeof(other); j++) {
				memcpy(text, t.text[i], t.bytes[i]);
				text[at] = other[j];
				read_any(&t, i, text, t.bytes[i]);
			}
		}
		free(text);
	}
	machine_texts_fini(&t);
}

static void refused(enum machine_file which, const char *text)
{
	struct machine *m = machine_create();

	assert_int_equal(machine_read(m, which, text, strlen(text)), -74);
	machine_destroy(m);
}

static void test_refused(void **state)
{
	refused(MACHINE_FILE_TASKS, "");
	refused(MACHINE_FILE_TASKS, "kymo-mappings 1\n");
	refused(MACHINE_FILE_TASKS, "kymo-tasks 1\nprocess 1 2 3");
	refused(MACHINE_FILE_TASKS, "kymo-tasks 1\nprocess x 0 0 0 0 0 name\n");
	refused(MACHINE_FILE_TASKS, "kymo-tasks 1\nprocess 4294967296 0 0 0 0 0 name\n");
	refused(MACHINE_FILE_TASKS, "kymo-tasks 1\nprocess 1 99999999999999999999 0 0 0 0 name\n");
	refused(MACHINE_FILE_TASKS, "kymo-tasks 1\nthread 1 0 0 name\n");
	refused(MACHINE_FILE_TASKS, "kymo-tasks 1\nprocess 1 0 0 0 0 0 na\\9me\n");
	refused(MACHINE_FILE_MAPPINGS, "kymo-mappings 1\nprocess 1 0\nmap 0 0 1000 1000 0 0\n");
	refused(MACHINE_FILE_MAPPINGS, "kymo-mappings 1\nobject 1 8:1 - /x\nmap 0 0 1000 1000 0 0\n");
	refused(MACHINE_FILE_MAPPINGS, "kymo-mappings 1\nobject 1 8:1 - /x\nprocess 1 0\nmap 0 0 1000 ffffffffffffffff 0 0\n");
	refused(MACHINE_FILE_MAPPINGS, "kymo-mappings 1\nobject 1 8:1 abc /x\n");
	refused(MACHINE_FILE_MODULES, "kymo-modules 1\nmodule 1 2 3 4 5\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_story),
		cmocka_unit_test(test_exec_by_thread),
		cmocka_unit_test(test_many_mappings),
		cmocka_unit_test(test_many_tasks),
		cmocka_unit_test(test_feed),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
