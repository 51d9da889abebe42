// SPDX-License-Identifier: GPL-2.0-or-later
/* The reading side of a ring of the BPF programs. The layout of the ring itself is the kernel's (BPF_MAP_TYPE_RINGBUF). */
#include "bpf_ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"

enum { BPF_RING_SLOTS_LEAST = 1024 };

int bpf_ring_init(struct bpf_ring *r, int fd, size_t bytes)
{
	void *map;
	int err;

	*r = (struct bpf_ring){ .bytes = bytes, .page_bytes = sysconf(_SC_PAGESIZE) };
	map = mmap(NULL, (size_t)r->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	r->consumer = map;
	map = mmap(NULL, (size_t)r->page_bytes + 2 * bytes, PROT_READ, MAP_SHARED, fd, r->page_bytes);
	if (map == MAP_FAILED) {
		err = -errno;
		bpf_ring_fini(r);
		return err;
	}
	r->producer = map;
	return 0;
}

void bpf_ring_fini(struct bpf_ring *r)
{
	if (r->consumer)
		munmap(r->consumer, (size_t)r->page_bytes);
	if (r->producer)
		munmap((void *)r->producer, (size_t)r->page_bytes + 2 * r->bytes);
	free(r->slot);
	*r = (struct bpf_ring){};
}

static const uint8_t *bpf_ring_record(const struct bpf_ring *r, uint64_t at)
{
	return r->producer + r->page_bytes + (at & (r->bytes - 1));
}

static const struct bpf_head *bpf_ring_head(const struct bpf_ring *r, uint64_t at)
{
	return (const struct bpf_head *)(bpf_ring_record(r, at) + BPF_RINGBUF_HDR_SZ);
}

static int bpf_ring_grow(struct bpf_ring *r)
{
	const size_t room = r->room ? 2 * r->room : BPF_RING_SLOTS_LEAST;
	struct bpf_slot *more = realloc(r->slot, room * sizeof(*more));

	if (!more)
		return -ENOMEM;
	r->slot = more;
	r->room = room;
	return 0;
}

/* Takes what is committed up to `end` into slots. */
static int bpf_ring_collect(struct bpf_ring *r, uint64_t end)
{
	while (r->seen < end) {
		/* Pairs with the exchange of the commit: behind it the record is whole. */
		const uint32_t head = __atomic_load_n((const uint32_t *)bpf_ring_record(r, r->seen), __ATOMIC_ACQUIRE);
		const uint32_t len = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (head & BPF_RINGBUF_BUSY_BIT)
			break;
		if (r->slots == r->room && bpf_ring_grow(r))
			return -ENOMEM;
		if (!(head & BPF_RINGBUF_DISCARD_BIT))
			r->slot[r->slots++] = (struct bpf_slot){ .time_ns = bpf_ring_head(r, r->seen)->time_ns, .at = r->seen };
		r->seen += (BPF_RINGBUF_HDR_SZ + len + 7) & ~7ull;
	}
	return 0;
}

/* Up to where no record is younger than one behind it, or than the bound. */
static size_t bpf_ring_cut(struct bpf_ring *r)
{
	uint64_t most = 0, least = r->bound_ns;
	size_t cut;

	for (size_t i = r->ready; i < r->slots; i++) {
		r->slot[i].mark = most;
		if (r->slot[i].time_ns > most)
			most = r->slot[i].time_ns;
	}
	for (cut = r->slots; cut > r->ready; cut--) {
		if (most <= least)
			break;
		most = r->slot[cut - 1].mark;
		if (r->slot[cut - 1].time_ns < least)
			least = r->slot[cut - 1].time_ns;
	}
	return cut;
}

/* By insertion: it is nearly in order, and records of the same time keep theirs. */
static void bpf_ring_sort(struct bpf_ring *r, size_t from, size_t to)
{
	uint64_t least_at = to < r->slots ? r->slot[to].at : r->seen;

	for (size_t i = from + 1; i < to; i++) {
		const struct bpf_slot moving = r->slot[i];
		size_t j = i;

		for (; j > from && r->slot[j - 1].time_ns > moving.time_ns; j--)
			r->slot[j] = r->slot[j - 1];
		r->slot[j] = moving;
	}
	for (size_t i = to; i > from; i--) {
		if (r->slot[i - 1].at < least_at)
			least_at = r->slot[i - 1].at;
		r->slot[i - 1].mark = least_at;
	}
}

static void bpf_ring_forget(struct bpf_ring *r)
{
	r->slots -= r->emit;
	r->ready -= r->emit;
	memmove(r->slot, r->slot + r->emit, r->slots * sizeof(*r->slot));
	r->emit = 0;
}

int bpf_ring_look_at(struct bpf_ring *r, uint64_t now_ns, uint64_t promise_ns)
{
	uint64_t end, known;
	size_t cut;
	int err;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);	/* the time is that of before the look */
	end = __atomic_load_n((const uint64_t *)r->producer, __ATOMIC_ACQUIRE);
	if (r->emit)
		bpf_ring_forget(r);
	err = bpf_ring_collect(r, end);
	if (err)
		return err;
	known = r->seen == end ? now_ns - BPF_RING_VISIBLE_NS : r->seen >= r->look_at ? r->look_ns - BPF_RING_VISIBLE_NS : 0;
	if (known > r->bound_ns && known < now_ns)
		r->bound_ns = known;
	if (promise_ns > r->bound_ns)
		r->bound_ns = promise_ns;
	r->look_ns = now_ns;
	r->look_at = end;
	cut = bpf_ring_cut(r);
	bpf_ring_sort(r, r->ready, cut);
	r->ready = cut;
	return 0;
}

int bpf_ring_look(struct bpf_ring *r, uint64_t promise_ns)
{
	return bpf_ring_look_at(r, clock_now_ns(), promise_ns);
}

const struct bpf_head *bpf_ring_next(const struct bpf_ring *r)
{
	return r->emit < r->ready ? bpf_ring_head(r, r->slot[r->emit].at) : NULL;
}

void bpf_ring_pop(struct bpf_ring *r)
{
	r->emit++;
}

void bpf_ring_free(struct bpf_ring *r)
{
	const uint64_t at = r->emit < r->ready ? r->slot[r->emit].mark : r->ready < r->slots ? r->slot[r->ready].at : r->seen;

	__atomic_store_n(r->consumer, at, __ATOMIC_RELEASE);	/* pairs with the load in the kernel's reserve */
}

uint64_t bpf_ring_least_ns(const struct bpf_ring *r)
{
	uint64_t least = r->bound_ns;

	if (r->emit < r->ready)
		return r->slot[r->emit].time_ns;
	for (size_t i = r->ready; i < r->slots; i++)
		if (r->slot[i].time_ns < least)
			least = r->slot[i].time_ns;
	return least;
}
