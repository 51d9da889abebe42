// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace's file names, and the repair of files that were cut at every single byte. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "trace.h"

static void test_names(void **state)
{
	const char *good[] = { "stream_0_0", "stream_1_17", "stream_3_0.0", "stream_0_127.12", "stream_kymo", "stream_kymo.3" };
	const char *bad[] = { "", "metadata", "stream_", "stream_0", "stream_0_", "stream__0", "stream_0_0.", "stream_0_0.x",
			      "stream_0_0x", "stream_00_0", "stream_0_-1", "stream_0_0.01", "stream_kymox", "stream_kymo.",
			      "stream_99999999999_0", "Stream_0_0", "stream_0_0.99999999999999999999" };
	char name[TRACE_NAME_BYTES];
	struct trace_file f;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(trace_file_parse(good[i], &f));
		trace_file_name(&f, name);
		assert_string_equal(name, good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(trace_file_parse(bad[i], &f));
}

struct room {
	char path[32];
	int dir;
};

static int room_make(void **state)
{
	struct room *r = calloc(1, sizeof(*r));

	strcpy(r->path, "/tmp/kymo-trace-XXXXXX");
	assert_non_null(mkdtemp(r->path));
	r->dir = open(r->path, O_RDONLY | O_DIRECTORY);
	assert_true(r->dir >= 0);
	*state = r;
	return 0;
}

static int room_remove(void **state)
{
	struct room *r = *state;
	const char *names[] = { "metadata", "stream_0_0", "stream_0_1", "stream_kymo", "stream_0_2.0", "stream_0_2.10",
				"stream_0_2.9", "other" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlinkat(r->dir, names[i], 0);
	close(r->dir);
	assert_int_equal(rmdir(r->path), 0);
	free(r);
	return 0;
}

static void room_write(struct room *r, const char *name, const void *data, size_t bytes)
{
	int fd = openat(r->dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, bytes), bytes);
	close(fd);
}

static long room_size(struct room *r, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(r->dir, name, &st, 0), 0);
	return st.st_size;
}

enum { PACKETS = 4 };
static const uint32_t packet_bytes[PACKETS] = { 84, 200, 84 + 8, 300 };

static size_t file_make(uint8_t *out)
{
	size_t at = 0;

	for (unsigned int i = 0; i < PACKETS; i++) {
		struct kymo_packet p = { .magic = KYMO_CTF_MAGIC, .uuid = "0123456789abcde", .timestamp_begin = 10 + i,
			.timestamp_end = 10 + i, .content_size = (packet_bytes[i] - (i & 1 ? 8 : 0)) * 8,
			.packet_size = packet_bytes[i] * 8, .packet_seq_num = i };

		memset(out + at, 0xc1, packet_bytes[i]);
		memcpy(out + at, &p, sizeof(p));
		at += packet_bytes[i];
	}
	return at;
}

/* Brute force: what is whole is the longest prefix that is a sum of packets. */
static long whole_of(size_t bytes)
{
	size_t at = 0;

	for (unsigned int i = 0; i < PACKETS && at + packet_bytes[i] <= bytes; i++)
		at += packet_bytes[i];
	return (long)at;
}

static void test_cut_everywhere(void **state)
{
	struct room *r = *state;
	uint8_t data[1024];
	size_t bytes = file_make(data);
	struct trace_repair done;

	room_write(r, "metadata", "", 0);
	for (size_t cut = 0; cut <= bytes; cut++) {
		room_write(r, "stream_0_0", data, cut);
		room_write(r, "stream_kymo", data, bytes);
		room_write(r, "other", data, cut);
		assert_int_equal(trace_repair(r->dir, false, &done), 0);
		assert_int_equal(room_size(r, "stream_0_0"), whole_of(cut));
		assert_int_equal(room_size(r, "stream_kymo"), bytes);
		assert_int_equal(room_size(r, "other"), cut);
		assert_int_equal(done.files, whole_of(cut) != (long)cut);
		assert_int_equal(done.bytes, cut - (size_t)whole_of(cut));
	}
}

