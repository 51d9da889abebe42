// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets made by the real ring, and what becomes of them when single bytes are wrong. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "trace_make.h"
#include "packet.h"

static struct catalogue *builtin_catalogue(void)
{
	struct catalogue *c = catalogue_create();
	size_t bytes;
	void *entries = builtin_entries(&bytes);

	assert_true(catalogue_add(c, entries, bytes) > 30);
	free(entries);
	return c;
}

/* A ring of its own, without a trace around it. */
struct room {
	struct make_trace trace;
	struct make_stream *s;
	struct catalogue *c;
	char dir[200];
};

static int room_make(void **state)
{
	struct room *r = calloc(1, sizeof(*r));

	make_clock_ns = 1000000000;
	make_room(r->dir);
	make_begin(&r->trace, r->dir);
	r->s = make_stream(&r->trace, "stream_0_3", 3);
	r->c = builtin_catalogue();
	*state = r;
	return 0;
}

static int room_remove(void **state)
{
	struct room *r = *state;

	make_end(&r->trace);
	make_remove(r->dir);
	catalogue_destroy(r->c);
	free(r);
	return 0;
}

static const struct kymo_packet *first_packet(struct room *r)
{
	return (const struct kymo_packet *)r->s->data;
}

static void test_fields(void **state)
{
	struct room *r = *state;
	struct packet_walk w;
	struct event e;
	struct packet_field f;
	struct { struct kymo_ev_cpu_sample ev; uint16_t kn; uint64_t k[2]; uint16_t un; } __attribute__((packed)) sample = {
		.ev = { .tid = -5, .pid = 77, .comm = "a\x1b[2Jb", .ip = 0xffffffff81000000, .flags = 1 }, .kn = 2,
			.k = { 0x10, 0x20 },
	};
	char text[200];

	assert_int_equal(make_event(r->s, KYMO_ID_cpu_sample, &sample, sizeof(sample)), KYMO_RING_OK);
	make_clock_ns += 5;
	make_ev_string(r->s, kymo_loss, "sched_switch\0full", .type_id = 48, .cause = 0, .count = 1ull << 40);
	make_ev(r->s, net_send, .tid = 9, .family = 10, .saddr = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 7 },
		.daddr = { [15] = 1 }, .bytes = 3);
	make_ev(r->s, signal_deliver, .sig = -1, .sa_flags = ~0ull);

	packet_walk_init(&w, r->c, first_packet(r), PACKET_HEADER, (uint32_t)r->s->control->head, UINT64_MAX);
	assert_int_equal(packet_walk_next(&w, &e), 1);
	assert_string_equal(e.type->name, "cpu_sample");
	assert_int_equal(e.time_ns, 1000000000);
	assert_int_equal(e.cpu, 3);
	assert_true(packet_field(&e, 0, &f));
	assert_int_equal(packet_signed(&f, 0), -5);
	assert_true(packet_field(&e, 2, &f));
	assert_string_equal(packet_field_text(&f, text, sizeof(text)), "a\\x1b[2Jb");
	assert_true(packet_field(&e, 3, &f));
	assert_string_equal(packet_field_text(&f, text, sizeof(text)), "0xffffffff81000000");
	assert_true(packet_field(&e, 6, &f));
	assert_int_equal(f.count, 2);
	assert_int_equal(packet_unsigned(&f, 1), 0x20);
	assert_string_equal(packet_field_text(&f, text, sizeof(text)), "[0x10, 0x20]");
	assert_true(packet_field(&e, 7, &f));
	assert_int_equal(f.count, 0);
	assert_false(packet_field(&e, 8, &f));

	assert_int_equal(packet_walk_next(&w, &e), 1);
	assert_int_equal(e.time_ns, 1000000005);
	assert_true(packet_field(&e, 2, &f));
	assert_int_equal(packet_unsigned(&f, 0), 1ull << 40);
	assert_true(packet_field(&e, 5, &f));
	assert_string_equal(packet_field_text(&f, text, sizeof(text)), "sched_switch");
	assert_true(packet_field(&e, 6, &f));
	assert_string_equal(packet_field_text(&f, text, sizeof(text)), "full");

	assert_int_equal(packet_walk_next(&w, &e), 1);
	assert_true(packet_field(&e, 6, &f));
	assert_string_equal(packet_field_text(&f, text, sizeof(text)), "10.0.0.7");
	assert_true(packet_field(&e, 7, &f));
	assert_string_equal(packet_field_text(&f, text, sizeof(text)), "::1");
	assert_string_equal(packet_field_text(&f, text, 3), "");

	assert_int_equal(packet_walk_next(&w, &e), 1);
	assert_true(packet_field(&e, 4, &f));
	assert_string_equal(packet_field_text(&f, text, sizeof(text)), "0xffffffffffffffff");
	assert_int_equal(packet_walk_next(&w, &e), 0);
}

