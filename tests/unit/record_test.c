// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The recorder without the module: records written through kymo/ring.h in this process, read by ring_reader, written
 * by record, read back by babeltrace2. With open packets flushed at random, a full disk, a size limit, losses, and a
 * recorder that is killed with its guard watching.
 */
#include <kymo/event.h>
#include <kymo/ring.h>

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "guard.h"
#include "record.h"
#include "ring_reader.h"
#include "symbols.h"

enum { PACKET = 4096, PACKETS = 8 };

struct room {
	char path[64], dir[80];
	struct kymo_ring ring;
	struct kymo_ring_control control;
	struct kymo_ring_tail tail;
	struct ring_reader reader;
	struct catalogue *catalogue;
	struct record *record;
	uint32_t written;		/* records, numbered from 1 */
	unsigned int seed;
};

static unsigned int room_random(struct room *r, unsigned int below)
{
	r->seed = r->seed * 1103515245u + 12345u;
	return (r->seed >> 8) % below;
}

static void room_catalogue(struct room *r)
{
	static const struct kymo_field fields[] = { KYMO_EVENT_FIELDS(sched_process_exec) };
	struct {
		struct kymo_event_type head;
		struct kymo_field field[sizeof(fields) / sizeof(fields[0])];
	} e = { .head = { .size = sizeof(e), .id = KYMO_ID_sched_process_exec, .fields = sizeof(fields) / sizeof(fields[0]),
			  .source = "task", .name = "sched_process_exec" } };

	memcpy(e.field, fields, sizeof(fields));
	r->catalogue = catalogue_create();
	assert_int_equal(catalogue_add(r->catalogue, &e, sizeof(e)), 1);
}

/* An empty ring. */
static void room_ring(struct room *r)
{
	uint8_t *data = r->ring.data;

	r->written = 0;
	r->tail.tail = 0;
	r->control = (struct kymo_ring_control){ .packet_bytes = PACKET, .packets = PACKETS, .uuid = "0123456789abcde",
						 .stream_instance_id = 5, .cpu = 1 };
	r->ring = (struct kymo_ring){ .control = &r->control, .tail = &r->tail, .packets = PACKETS, .packet_shift = 12,
				      .data = data };
	ring_init(&r->ring);
	assert_int_equal(ring_reader_init(&r->reader, &r->control, &r->tail, data), 0);
}

static int room_make(void **state)
{
	struct room *r = calloc(1, sizeof(*r));

	strcpy(r->path, "/tmp/kymo-record-XXXXXX");
	assert_non_null(mkdtemp(r->path));
	snprintf(r->dir, sizeof(r->dir), "%s/t", r->path);
	r->seed = 1;
	r->ring.data = calloc(PACKETS, PACKET);
	room_ring(r);
	room_catalogue(r);
	*state = r;
	return 0;
}

static int room_remove(void **state)
{
	struct room *r = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", r->path);
	assert_int_equal(system(command), 0);
	record_destroy(r->record);
	catalogue_destroy(r->catalogue);
	free(r->ring.data);
	free(r);
	return 0;
}

static void room_record(struct room *r, uint64_t max_bytes)
{
	struct metadata m = { .boot_id = "", .hostname = "host", .release = "6.1", .trace_name = "t",
			      .created = "2000-01-01T00:00:00Z" };
	struct input_stream stream = { .set = 0, .cpu = 1, .instance = 5, .packet_bytes = PACKET };

	assert_int_equal(record_create(&r->record, r->dir, max_bytes), 0);
	memcpy(m.uuid, r->control.uuid, 16);
	clock_pair_read(&m.clock);
	assert_int_equal(record_begin(r->record, &m, r->control.last_ns), 0);
	assert_int_equal(record_type(r->record, catalogue_at(r->catalogue, 0)), 0);
	assert_int_equal(record_stream(r->record, &stream, false), 0);
}