/* A packet whose body is there but whose header is not: what a kill between the two leaves. */
static void test_no_header(void **state)
{
	struct room *r = *state;
	uint8_t data[1024], damaged[1024];
	size_t bytes = file_make(data);
	struct trace_repair done;

	room_write(r, "metadata", "", 0);
	memcpy(damaged, data, bytes);
	memset(damaged + bytes - 300, 0, sizeof(struct kymo_packet));
	room_write(r, "stream_0_0", damaged, bytes);
	assert_int_equal(trace_repair(r->dir, false, &done), 0);
	assert_int_equal(room_size(r, "stream_0_0"), bytes - 300);
	assert_int_equal(done.bytes, 300);
}

/* One flipped bit anywhere, or a header that is gone: whatever is wrong with a packet, no whole one is cut off. */
static void test_damage(void **state)
{
	struct room *r = *state;
	uint8_t data[1024], damaged[1024];
	size_t bytes = file_make(data);
	struct trace_repair done;

	room_write(r, "metadata", "", 0);
	for (size_t bit = 0; bit < bytes * 8; bit++) {
		memcpy(damaged, data, bytes);
		damaged[bit / 8] ^= (uint8_t)(1 << bit % 8);
		room_write(r, "stream_0_0", damaged, bytes);
		assert_int_equal(trace_repair(r->dir, false, &done), 0);
		assert_true(room_size(r, "stream_0_0") >= (long)(bytes - 300));
		if (bit < (bytes - 300) * 8)
			assert_int_equal(room_size(r, "stream_0_0"), bytes);
	}
	for (unsigned int i = 0, at = 0; i + 1 < PACKETS; at += packet_bytes[i++]) {
		memcpy(damaged, data, bytes);
		memset(damaged + at, 0, sizeof(struct kymo_packet));
		room_write(r, "stream_0_0", damaged, bytes);
		assert_int_equal(trace_repair(r->dir, false, &done), 0);
		assert_int_equal(room_size(r, "stream_0_0"), bytes);
		assert_int_equal(done.files, 0);
	}
}

/* The recorder's texts cut at every byte: what is left ends where a block ends. Foreign texts stay. */
static void test_texts(void **state)
{
	static const char head[] = "/* CTF 1.8 */\n\nstream {\n\tid = 0;\n};\n\n",
		event[] = "event {\n\tname = \"a\";\n\tfields := struct {\n\t\tuint8_t _x;\n\t};\n};\n\n";
	const size_t head_bytes = sizeof(head) - 1, event_bytes = sizeof(event) - 1;
	struct kymo_event_type e[3] = { { .size = sizeof(e[0]) }, { .size = sizeof(e[0]) }, { .size = sizeof(e[0]) } };
	struct room *r = *state;
	struct trace_repair done;
	char text[1024];

	snprintf(text, sizeof(text), "%s%s%s", head, event, event);
	assert_int_equal(mkdirat(r->dir, "kymo", 0700), 0);
	for (size_t cut = 0; cut <= event_bytes; cut++) {
		const size_t all = head_bytes + event_bytes + cut;

		room_write(r, "metadata", text, all);
		assert_int_equal(trace_repair(r->dir, false, &done), 0);
		/* Only the empty line is missing at the end: the block is whole. */
		assert_int_equal(room_size(r, "metadata"), cut + 2 >= event_bytes ? all : head_bytes + event_bytes);
	}
	for (size_t cut = 0; cut <= sizeof(e); cut++) {
		room_write(r, "kymo/catalogue", e, cut);
		assert_int_equal(trace_repair(r->dir, false, &done), 0);
		assert_int_equal(room_size(r, "kymo/catalogue"), cut / sizeof(e[0]) * sizeof(e[0]));
	}
	e[1].size++;
	room_write(r, "kymo/catalogue", e, sizeof(e) - 1);
	room_write(r, "metadata", "/* CTF 1.8 */\n};\n\nstream {", 27);
	assert_int_equal(trace_repair(r->dir, false, &done), 0);
	assert_int_equal(done.files, 0);
	assert_int_equal(unlinkat(r->dir, "kymo/catalogue", 0), 0);
	assert_int_equal(unlinkat(r->dir, "kymo", AT_REMOVEDIR), 0);
}

