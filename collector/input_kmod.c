// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The module as an input. Maps the rings of a session, hands out what is in them, asks the module for the rest.
 * Knows nothing of what is done with packets.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "catalogue.h"
#include "input_kmod.h"
#include "ring_reader.h"

enum { KMOD_MAP_INTERVAL_MS = 500 };	/* how often CPUs that came online are looked for */

struct kmod_ring {
	struct ring_reader reader;
	unsigned int set, cpu;
	bool held;			/* its last stretch has not been released */
	void *control, *tail, *data;
	size_t data_bytes;
};

struct kmod {
	struct input in;
	int fd;
	struct kymo_info info;
	struct kymo_setup setup;
	struct kmod_ring *rings;	/* in->streams of them are in use */
	bool *mapped;			/* by set * cpus + cpu */
	uint64_t map_ms;		/* when CPUs were looked for last */
	unsigned int cursor;
	bool in_round, closed_only, stopped;
	struct kymo_dump dump;		/* how far the start dump has come */
	struct kymo_type_stats *stats;
	unsigned int stats_capacity;
	uint64_t memory_bytes;
};

static struct kmod *kmod_of(const struct input *in)
{
	return (struct kmod *)in;	/* its first member */
}

static int kmod_ioctl(const struct kmod *k, unsigned long request, void *arg)
{
	return ioctl(k->fd, request, arg) < 0 ? -errno : 0;
}

/* ---- catalogue ---- */

int input_kmod_catalogue(struct input *in)
{
	struct kmod *k = kmod_of(in);
	struct kymo_catalogue ask = { .buf_bytes = 1 << 18 };
	void *buf = malloc(ask.buf_bytes);
	int err;

	if (!buf)
		return -ENOMEM;
	do {
		ask.buf = (uintptr_t)buf;
		ask.first = ask.next;
		err = kmod_ioctl(k, KYMO_IOC_CATALOGUE, &ask);
		if (err)
			break;
		if (ask.used_bytes > ask.buf_bytes) {
			err = -EPROTO;
			break;
		}
		err = catalogue_add(in->catalogue, buf, ask.used_bytes);
		if (err > 0)
			err = 0;
	} while (!err && ask.next > ask.first);
	if (!err)
		k->info.generation = ask.generation;
	free(buf);
	return err;
}

/* Asked after the heads were read: the module has published the generation before the first record of a new type. */
static int kmod_follow_catalogue(struct kmod *k)
{
	struct kymo_info info = {};
	int err = kmod_ioctl(k, KYMO_IOC_INFO, &info);

	if (err || info.generation == k->info.generation)
		return err;
	return input_kmod_catalogue(&k->in);
}

/* ---- rings ---- */

static void *kmod_mmap(const struct kmod *k, uint64_t offset, size_t bytes, int prot)
{
	void *map = mmap(NULL, bytes, prot, MAP_SHARED, k->fd, (off_t)offset);

	return map == MAP_FAILED ? NULL : map;
}

static void kmod_unmap_ring(const struct kmod *k, struct kmod_ring *ring)
{
	if (ring->control)
		munmap(ring->control, k->info.page_bytes);
	if (ring->tail)
		munmap(ring->tail, k->info.page_bytes);
	if (ring->data)
		munmap(ring->data, ring->data_bytes);
}

static int kmod_map_ring(struct kmod *k, unsigned int set, unsigned int cpu)
{
	const uint64_t base = ((uint64_t)set * k->setup.cpus + cpu) * k->setup.ring_stride;
	struct kmod_ring ring = { .set = set, .cpu = cpu };
	int err = -EPROTO;

	ring.control = kmod_mmap(k, base + k->setup.control_offset, k->info.page_bytes, PROT_READ);
	if (!ring.control)
		return -errno;
	ring.data_bytes = (size_t)k->setup.set[set].packet_bytes * k->setup.set[set].packets;
	ring.tail = kmod_mmap(k, base + k->setup.tail_offset, k->info.page_bytes, PROT_READ | PROT_WRITE);
	if (ring.tail)
		ring.data = kmod_mmap(k, base + k->setup.data_offset, ring.data_bytes, PROT_READ);
	if (!ring.tail || !ring.data)
		err = -errno;
	else if (!ring_reader_init(&ring.reader, ring.control, ring.tail, ring.data) &&
		 ring.reader.ring_bytes == ring.data_bytes)
		err = 0;
	if (err) {
		kmod_unmap_ring(k, &ring);
		return err;
	}
	k->rings[k->in.streams++] = ring;
	k->mapped[set * k->setup.cpus + cpu] = true;
	return 0;
}