/* A record with its number; false: lost. */
static bool room_write(struct room *r)
{
	struct kymo_ev_sched_process_exec ev = { .tid = (int32_t)++r->written, .comm = "me" };
	char name[64];
	uint32_t bytes = 1 + room_random(r, sizeof(name));
	struct kymo_slot slot;

	memset(name, 'x', sizeof(name));
	name[bytes - 1] = 0;
	if (ring_reserve(&r->ring, KYMO_ID_sched_process_exec, sizeof(ev) + bytes, &slot) != KYMO_RING_OK)
		return false;
	memcpy(slot.payload, &ev, sizeof(ev));
	memcpy(slot.payload + sizeof(ev), name, bytes);
	ring_commit(&r->ring);
	return true;
}

static int room_drain(struct room *r, bool open)
{
	struct stretch s;
	int err = 0;

	ring_reader_look(&r->reader);
	while (!err && ring_reader_next(&r->reader, open, &s)) {
		err = record_put(r->record, 0, &s);
		ring_reader_release(&r->reader, &s);
	}
	return err;
}

static void room_finish(struct room *r)
{
	ring_close(&r->ring);
	assert_int_equal(room_drain(r, true), 0);
	assert_int_equal(record_finish(r->record, 0, r->control.last_ns, r->control.lost), 0);
}

/* What babeltrace2 says. *first, *last: the numbers of the records; returns how many there are. */
static unsigned int room_read(struct room *r, uint32_t *first, uint32_t *last, unsigned long *discarded)
{
	char command[256], line[512], *at;
	unsigned int count = 0;
	FILE *from;

	snprintf(command, sizeof(command), "babeltrace2 %s > %s/out 2> %s/err", r->dir, r->path, r->path);
	if (system(command)) {
		snprintf(command, sizeof(command), "cat %s/err", r->path);
		fail_msg("babeltrace2: status %d", system(command));
	}
	snprintf(command, sizeof(command), "%s/err", r->path);
	from = fopen(command, "r");
	*discarded = 0;
	while (fgets(line, sizeof(line), from)) {
		at = strstr(line, "discarded ");
		if (!at || !strstr(line, "WARNING: Tracer discarded "))
			fail_msg("babeltrace2: %s", line);
		*discarded += strtoul(at + 10, NULL, 10);
	}
	fclose(from);
	snprintf(command, sizeof(command), "%s/out", r->path);
	from = fopen(command, "r");
	*first = *last = 0;
	while (fgets(line, sizeof(line), from)) {
		uint32_t number;

		at = strstr(line, " tid = ");
		if (!at)
			fail_msg("no number in: %s", line);
		number = (uint32_t)strtoul(at + 7, NULL, 10);
		*first = *first ? *first : number;
		assert_true(number > *last);
		*last = number;
		count++;
	}
	fclose(from);
	return count;
}

/* Flushed at random or not at all: what is on disk at the end is what lay in the ring. */
static void test_same_bytes(void **state)
{
	struct room *r = *state;
	uint8_t *copy = calloc(4096, PACKET), *file = malloc(PACKET);
	unsigned int packets = 0, i;
	uint32_t first, last;
	unsigned long discarded;
	struct stretch s;
	char name[128];
	int fd;

	room_record(r, 0);
	for (i = 0; i < 20000; i++) {
		assert_true(room_write(r));
		if (room_random(r, 50))
			continue;
		ring_reader_look(&r->reader);
		while (ring_reader_next(&r->reader, !room_random(r, 3), &s)) {
			assert_int_equal(record_put(r->record, 0, &s), 0);
			if (s.closed)
				memcpy(copy + packets++ * PACKET, s.packet, s.packet->content_size / 8);
			ring_reader_release(&r->reader, &s);
		}
	}
	room_finish(r);
	snprintf(name, sizeof(name), "%s/stream_0_1", r->dir);
	fd = open(name, O_RDONLY);
	for (i = 0; i < packets; i++) {
		const struct kymo_packet *p = (void *)(copy + i * PACKET);

		assert_int_equal(pread(fd, file, PACKET, 84 + (off_t)i * PACKET), PACKET);
		assert_memory_equal(file, p, p->content_size / 8);
		assert_int_equal(p->packet_seq_num, i + 1);
	}
	close(fd);
	assert_true(packets > 300);
	assert_int_equal(room_read(r, &first, &last, &discarded), 20000);
	assert_int_equal(discarded, 0);
	assert_int_equal(last, 20000);
	free(copy);
	free(file);
}

