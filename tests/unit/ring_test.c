/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring's behaviour in one thread, under ASan and UBSan, and long random runs beside a model that keeps its
 * packets in the plainest way. What interrupts and threads can do to it: ring_search, ring_trap, ring_signals, ring_race.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static unsigned long long clock_ns = 1000;
#define KYMO_RING_CLOCK() (clock_ns)
#include "ring_fixture.h"

enum { SHIFT = 8, PACKET = 1 << SHIFT, HEADER = sizeof(struct kymo_packet), ROOM = PACKET - HEADER - sizeof(struct kymo_record) };

static struct fixture f;

static void setup(enum kymo_mode mode, __u32 watermark)
{
	clock_ns = 1000;
	fixture_init(&f, SHIFT, 4, mode, watermark);
}

/* A record of that many bytes of payload, nothing in it. */
static int put(__u32 bytes, bool *crossed)
{
	struct kymo_slot slot;
	int cause = ring_reserve(&f.ring, 9, bytes, &slot);

	if (cause == KYMO_RING_OK) {
		memset(slot.payload, 0xee, bytes);
		ring_commit(&f.ring);
		if (crossed)
			*crossed = slot.crossed;
	}
	return cause;
}

static const struct kymo_packet *packet_at(unsigned int slot)
{
	return (const struct kymo_packet *)(f.ring.data + slot * PACKET);
}

static void test_first_record(void **state)
{
	struct kymo_record record;

	setup(KYMO_MODE_DISCARD, 0);
	assert_int_equal(put(10, NULL), KYMO_RING_OK);
	assert_int_equal(f.control->head, HEADER + 18);
	assert_int_equal(f.control->reserve, HEADER + 18);
	assert_int_equal(f.control->nest, 0);
	assert_int_equal(packet_at(0)->magic, KYMO_CTF_MAGIC);
	assert_int_equal(packet_at(0)->timestamp_begin, 1000);
	assert_int_equal(packet_at(0)->packet_seq_num, 1);
	assert_int_equal(packet_at(0)->packet_size, PACKET * 8);
	memcpy(&record, f.ring.data + HEADER, sizeof(record));
	assert_int_equal(record.time_low, 1000);
	assert_int_equal(record.id, 9);
	assert_int_equal(record.len, 10);
	/* no payload at all */
	assert_int_equal(put(0, NULL), KYMO_RING_OK);
	assert_int_equal(f.control->head, HEADER + 26);
	fixture_fini(&f);
}

static void test_exact_fit(void **state)
{
	setup(KYMO_MODE_DISCARD, 0);
	assert_int_equal(put(ROOM, NULL), KYMO_RING_OK);
	assert_int_equal(f.control->head, PACKET);
	assert_int_equal(packet_at(0)->content_size, 0); /* open until the next is entered */
	clock_ns = 2000;
	assert_int_equal(put(1, NULL), KYMO_RING_OK);
	assert_int_equal(packet_at(0)->content_size, PACKET * 8);
	assert_int_equal(packet_at(0)->timestamp_end, 2000);
	assert_int_equal(packet_at(1)->timestamp_begin, 2000);
	assert_int_equal(f.control->head, PACKET + HEADER + 9);
	fixture_fini(&f);
}

static void test_too_big(void **state)
{
	struct fixture big;
	struct kymo_slot slot;

	setup(KYMO_MODE_DISCARD, 0);
	assert_int_equal(put(ROOM + 1, NULL), KYMO_LOSS_TOO_BIG);
	assert_int_equal(put(0x10000, NULL), KYMO_LOSS_TOO_BIG);
	assert_int_equal(put(0xffffffff, NULL), KYMO_LOSS_TOO_BIG);
	assert_int_equal(put(0xfffffff8, NULL), KYMO_LOSS_TOO_BIG);
	assert_int_equal(f.control->lost, 4);
	assert_int_equal(f.control->reserve, 0);
	assert_int_equal(f.control->nest, 0);
	assert_int_equal(put(ROOM, NULL), KYMO_RING_OK);
	fixture_fini(&f);

	/* Where the packet has room for more than a record's length can say. */
	fixture_init(&big, 17, 4, KYMO_MODE_DISCARD, 0);
	assert_int_equal(ring_reserve(&big.ring, 1, 0x10000, &slot), KYMO_LOSS_TOO_BIG);
	assert_int_equal(ring_reserve(&big.ring, 1, 0xffff, &slot), KYMO_RING_OK);
	ring_commit(&big.ring);
	assert_int_equal(big.control->head, HEADER + 8 + 0xffff);
	fixture_fini(&big);
}

