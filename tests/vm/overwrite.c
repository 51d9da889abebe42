// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Overwrite mode, read as uapi/kymo.h says: on each CPU a thread makes numbered, checksummed system calls, interrupts
 * write between them, nobody frees anything. Copies of the rings made meanwhile hold whole records with ascending
 * numbers, up to the newest call that was over before the copy; some hold interrupts' records, too. After STOP the
 * rings hold the last calls without a gap, and happened = present + overwritten + lost, where `overwritten` is known
 * from the first number that is there.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include "reader.h"

enum {
	CPUS_MAX = 64,
	SNAPSHOTS = 60,
	SECONDS_MAX = 240,		/* for all of them */
	CALLS_PER_TIMER = 256,		/* far fewer than a ring holds, however fast they are made */
};

static struct reader r;
static unsigned int id;
static bool over;

/* The generator: one for each CPU. */
struct caller {
	pthread_t thread;
	unsigned int cpu;
	unsigned int done;	/* calls that are over; the next one has this number */
};

static struct caller caller[CPUS_MAX];

/* No valid `which`: nobody else makes such calls, and the call itself does nothing. */
static unsigned int checksum(unsigned int number, unsigned int cpu)
{
	return ((number + 1) * 2654435761u ^ cpu * 40503u) | 0x40000000;
}

/* The next interrupt comes at once, on this CPU; but the last one must have come. */
static void interrupt(int timer)
{
	const struct itimerspec now = { .it_value.tv_nsec = 1 };
	unsigned long long expired;

	if (read(timer, &expired, sizeof(expired)) == sizeof(expired))
		CHECK(!timerfd_settime(timer, 0, &now, NULL));
}

