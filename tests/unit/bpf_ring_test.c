// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order of records from a ring of BPF programs, against a model: programs nest at random between reserving, taking
 * the time and committing, looks come at random in between, and what is handed out must be all records, each once, in
 * order of time. The ring is one in our memory, laid out as the kernel's.
 */
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bpf_ring.h"

enum { PAGE = 4096, RING = 1 << 16, NEST = 4 };

struct model {
	struct bpf_ring ring;
	uint64_t consumer;
	uint8_t memory[PAGE + 2 * RING];
	uint64_t now_ns, reserved, written, handed;
	uint64_t last_ns;
	uint64_t seed;
	unsigned int nest;
	bool seen[1 << 20];
};

struct payload {
	struct bpf_head head;
	uint64_t number;
};

static unsigned int model_random(struct model *m, unsigned int below)
{
	m->seed = m->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(m->seed >> 33) % below;
}

static uint64_t *model_producer(struct model *m)
{
	return (uint64_t *)m->memory;
}

/* The data lie twice in a row; writes go to both. */
static void model_write(struct model *m, uint64_t at, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		const size_t place = (at + i) & (RING - 1);

		m->memory[PAGE + place] = m->memory[PAGE + RING + place] = ((const uint8_t *)from)[i];
	}
}

static void model_header(struct model *m, uint64_t at, uint32_t bits)
{
	const uint32_t header[2] = { (uint32_t)sizeof(struct payload) | bits, 0 };

	model_write(m, at, header, sizeof(header));
}

static void model_look(struct model *m)
{
	const struct bpf_head *head;

	m->now_ns += model_random(m, 3) ? 1 : model_random(m, 400000);
	assert_int_equal(bpf_ring_look_at(&m->ring, m->now_ns, 0), 0);
	while ((head = bpf_ring_next(&m->ring))) {
		const struct payload *p = (const struct payload *)head;

		assert_true(head->time_ns >= m->last_ns);
		assert_false(m->seen[p->number]);
		m->seen[p->number] = true;
		m->last_ns = head->time_ns;
		m->handed++;
		bpf_ring_pop(&m->ring);
		if (!model_random(m, 4))
			break;
	}
	bpf_ring_free(&m->ring);
	assert_true(bpf_ring_least_ns(&m->ring) >= m->last_ns);
}

static void model_program(struct model *m);

static void model_interrupt(struct model *m)
{
	m->now_ns += model_random(m, 50);
	if (m->nest < NEST && !model_random(m, 4))
		model_program(m);
	if (!model_random(m, 6))
		model_look(m);
}

static void model_program(struct model *m)
{
	const uint64_t at = m->reserved;
	struct payload p = { .head = { .id = 1, .len = 8 } };

	m->nest++;
	model_interrupt(m);
	if (m->reserved + 64 - m->consumer <= RING && m->reserved == at) {
		m->reserved += sizeof(p) + BPF_RINGBUF_HDR_SZ;
		model_header(m, at, BPF_RINGBUF_BUSY_BIT);
		*model_producer(m) = m->reserved;
		model_interrupt(m);
		p.head.time_ns = m->now_ns;
		model_interrupt(m);
		if (model_random(m, 10)) {
			p.number = m->written++;
			model_write(m, at + BPF_RINGBUF_HDR_SZ, &p, sizeof(p));
			model_header(m, at, 0);
		} else {
			model_header(m, at, BPF_RINGBUF_DISCARD_BIT);
		}
		model_interrupt(m);
	}
	m->nest--;
}

static void model_run(uint64_t seed, unsigned int programs)
{
	struct model *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->seed = seed;
	m->now_ns = 1000000;
	m->ring = (struct bpf_ring){ .consumer = &m->consumer, .producer = m->memory, .bytes = RING, .page_bytes = PAGE };
	for (unsigned int i = 0; i < programs; i++) {
		model_program(m);
		model_interrupt(m);
	}
	m->now_ns += 10 * BPF_RING_VISIBLE_NS;
	for (int i = 0; i < 100000 && m->handed < m->written; i++)
		model_look(m);
	assert_int_equal(m->handed, m->written);
	assert_true(m->written > programs / 4);
	free(m->ring.slot);
	free(m);
}

