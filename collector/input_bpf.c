// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF as an input: a session's life, and the rounds of reading. Streams, catalogue and programs have files of their own. */
#include <errno.h>
#include <kymo/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "catalogue.h"
#include "clock.h"
#include "cpu_list.h"
#include "input_bpf_internal.h"

enum {
	BPF_FOLLOW_MS = 500,		/* how often CPUs that came online are looked for */
	BPF_PACKET_BYTES = 64 << 10,
	BPF_BUDGET_BYTES = 4 << 20,	/* for each CPU */
	BPF_SYNC_TRIES = 1000,
};

/* ---- struct input ---- */

static void bpf_pause(uint64_t ns)
{
	struct timespec t = { .tv_nsec = (long)ns };

	nanosleep(&t, NULL);
}

static int bpf_wait(struct input *in, int timeout_ms)
{
	struct bpf *b = bpf_of(in);
	struct epoll_event events[16];

	if (epoll_wait(b->epoll, events, sizeof(events) / sizeof(events[0]), timeout_ms) < 0)
		return -errno;
	if (clock_now_ns() / 1000000 - b->looked_ms >= BPF_FOLLOW_MS)
		return bpf_streams_follow(b);
	return 0;
}

static bool bpf_at_end(const struct bpf *b)
{
	for (unsigned int i = 0; i < b->in.streams; i++)
		if (b->streams[i].held || b->streams[i].writer.used)
			return false;
	return bpf_streams_empty(b);
}

static int bpf_next(struct input *in, struct stretch *out)
{
	struct bpf *b = bpf_of(in);

	if (!b->in_round) {
		int err = bpf_streams_look(b);

		if (err)
			return err;
		b->cursor = 0;
		b->in_round = true;
	}
	for (; b->cursor < in->streams; b->cursor++)
		if (bpf_stream_next(b, b->cursor, out))
			return 1;
	b->in_round = false;
	return b->stopped && bpf_at_end(b) ? -ENODATA : 0;
}

static void bpf_release(struct input *in, const struct stretch *stretch)
{
	bpf_stream_release(bpf_of(in), stretch);
}

static void bpf_stream(struct input *in, unsigned int stream, struct input_stream *out)
{
	struct bpf *b = bpf_of(in);

	*out = b->streams[stream].info;
	out->lost = bpf_stream_lost(b, &b->streams[stream]);
}

static void bpf_destroy(struct input *in)
{
	struct bpf *b = bpf_of(in);

	bpf_samples_fini(b);
	bpf_mmaps_fini(b);
	bpf_made_fini(b);
	bpf_programs_destroy(b->programs);
	bpf_streams_fini(b);
	pending_fini(&b->queue);
	for (unsigned int slot = 0; slot < BPF_TYPES; slot++)
		free(b->type[slot]);
	if (b->epoll >= 0)
		close(b->epoll);
	if (b->dump_fd >= 0)
		close(b->dump_fd);
	catalogue_destroy(in->catalogue);
	free(b->entries);
	free(b->stats);
	free(b);
}

static const struct input_ops bpf_ops = {
	.name = "bpf", .wait = bpf_wait, .next = bpf_next, .release = bpf_release, .stream = bpf_stream,
	.destroy = bpf_destroy,
};

/* ---- a session's life ---- */

int input_bpf_open(struct input **out)
{
	struct bpf *b = calloc(1, sizeof(*b));
	int cpus = cpu_list_read("possible", NULL, NULL), err = cpus < 0 ? cpus : 0;

	if (!b)
		return -ENOMEM;
	b->dump_fd = -1;
	b->in.ops = &bpf_ops;
	b->in.catalogue = catalogue_create();
	b->info = (struct kymo_info){ .abi = KYMO_ABI, .clock = CLOCK_MONOTONIC, .cpus = (uint32_t)cpus };
	b->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (!err && b->epoll < 0)
		err = -errno;
	if (!err)
		err = b->in.catalogue ? bpf_programs_open(&b->programs, b->info.cpus) : -ENOMEM;
	if (!err)
		err = bpf_catalogue_init(b);
	if (err) {
		bpf_destroy(&b->in);
		return err;
	}
	*out = &b->in;
	return 0;
}