static void *call(void *arg)
{
	const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	struct caller *c = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(c->cpu, &set);
	CHECK(!sched_setaffinity(0, sizeof(set), &set));
	CHECK(timer >= 0 && !timerfd_settime(timer, 0, &(struct itimerspec){ .it_value.tv_nsec = 1 }, NULL));
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		if (c->done % CALLS_PER_TIMER == 0)
			interrupt(timer);
		syscall(SYS_getpriority, checksum(c->done, c->cpu), c->done);
		__atomic_store_n(&c->done, c->done + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* What a copy, or the ring itself, holds of one CPU. */
struct span {
	unsigned long long records;	/* of the calls */
	unsigned long long others;
	unsigned int first, last;	/* numbers */
};

static void span_record(struct span *s, unsigned int cpu, const struct kymo_record *record)
{
	unsigned int which, who;

	if (record->id != id) {
		s->others++;
		return;
	}
	CHECK(record->len == sizeof(which) + sizeof(who));
	memcpy(&which, record + 1, sizeof(which));
	memcpy(&who, (const char *)(record + 1) + sizeof(which), sizeof(who));
	CHECK(which == checksum(who, cpu));
	CHECK(!s->records || who == s->last + 1);
	if (!s->records++)
		s->first = who;
	s->last = who;
}

static void span_packet(struct span *s, unsigned int cpu, const unsigned char *at, unsigned long long start,
			unsigned long long head, bool closed, unsigned long long *time)
{
	const struct kymo_packet *p = (const void *)at;
	const unsigned int bytes = r.setup.set[0].packet_bytes;
	unsigned int in = sizeof(*p), end;

	CHECK(p->magic == KYMO_CTF_MAGIC && !memcmp(p->uuid, r.setup.uuid, sizeof(p->uuid)) && p->cpu_id == cpu);
	CHECK(p->packet_seq_num == start / bytes + 1 && p->timestamp_begin >= *time);
	closed = closed || head > start + bytes;
	end = closed ? p->content_size / 8 : head - start;
	CHECK(end >= in && end <= bytes);
	*time = p->timestamp_begin;
	while (in < end) {
		const struct kymo_record *record = (const void *)(at + in);

		CHECK(in + sizeof(*record) + record->len <= end);
		*time += (unsigned int)(record->time_low - (unsigned int)*time);
		span_record(s, cpu, record);
		in += sizeof(*record) + record->len;
	}
	if (closed) {
		CHECK(*time <= p->timestamp_end);
		*time = p->timestamp_end;
	}
}

/* The records of a copy that the writer has not touched meanwhile. Returns from where on it holds. */
static unsigned long long span_read(struct span *s, unsigned int cpu, unsigned char *copy)
{
	const struct reader_ring *ring = &r.ring[cpu];
	const unsigned int packet = r.setup.set[0].packet_bytes;
	const unsigned long long bytes = reader_ring_bytes(&r, cpu);
	unsigned long long head, reserve, at = 0, time = 0;

	memset(s, 0, sizeof(*s));
	head = __atomic_load_n(&ring->control->head, __ATOMIC_ACQUIRE);
	memcpy(copy, ring->data, bytes);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	reserve = __atomic_load_n(&ring->control->reserve, __ATOMIC_RELAXED);
	reserve = (reserve + packet - 1) / packet * packet;
	if (reserve > bytes)
		at = reserve - bytes;
	for (unsigned long long start = at; start < head; start += packet)
		span_packet(s, cpu, copy + start % bytes, start, head, start + packet <= ring->control->closed, &time);
	return at;
}

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Until so many copies of each ring held something although the ring had gone round, and some an interrupt's record. */
static void watch(unsigned int cpus, unsigned char *copy)
{
	unsigned int useful[CPUS_MAX] = { 0 }, useless = 0, enough = 0;
	unsigned long long records = 0, others = 0;
	const time_t end = now_s() + SECONDS_MAX;

	for (unsigned int cpu = 0; enough < cpus || !others; cpu = (cpu + 1) % cpus) {
		const unsigned int done = __atomic_load_n(&caller[cpu].done, __ATOMIC_ACQUIRE);
		unsigned long long from;
		struct span s;

		if (now_s() >= end)
			errx(1, "after %d s: %u copies of CPU %u's ring were of use, want %d; %u were too late; %llu records of "
			     "interrupts, want some", SECONDS_MAX, useful[cpu], cpu, SNAPSHOTS, useless, others);
		from = span_read(&s, cpu, copy);
		if (!from || !s.records) {
			useless++;
			continue;
		}
		CHECK(s.last + 1 >= done);
		records += s.records;
		others += s.others;
		if (++useful[cpu] == SNAPSHOTS)
			enough++;
	}
	printf("while they run: %u copies of each ring, %llu records and %llu of interrupts, all whole, the newest there; "
	       "%u copies too late\n", SNAPSHOTS, records, others, useless);
}

/* After STOP: present, overwritten by the numbers, and what STATS says. */
static void settle(unsigned int cpus, unsigned char *copy)
{
	unsigned long long happened = 0, present = 0, others = 0, overwritten = 0, lost = 0, hits = 0;
	struct kymo_stats stats = { .buf = (unsigned long)r.stats, .capacity = READER_TYPES_MAX };

	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		struct span s;

		CHECK(span_read(&s, cpu, copy) > 0);
		CHECK(s.records && s.last + 1 == caller[cpu].done);
		happened += caller[cpu].done;
		present += s.records;
		overwritten += s.first;
		others += s.others;
	}
	CHECK(!ioctl(r.fd, KYMO_IOC_STATS, &stats));
	for (unsigned int i = 0; i < stats.count; i++) {
		CHECK(!r.stats[i].lost[KYMO_LOSS_FULL] && !r.stats[i].lost[KYMO_LOSS_OVERWRITTEN]);
		for (int cause = 0; r.stats[i].id == id && cause < KYMO_LOSS_SLOTS; cause++)
			lost += r.stats[i].lost[cause];
		if (r.stats[i].id == id)
			hits = r.stats[i].hits;
	}
	printf("happened %llu = present %llu + overwritten %llu + lost %llu; hits %llu; %llu of interrupts present\n",
	       happened, present, hits - present, lost, hits, others);
	CHECK(happened == hits + lost && hits - present == overwritten);
}

int main(void)
{
	const struct kymo_setup setup = {
		.sets = 1, .set = { { .packet_bytes = 4096, .packets = 16, .mode = KYMO_MODE_OVERWRITE } },
	};
	unsigned int cpus;
	unsigned char *copy;

	CHECK(!reader_open(&r, &setup));
	CHECK(r.info.features & KYMO_FEATURE_OVERWRITE);
	id = reader_type(&r, "syscall_entry_getpriority");
	CHECK(id && reader_enable(&r, "syscall_entry_getpriority", 0) == 1 && reader_enable(&r, "irq_softirq_*", 0) > 0);
	CHECK(reader_enable(&r, "timer_hrtimer_expire_*", 0) == 2);
	cpus = reader_map_all(&r);
	CHECK(cpus > 1 && cpus <= CPUS_MAX && r.ring[0].control->mode == KYMO_MODE_OVERWRITE);
	copy = malloc(reader_ring_bytes(&r, 0));
	CHECK(!ioctl(r.fd, KYMO_IOC_START));
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		caller[cpu].cpu = cpu;
		CHECK(!pthread_create(&caller[cpu].thread, NULL, call, &caller[cpu]));
	}
	watch(cpus, copy);
	over = true;
	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		pthread_join(caller[cpu].thread, NULL);
	CHECK(!ioctl(r.fd, KYMO_IOC_STOP));
	settle(cpus, copy);
	return 0;
}
