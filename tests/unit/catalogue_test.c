// SPDX-License-Identifier: GPL-2.0-or-later
/* The catalogue: what is taken, what is refused; every member of an entry damaged, every cut of the buffer. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <kymo/event.h>
#include "catalogue.h"
#undef errno

struct entry {
	struct kymo_event_type head;
	struct kymo_field field[9];	/* one more than used: what follows a last entry */
};

static struct entry entry_make(uint16_t id, const char *name, const struct kymo_field *field, size_t bytes)
{
	struct entry e = { .head = { .id = id, .source = "test" } };

	strcpy(e.head.name, name);
	memcpy(e.field, field, bytes);
	e.head.fields = (uint16_t)(bytes / sizeof(*field));
	e.head.size = (uint32_t)(sizeof(e.head) + bytes);
	return e;
}

static const struct kymo_field switch_fields[] = { KYMO_EVENT_FIELDS(sched_switch) };
static const struct kymo_field sample_fields[] = { KYMO_EVENT_FIELDS(cpu_sample) };

/* Reads everything that was kept, as far as its own sizes say. */
static void walk(const struct catalogue *c)
{
	for (unsigned int i = 0; i < catalogue_count(c); i++) {
		const struct event_type *t = catalogue_at(c, i);

		assert_ptr_equal(catalogue_by_id(c, t->id), t);
		assert_ptr_equal(catalogue_by_name(c, t->name), t);
		assert_int_equal(event_type_field(t, "no such field"), -1);
		for (unsigned int f = 0; f < t->fields; f++)
			assert_int_equal(event_type_field(t, t->field[f].name), f);
	}
}

static int add_once(const struct entry *e, size_t bytes)
{
	struct catalogue *c = catalogue_create();
	void *copy = malloc(bytes ? bytes : 1);	/* of exact size: ASan sees every byte read beyond */
	int n;

	memcpy(copy, e, bytes);
	n = catalogue_add(c, copy, bytes);
	walk(c);
	free(copy);
	catalogue_destroy(c);
	return n;
}