static uint64_t kmod_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int input_kmod_map(struct input *in)
{
	struct kmod *k = kmod_of(in);

	k->map_ms = kmod_now_ms();
	for (unsigned int set = 0; set < k->setup.sets; set++)
		for (unsigned int cpu = 0; cpu < k->setup.cpus; cpu++) {
			int err;

			if (k->mapped[set * k->setup.cpus + cpu])
				continue;
			err = kmod_map_ring(k, set, cpu);
			if (err && err != -ENXIO)	/* ENXIO: not online yet */
				return err;
		}
	return 0;
}

/* ---- struct input ---- */

static int kmod_wait(struct input *in, int timeout_ms)
{
	struct kmod *k = kmod_of(in);
	struct pollfd p = { .fd = k->fd, .events = POLLIN };

	if (poll(&p, 1, timeout_ms) < 0)
		return -errno;
	if (kmod_now_ms() - k->map_ms >= KMOD_MAP_INTERVAL_MS)
		return input_kmod_map(in);
	return 0;
}

static int kmod_begin_round(struct kmod *k)
{
	for (unsigned int i = 0; i < k->in.streams; i++)
		ring_reader_look(&k->rings[i].reader);
	k->cursor = 0;
	k->in_round = true;
	return kmod_follow_catalogue(k);
}

static bool kmod_at_end(const struct kmod *k)
{
	for (unsigned int i = 0; i < k->in.streams; i++) {
		struct stretch s;

		if (k->rings[i].held || ring_reader_next(&k->rings[i].reader, true, &s))
			return false;
	}
	return true;
}

static int kmod_next(struct input *in, struct stretch *out)
{
	struct kmod *k = kmod_of(in);

	if (!k->in_round) {
		int err = kmod_begin_round(k);

		if (err)
			return err;
	}
	for (; k->cursor < in->streams; k->cursor++) {
		struct kmod_ring *ring = &k->rings[k->cursor];

		if (ring->held || !ring_reader_next(&ring->reader, !k->closed_only, out))
			continue;
		out->stream = k->cursor;
		ring->held = true;
		return 1;
	}
	k->in_round = false;
	return k->stopped && kmod_at_end(k) ? -ENODATA : 0;
}

static void kmod_release(struct input *in, const struct stretch *stretch)
{
	struct kmod_ring *ring = &kmod_of(in)->rings[stretch->stream];

	ring_reader_release(&ring->reader, stretch);
	ring->held = false;
}

static void kmod_stream(struct input *in, unsigned int stream, struct input_stream *out)
{
	const struct kmod_ring *ring = &kmod_of(in)->rings[stream];
	const struct kymo_ring_control *c = ring->reader.control;

	*out = (struct input_stream){ .set = ring->set, .cpu = ring->cpu, .instance = c->stream_instance_id,
				      .packet_bytes = ring->reader.packet_bytes,
				      .lost = __atomic_load_n(&c->lost, __ATOMIC_RELAXED),
				      .ring_bytes = ring->reader.ring_bytes,
				      .unread_bytes = __atomic_load_n(&c->head, __ATOMIC_RELAXED) - ring->reader.start -
						      ring->reader.done };
}

static void kmod_destroy(struct input *in)
{
	struct kmod *k = kmod_of(in);

	for (unsigned int i = 0; i < in->streams; i++)
		kmod_unmap_ring(k, &k->rings[i]);
	if (k->fd >= 0)
		close(k->fd);
	catalogue_destroy(in->catalogue);
	free(k->rings);
	free(k->mapped);
	free(k->stats);
	free(k);
}

static const struct input_ops kmod_ops = {
	.name = "kmod", .wait = kmod_wait, .next = kmod_next, .release = kmod_release, .stream = kmod_stream,
	.destroy = kmod_destroy,
};

/* ---- a session's life ---- */

