/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All interleavings of small cases of the ring, on the real text of ring.h as the compiler made it. Before every
 * access to shared memory the code asks what happens now: go on, or a nested writer runs on top, or the reader
 * moves its tail; at each reading of the clock: does it step back, does it leap. Every answer is tried.
 *
 * The writers run on a stack of their own, so their whole state is bytes: the world and the live part of that
 * stack. It is saved and put back for each answer, and a state that was reached before is not searched again, only
 * its number of schedules is added. Nothing else is left out, with one reduction: the reader has no steps but the
 * store of its tail. That is sound because after every step all that a reader may look at is decoded, and must not
 * have changed since it was published: when exactly a reader looks makes no difference then.
 *
 * Usage: ring_search [--soak] [--broken]	--broken: succeed if a fault is found (the planted mutants)
 */
#include <stdio.h>
#include <stdlib.h>

static void search_step(void);
static unsigned long long search_clock(void);
#define KYMO_RING_STEP() search_step()
#define KYMO_RING_CLOCK() search_clock()
#include <kymo/ring.h>
/* Built twice: with the time read inside the reservation, and before it as for one event in several rings. */
#ifdef RING_SEARCH_TIME_BEFORE
#define SEARCH_TIME() search_clock()
#else
#define SEARCH_TIME() 0
#endif

enum { SHIFT = 7, PACKET = 1 << SHIFT, HEADER = sizeof(struct kymo_packet), PACKETS_MAX = 4, WRITERS_MAX = 12 };
/* With packets of 128 bytes 44 are left for records: */
enum { FULL = 36, HALF = 14, SMALL = 6, TOO_BIG = 40 };
#define LEAP 0xffffffffull
#define NONE (~0ull)

struct scenario {
	const char *name;
	unsigned int packets, mode, watermark;
	int before[8];		/* payloads of records written before the search starts; 0 ends, -1: STOP, -2: reader takes all */
	int writer[6];		/* payloads of the writers that may nest; 0 ends */
	unsigned int back, leap, stops;	/* how often at most */
	enum { READER_NONE, READER_FAIR, READER_HOSTILE } reader;
	bool soak;
};

static const struct scenario scenarios[] = {
	{ "one packet", 4, KYMO_MODE_DISCARD, 0, { SMALL }, { SMALL, SMALL, 1 }, .back = 2 },
	{ "into the next packet", 4, KYMO_MODE_DISCARD, 0, { HALF }, { HALF, HALF, SMALL }, .back = 1, .reader = READER_FAIR },
	{ "from nothing", 4, KYMO_MODE_DISCARD, 1, { 0 }, { SMALL, SMALL, SMALL }, .back = 1, .reader = READER_FAIR },
	{ "every record a packet", 4, KYMO_MODE_DISCARD, 2, { FULL }, { FULL, FULL, FULL }, .back = 1, .reader = READER_FAIR },
	{ "full ring", 4, KYMO_MODE_DISCARD, 2, { FULL, FULL, FULL, HALF }, { FULL, HALF, FULL }, .reader = READER_FAIR },
	{ "full ring of two", 2, KYMO_MODE_DISCARD, 1, { FULL, -2, HALF }, { HALF, HALF, FULL }, .back = 1, .reader = READER_FAIR },
	{ "overwrite two", 2, KYMO_MODE_OVERWRITE, 0, { FULL, FULL, FULL }, { FULL, FULL, FULL }, .back = 1 },
	{ "overwrite two, partly filled", 2, KYMO_MODE_OVERWRITE, 0, { FULL, HALF }, { FULL, HALF, HALF }, .back = 1 },
	{ "overwrite four", 4, KYMO_MODE_OVERWRITE, 1, { FULL, FULL, FULL, FULL, HALF }, { HALF, FULL, HALF },
		.reader = READER_FAIR },
	{ "lost on top", 4, KYMO_MODE_DISCARD, 0, { HALF }, { FULL, TOO_BIG, FULL }, .back = 1, .reader = READER_FAIR },
	{ "stop and start", 4, KYMO_MODE_DISCARD, 1, { HALF }, { HALF, FULL, SMALL }, .stops = 1, .reader = READER_FAIR },
	{ "after a stop", 4, KYMO_MODE_DISCARD, 0, { HALF, -1 }, { HALF, HALF, HALF }, .back = 1, .stops = 1 },
	{ "4.29 s pass", 4, KYMO_MODE_DISCARD, 0, { SMALL }, { SMALL, SMALL, SMALL }, .back = 1, .leap = 2 },
	{ "4.29 s pass, overwrite", 2, KYMO_MODE_OVERWRITE, 0, { SMALL }, { SMALL, SMALL, SMALL }, .leap = 2, .stops = 1 },
	{ "hostile reader", 4, KYMO_MODE_DISCARD, 1, { FULL, FULL, HALF }, { HALF, FULL, FULL }, .reader = READER_HOSTILE },
	{ "hostile reader of two", 2, KYMO_MODE_DISCARD, 1, { FULL, HALF }, { FULL, HALF, FULL }, .reader = READER_HOSTILE },
	{ "four writers", 4, KYMO_MODE_DISCARD, 1, { HALF }, { HALF, SMALL, FULL, SMALL }, .back = 1,
		.reader = READER_FAIR, .soak = true },
	{ "four writers overwrite two", 2, KYMO_MODE_OVERWRITE, 0, { FULL }, { FULL, HALF, SMALL, FULL }, .back = 1,
		.leap = 1, .soak = true },
	{ "four writers, full ring", 4, KYMO_MODE_DISCARD, 2, { FULL, FULL, FULL, HALF }, { FULL, HALF, FULL, SMALL },
		.back = 1, .stops = 1, .reader = READER_FAIR, .soak = true },
};

