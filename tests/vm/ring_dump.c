// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints what a session's rings hold while a command runs. Made from uapi/kymo.h alone, so that tests of the module
 * do not rest on the collector.
 *
 *	ring_dump [-e GLOB[@HZ]]... [-S SOURCE]... [-m MIB] [-p PACKET_BYTES] [-D] [-r GLOB@HZ@SECONDS] -- COMMAND [ARG]...
 *
 * -p makes rings of four packets of this size. -D runs the start dump first; -r changes a rate after that time. The
 * command starts when the session is active and is told its own pid in the output. One line for each record, in order
 * within a CPU:
 *	<ns> <cpu> <name> <field>=<value>...	strings with \xNN for what is not plain; arrays as [a,b]
 * and at the end for each event type:	# <name> hits=<n> found=<n> lost=<n>
 * Exit status: 0, or 1: something failed or hits and found differ; the command's own status is in "# command".
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uapi/kymo.h>

enum { TYPES_MAX = 65536, STATS_MAX = 2048 };

struct ring {
	const struct kymo_ring_control *control;
	struct kymo_ring_tail *tail;
	const unsigned char *data;
	unsigned long long at, now;	/* position, and time of the last record before it */
};

static int fd;
static struct kymo_setup setup = { .sets = 1 };
static struct ring *rings;
static const struct kymo_event_type *types[TYPES_MAX];
static unsigned long long found[TYPES_MAX];

static void load_catalogue(void)
{
	struct kymo_catalogue c = { .buf_bytes = 4 << 20 };
	unsigned char *buf = malloc(c.buf_bytes);

	c.buf = (unsigned long)buf;
	do {
		c.first = c.next;
		if (ioctl(fd, KYMO_IOC_CATALOGUE, &c))
			err(1, "catalogue");
		for (unsigned int at = 0; at < c.used_bytes; ) {
			const struct kymo_event_type *type = (const void *)(buf + at);

			types[type->id] = type;
			at += type->size;
		}
		buf = malloc(c.buf_bytes);
		c.buf = (unsigned long)buf;
	} while (c.next);
}

/* ---- a record as text ---- */

static void print_text(const unsigned char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes && at[i]; i++)
		if (isgraph(at[i]) && at[i] != '\\')
			putchar(at[i]);
		else
			printf("\\x%02x", at[i]);
}

static void print_number(const struct kymo_field *f, const unsigned char *at)
{
	unsigned long long v = 0;

	for (unsigned int i = 0; i < f->bytes; i++)
		v |= (unsigned long long)at[i] << 8 * (f->flags & KYMO_FIELD_BIG_ENDIAN ? f->bytes - 1 - i : i);
	if (f->kind == KYMO_FIELD_SIGNED)
		printf("%lld", (long long)(v << (64 - 8 * f->bytes)) >> (64 - 8 * f->bytes));
	else
		printf(f->flags & KYMO_FIELD_HEX ? "0x%llx" : "%llu", v);
}

/* Bytes that the field takes. */
static size_t print_field(const struct kymo_field *f, const unsigned char *at, size_t left)
{
	unsigned int count = f->count, head = 0;
	unsigned short length;

	printf(" %s=", f->name);
	if (f->kind == KYMO_FIELD_STRING) {
		size_t n = strnlen((const char *)at, left);

		if (n == left)
			errx(1, "field %s: string without an end", f->name);
		print_text(at, n);
		return n + 1;
	}
	if (f->flags & KYMO_FIELD_SEQUENCE) {
		memcpy(&length, at, head = sizeof(length));
		count = length;
	}
	if (left < head + (size_t)count * f->bytes)
		errx(1, "field %s: %u elements, but %zu bytes are left", f->name, count, left);
	if (f->kind == KYMO_FIELD_TEXT) {
		print_text(at, count);
		return count;
	}
	for (unsigned int i = 0; i < count; i++) {
		if (head || f->count != 1)
			putchar(i ? ',' : '[');
		print_number(f, at + head + i * f->bytes);
	}
	if (head || f->count != 1)
		printf(count ? "]" : "[]");
	return head + (size_t)count * f->bytes;
}

static void print_record(const struct kymo_record *record, unsigned long long now, unsigned int cpu)
{
	const unsigned char *at = (const void *)(record + 1), *end = at + record->len;
	const struct kymo_event_type *type = types[record->id];

	if (!type)
		errx(1, "record with unknown type %u", record->id);
	found[record->id]++;
	printf("%llu %u %s", now, cpu, type->name);
	for (unsigned int i = 0; i < type->fields; i++)
		at += print_field(&type->field[i], at, end - at);
	putchar('\n');
	if (at != end)
		errx(1, "%s: the fields end %td bytes before the record", type->name, end - at);
}

/* ---- rings ---- */

static void *map(unsigned int cpu, int prot, unsigned long long offset, size_t bytes)
{
	void *at = mmap(NULL, bytes, prot, MAP_SHARED, fd, cpu * setup.ring_stride + offset);

	if (at == MAP_FAILED && errno != ENXIO)
		err(1, "mmap of cpu %u's ring", cpu);
	return at == MAP_FAILED ? NULL : at;
}

static int map_ring(struct ring *ring, unsigned int cpu)
{
	if (ring->control)
		return 1;
	ring->control = map(cpu, PROT_READ, setup.control_offset, getpagesize());
	if (!ring->control)
		return 0;
	ring->tail = map(cpu, PROT_READ | PROT_WRITE, setup.tail_offset, getpagesize());
	ring->data = map(cpu, PROT_READ, setup.data_offset, (size_t)setup.set[0].packet_bytes * setup.set[0].packets);
	return 1;
}