/* Times are whole up to the last nanosecond that the low half can reach from the packet's begin. */
static void test_time(void **state)
{
	struct room *r = *state;
	struct packet_walk w;
	struct event e;
	const uint64_t step[] = { 0, 1, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff };
	uint64_t base;

	make_clock_ns = base = 0x5fffffff0ull;
	for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		make_clock_ns = base + step[i];
		make_ev(r->s, irq_softirq_raise, .vec = (uint32_t)i);
	}
	assert_int_equal(r->s->control->head, PACKET_HEADER + 6 * 12);
	packet_walk_init(&w, r->c, first_packet(r), PACKET_HEADER, (uint32_t)r->s->control->head, UINT64_MAX);
	for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		assert_int_equal(packet_walk_next(&w, &e), 1);
		assert_int_equal(e.time_ns, base + step[i]);
	}
	assert_int_equal(packet_walk_next(&w, &e), 0);
}

static void expect_bad(struct room *r, const uint8_t *packet, uint32_t to, const char *what)
{
	struct packet_walk w;
	struct event e;
	int got;

	packet_walk_init(&w, r->c, (const struct kymo_packet *)packet, PACKET_HEADER, to, 2000000000);
	while ((got = packet_walk_next(&w, &e)) == 1)
		;
	assert_int_equal(got, -EBADMSG);
	assert_non_null(strstr(w.error, what));
	assert_int_equal(packet_walk_next(&w, &e), 0);
}

static void test_damage(void **state)
{
	struct room *r = *state;
	uint8_t p[MAKE_PACKET_BYTES];
	uint32_t end, second;
	struct packet_walk w;
	struct event e;
	const uint16_t unknown = 999;

	make_ev(r->s, irq_softirq_raise, .vec = 1);
	second = (uint32_t)r->s->control->head;
	make_clock_ns += 10;
	make_ev_string(r->s, irq_handler_entry, "eth0", .irq = 5);
	end = (uint32_t)r->s->control->head;
#define AGAIN() memcpy(p, r->s->data, sizeof(p))
	for (uint32_t to = second + 1; to < second + 8; to++)
		AGAIN(), expect_bad(r, p, to, "header does not fit");
	for (uint32_t to = second + 8; to < end; to++)
		AGAIN(), expect_bad(r, p, to, "longer than the content");
	AGAIN(), p[second + 6]--, expect_bad(r, p, end, "do not agree");
	AGAIN(), p[end - 1] = 'x', expect_bad(r, p, end, "do not agree");
	AGAIN(), p[end - 2] = 0, expect_bad(r, p, end, "do not agree");
	AGAIN(), p[second]--, p[second]--, p[second + 1] = 0, expect_bad(r, p, end, "");
	AGAIN(), memset(p + PACKET_HEADER, 0xff, 4), expect_bad(r, p, end, "later than its packet's end");
	AGAIN();
	memcpy(p + PACKET_HEADER + 4, &unknown, 2);
	packet_walk_init(&w, r->c, (const struct kymo_packet *)p, PACKET_HEADER, end, UINT64_MAX);
	assert_int_equal(packet_walk_next(&w, &e), 1);
	assert_string_equal(e.type->name, "irq_handler_entry");
	assert_int_equal(w.unknown, 1);
}

static void test_header(void **state)
{
	struct kymo_packet good = { .magic = KYMO_CTF_MAGIC, .content_size = 100 * 8, .packet_size = 4096 * 8,
		.timestamp_end = 1 }, p;

	assert_null(packet_wrong(&good, 4096));
	assert_null(packet_wrong(&good, 100));
	assert_non_null(packet_wrong(&good, 99));
	assert_non_null(packet_wrong(&good, 10));
#define WRONG(member, value) do { p = good; p.member = (value); assert_non_null(packet_wrong(&p, 4096)); } while (0)
	WRONG(magic, 0);
	WRONG(stream_id, 1);
	WRONG(content_size, 83 * 8);
	WRONG(content_size, 100 * 8 + 1);
	WRONG(content_size, 5000 * 8);
	WRONG(packet_size, 4096 * 8 + 4);
	WRONG(packet_size, 1ull << 63);
	WRONG(timestamp_begin, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fields, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_time, room_make, room_remove),
		cmocka_unit_test_setup_teardown(test_damage, room_make, room_remove),
		cmocka_unit_test(test_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
