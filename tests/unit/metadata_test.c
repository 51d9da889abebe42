// SPDX-License-Identifier: GPL-2.0-or-later
/* The metadata of every kind of field, as babeltrace2 understands it, with a stream that is made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <kymo/event.h>
#include "catalogue.h"
#include "metadata.h"

static const struct kymo_field fields[] = {
	{ .name = "event", .kind = KYMO_FIELD_UNSIGNED, .bytes = 1, .count = 1 },	/* a keyword of TSDL */
	{ .name = "s8", .kind = KYMO_FIELD_SIGNED, .bytes = 1, .count = 1 },
	{ .name = "u16be", .kind = KYMO_FIELD_UNSIGNED, .bytes = 2, .count = 1, .flags = KYMO_FIELD_BIG_ENDIAN },
	{ .name = "s64", .kind = KYMO_FIELD_SIGNED, .bytes = 8, .count = 1 },
	{ .name = "hex", .kind = KYMO_FIELD_UNSIGNED, .bytes = 4, .count = 1, .flags = KYMO_FIELD_HEX },
	{ .name = "comm", .kind = KYMO_FIELD_TEXT, .bytes = 1, .count = 8 },
	{ .name = "array", .kind = KYMO_FIELD_SIGNED, .bytes = 2, .count = 3 },
	{ .name = "addr", .kind = KYMO_FIELD_UNSIGNED, .bytes = 1, .count = 16, .flags = KYMO_FIELD_ADDRESS },
	{ .name = "stack", .kind = KYMO_FIELD_UNSIGNED, .bytes = 8, .flags = KYMO_FIELD_SEQUENCE | KYMO_FIELD_HEX },
	{ .name = "empty", .kind = KYMO_FIELD_UNSIGNED, .bytes = 4, .flags = KYMO_FIELD_SEQUENCE },
	{ .name = "name", .kind = KYMO_FIELD_STRING, .bytes = 1, .count = 1 },
	{ .name = "errno", .kind = KYMO_FIELD_SIGNED, .bytes = 4, .count = 1 },	/* fixed, but behind what varies */
};

static const char want[] =
	"{ cpu_id = 3 }, { len = 76 }, { event = 200, s8 = -5, u16be = 258, s64 = -1234567890123, hex = 0xDEADBEEF, "
	"comm = \"init\", array = [ [0] = -1, [1] = 0, [2] = 300 ], addr = [ [0] = 0x0, [1] = 0x1, [2] = 0x2, [3] = 0x3, "
	"[4] = 0x4, [5] = 0x5, [6] = 0x6, [7] = 0x7, [8] = 0x8, [9] = 0x9, [10] = 0xA, [11] = 0xB, [12] = 0xC, [13] = 0xD, "
	"[14] = 0xE, [15] = 0xF ], _stack_length = 2, stack = [ [0] = 0xFFFFFFFF81000000, [1] = 0x2 ], _empty_length = 0, "
	"empty = [ ], name = \"a \\\"b\\\"\", errno = -2 }\n";

#define PUT(type, ...) do { const type value[] = { __VA_ARGS__ }; memcpy(at, value, sizeof(value)); at += sizeof(value); } while (0)

static size_t payload_make(uint8_t *out)
{
	uint8_t *at = out;

	PUT(uint8_t, 200);
	PUT(int8_t, -5);
	PUT(uint8_t, 1, 2);
	PUT(int64_t, -1234567890123);
	PUT(uint32_t, 0xdeadbeef);
	PUT(char, 'i', 'n', 'i', 't', 0, 0, 0, 0);
	PUT(int16_t, -1, 0, 300);
	PUT(uint8_t, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	PUT(uint16_t, 2);
	PUT(uint64_t, 0xffffffff81000000, 2);
	PUT(uint16_t, 0);
	PUT(char, 'a', ' ', '"', 'b', '"', 0);
	PUT(int32_t, -2);
	return (size_t)(at - out);
}

static void file_write(const char *dir, const char *name, const void *data, size_t bytes)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	to = fopen(path, "w");
	assert_non_null(to);
	assert_int_equal(fwrite(data, 1, bytes, to), bytes);
	fclose(to);
}

static void stream_write(const char *dir, uint16_t id)
{
	uint8_t data[1024];
	struct kymo_packet p = { .magic = KYMO_CTF_MAGIC, .uuid = "0123456789abcde", .timestamp_begin = 1000000000000,
				 .timestamp_end = 1000000000000 + 5, .cpu_id = 3 };
	struct kymo_record r = { .time_low = (uint32_t)1000000000005, .id = id };
	size_t bytes = payload_make(data + sizeof(p) + sizeof(r));

	r.len = (uint16_t)bytes;
	bytes += sizeof(p) + sizeof(r);
	p.content_size = p.packet_size = bytes * 8;
	memcpy(data, &p, sizeof(p));
	memcpy(data + sizeof(p), &r, sizeof(r));
	file_write(dir, "stream_0_3", data, bytes);
}

static void metadata_make(const char *dir, const struct catalogue *c, struct metadata *m)
{
	char *text;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	metadata_write_head(to, m);
	for (unsigned int i = 0; i < catalogue_count(c); i++)
		metadata_write_type(to, catalogue_at(c, i));
	fclose(to);
	file_write(dir, "metadata", text, bytes);
	free(text);
}

static void catalogue_put(struct catalogue *c, uint16_t id, const char *name, const struct kymo_field *field, size_t bytes)
{
	struct {
		struct kymo_event_type head;
		struct kymo_field field[32];
	} e = { .head = { .id = id, .source = "test", .fields = (uint16_t)(bytes / sizeof(*field)) } };

	strcpy(e.head.name, name);
	memcpy(e.field, field, bytes);
	e.head.size = (uint32_t)(sizeof(e.head) + bytes);
	assert_int_equal(catalogue_add(c, &e, e.head.size), 1);
}

#undef errno
#define BUILTIN(i, n, s, f) { \
	static const struct kymo_field field[] = { KYMO_EVENT_FIELDS(n) {} }; \
	catalogue_put(c, i, #n, field, sizeof(field) - sizeof(field[0])); \
}

static void test_babeltrace2(void **state)
{
	struct metadata m = { .uuid = "0123456789abcde", .boot_id = "01234567-89ab-cdef-0123-456789abcdef",
			      .hostname = "a \"host\" with \\ and \033", .release = "6.1", .trace_name = "two\nlines",
			      .created = "2000-01-01T00:00:00Z",
			      .clock = { .monotonic_ns = 1000000000000, .realtime_ns = 1700000000123456789 } };
	char dir[] = "/tmp/kymo-metadata-XXXXXX", command[256], line[2048];
	struct catalogue *c = catalogue_create();
	FILE *from;

	assert_non_null(mkdtemp(dir));
	KYMO_EVENTS(BUILTIN)
	catalogue_put(c, 5000, "test:every \"kind\" \\", fields, sizeof(fields));
	metadata_make(dir, c, &m);
	stream_write(dir, 5000);
	snprintf(command, sizeof(command), "babeltrace2 --clock-seconds %s 2>&1", dir);
	from = popen(command, "r");
	assert_non_null(fgets(line, sizeof(line), from));
	assert_memory_equal(line, "[1700000000.123456794] ", 23);
	assert_non_null(strstr(line, " test:every \"kind\" \\: { cpu_id"));
	assert_string_equal(strstr(line, "{ cpu_id"), want);
	assert_null(fgets(line, sizeof(line), from));
	assert_int_equal(pclose(from), 0);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
	catalogue_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_babeltrace2) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
