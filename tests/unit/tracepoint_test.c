// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of tracepoints: what becomes of their fields, and of lengths that are not to be believed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "tracepoint.h"

static void add(struct tracepoint *t, const char *type, unsigned int offset, unsigned int size, bool is_signed)
{
	struct kymo_take *take = &t->take[t->takes++];

	take->offset = (uint16_t)offset;
	kymo_tracepoint_describe(&t->field[t->fields++], take, type, size, is_signed);
	if (t->fixed_bytes < offset + size)
		t->fixed_bytes = (uint16_t)(offset + size);
}

static void test_types(void **state)
{
	static const struct {
		const char *type;
		unsigned int size;
		bool is_signed;
		struct kymo_field want;
	} cases[] = {
		{ "int", 4, true, { .kind = KYMO_FIELD_SIGNED, .bytes = 4, .count = 1 } },
		{ "dev_t", 4, false, { .kind = KYMO_FIELD_UNSIGNED, .bytes = 4, .count = 1 } },
		{ "void *", 8, false, { .kind = KYMO_FIELD_UNSIGNED, .bytes = 8, .count = 1, .flags = KYMO_FIELD_HEX } },
		{ "char[]", 16, false, { .kind = KYMO_FIELD_TEXT, .bytes = 1, .count = 16 } },
		{ "unsigned long[6]", 48, false, { .bytes = 8, .count = 6, .flags = KYMO_FIELD_HEX } },
		{ "__be32", 4, false, { .bytes = 4, .count = 1, .flags = KYMO_FIELD_BIG_ENDIAN } },
		{ "struct thing", 12, false, { .bytes = 1, .count = 12, .flags = KYMO_FIELD_HEX } },
		{ "__data_loc char[]", 4, false, { .kind = KYMO_FIELD_STRING, .bytes = 1, .count = 1 } },
		{ "__rel_loc u32[]", 4, false, { .bytes = 4, .flags = KYMO_FIELD_SEQUENCE | KYMO_FIELD_HEX } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tracepoint t = {};

		add(&t, cases[i].type, 8, cases[i].size, cases[i].is_signed);
		assert_memory_equal(&t.field[0], &cases[i].want, sizeof(t.field[0]));
	}
}

struct record {
	uint64_t common;
	uint32_t number, name, words;
	char data[32];
};

static const struct record whole = {
	.number = 7, .name = 3u << 16 | offsetof(struct record, data), .words = 8u << 16 | 12,
	.data = "ab\0.........\1\0\0\0\2\0\0\0",
};

static struct tracepoint described(void)
{
	struct tracepoint t = {};

	add(&t, "int", offsetof(struct record, number), 4, true);
	add(&t, "__data_loc char[]", offsetof(struct record, name), 4, false);
	add(&t, "__rel_loc u32[]", offsetof(struct record, words), 4, false);
	return t;
}

static void test_payload(void **state)
{
	static const uint8_t want[] = { 7, 0, 0, 0, 'a', 'b', 0, 2, 0, 1, 0, 0, 0, 2, 0, 0, 0 };
	const struct tracepoint t = described();
	uint8_t to[64];

	assert_int_equal(tracepoint_payload(&t, (const uint8_t *)&whole, sizeof(whole), to, sizeof(to)), sizeof(want));
	assert_memory_equal(to, want, sizeof(want));
	assert_int_equal(tracepoint_payload(&t, (const uint8_t *)&whole, sizeof(whole), to, sizeof(want) - 1), 0);
	assert_int_equal(tracepoint_payload(&t, (const uint8_t *)&whole, t.fixed_bytes - 1u, to, sizeof(to)), 0);
}

/* Places and lengths beyond the record: nothing is there. */
static void test_lies(void **state)
{
	static const uint8_t want[] = { 7, 0, 0, 0, 0, 0, 0 };
	static const uint32_t lies[] = { 1u << 16 | sizeof(whole), 0xffffffff, 0xffffu << 16 | 20, 2u << 16 | (sizeof(whole) - 1) };
	const struct tracepoint t = described();
	struct record *r = test_malloc(sizeof(*r));	/* what lies behind it is watched */
	uint8_t to[64];

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		*r = whole;
		r->name = r->words = lies[i];
		assert_int_equal(tracepoint_payload(&t, (const uint8_t *)r, sizeof(*r), to, sizeof(to)), sizeof(want));
		assert_memory_equal(to, want, sizeof(want));
	}
	test_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types), cmocka_unit_test(test_payload), cmocka_unit_test(test_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