/* At every step of the way the files are readable as they are, packets that are open included. */
static void test_readable_at_any_time(void **state)
{
	struct room *r = *state;
	uint32_t first, last;
	unsigned long discarded;

	room_record(r, 0);
	for (unsigned int i = 1; i <= 400; i++) {
		assert_true(room_write(r));
		assert_int_equal(room_drain(r, i % 3 == 0), 0);
		if (i % 57)
			continue;
		assert_int_equal(room_drain(r, true), 0);
		assert_int_equal(room_read(r, &first, &last, &discarded), i);
		assert_int_equal(last, i);
	}
	room_finish(r);
}

/* Losses before the first packet is full, in the middle, and after the last record: all are numbered. */
static void test_loss(void **state)
{
	struct room *r = *state;
	unsigned int kept = 0;
	uint32_t first, last;
	unsigned long discarded;

	room_record(r, 0);
	for (unsigned int round = 0; round < 5; round++) {
		for (unsigned int i = 0; i < 2000; i++)
			kept += room_write(r);
		if (round < 4)
			assert_int_equal(room_drain(r, round & 1), 0);
	}
	assert_true(r->control.lost > 1000);
	room_finish(r);
	assert_int_equal(room_read(r, &first, &last, &discarded), kept);
	assert_int_equal(kept + discarded, 10000);
	assert_int_equal(discarded, r->control.lost);
}

/* A file cannot grow any more, in the middle of a packet: what is there is whole without any repair. */
static void test_full_disk(void **state)
{
	struct room *r = *state;
	struct rlimit old, limit;
	uint32_t first, last, count;
	unsigned long discarded;
	int err = 0;

	for (unsigned int over = 1; over < PACKET; over += 611) {
		char command[256];

		room_record(r, 0);
		getrlimit(RLIMIT_FSIZE, &old);
		limit = old;
		limit.rlim_cur = 84 + 5 * PACKET + over;
		signal(SIGXFSZ, SIG_IGN);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		for (err = 0; !err;) {
			room_write(r);
			if (room_random(r, 20) == 0)
				err = room_drain(r, room_random(r, 2));
		}
		setrlimit(RLIMIT_FSIZE, &old);
		assert_int_equal(err, -EFBIG);
		assert_non_null(strstr(record_where(r->record), "stream_0_1 at byte "));
		count = room_read(r, &first, &last, &discarded);
		assert_true(count > 100);
		assert_int_equal(count, last - first + 1 - discarded);
		record_destroy(r->record);
		r->record = NULL;
		snprintf(command, sizeof(command), "rm -rf %s", r->dir);
		assert_int_equal(system(command), 0);
		room_ring(r);
	}
}

static uint64_t room_size(struct room *r)
{
	char command[128];
	unsigned long long bytes = 0;
	FILE *from;

	snprintf(command, sizeof(command), "du -sb --apparent-size %s", r->dir);
	from = popen(command, "r");
	assert_int_equal(fscanf(from, "%llu", &bytes), 1);
	pclose(from);
	return bytes - 2 * 4096;	/* the directories themselves */
}

/* Under a size limit: never above it, the newest are there, in one piece, and losses go on being numbered. */
static void test_rotation(void **state)
{
	struct room *r = *state;
	const uint64_t max = record_least_bytes(1, PACKET, record_type_bytes(catalogue_at(r->catalogue, 0))) + 100 * PACKET;
	unsigned long discarded;
	uint32_t first, last;
	unsigned int count, kept = 0;

	room_record(r, max);
	for (unsigned int i = 0; i < 40000; i++) {
		kept += room_write(r);
		if (room_random(r, 40) == 0)
			assert_int_equal(room_drain(r, room_random(r, 2)), 0);
		if (i % 4000 == 0)
			assert_true(room_size(r) <= max);
		if (i == 37000)	/* lost: as many as do not fit */
			for (unsigned int j = 0; j < 1000; j++)
				room_write(r);
	}
	room_finish(r);
	assert_true(room_size(r) <= max);
	assert_true(room_size(r) >= max / 3);
	assert_true(record_rotation(r->record)->deleted_files > 3);
	count = room_read(r, &first, &last, &discarded);
	assert_int_equal(last, r->written);
	assert_true(first > 1);
	assert_true(r->control.lost > 100);
	assert_int_equal(discarded, r->control.lost);
	assert_int_equal(count + discarded, last - first + 1);
}