int input_kmod_open(struct input **out)
{
	struct kmod *k = calloc(1, sizeof(*k));
	int err = -ENOMEM;

	if (!k)
		return err;
	k->in.ops = &kmod_ops;
	k->in.catalogue = catalogue_create();
	k->fd = open(KYMO_DEVICE, O_RDWR | O_CLOEXEC);
	if (k->fd < 0)
		err = -errno;
	else if (k->in.catalogue)
		err = kmod_ioctl(k, KYMO_IOC_INFO, &k->info);
	if (err == -ENOTTY || err == -E2BIG || err == -EINVAL || (!err && k->info.abi != KYMO_ABI))
		err = -EPROTO;
	if (!err)
		err = input_kmod_catalogue(&k->in);
	if (err) {
		kmod_destroy(&k->in);
		return err;
	}
	*out = &k->in;
	return 0;
}

const struct kymo_info *input_kmod_info(const struct input *in)
{
	return &kmod_of(in)->info;
}

int input_kmod_setup(struct input *in, struct kymo_setup *setup)
{
	struct kmod *k = kmod_of(in);
	int err = kmod_ioctl(k, KYMO_IOC_SETUP, setup);

	if (err)
		return err;
	k->setup = *setup;
	memcpy(in->uuid, setup->uuid, sizeof(in->uuid));
	k->rings = calloc((size_t)setup->sets * setup->cpus, sizeof(*k->rings));
	k->mapped = calloc((size_t)setup->sets * setup->cpus, sizeof(*k->mapped));
	return k->rings && k->mapped ? 0 : -ENOMEM;
}

int input_kmod_enable(struct input *in, struct kymo_enable *enable)
{
	return kmod_ioctl(kmod_of(in), KYMO_IOC_ENABLE, enable);
}

/* The module makes a type when it is enabled: in a session with the smallest rings. */
int input_kmod_describe(struct input *in, const char *name)
{
	struct kymo_setup setup = { .sets = 1, .set = { { .packet_bytes = KYMO_PACKET_BYTES_MIN, .packets = KYMO_PACKETS_MIN } } };
	struct kymo_enable ask = {};
	int err = kmod_of(in)->rings ? 0 : input_kmod_setup(in, &setup);

	if (err)
		return err;
	snprintf(ask.glob, sizeof(ask.glob), "%s", name);
	err = input_kmod_enable(in, &ask);
	if (err == -EOPNOTSUPP)		/* it is in the catalogue, with the reason */
		err = 0;
	return err ? err : input_kmod_catalogue(in);
}

int input_kmod_start(struct input *in)
{
	return kmod_ioctl(kmod_of(in), KYMO_IOC_START, NULL);
}

int input_kmod_stop(struct input *in)
{
	struct kmod *k = kmod_of(in);
	int err = kmod_ioctl(k, KYMO_IOC_STOP, NULL);

	if (err)
		return err;
	k->stopped = true;
	k->closed_only = false;
	k->in_round = false;
	return input_kmod_map(in);	/* of a CPU that came just before the end */
}

int input_kmod_dump(struct input *in, bool *done)
{
	struct kmod *k = kmod_of(in);
	int err = kmod_ioctl(k, KYMO_IOC_DUMP, &k->dump);

	*done = !err && k->dump.done;
	return err;
}

int input_kmod_sync(struct input *in, uint64_t *time_ns)
{
	struct kymo_sync sync = {};
	int err = kmod_ioctl(kmod_of(in), KYMO_IOC_SYNC, &sync);

	*time_ns = sync.time_ns;
	return err;
}

int input_kmod_stats(struct input *in, const struct kymo_type_stats **stats, unsigned int *count, uint64_t *time_ns)
{
	struct kmod *k = kmod_of(in);

	for (;;) {
		struct kymo_stats ask = { .buf = (uintptr_t)k->stats, .capacity = k->stats_capacity };
		int err = kmod_ioctl(k, KYMO_IOC_STATS, &ask);
		void *more;

		if (err)
			return err;
		if (ask.count <= k->stats_capacity) {
			*stats = k->stats;
			*count = ask.count;
			*time_ns = ask.time_ns;
			k->memory_bytes = ask.memory_bytes;
			return 0;
		}
		more = realloc(k->stats, (ask.count + 16) * sizeof(*k->stats));
		if (!more)
			return -ENOMEM;
		k->stats = more;
		k->stats_capacity = ask.count + 16;
	}
}

uint64_t input_kmod_memory(const struct input *in)
{
	return kmod_of(in)->memory_bytes;
}

void input_kmod_open_packets(struct input *in, bool yes)
{
	kmod_of(in)->closed_only = !yes;
}

int input_kmod_fd(const struct input *in)
{
	return kmod_of(in)->fd;
}