const struct kymo_info *input_bpf_info(const struct input *in)
{
	return &bpf_of(in)->info;
}

/* A ring is a power of two, and its packets are ours alone: only its size is taken from the set. */
int input_bpf_setup(struct input *in, struct kymo_setup *setup)
{
	struct bpf *b = bpf_of(in);
	const uint64_t budget = setup->budget_bytes ? setup->budget_bytes / b->info.cpus : BPF_BUDGET_BYTES;

	if (b->streams)
		return -EBUSY;
	if (!setup->sets || setup->sets > BPF_SETS || setup->sets > KYMO_SETS_MAX)
		return -EINVAL;
	for (unsigned int i = 0; i < setup->sets; i++) {
		struct kymo_set *set = &setup->set[i];
		uint32_t packets = 1;

		if (!set->packet_bytes)
			set->packet_bytes = BPF_PACKET_BYTES;
		while (!set->packets && (uint64_t)packets * 2 * set->packet_bytes * setup->sets <= budget)
			packets *= 2;
		if (!set->packets)
			set->packets = packets;
		if (set->packets < KYMO_PACKETS_MIN)
			return -ENOSPC;
		if ((uint64_t)set->packets * set->packet_bytes > 1u << 30)
			return -ENOMEM;
	}
	if (getrandom(in->uuid, sizeof(in->uuid), 0) != sizeof(in->uuid))
		return -EIO;
	memcpy(setup->uuid, in->uuid, sizeof(in->uuid));
	setup->cpus = b->info.cpus;
	b->setup = *setup;
	b->info.sets = setup->sets;
	bpf_programs_ring_bytes(b->programs, setup->set[0].packets * setup->set[0].packet_bytes);
	return bpf_streams_init(b);
}

int input_bpf_enable(struct input *in, struct kymo_enable *enable)
{
	return bpf_catalogue_enable(bpf_of(in), enable);
}

int input_bpf_describe(struct input *in, const char *name)
{
	return bpf_catalogue_describe(bpf_of(in), name);
}

int input_bpf_map(struct input *in)
{
	return bpf_streams_follow(bpf_of(in));
}

/* Attached first, then switched on at once for all. */
int input_bpf_start(struct input *in)
{
	struct bpf *b = bpf_of(in);
	int err = 0;

	for (unsigned int slot = 0; slot < BPF_TYPES && !err; slot++)
		if (b->type[slot] && !b->type[slot]->own && !bpf_slot_is_made(slot))
			err = bpf_programs_attach(b->programs, bpf_program_name(b, slot));
	if (!err)
		err = bpf_samples_follow(b);
	if (!err)
		err = bpf_mmaps_follow(b);
	if (err) {
		bpf_mmaps_fini(b);
		bpf_samples_fini(b);
		bpf_programs_detach(b->programs);
		return err;
	}
	bpf_made_begin(b);
	b->start_ns = clock_now_ns();
	bpf_programs_activate(b->programs, true);
	b->started = true;
	return 0;
}

int input_bpf_stop(struct input *in)
{
	struct bpf *b = bpf_of(in);
	int err;

	bpf_programs_activate(b->programs, false);
	err = bpf_programs_grace(b->programs);
	if (err)
		return err;
	err = bpf_own_known(b, UINT64_MAX);
	bpf_samples_fini(b);
	bpf_mmaps_fini(b);
	bpf_programs_detach(b->programs);
	bpf_made_end(b);
	b->promise_ns = UINT64_MAX;	/* nothing comes any more */
	b->stopped = true;
	b->closed_only = false;
	b->in_round = false;
	return err;
}

int input_bpf_dump(struct input *in, bool *done)
{
	int err = bpf_dump_step(bpf_of(in));

	*done = err == 1;
	return err < 0 ? err : 0;
}

/*
 * All programs that run now have ended when the grace period is over; what they have written may carry times up to
 * its end and be mixed with what is older. So the rings must be known up to that end.
 */