static void room_child(struct room *r, volatile uint32_t *flushed)
{
	struct guard guard;

	room_record(r, 0);
	if (guard_start(&guard, record_dir(r->record), record_lock(r->record)))
		_exit(1);
	for (;;) {
		for (unsigned int i = room_random(r, 100); i; i--)
			room_write(r);
		if (room_drain(r, true))
			_exit(1);
		*flushed = r->written;
	}
}

/* Killed at a random moment: the guard leaves whole packets, and all that was flushed is there. */
static void test_kill(void **state)
{
	struct room *r = *state;
	volatile uint32_t *flushed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (unsigned int i = 0; i < 12; i++) {
		struct trace_repair done;
		uint32_t first, last, count;
		unsigned long discarded;
		char name[128];
		int dir, lock;
		pid_t pid;

		*flushed = 0;
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			room_child(r, flushed);
		while (!*flushed)
			usleep(100);
		usleep(1000 + room_random(r, 20000));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		dir = open(r->dir, O_RDONLY | O_DIRECTORY);
		snprintf(name, sizeof(name), "%s/metadata", r->dir);
		lock = open(name, O_RDONLY);
		assert_int_equal(flock(lock, LOCK_EX), 0);	/* the guard has gone */
		close(lock);
		assert_int_equal(trace_repair(dir, false, &done), 0);
		assert_int_equal(done.files, 0);
		close(dir);
		count = room_read(r, &first, &last, &discarded);
		assert_int_equal(count, last);
		assert_int_equal(discarded, 0);
		assert_true(last >= *flushed);
		snprintf(name, sizeof(name), "rm -rf %s", r->dir);
		assert_int_equal(system(name), 0);
	}
	munmap((void *)flushed, 4096);
}

/* What did not begin leaves nothing of its own, and what is not its own stays. */
static void test_discard(void **state)
{
	struct room *r = *state;
	char path[100];
	FILE *other;

	room_record(r, 1 << 20);
	assert_int_equal(record_own_file(r->record, TRACE_SESSION, "{}", 2), 0);
	record_discard(r->record);
	assert_int_equal(access(r->dir, F_OK), -1);
	record_destroy(r->record);
	assert_int_equal(mkdir(r->dir, 0700), 0);
	room_record(r, 0);
	snprintf(path, sizeof(path), "%s/other", r->dir);
	other = fopen(path, "w");
	assert_non_null(other);
	fclose(other);
	record_discard(r->record);
	assert_int_equal(access(path, F_OK), 0);
	unlink(path);
	assert_int_equal(rmdir(r->dir), 0);
}

/* The search for kernel addresses ends at a signal; without one it goes through all files. */
static void test_symbols_cut(void **state)
{
	struct room *r = *state;
	struct symbols s;
	sig_atomic_t signals = 1;

	room_record(r, 0);
	for (unsigned int i = 0; i < 1000; i++) {
		room_write(r);
		assert_int_equal(room_drain(r, true), 0);
	}
	room_finish(r);
	symbols_collect(&s, record_dir(r->record), &(struct symbols_limits){ 1 << 30, SIZE_MAX, &signals, 1 });
	assert_false(s.cut);
	assert_true(s.scanned_bytes > 4 * PACKET);
	free(s.text);
	symbols_collect(&s, record_dir(r->record), &(struct symbols_limits){ 1 << 30, SIZE_MAX, &signals, 0 });
	assert_true(s.cut);
	assert_true(s.scanned_bytes <= PACKET);
	free(s.text);
}

static void test_directory(void **state)
{
	struct room *r = *state;
	struct record *second;

	room_record(r, 0);
	assert_int_equal(record_create(&second, r->dir, 0), -ENOTEMPTY);
	record_destroy(second);
	assert_int_equal(record_create(&second, "/nowhere/at/all", 0), -ENOENT);
	assert_string_equal(record_where(second), "/nowhere/at/all");
	record_destroy(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_directory, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_same_bytes, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_readable_at_any_time, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_loss, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_full_disk, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_rotation, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_kill, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_discard, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_symbols_cut, room_make, room_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