static void test_order_under_nesting(void **state)
{
	for (uint64_t seed = 1; seed <= 200; seed++)
		model_run(seed, 3000);
}

/* What comes on top of a reservation lies behind it with an earlier time. */
static void test_nested_record_comes_first(void **state)
{
	static uint8_t memory[PAGE + 2 * RING];
	uint64_t consumer = 0;
	struct bpf_ring ring = { .consumer = &consumer, .producer = memory, .bytes = RING, .page_bytes = PAGE };
	const uint64_t step = sizeof(struct payload) + BPF_RINGBUF_HDR_SZ, late = 10 * BPF_RING_VISIBLE_NS;
	uint64_t times[] = { late + 20, late + 10, late + 30 };

	for (unsigned int i = 0; i < 3; i++) {
		uint32_t *header = (uint32_t *)(memory + PAGE + i * step);
		struct payload *p = (struct payload *)(memory + PAGE + i * step + BPF_RINGBUF_HDR_SZ);

		*header = sizeof(*p);
		p->head.time_ns = times[i];
	}
	*(uint64_t *)memory = 3 * step;
	/* The first two may be told only when nothing as old as them can come any more. */
	assert_int_equal(bpf_ring_look_at(&ring, late + 15, 0), 0);
	assert_null(bpf_ring_next(&ring));
	assert_int_equal(bpf_ring_look_at(&ring, late + 25 + BPF_RING_VISIBLE_NS, 0), 0);
	assert_int_equal(bpf_ring_next(&ring)->time_ns, late + 10);
	bpf_ring_pop(&ring);
	bpf_ring_free(&ring);
	assert_int_equal(consumer, 0);	/* the other's memory lies below */
	assert_int_equal(bpf_ring_next(&ring)->time_ns, late + 20);
	bpf_ring_pop(&ring);
	bpf_ring_free(&ring);
	assert_int_equal(consumer, 2 * step);
	assert_null(bpf_ring_next(&ring));
	assert_int_equal(bpf_ring_least_ns(&ring), late + 25);
	/* A promise needs no time to pass. */
	assert_int_equal(bpf_ring_look_at(&ring, late + 40, late + 31), 0);
	assert_int_equal(bpf_ring_next(&ring)->time_ns, late + 30);
	free(ring.slot);
}

/* A record that is not committed holds back what may be younger than it. */
static void test_busy_record_holds_back(void **state)
{
	static uint8_t memory[PAGE + 2 * RING];
	uint64_t consumer = 0;
	struct bpf_ring ring = { .consumer = &consumer, .producer = memory, .bytes = RING, .page_bytes = PAGE };
	const uint64_t step = sizeof(struct payload) + BPF_RINGBUF_HDR_SZ, late = 10 * BPF_RING_VISIBLE_NS;
	struct payload *first = (struct payload *)(memory + PAGE + BPF_RINGBUF_HDR_SZ);
	uint32_t *second = (uint32_t *)(memory + PAGE + step);

	*(uint32_t *)(memory + PAGE) = sizeof(*first);
	first->head.time_ns = late;
	*second = sizeof(*first) | BPF_RINGBUF_BUSY_BIT;
	*(uint64_t *)memory = 2 * step;
	assert_int_equal(bpf_ring_look_at(&ring, 9 * late, 0), 0);	/* it may have been reserved long ago */
	assert_null(bpf_ring_next(&ring));
	assert_int_equal(bpf_ring_look_at(&ring, 10 * late, 0), 0);
	assert_null(bpf_ring_next(&ring));
	((struct payload *)(second + 2))->head.time_ns = late - 5;
	*second = sizeof(*first);
	assert_int_equal(bpf_ring_look_at(&ring, 11 * late, 0), 0);
	assert_int_equal(bpf_ring_next(&ring)->time_ns, late - 5);
	bpf_ring_pop(&ring);
	assert_int_equal(bpf_ring_next(&ring)->time_ns, late);
	free(ring.slot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested_record_comes_first),
		cmocka_unit_test(test_busy_record_holds_back),
		cmocka_unit_test(test_order_under_nesting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