/* All that a schedule can change. */
struct world {
	struct kymo_ring ring;
	struct kymo_ring_control control;
	struct kymo_ring_tail tail;
	__u8 data[PACKETS_MAX * PACKET];
	/* the writers' side of the model */
	__u64 clock, clock_max, back_left, leap_left, stops_left, wild_left;
	__u64 next, end;		/* writers: the next to start, and how many there are */
	__u64 read_ns[WRITERS_MAX];	/* what a writer read from the clock last */
	__u64 ok, lost, awake;
	__u64 quiet;			/* before the search */
	void *sp;
	__u64 question, answer, current, stopped_at;
	/* the reader's side */
	__u64 seen, closed, found, last_ns, end_ns, discarded, freed;
	__u8 shadow[PACKETS_MAX * PACKET];
};

enum question { STEP, CLOCK, TOP, DONE };
enum action { GO, NEST, BACK, LEAP_ON, STOP, TAIL_HEAD, TAIL_PACKET, TAIL_WILD, TAIL_ZERO };

static struct world w;
static const struct scenario *scenario;
static bool soak;
static char stack[16384] __attribute__((aligned(64)));
static void *explorer_sp;
static char fault[256];

#define FAULT(...) do { if (!fault[0]) snprintf(fault, sizeof(fault), __VA_ARGS__); return; } while (0)

/* ---- the writers' stack ---- */