static void test_full(void **state)
{
	setup(KYMO_MODE_DISCARD, 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(put(ROOM, NULL), KYMO_RING_OK);
	for (int i = 0; i < 3; i++)
		assert_int_equal(put(0, NULL), KYMO_LOSS_FULL);
	assert_int_equal(f.control->lost, 3);
	assert_int_equal(f.control->head, 4 * PACKET);
	f.tail->tail = PACKET - 1; /* not the whole packet */
	assert_int_equal(put(0, NULL), KYMO_LOSS_FULL);
	f.tail->tail = PACKET;
	assert_int_equal(put(0, NULL), KYMO_RING_OK);
	assert_int_equal(packet_at(3)->events_discarded, 4);
	assert_int_equal(packet_at(2)->events_discarded, 0);
	assert_int_equal(packet_at(0)->packet_seq_num, 5);
	fixture_fini(&f);
}

static void test_overwrite(void **state)
{
	struct fixture_reader rd;
	__u8 copy[PACKET];
	__u64 n;

	setup(KYMO_MODE_OVERWRITE, 0);
	fixture_reader_init(&rd, &f);
	for (n = 0; n < 1000; n++)
		assert_int_equal(fixture_write(&f, 0, n, NULL), KYMO_RING_OK);
	assert_int_equal(f.control->lost, 0);
	assert_true(fixture_snapshot(&rd, copy));
	assert_int_equal(rd.packets, 3); /* the open one is not copied */
	assert_int_equal(rd.packet, ring_floor(&f.ring, f.control->head));
	fixture_fini(&f);
}

/* On top of an unfinished record: nothing is published, and nothing from the published head on is used again. */
static void nested_bound(enum kymo_mode mode)
{
	struct fixture_reader rd;
	struct kymo_slot outer;
	const __u32 bytes = fixture_bytes(0, 1);
	__u64 n, head, written = 0;
	int cause;

	setup(mode, 0);
	fixture_reader_init(&rd, &f);
	for (n = 0; n < 3; n++)
		assert_int_equal(fixture_write(&f, 0, n, NULL), KYMO_RING_OK);
	assert_true(fixture_take(&rd));
	head = f.control->head;
	f.tail->tail = head;
	assert_int_equal(ring_reserve(&f.ring, 1, bytes, &outer), KYMO_RING_OK);
	while ((cause = fixture_write(&f, 2, written, NULL)) == KYMO_RING_OK) {
		written++;
		assert_int_equal(f.control->head, head);
		assert_int_equal(f.control->nest, 1);
	}
	assert_int_equal(cause, KYMO_LOSS_NESTED);
	assert_in_range(f.control->reserve, 3 * PACKET, 4 * PACKET + ring_floor(&f.ring, head));
	fixture_fill(outer.payload, 0, 1, bytes);
	ring_commit(&f.ring);
	assert_int_equal(f.control->head, f.control->reserve);
	ring_close(&f.ring);
	assert_true(fixture_take(&rd));
	assert_int_equal(rd.found[0], 3);
	assert_int_equal(rd.found[1], 1);
	assert_int_equal(rd.found[2], written);
	assert_int_equal(rd.discarded, 1);
	fixture_fini(&f);
}

static void test_nested_bound(void **state)
{
	nested_bound(KYMO_MODE_DISCARD);
	nested_bound(KYMO_MODE_OVERWRITE);
}

static void test_stop(void **state)
{
	setup(KYMO_MODE_DISCARD, 0);
	ring_close(&f.ring); /* nothing is open */
	assert_int_equal(f.control->head, 0);
	assert_int_equal(put(10, NULL), KYMO_RING_OK);
	assert_int_equal(put(ROOM + 1, NULL), KYMO_LOSS_TOO_BIG);
	clock_ns = 5000;
	ring_close(&f.ring);
	assert_int_equal(f.control->closed, PACKET);
	assert_int_equal(f.control->head, PACKET);
	assert_int_equal(packet_at(0)->content_size, (HEADER + 18) * 8);
	assert_int_equal(packet_at(0)->timestamp_end, 5000);
	assert_int_equal(packet_at(0)->events_discarded, 1);
	ring_close(&f.ring);
	assert_int_equal(f.control->head, PACKET);
	/* again; the closed packet is left as it is */
	clock_ns = 6000;
	assert_int_equal(put(ROOM, NULL), KYMO_RING_OK);
	assert_int_equal(packet_at(0)->content_size, (HEADER + 18) * 8);
	assert_int_equal(packet_at(0)->timestamp_end, 5000);
	assert_int_equal(packet_at(1)->timestamp_begin, 6000);
	/* full to the last byte, then stopped: there is no room to skip */
	ring_close(&f.ring);
	assert_int_equal(f.control->head, 2 * PACKET);
	assert_int_equal(packet_at(1)->content_size, PACKET * 8);
	fixture_fini(&f);
}

static void test_stop_when_full(void **state)
{
	setup(KYMO_MODE_DISCARD, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(put(ROOM, NULL), KYMO_RING_OK);
	assert_int_equal(put(10, NULL), KYMO_RING_OK);
	ring_close(&f.ring);
	assert_int_equal(f.control->head, 4 * PACKET);
	assert_int_equal(put(10, NULL), KYMO_LOSS_FULL);
	f.tail->tail = 4 * PACKET;
	assert_int_equal(put(10, NULL), KYMO_RING_OK);
	fixture_fini(&f);
}

static void test_hostile_tail(void **state)
{
	static const __u64 tails[] = { ~0ull, 1ull << 63, 4 * PACKET + 1, 5 * PACKET, 1ull << 32, ~0ull - PACKET };
	unsigned int i;

	setup(KYMO_MODE_DISCARD, 1);
	f.tail->tail = ~0ull; /* even before anything is written */
	for (i = 0; i < 4; i++)
		assert_int_equal(put(ROOM, NULL), KYMO_RING_OK);
	for (i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		f.tail->tail = tails[i];
		assert_int_equal(put(0, NULL), KYMO_LOSS_FULL);
		assert_false(ring_ready(&f.ring));
	}
	f.tail->tail = 2 * PACKET;
	assert_int_equal(put(ROOM, NULL), KYMO_RING_OK);
	f.tail->tail = 0; /* taken back: two packets stay free */
	assert_int_equal(put(ROOM, NULL), KYMO_RING_OK);
	assert_int_equal(put(ROOM, NULL), KYMO_LOSS_FULL);
	assert_int_equal(f.ring.freed, 2 * PACKET);
	fixture_fini(&f);
}

static void test_clock(void **state)
{
	struct kymo_record record;

	setup(KYMO_MODE_DISCARD, 0);
	clock_ns = 0x1fffffff0;
	assert_int_equal(put(0, NULL), KYMO_RING_OK);
	clock_ns = 0x100000000; /* back */
	assert_int_equal(put(0, NULL), KYMO_RING_OK);
	memcpy(&record, f.ring.data + HEADER + 8, sizeof(record));
	assert_int_equal(record.time_low, 0xfffffff0);
	/* 32 bits of time reach to one nanosecond before 2^32 after the begin */
	clock_ns = 0x1fffffff0 + 0xffffffff;
	assert_int_equal(put(0, NULL), KYMO_RING_OK);
	assert_int_equal(f.control->head, HEADER + 24);
	clock_ns++;
	assert_int_equal(put(0, NULL), KYMO_RING_OK);
	assert_int_equal(f.control->head, PACKET + HEADER + 8);
	assert_int_equal(packet_at(0)->content_size, (HEADER + 24) * 8);
	assert_int_equal(packet_at(0)->timestamp_end, clock_ns);
	assert_int_equal(packet_at(1)->timestamp_begin, clock_ns);
	fixture_fini(&f);
}

static void test_watermark(void **state)
{
	bool crossed;
	int told = 0, i;

	setup(KYMO_MODE_DISCARD, 2);
	for (i = 0; i < 4; i++) {
		assert_int_equal(ring_ready(&f.ring), i >= 3);
		assert_int_equal(put(ROOM, &crossed), KYMO_RING_OK);
		assert_int_equal(crossed, i == 2);
		told += crossed;
	}
	assert_int_equal(told, 1);
	assert_true(ring_ready(&f.ring));
	/* one packet is freed, two are still filled and the next comes: who freed it is told again, once */
	f.tail->tail = PACKET + 1;
	assert_true(ring_ready(&f.ring));
	assert_int_equal(put(ROOM, &crossed), KYMO_RING_OK);
	assert_true(crossed);
	assert_int_equal(put(ROOM, &crossed), KYMO_LOSS_FULL);
	/* all but the last are freed: below the watermark */
	f.tail->tail = 4 * PACKET;
	assert_false(ring_ready(&f.ring));
	assert_int_equal(put(ROOM, &crossed), KYMO_RING_OK);
	assert_false(crossed);
	assert_int_equal(put(1, &crossed), KYMO_RING_OK);
	assert_true(crossed);
	assert_int_equal(put(1, &crossed), KYMO_RING_OK);
	assert_false(crossed);
	fixture_fini(&f);
}

/* More than can be filled when a packet is entered: told when the last one is. */
static void test_watermark_all(void **state)
{
	bool crossed;

	for (__u32 watermark = 3; watermark <= 5; watermark++) {
		setup(KYMO_MODE_DISCARD, watermark);
		for (int i = 0; i < 4; i++) {
			assert_int_equal(put(ROOM, &crossed), KYMO_RING_OK);
			assert_int_equal(crossed, i == 3);
		}
		assert_true(ring_ready(&f.ring));
		fixture_fini(&f);
	}
}

/* A reader that frees what it has read of an open packet. */
static void test_live_reader(void **state)
{
	struct fixture_reader rd;
	__u64 n;

	setup(KYMO_MODE_DISCARD, 0);
	fixture_reader_init(&rd, &f);
	rd.live = true;
	for (n = 0; n < 10000; n++) {
		clock_ns += n % 3 ? 1 : 700000000;
		assert_int_equal(fixture_write(&f, 0, n, NULL), KYMO_RING_OK);
		if (n % 5 < 3 && !fixture_take(&rd))
			fail_msg("%s", rd.fault);
		assert_in_range(rd.found[0], n > 2 ? n - 2 : 0, n + 1);
	}
	fixture_fini(&f);
}

/* ---- beside a model ---- */

/* What the ring must be, without rings: all packets ever, and what is in them. */
struct model {
	struct {
		__u64 used, begin_ns;
		bool open;
	} packet[100000];
	__u64 packets, last_ns, published, freed, recorded[FIXTURE_WRITERS], lost;
};

/* Slots 4: packet number n needs that n - 4 is freed (discard) and that n - 4 lies before the one being published. */
static int model_write(struct model *m, enum kymo_mode mode, __u32 bytes)
{
	const __u64 size = bytes + 8, at = m->packets - 1;

	if (clock_ns > m->last_ns)
		m->last_ns = clock_ns;
	if (m->packets && m->packet[at].open && m->packet[at].used + size <= PACKET &&
	    m->last_ns - m->packet[at].begin_ns <= 0xffffffff) {
		m->packet[at].used += size;
		return KYMO_RING_OK;
	}
	if (m->packets >= m->published + 4)
		return KYMO_LOSS_NESTED;
	if (mode == KYMO_MODE_DISCARD && m->packets >= m->freed + 4)
		return KYMO_LOSS_FULL;
	m->packet[m->packets].used = HEADER + size;
	m->packet[m->packets].begin_ns = m->last_ns;
	m->packet[m->packets++].open = true;
	return KYMO_RING_OK;
}

static __u64 model_head(const struct model *m)
{
	if (!m->packets)
		return 0;
	return (m->packets - 1) * PACKET + (m->packet[m->packets - 1].open ? m->packet[m->packets - 1].used : PACKET);
}

static unsigned int random_state;

static unsigned int next_random(unsigned int below)
{
	random_state = random_state * 1103515245 + 12345;
	return (random_state >> 8) % below;
}

/* A record, and on top of it before it is committed, others. */
static void model_step(struct model *m, enum kymo_mode mode, unsigned int depth)
{
	static __u64 number[FIXTURE_WRITERS];
	const __u64 n = number[depth]++;
	const __u32 bytes = fixture_bytes(n, depth);
	struct kymo_slot slot;
	int cause;

	clock_ns += next_random(50) ? next_random(1000) : 3000000000u;
	clock_ns -= next_random(10) ? 0 : 500;
	cause = ring_reserve(&f.ring, depth, bytes, &slot);
	assert_int_equal(cause, model_write(m, mode, bytes));
	while (depth < FIXTURE_WRITERS - 1 && !next_random(3))
		model_step(m, mode, depth + 1);
	if (cause == KYMO_RING_OK) {
		fixture_fill(slot.payload, n, depth, bytes);
		ring_commit(&f.ring);
		m->recorded[depth]++;
	} else {
		m->lost++;
	}
	if (!f.control->nest)
		m->published = model_head(m) / PACKET;
}

static void model_run(enum kymo_mode mode, unsigned int seed)
{
	static struct model m;
	struct fixture_reader rd;
	__u8 copy[PACKET];
	int i, w;

	memset(&m, 0, sizeof(m));
	setup(mode, 0);
	fixture_reader_init(&rd, &f);
	random_state = seed;
	for (i = 0; i < 20000; i++) {
		model_step(&m, mode, 0);
		assert_int_equal(f.control->head, model_head(&m));
		assert_int_equal(f.control->lost, m.lost);
		if (!next_random(40)) {
			ring_close(&f.ring);
			if (clock_ns > m.last_ns && m.packets && m.packet[m.packets - 1].open)
				m.last_ns = clock_ns;
			if (m.packets)
				m.packet[m.packets - 1].open = false;
			m.published = model_head(&m) / PACKET;
		}
		if (next_random(3))
			continue;
		if (!(mode == KYMO_MODE_DISCARD ? fixture_take(&rd) : fixture_snapshot(&rd, copy)))
			fail_msg("seed %u, step %d: %s", seed, i, rd.fault);
		if (mode == KYMO_MODE_DISCARD)
			m.freed = f.tail->tail / PACKET;
	}
	if (mode == KYMO_MODE_DISCARD) {
		ring_close(&f.ring);
		assert_true(fixture_take(&rd));
		for (w = 0; w < FIXTURE_WRITERS; w++)
			assert_int_equal(rd.found[w], m.recorded[w]);
		assert_int_equal(rd.discarded, m.lost);
		assert_true(m.lost > 100);
	}
	assert_true(m.packets > 1000);
	fixture_fini(&f);
}

static void test_model(void **state)
{
	for (unsigned int seed = 1; seed <= 8; seed++) {
		model_run(KYMO_MODE_DISCARD, seed);
		model_run(KYMO_MODE_OVERWRITE, seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_record),
		cmocka_unit_test(test_exact_fit),
		cmocka_unit_test(test_too_big),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_overwrite),
		cmocka_unit_test(test_nested_bound),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_stop_when_full),
		cmocka_unit_test(test_hostile_tail),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_watermark),
		cmocka_unit_test(test_watermark_all),
		cmocka_unit_test(test_live_reader),
		cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