#define BUILTIN(i, n, s, f) { \
	static const struct kymo_field field[] = { KYMO_EVENT_FIELDS(n) {} }; \
	struct { struct kymo_event_type head; struct kymo_field field[32]; } e = { .head = { .id = i, .flags = f, \
		.source = #s, .name = #n, .fields = sizeof(field) / sizeof(field[0]) - 1 } }; \
	e.head.size = (uint32_t)(sizeof(e.head) + e.head.fields * sizeof(struct kymo_field)); \
	memcpy(e.field, field, e.head.fields * sizeof(struct kymo_field)); \
	assert_int_equal(catalogue_add(c, &e, e.head.size), 1); \
	assert_non_null(catalogue_by_name(c, #n)); \
	assert_int_equal(catalogue_by_id(c, i)->fixed_bytes, sizeof(struct kymo_ev_##n)); \
	count++; \
}

/* All built-in event types are taken, and the fixed part is as long as the struct that the module writes. */
static void test_builtin(void **state)
{
	struct catalogue *c = catalogue_create();
	unsigned int count = 0;

	KYMO_EVENTS(BUILTIN)
	assert_int_equal(catalogue_count(c), count);
	catalogue_destroy(c);
}

static void test_ask(void **state)
{
	struct catalogue *c = catalogue_create(), *copy = catalogue_create();
	struct entry a = entry_make(48, "sched_switch", switch_fields, sizeof(switch_fields));
	struct entry b = entry_make(64, "cpu_sample", sample_fields, sizeof(sample_fields));
	const struct event_type *t;
	const void *entries;
	size_t bytes;

	assert_int_equal(catalogue_add(c, &a, a.head.size), 1);
	t = catalogue_by_id(c, 48);
	assert_int_equal(catalogue_add(c, &b, b.head.size), 1);
	assert_ptr_equal(t, catalogue_at(c, 0));
	assert_ptr_equal(t, catalogue_by_name(c, "sched_switch"));
	assert_int_equal(event_type_field(t, "prev_state"), 3);
	assert_int_equal(event_type_field(t, "nothing"), -1);
	assert_int_equal(catalogue_by_id(c, 64)->fixed_bytes, sizeof(struct kymo_ev_cpu_sample));
	assert_null(catalogue_by_id(c, 65));
	assert_null(catalogue_at(c, 2));
	/* The copy of a trace gives the same catalogue. */
	entries = catalogue_entries(c, &bytes);
	assert_int_equal(bytes, a.head.size + b.head.size);
	assert_int_equal(catalogue_add(copy, entries, bytes), 2);
	assert_string_equal(catalogue_at(copy, 1)->name, "cpu_sample");
	catalogue_destroy(c);
	catalogue_destroy(copy);
}

static void test_replace(void **state)
{
	struct catalogue *c = catalogue_create();
	struct entry a = entry_make(48, "sched_switch", switch_fields, sizeof(switch_fields));
	const struct kymo_event_type *raw;
	size_t bytes;

	assert_int_equal(catalogue_add(c, &a, a.head.size), 1);
	a.head.flags = KYMO_TYPE_UNAVAILABLE;
	strcpy(a.head.reason, "because");
	assert_int_equal(catalogue_add(c, &a, a.head.size), 1);
	assert_int_equal(catalogue_count(c), 1);
	assert_string_equal(catalogue_by_id(c, 48)->reason, "because");
	raw = catalogue_entries(c, &bytes);
	assert_int_equal(bytes, a.head.size);
	assert_int_equal(raw->flags, KYMO_TYPE_UNAVAILABLE);
	a.field[0].count = 15;
	assert_int_equal(catalogue_add(c, &a, a.head.size), -EBADMSG);
	a.field[0].count = 16;
	strcpy(a.head.name, "other");
	assert_int_equal(catalogue_add(c, &a, a.head.size), -EBADMSG);
	catalogue_destroy(c);
}

static void test_many(void **state)
{
	struct catalogue *c = catalogue_create();

	for (unsigned int i = 0; i < 3000; i++) {
		struct entry e = entry_make((uint16_t)i, "many", switch_fields, sizeof(switch_fields));

		assert_int_equal(catalogue_add(c, &e, e.head.size), 1);
	}
	assert_int_equal(catalogue_count(c), 3000);
	assert_int_equal(catalogue_by_name(c, "many")->id, 2999);
	assert_int_equal(catalogue_by_id(c, 7)->field[6].count, 1);
	catalogue_destroy(c);
}

static void test_cut(void **state)
{
	struct entry e = entry_make(64, "cpu_sample", sample_fields, sizeof(sample_fields));

	assert_int_equal(add_once(&e, 0), 0);
	for (size_t n = 1; n < e.head.size; n++)
		assert_int_equal(add_once(&e, n), -EBADMSG);
	assert_int_equal(add_once(&e, e.head.size), 1);
	assert_int_equal(add_once(&e, e.head.size + 1), -EBADMSG);
}

#define REFUSED(change) do { \
	struct entry e = entry_make(64, "cpu_sample", sample_fields, sizeof(sample_fields)); \
	assert_int_equal(add_once(&e, e.head.size), 1); \
	change; \
	assert_int_equal(add_once(&e, sizeof(struct kymo_event_type) + sizeof(sample_fields)), -EBADMSG); \
} while (0)

static void test_refused(void **state)
{
	REFUSED(e.head.size -= 1);
	REFUSED(e.head.size += 1);
	REFUSED(e.head.size = 0);
	REFUSED(e.head.size = UINT32_MAX);
	REFUSED(e.head.fields -= 1);
	REFUSED(e.head.fields += 1);
	REFUSED(e.head.fields = UINT16_MAX);
	REFUSED(e.head.name[0] = 0);
	REFUSED(e.head.name[3] = '\n');
	REFUSED(memset(e.head.name, 'x', sizeof(e.head.name)));
	REFUSED(e.head.source[0] = 0);
	REFUSED(memset(e.head.source, 'x', sizeof(e.head.source)));
	REFUSED(memset(e.head.reason, 'x', sizeof(e.head.reason)));
	REFUSED(e.head.reason[0] = '\033');
	REFUSED(e.field[0].name[0] = 0);
	REFUSED(e.field[0].name[0] = '1');
	REFUSED(e.field[0].name[1] = ' ');
	REFUSED(e.field[0].name[1] = ';');
	REFUSED(memset(e.field[0].name, 'x', sizeof(e.field[0].name)));
	REFUSED(strcpy(e.field[0].name, "comm"));
	REFUSED(strcpy(e.field[0].name, "ustack_length"));
	REFUSED(strcpy(e.field[0].name, "kstack_length"));
	REFUSED(e.field[0].kind = 4);
	REFUSED(e.field[0].bytes = 0);
	REFUSED(e.field[0].bytes = 3);
	REFUSED(e.field[0].bytes = 16);
	REFUSED(e.field[0].flags = 1 << 4);
	REFUSED(e.field[0].flags = KYMO_FIELD_ADDRESS);
	REFUSED(e.field[0].count = 0);
	REFUSED(e.field[0].count = 1 << 16);
	REFUSED(e.field[0].count = UINT32_MAX);
	REFUSED(e.field[0].count = 65535);
	REFUSED(e.field[0].flags = KYMO_FIELD_SEQUENCE);
	REFUSED(e.field[2].bytes = 2);
	REFUSED(e.field[6].count = 1);
	REFUSED(e.field[6].kind = KYMO_FIELD_STRING);
}

/* Any single byte changed: taken or refused, but never a read beyond, and what is taken can be walked. */
static void test_damaged(void **state)
{
	struct entry e = entry_make(64, "cpu_sample", sample_fields, sizeof(sample_fields));
	unsigned int taken = 0, refused = 0;

	for (size_t i = 0; i < e.head.size; i++)
		for (unsigned int v = 0; v < 256; v += 5) {
			struct entry d = e;
			int n;

			((unsigned char *)&d)[i] ^= (unsigned char)v;
			n = add_once(&d, e.head.size);
			assert_true(n == 1 || n == -EBADMSG);
			taken += n == 1;
			refused += n != 1;
		}
	assert_true(taken && refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builtin), cmocka_unit_test(test_ask), cmocka_unit_test(test_replace),
		cmocka_unit_test(test_many), cmocka_unit_test(test_cut), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