void stack_switch(void **save, void *to);
__asm__(".text\n.globl stack_switch\nstack_switch:\n"
	"push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
	"mov %rsp, (%rdi); mov %rsi, %rsp\n"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret\n");

static __u64 ask(enum question question)
{
	w.question = question;
	stack_switch(&w.sp, explorer_sp);
	return w.answer;
}

static __u8 pattern(unsigned int writer, unsigned int at)
{
	return writer * 37 + at * 11 + 5;
}

static void writer_run(void)
{
	unsigned int me = w.next++, bytes = w.quiet ? scenario->before[w.answer] : scenario->writer[me - w.current], i;
	__u64 outer = w.stopped_at;
	struct kymo_slot slot;

	w.stopped_at = me; /* whose clock readings these are */
	if (ring_reserve_at(&w.ring, me, bytes, SEARCH_TIME(), &slot) == KYMO_RING_OK) {
		for (i = 0; i < bytes; i++) {
			if (i == 0 || i == bytes / 2)
				search_step();
			slot.payload[i] = pattern(me, i);
		}
		ring_commit(&w.ring);
		w.ok++;
		if (slot.crossed)
			w.awake = 1;
	} else {
		w.lost++;
	}
	w.stopped_at = outer;
}

static void search_step(void)
{
	while (!w.quiet && ask(STEP) == NEST)
		writer_run();
}

static unsigned long long search_clock(void)
{
	__u64 answer = GO;

	search_step();
	if (!w.quiet)
		answer = ask(CLOCK);
	w.clock += answer == LEAP_ON ? LEAP : answer == BACK ? -3ull : 1;
	if (w.clock > w.clock_max)
		w.clock_max = w.clock;
	w.read_ns[w.stopped_at] = w.clock;
	return w.clock;
}

static void writers_main(void)
{
	for (;;) {
		switch (ask(w.next < w.end || w.stops_left ? TOP : DONE)) {
		case NEST:
			writer_run();
			break;
		case STOP:
			w.quiet = 1; /* nobody is inside, nobody comes */
			w.stopped_at = WRITERS_MAX - 1;
			ring_close(&w.ring);
			w.quiet = 0;
			break;
		}
	}
}

/* ---- what a reader may look at ---- */

static __u64 oldest(void)
{
	__u64 reserve = (w.control.reserve + PACKET - 1) & -(__u64)PACKET, bytes = scenario->packets * PACKET;

	if (scenario->mode == KYMO_MODE_OVERWRITE)
		return reserve > bytes ? reserve - bytes : 0;
	return w.freed & -(__u64)PACKET;
}

static bool is_closed(__u64 packet)
{
	return w.control.head > packet + PACKET || w.control.closed >= packet + PACKET;
}

/* New records from `at` to `to` in one packet. */
static void check_records(__u64 packet, __u64 at, __u64 to)
{
	const __u8 *base = ring_at(&w.ring, packet);
	__u64 begin, time;
	unsigned int i;

	memcpy(&begin, base + offsetof(struct kymo_packet, timestamp_begin), 8);
	while (at < to) {
		struct kymo_record record;

		memcpy(&record, base + (at - packet), sizeof(record));
		at += sizeof(record);
		time = begin + (__u32)(record.time_low - (__u32)begin);
		if (record.id >= w.next || w.found & 1ull << record.id || at + record.len > to)
			FAULT("record torn or twice: id %u, len %u at %llu", record.id, record.len, at);
		if (time < w.last_ns)
			FAULT("time goes back inside the ring: %llu after %llu", time, w.last_ns);
		if (time < w.read_ns[record.id] || time > w.clock_max)
			FAULT("time of record %u: %llu, its writer read %llu", record.id, time, w.read_ns[record.id]);
		for (i = 0; i < record.len; i++)
			if (base[at - packet + i] != pattern(record.id, i))
				FAULT("record %u below head is not whole", record.id);
		w.found |= 1ull << record.id;
		w.last_ns = time;
		at += record.len;
	}
}

static void check_opened(__u64 packet)
{
	struct kymo_packet p;

	memcpy(&p, ring_at(&w.ring, packet), sizeof(p));
	if (p.magic != KYMO_CTF_MAGIC || memcmp(p.uuid, w.control.uuid, 16) || p.stream_id || p.stream_instance_id != 77 ||
	    p.packet_size != PACKET * 8 || p.packet_seq_num != packet / PACKET + 1 || p.cpu_id != 3)
		FAULT("packet %llu below head is not opened", packet / PACKET);
	if (p.timestamp_begin < w.last_ns)
		FAULT("packet %llu begins before the last record", packet / PACKET);
}

static void check_closed(__u64 packet)
{
	struct kymo_packet p;

	memcpy(&p, ring_at(&w.ring, packet), sizeof(p));
	if (p.content_size % 8 || p.content_size / 8 <= HEADER || p.content_size / 8 > PACKET)
		FAULT("packet %llu below head is not closed: content_size %llu", packet / PACKET, p.content_size);
	if (p.timestamp_end < w.last_ns || p.timestamp_begin < w.end_ns)
		FAULT("packet %llu: begin %llu, end %llu, before it %llu", packet / PACKET, p.timestamp_begin,
		      p.timestamp_end, w.end_ns);
	if (p.events_discarded < w.discarded || p.events_discarded > w.control.lost)
		FAULT("packet %llu: events_discarded %llu after %llu", packet / PACKET, p.events_discarded, w.discarded);
	w.end_ns = p.timestamp_end;
	w.last_ns = p.timestamp_end;
	w.discarded = p.events_discarded;
}

/* Everything published that may still be read must be what it was; close fields count from the closing on. */
static void check_unchanged(void)
{
	__u64 packet, from = oldest();

	for (packet = from; packet < w.seen; packet += PACKET) {
		const __u64 end_field = offsetof(struct kymo_packet, timestamp_end);
		const __u64 seq_field = offsetof(struct kymo_packet, packet_size);
		const __u8 *now = ring_at(&w.ring, packet), *then = w.shadow + (now - w.data);
		__u64 bytes = w.seen - packet < PACKET ? w.seen - packet : PACKET;

		if (packet < w.closed) {
			struct kymo_packet p;

			memcpy(&p, then, sizeof(p));
			bytes = p.content_size / 8;
			if (memcmp(now + end_field, then + end_field, 16) || memcmp(now + 76 - 4, then + 76 - 4, 8))
				FAULT("the close fields of packet %llu changed afterwards", packet / PACKET);
		}
		if (memcmp(now, then, end_field) || memcmp(now + seq_field, then + seq_field, 16) ||
		    memcmp(now + HEADER - 4, then + HEADER - 4, bytes - HEADER + 4))
			FAULT("packet %llu changed after it was published", packet / PACKET);
	}
}

/* Takes what is newly published. */
static void check_published(void)
{
	while (!fault[0]) {
		__u64 packet = w.seen & -(__u64)PACKET, to = w.control.head;

		if (w.closed < packet || (w.closed == packet && is_closed(packet) && w.seen > packet)) {
			/* the packet at w.closed is taken to its end */
			if (!is_closed(w.closed))
				return; /* it fits exactly: closed with the next reservation */
			if (w.closed >= oldest()) {
				struct kymo_packet p;
				__u64 limit;

				memcpy(&p, ring_at(&w.ring, w.closed), sizeof(p));
				limit = w.closed + p.content_size / 8;
				if (p.content_size / 8 > PACKET || limit < w.seen)
					FAULT("packet %llu: content_size %llu, published up to %llu",
					      w.closed / PACKET, p.content_size, w.seen);
				check_records(w.closed, w.seen, limit);
				check_closed(w.closed);
			}
			w.closed += PACKET;
			w.seen = w.closed;
			memcpy(w.shadow, w.data, sizeof(w.data));
			continue;
		}
		if (w.seen >= to)
			return;
		if (w.seen == packet) {
			if (w.seen < oldest())
				FAULT("packet %llu was given up before it was published", packet / PACKET);
			check_opened(packet);
			w.seen += HEADER;
			continue;
		}
		check_records(packet, w.seen, to < packet + PACKET ? to : packet + PACKET);
		w.seen = to < packet + PACKET ? to : packet + PACKET;
		memcpy(w.shadow, w.data, sizeof(w.data));
	}
}

static void check_bounds(void)
{
	__u64 reserve = (w.control.reserve + PACKET - 1) & -(__u64)PACKET, bytes = scenario->packets * PACKET;

	if (w.control.head > w.control.reserve || w.control.head < (w.seen & -(__u64)PACKET))
		FAULT("head %llu, reserve %llu, seen %llu", w.control.head, w.control.reserve, w.seen);
	if (reserve - (w.control.head & -(__u64)PACKET) > bytes)
		FAULT("a slot from the published head on is used again: head %llu, reserve %llu",
		      w.control.head, w.control.reserve);
	if (scenario->mode == KYMO_MODE_DISCARD && scenario->reader != READER_HOSTILE &&
	    reserve - (w.freed & -(__u64)PACKET) > bytes)
		FAULT("a packet that the reader has not freed is used again: tail %llu, reserve %llu",
		      w.freed, w.control.reserve);
}

static void check_quiescent(void)
{
	if (w.control.nest)
		FAULT("nest is %u with nobody inside", w.control.nest);
	if (w.control.head != w.control.reserve)
		FAULT("head %llu, reserve %llu with nobody inside", w.control.head, w.control.reserve);
	if (w.ok + w.lost != w.next || w.lost != w.control.lost || (__u64)__builtin_popcountll(w.found) != w.ok)
		FAULT("happened %llu, recorded %llu, found %d, lost %llu, counted %llu", w.next, w.ok,
		      __builtin_popcountll(w.found), w.lost, w.control.lost);
	w.quiet = 1;
	if (scenario->reader == READER_FAIR && ring_ready(&w.ring) && !w.awake)
		FAULT("the ring is filled up to the watermark and nobody told the reader");
	w.quiet = 0;
}

static void check_end(void)
{
	w.quiet = 1;
	ring_close(&w.ring);
	w.quiet = 0;
	check_published();
	if (!fault[0] && w.closed >= PACKET && w.closed - PACKET >= oldest() && w.discarded != w.lost)
		FAULT("the last packet says %llu lost, it were %llu", w.discarded, w.lost);
}

static void check_world(void)
{
	check_bounds();
	if (!fault[0] && scenario->reader != READER_HOSTILE) {
		check_published();
		if (!fault[0])
			check_unchanged();
	} else if (!fault[0]) {
		/* It spoils its own view only; what was published is counted at the moment it was. */
		w.freed = w.seen & -(__u64)PACKET;
		check_published();
	}
	if (!fault[0] && (w.question == TOP || w.question == DONE))
		check_quiescent();
}

/* ---- the search ---- */

struct entry {
	__u64 key[2];
	double schedules;
};

static struct entry *memo;
static __u64 memo_mask, memo_used, steps_deep, deepest;

static void memo_insert(const __u64 key[2], double schedules)
{
	__u64 i;

	if (memo_used * 4 > memo_mask * 3) {
		struct entry *old = memo;
		__u64 count = memo_mask + 1, at;

		memo_mask = count * 2 - 1;
		memo = calloc(count * 2, sizeof(*memo));
		if (!memo)
			abort();
		for (at = 0; at < count; at++)
			if (old[at].key[0]) {
				for (i = old[at].key[0] & memo_mask; memo[i].key[0]; i = (i + 1) & memo_mask)
					;
				memo[i] = old[at];
			}
		free(old);
	}
	for (i = key[0] & memo_mask; memo[i].key[0]; i = (i + 1) & memo_mask)
		;
	memo[i] = (struct entry){ { key[0], key[1] }, schedules };
	memo_used++;
}

static const struct entry *memo_find(const __u64 key[2])
{
	__u64 i;

	for (i = key[0] & memo_mask; memo[i].key[0]; i = (i + 1) & memo_mask)
		if (memo[i].key[0] == key[0] && memo[i].key[1] == key[1])
			return &memo[i];
	return NULL;
}

static void hash(__u64 h[2], const void *bytes, size_t n)
{
	const __u64 *word = bytes;

	for (; n >= 8; n -= 8, word++) {
		h[0] = (h[0] ^ *word) * 0x9e3779b97f4a7c15ull;
		h[0] ^= h[0] >> 29;
		h[1] = (h[1] + *word) * 0xc2b2ae3d27d4eb4full;
		h[1] ^= h[1] >> 31;
	}
}

static unsigned int actions(enum action *out)
{
	unsigned int n = 0;
	__u64 head = w.control.head, tail = w.tail.tail, packet = head & -(__u64)PACKET;

	if (w.question != TOP && w.question != DONE)
		out[n++] = GO;
	if (w.question != DONE && w.question != CLOCK && w.next < w.end)
		out[n++] = NEST;
	if (w.question == CLOCK && w.back_left && w.clock > 3)
		out[n++] = BACK;
	if (w.question == CLOCK && w.leap_left)
		out[n++] = LEAP_ON;
	if (w.question == TOP && w.stops_left)
		out[n++] = STOP;
	if (w.question == CLOCK)
		return n;
	if (scenario->reader == READER_FAIR) {
		if (tail < head)
			out[n++] = TAIL_HEAD;
		if (tail < packet && packet != head)
			out[n++] = TAIL_PACKET;
	} else if (scenario->reader == READER_HOSTILE && w.wild_left) {
		if (tail != head)
			out[n++] = TAIL_HEAD;
		if (tail != head + 3 * PACKET + 5)
			out[n++] = TAIL_WILD;
		if (tail)
			out[n++] = TAIL_ZERO;
	}
	return n;
}

static void move_tail(__u64 to)
{
	__u64 quiet = w.quiet;

	w.tail.tail = to;
	w.freed = to;
	w.quiet = 1;
	w.awake = ring_ready(&w.ring);
	w.quiet = quiet;
}

/* True: the writers must run on. */
static bool apply(enum action action)
{
	w.answer = action;
	switch (action) {
	case TAIL_HEAD:
		if (scenario->reader == READER_HOSTILE)
			w.wild_left--;
		move_tail(w.control.head);
		return false;
	case TAIL_PACKET:
		move_tail(w.control.head & -(__u64)PACKET);
		return false;
	case TAIL_WILD:
		w.wild_left--;
		w.tail.tail = w.control.head + 3 * PACKET + 5;
		return false;
	case TAIL_ZERO:
		w.wild_left--;
		w.tail.tail = 0;
		return false;
	case BACK:
		w.back_left--;
		return true;
	case LEAP_ON:
		w.leap_left--;
		return true;
	case STOP:
		w.stops_left--;
		return true;
	default:
		return true;
	}
}

static const char *const action_name[] = {
	"-", "nest", "clock back", "clock leaps", "stop", "tail=head", "tail=packet", "tail wild", "tail 0"
};

static double explore(void)
{
	enum action action[8];
	unsigned int n = actions(action), i;
	size_t live = stack + sizeof(stack) - (char *)w.sp;
	__u64 key[2] = { 1, 2 };
	const struct entry *known;
	double schedules = n ? 0 : 1;
	struct world *saved;

	hash(key, &w, sizeof(w));
	hash(key, w.sp, live);
	key[0] |= 1;
	known = memo_find(key);
	if (known)
		return known->schedules;
	if (++steps_deep > deepest)
		deepest = steps_deep;
	saved = malloc(sizeof(w) + live);
	if (!saved)
		abort();
	*saved = w;
	memcpy(saved + 1, w.sp, live);
	if (w.question == DONE) {
		check_end();
		w = *saved;
		if (!fault[0])
			schedules += scenario->reader == READER_NONE ? 0 : 1; /* the reader may also do nothing more */
	}
	for (i = 0; i < n && !fault[0]; i++) {
		if (i) {
			w = *saved;
			memcpy(w.sp, saved + 1, live);
		}
		if (apply(action[i]))
			stack_switch(&explorer_sp, w.sp);
		check_world();
		if (!fault[0])
			schedules += explore();
		if (fault[0] && action[i] != GO)
			printf("    %s at step %llu\n", action_name[action[i]], steps_deep);
	}
	free(saved);
	steps_deep--;
	memo_insert(key, schedules);
	return schedules;
}

static void world_start(void)
{
	void **top = (void **)(stack + sizeof(stack) - 64);
	unsigned int i;

	memset(&w, 0, sizeof(w));
	memset(stack, 0, sizeof(stack));
	w.control.packet_bytes = PACKET;
	w.control.packets = scenario->packets;
	w.control.stream_instance_id = 77;
	w.control.cpu = 3;
	memset(w.control.uuid, 0xa5, sizeof(w.control.uuid));
	w.ring = (struct kymo_ring){ .control = &w.control, .tail = &w.tail, .data = w.data, .packet_shift = SHIFT,
		.packets = scenario->packets, .mode = scenario->mode, .watermark = scenario->watermark };
	w.clock = w.clock_max = 100;
	w.quiet = 1;
	ring_init(&w.ring);
	for (i = 0; i < 8 && scenario->before[i]; i++) {
		w.answer = i;
		if (scenario->before[i] == -1)
			ring_close(&w.ring);
		else if (scenario->before[i] == -2)
			move_tail(w.control.head);
		else
			writer_run();
		w.quiet = 1;
		check_published();
	}
	w.quiet = 0;
	w.current = w.next;
	for (w.end = w.next; w.end - w.next < 6 && scenario->writer[w.end - w.next];)
		w.end++;
	w.back_left = scenario->back + soak;
	w.leap_left = scenario->leap;
	w.stops_left = scenario->stops + (soak && scenario->stops);
	w.wild_left = 2 + soak; /* else the tail could go round for ever */
	*--top = (void *)writers_main; /* as if called: the stack is 8 off a multiple of 16 */
	w.sp = top - 6;
	stack_switch(&explorer_sp, w.sp);
}

int main(int argc, char **argv)
{
	bool broken = false;
	unsigned int i;

	for (i = 1; i < (unsigned int)argc; i++) {
		soak |= !strcmp(argv[i], "--soak");
		broken |= !strcmp(argv[i], "--broken");
	}
	for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		double schedules;

		scenario = &scenarios[i];
		if (scenario->soak && !soak)
			continue;
		memo_mask = (1 << 16) - 1;
		memo = calloc(memo_mask + 1, sizeof(*memo));
		memo_used = deepest = steps_deep = 0;
		world_start();
		check_world();
		schedules = fault[0] ? 0 : explore();
		free(memo);
		if (fault[0]) {
			printf("  %-30s BROKEN after %llu states: %s\n", scenario->name, memo_used, fault);
			return broken ? 0 : 1;
		}
		if (!broken)
			printf("  %-30s holds: %.3g schedules, %llu states, up to %llu steps\n", scenario->name, schedules,
			       memo_used, deepest);
		fflush(stdout);
	}
	return broken ? 1 : 0;
}
