// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A reader that knows uapi/kymo.h and nothing else: enables sched_switch until there are 500, walks every packet of
 * every CPU, and checks that lengths chain, time never goes back, sequence numbers have no gap and that the records found
 * and the losses told are those of KYMO_IOC_STATS. Prints a line for each CPU.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <uapi/kymo.h>

#define CHECK(what) do { if (!(what)) errx(1, "%s:%d: failed: %s", __FILE__, __LINE__, #what); } while (0)

static struct kymo_setup setup = { .sets = 1, .set = { { .packet_bytes = 16384 } } };
static unsigned long long found, discarded;
static unsigned int id;

static void *map(int fd, unsigned int cpu, unsigned long long offset, size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, cpu * setup.ring_stride + offset);

	if (at == MAP_FAILED && errno == ENXIO)
		return NULL;
	return at == MAP_FAILED ? err(1, "mmap of CPU %u's ring", cpu), NULL : at;
}

static unsigned long long walk_packet(const unsigned char *at, unsigned int cpu, unsigned long long position,
				      unsigned long long last)
{
	const struct kymo_packet *p = (const void *)at;
	const unsigned int end = p->content_size / 8, bytes = setup.set[0].packet_bytes;
	unsigned int in = sizeof(*p);

	CHECK(p->magic == KYMO_CTF_MAGIC && !memcmp(p->uuid, setup.uuid, sizeof(p->uuid)) && p->stream_id == 0);
	CHECK(p->stream_instance_id == cpu && p->cpu_id == cpu && p->packet_size == bytes * 8ull);
	CHECK(p->packet_seq_num == position / bytes + 1 && end <= bytes && p->content_size % 8 == 0);
	CHECK(p->timestamp_begin >= last);
	last = p->timestamp_begin;
	while (in < end) {
		const struct kymo_record *r = (const void *)(at + in);
		unsigned long long now = (last & ~0xffffffffull) | r->time_low;

		CHECK(in + sizeof(*r) <= end && in + sizeof(*r) + r->len <= end);
		CHECK(r->id == id && r->len == 56);
		if (now < last)
			now += 1ull << 32;
		CHECK(now - p->timestamp_begin < 1ull << 32 && now <= p->timestamp_end);
		last = now;
		found++;
		in += sizeof(*r) + r->len;
	}
	CHECK(in == end);
	return p->timestamp_end;
}

static void walk_ring(int fd, unsigned int cpu)
{
	const unsigned int bytes = setup.set[0].packet_bytes;
	const unsigned long long ring_bytes = (unsigned long long)bytes * setup.set[0].packets;
	const struct kymo_ring_control *c = map(fd, cpu, setup.control_offset, getpagesize());
	const unsigned char *data = map(fd, cpu, setup.data_offset, ring_bytes);
	unsigned long long head, at, last = 0, before = found;

	if (!c)
		return;
	head = __atomic_load_n(&c->head, __ATOMIC_ACQUIRE);
	CHECK(head == c->closed && head % bytes == 0 && head <= ring_bytes && c->nest == 0 && c->reserve == head);
	for (at = 0; at < head; at += bytes)
		last = walk_packet(data + at % ring_bytes, cpu, at, last);
	if (head)
		discarded += ((const struct kymo_packet *)(data + (head - bytes)))->events_discarded;
	printf("cpu %u: %llu packets, %llu records\n", cpu, head / bytes, found - before);
}

static void catalogue(int fd)
{
	static char buf[1 << 18];
	struct kymo_catalogue c = { .buf = (unsigned long)buf, .buf_bytes = sizeof(buf) };
	const struct kymo_event_type *t;

	CHECK(!ioctl(fd, KYMO_IOC_CATALOGUE, &c));
	for (unsigned int at = 0; at < c.used_bytes; at += t->size) {
		t = (const void *)(buf + at);
		CHECK(t->size == sizeof(*t) + t->fields * sizeof(t->field[0]));
		if (!strcmp(t->name, "sched_switch"))
			id = t->id;
	}
	CHECK(id);
}

int main(void)
{
	struct kymo_enable enable = { .glob = "sched_switch" };
	struct kymo_type_stats counted = { 0 };
	struct kymo_stats stats = { .buf = (unsigned long)&counted, .capacity = 1 };
	struct kymo_info info = { 0 };
	unsigned long long lost = 0;
	int fd = open(KYMO_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		err(1, KYMO_DEVICE);
	CHECK(!ioctl(fd, KYMO_IOC_INFO, &info) && info.abi == KYMO_ABI);
	CHECK(!ioctl(fd, KYMO_IOC_SETUP, &setup) && setup.cpus == info.cpus);
	catalogue(fd);
	CHECK(!ioctl(fd, KYMO_IOC_ENABLE, &enable) && enable.matched == 1);
	CHECK(!ioctl(fd, KYMO_IOC_START));
	do {
		usleep(10000);
		CHECK(!ioctl(fd, KYMO_IOC_STATS, &stats) && stats.count == 1);
	} while (counted.hits < 500);
	CHECK(!ioctl(fd, KYMO_IOC_STOP));
	for (unsigned int cpu = 0; cpu < setup.cpus; cpu++)
		walk_ring(fd, cpu);
	CHECK(!ioctl(fd, KYMO_IOC_STATS, &stats) && stats.count == 1 && counted.id == id);
	for (int i = 0; i < KYMO_LOSS_SLOTS; i++)
		lost += counted.lost[i];
	printf("found %llu, hits %llu; discarded %llu, lost %llu\n", found, (unsigned long long)counted.hits, discarded, lost);
	CHECK(found && found == counted.hits && discarded == lost);
	return 0;
}