static void test_headers(void **state)
{
	struct kymo_packet good = { .magic = KYMO_CTF_MAGIC, .uuid = "0123456789abcde", .timestamp_begin = 5,
		.timestamp_end = 5, .content_size = 84 * 8, .packet_size = 100 * 8 }, p;
	const uint8_t other[16] = "0123456789abcdX";

	assert_true(trace_packet_ok(&good, NULL, 100));
	assert_true(trace_packet_ok(&good, good.uuid, UINT64_MAX));
	assert_false(trace_packet_ok(&good, other, 100));
	assert_false(trace_packet_ok(&good, NULL, 99));
#define BAD(change) do { p = good; change; assert_false(trace_packet_ok(&p, NULL, 1000)); } while (0)
	BAD(p.magic = 0);
	BAD(p.stream_id = 1);
	BAD(p.packet_size = 100 * 8 + 1);
	BAD(p.packet_size = 83 * 8);
	BAD(p.packet_size = UINT64_MAX & ~7ull);
	BAD(p.content_size = 84 * 8 - 8);
	BAD(p.content_size = 84 * 8 + 1);
	BAD(p.content_size = 101 * 8);
	BAD(p.timestamp_end = 4);
}

/* Nobody repairs under the feet of a recorder. */
static void test_locked(void **state)
{
	struct room *r = *state;
	uint8_t data[1024];
	size_t bytes = file_make(data);
	struct trace_repair done;
	int lock;

	room_write(r, "metadata", "", 0);
	room_write(r, "stream_0_0", data, bytes - 1);
	lock = openat(r->dir, "metadata", O_RDONLY);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	assert_int_equal(trace_repair(r->dir, false, &done), -EBUSY);
	assert_int_equal(room_size(r, "stream_0_0"), bytes - 1);
	assert_int_equal(trace_repair(r->dir, true, &done), 0);
	assert_int_equal(room_size(r, "stream_0_0"), bytes - 300);
	close(lock);
	assert_int_equal(trace_repair(r->dir, false, &done), 0);
	assert_int_equal(done.files, 0);
}

static void test_order(void **state)
{
	struct room *r = *state;
	const char *want[] = { "stream_0_0", "stream_0_1", "stream_0_2.0", "stream_0_2.9", "stream_0_2.10", "stream_kymo" };
	const char *made[] = { "stream_kymo", "stream_0_2.10", "stream_0_2.9", "stream_0_1", "metadata", "stream_0_2.0",
			       "stream_0_0" };
	char name[TRACE_NAME_BYTES];
	struct trace_file *files;

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		room_write(r, made[i], "", 0);
	assert_int_equal(mkdirat(r->dir, "stream_7_0", 0700), 0);
	assert_int_equal(mkfifoat(r->dir, "stream_7_1", 0600), 0);
	assert_int_equal(trace_files(r->dir, &files), 6);
	for (int i = 0; i < 6; i++) {
		trace_file_name(&files[i], name);
		assert_string_equal(name, want[i]);
	}
	free(files);
	assert_int_equal(unlinkat(r->dir, "stream_7_0", AT_REMOVEDIR), 0);
	assert_int_equal(unlinkat(r->dir, "stream_7_1", 0), 0);
}

/* A file of the recorder's end that it has not finished has no name yet: it goes. What looks like it stays. */
static void test_unfinished(void **state)
{
	static const char *const ours[] = { "session.json", "tasks", "mappings", "modules", "functions", "symbols" };
	struct room *r = *state;
	struct trace_repair done;
	char name[64];

	room_write(r, "metadata", "", 0);
	assert_int_equal(mkdirat(r->dir, "kymo", 0700), 0);
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		snprintf(name, sizeof(name), "kymo/%s.new", ours[i]);
		room_write(r, name, "x", 1);
	}
	room_write(r, "kymo/other.new", "x", 1);
	assert_int_equal(trace_repair(r->dir, false, &done), 0);
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		snprintf(name, sizeof(name), "kymo/%s.new", ours[i]);
		assert_int_equal(faccessat(r->dir, name, F_OK, 0), -1);
	}
	assert_int_equal(room_size(r, "kymo/other.new"), 1);
	assert_int_equal(unlinkat(r->dir, "kymo/other.new", 0), 0);
	assert_int_equal(unlinkat(r->dir, "kymo", AT_REMOVEDIR), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_headers),
		cmocka_unit_test_setup_teardown(test_cut_everywhere, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_no_header, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_damage, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_texts, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_unfinished, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_locked, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_order, room_make, room_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