static void drain_ring(struct ring *ring, unsigned int cpu)
{
	const unsigned long long packet = ring->control->packet_bytes, bytes = packet * ring->control->packets;
	const unsigned long long head = __atomic_load_n(&ring->control->head, __ATOMIC_ACQUIRE);
	const unsigned long long closed = ring->control->closed;

	while (ring->at < head) {
		const unsigned long long start = ring->at & ~(packet - 1);
		const struct kymo_packet *p = (const void *)(ring->data + start % bytes);
		unsigned long long end = head;

		if (ring->at == start) {
			ring->at += sizeof(*p);
			ring->now = p->timestamp_begin;
		}
		if (head > start + packet || closed >= start + packet)
			end = start + p->content_size / 8;
		while (ring->at < end) {
			const struct kymo_record *r = (const void *)(ring->data + ring->at % bytes);

			ring->now += (unsigned int)(r->time_low - (unsigned int)ring->now);
			print_record(r, ring->now, cpu);
			ring->at += sizeof(*r) + r->len;
		}
		if (end == head)
			break;
		ring->at = start + packet;
	}
	__atomic_store_n(&ring->tail->tail, ring->at, __ATOMIC_RELEASE);
}

static void drain(void)
{
	for (unsigned int cpu = 0; cpu < setup.cpus; cpu++)
		if (map_ring(&rings[cpu], cpu))
			drain_ring(&rings[cpu], cpu);
}

/* ---- the session ---- */

static void enable(char *what, unsigned int flags)
{
	struct kymo_enable e = { .flags = flags };
	char *at = strchr(what, '@');

	if (at)
		e.rate_hz = strtoull(at + 1, NULL, 0);
	snprintf(e.glob, sizeof(e.glob), "%.*s", at ? (int)(at - what) : (int)strlen(what), what);
	if (ioctl(fd, KYMO_IOC_ENABLE, &e))
		err(1, "enable %s", e.glob);
}

static void dump(void)
{
	struct kymo_dump d = { 0 };
	unsigned int calls = 0;

	do {
		calls++;
		if (ioctl(fd, KYMO_IOC_DUMP, &d))
			err(1, "dump");
		drain();
	} while (!d.done);
	printf("# dump calls=%u\n", calls);
}

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (!pid) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(argv[0], argv);
		err(127, "%s", argv[0]);
	}
	return pid < 0 ? err(1, "fork"), 0 : pid;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Drains while the command runs, and makes the one change of a rate. The command's status. */
static int watch(pid_t pid, char *change)
{
	const char *after = change ? strrchr(change, '@') : NULL;
	const double when = after ? seconds() + atof(after + 1) : 0;
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (poll(&wait, 1, 20) > 0)
			drain();
		if (change && seconds() >= when) {
			printf("# rate changed between %.0f", seconds() * 1e9);
			enable(change, 0);
			printf(" and %.0f\n", seconds() * 1e9);
			change = NULL;
		}
	}
	if (change)
		errx(1, "the command ended before the rate was to be changed");
	return status;
}

static int report(void)
{
	static struct kymo_type_stats s[STATS_MAX];
	struct kymo_stats stats = { .buf = (unsigned long)s, .capacity = STATS_MAX };
	int result = 0;

	if (ioctl(fd, KYMO_IOC_STATS, &stats))
		err(1, "stats");
	for (unsigned int i = 0; i < stats.count && i < STATS_MAX; i++) {
		unsigned long long lost = 0;

		for (int cause = 0; cause < KYMO_LOSS_SLOTS; cause++)
			lost += s[i].lost[cause];
		printf("# %s hits=%llu found=%llu lost=%llu\n", types[s[i].id]->name,
		       (unsigned long long)s[i].hits, found[s[i].id], lost);
		if (s[i].hits != found[s[i].id])
			result = 1;
	}
	return result;
}

int main(int argc, char **argv)
{
	char *enables[64], *sources[64], *change = NULL;
	int enabled = 0, source = 0, want_dump = 0, c, status;
	pid_t pid;

	setup.budget_bytes = 64ull << 20;
	while ((c = getopt(argc, argv, "+e:S:m:p:Dr:")) != -1) {
		if (c == 'e' && enabled < 64)
			enables[enabled++] = optarg;
		else if (c == 'S' && source < 64)
			sources[source++] = optarg;
		else if (c == 'm')
			setup.budget_bytes = strtoull(optarg, NULL, 0) << 20;
		else if (c == 'p')
			setup.set[0] = (struct kymo_set){ .packet_bytes = strtoul(optarg, NULL, 0), .packets = 4 };
		else if (c == 'D')
			want_dump = 1;
		else if (c == 'r')
			change = optarg;
		else
			errx(2, "see the head of ring_dump.c");
	}
	if (optind == argc)
		errx(2, "no command");
	fd = open(KYMO_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(1, KYMO_DEVICE);
	if (ioctl(fd, KYMO_IOC_SETUP, &setup))
		err(1, "setup");
	rings = calloc(setup.cpus, sizeof(*rings));
	for (c = 0; c < enabled; c++)
		enable(enables[c], 0);
	for (c = 0; c < source; c++)
		enable(sources[c], KYMO_ENABLE_SOURCE);
	load_catalogue();
	if (ioctl(fd, KYMO_IOC_START))
		err(1, "start");
	if (want_dump)
		dump();
	pid = start(argv + optind);
	status = watch(pid, change);
	if (ioctl(fd, KYMO_IOC_STOP))
		err(1, "stop");
	drain();
	printf("# command pid=%d status=%d\n", pid, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return report();
}