int input_bpf_sync(struct input *in, uint64_t *time_ns)
{
	struct bpf *b = bpf_of(in);
	uint64_t ended;
	int err;

	*time_ns = clock_now_ns();
	err = bpf_programs_grace(b->programs);
	if (err)
		return err;
	ended = clock_now_ns();
	b->promise_ns = *time_ns;
	err = bpf_own_known(b, *time_ns);
	for (unsigned int i = 0; i < BPF_SYNC_TRIES && !err && !bpf_streams_known(b, ended); i++) {
		bpf_pause(BPF_RING_VISIBLE_NS);
		err = bpf_streams_look(b);
	}
	return err;
}

static void bpf_type_stats(const struct bpf *b, unsigned int slot, struct kymo_type_stats *s)
{
	const uint64_t too_big = b->type[slot]->too_big;

	if (bpf_slot_is_made(slot))
		s->lost[KYMO_LOSS_PROBE_MISSED] = bpf_made_missed(b, slot);
	else if (slot < KYMO_ID_SYSCALL_ENTRY)	/* those have one program for all; it cannot come on top of itself */
		s->lost[KYMO_LOSS_PROBE_MISSED] = bpf_programs_missed(b->programs, bpf_program_name(b, slot));
	for (unsigned int cpu = 0; cpu < b->info.cpus; cpu++) {
		const struct bpf_count *c = &bpf_programs_counts(b->programs, cpu)->type[slot];

		s->hits += c->hits;
		s->lost[KYMO_LOSS_FULL] += c->full;
		s->lost[KYMO_LOSS_NESTED] += c->nested;
		s->lost[KYMO_LOSS_NO_RING] += c->no_ring;
	}
	s->hits -= too_big;
	s->lost[KYMO_LOSS_TOO_BIG] += too_big;
}

int input_bpf_stats(struct input *in, const struct kymo_type_stats **stats, unsigned int *count, uint64_t *time_ns)
{
	struct bpf *b = bpf_of(in);

	*count = 0;
	*time_ns = clock_now_ns();
	for (unsigned int slot = 0; slot < BPF_TYPES; slot++) {
		if (!b->type[slot])
			continue;
		b->stats[*count] = b->type[slot]->stats;
		if (!b->type[slot]->own)
			bpf_type_stats(b, slot, &b->stats[*count]);
		++*count;
	}
	*stats = b->stats;
	return 0;
}

uint64_t input_bpf_memory(const struct input *in)
{
	const struct bpf *b = bpf_of(in);
	uint64_t bytes = bpf_programs_bytes(b->programs);

	for (unsigned int i = 0; i < in->streams; i++)
		bytes += b->streams[i].ring.bytes;
	return bytes;
}

void input_bpf_open_packets(struct input *in, bool yes)
{
	bpf_of(in)->closed_only = !yes;
}

int input_bpf_catalogue(struct input *in)
{
	return 0;	/* it changes only by enabling, and is told then */
}

int input_bpf_fd(const struct input *in)
{
	return bpf_of(in)->epoll;
}

void input_bpf_sentence(const struct input *in, const char *what, int err, char *out, size_t bytes)
{
	switch (-err) {
	case ENOTSUP:
		if (!in) {
			snprintf(out, bytes, "this kymo was built without its BPF programs: install clang, bpftool and "
				 "libbpf-dev, then build it again");
			return;
		}
		break;
	case EPERM:
	case EACCES:
		snprintf(out, bytes, "the kernel refuses BPF programs to this user: it takes CAP_BPF and CAP_PERFMON. Run kymo as "
			 "root (sudo kymo ...)");
		return;
	case ENOENT:
		if (!in) {
			snprintf(out, bytes, "this kernel does not describe its types (CONFIG_DEBUG_INFO_BTF), which BPF programs "
				 "need");
			return;
		}
		break;
	case ENOSPC:
		snprintf(out, bytes, "the buffers are too small to give every CPU %d packets: ask for a larger --buffer-size "
			 "or a smaller --packet-size", KYMO_PACKETS_MIN);
		return;
	case E2BIG:
		snprintf(out, bytes, "that is more than %d event types that are made when asked for: ask for fewer tracepoints",
			 BPF_MADE);
		return;
	case ENOMEM:
		snprintf(out, bytes, "the kernel has no memory for buffers of this size: ask for a smaller --buffer-size");
		return;
	}
	snprintf(out, bytes, "cannot %s the BPF session: %s. 'kymo doctor' looks for the reason", what, strerror(-err));
}
