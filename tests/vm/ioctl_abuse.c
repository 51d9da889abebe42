// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every request with wrong sizes, flags, pointers and in the wrong order: the right errno each time, and a session
 * that still works afterwards. Then the same through the 32-bit system call (`ioctl_abuse 32`; exits 77 where the
 * kernel has none), which this 64-bit program can make with int 0x80 and memory below 4 GiB.
 */
#include <signal.h>
#include "reader.h"

enum { IOCTL_32BIT = 54 };

static bool narrow;
static char *low;			/* a page and, after it, nothing mapped; below 4 GiB */
static long page;

static int request(int fd, unsigned int cmd, void *arg)
{
	long result;

	if (!narrow)
		return ioctl(fd, cmd, arg);
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(IOCTL_32BIT), "b"((long)fd), "c"((long)cmd), "d"(arg)
			 : "memory", "r8", "r9", "r10", "r11");
	result = (int)result;
	if (result >= -4095 && result < 0) {
		errno = -result;
		return -1;
	}
	return result;
}

/* The struct at the page's start, so that a 32-bit caller can name it. */
static int with(int fd, unsigned int cmd, void *arg, size_t bytes)
{
	int result, error;

	memcpy(low, arg, bytes);
	result = request(fd, cmd, low);
	error = errno;
	memcpy(arg, low, bytes);
	errno = error;
	return result;
}
#define DO(fd, cmd, arg) with(fd, cmd, arg, sizeof(*(arg)))

static const struct known {
	unsigned int cmd;
	unsigned int bytes;
} known[] = {
	{ KYMO_IOC_INFO, sizeof(struct kymo_info) }, { KYMO_IOC_SETUP, sizeof(struct kymo_setup) },
	{ KYMO_IOC_CATALOGUE, sizeof(struct kymo_catalogue) }, { KYMO_IOC_ENABLE, sizeof(struct kymo_enable) },
	{ KYMO_IOC_DISABLE, sizeof(struct kymo_enable) }, { KYMO_IOC_STATS, sizeof(struct kymo_stats) },
	{ KYMO_IOC_SYNC, sizeof(struct kymo_sync) }, { KYMO_IOC_DUMP, sizeof(struct kymo_dump) },
};

static unsigned int resized(unsigned int cmd, unsigned int bytes)
{
	return _IOC(_IOC_READ | _IOC_WRITE, KYMO_IOC_MAGIC, _IOC_NR(cmd), bytes);
}

static void abuse_numbers(int fd)
{
	memset(low, 0, page);
	for (unsigned int nr = 10; nr < 256; nr++)
		CHECK_ERRNO(request(fd, _IOC(_IOC_READ | _IOC_WRITE, KYMO_IOC_MAGIC, nr, 8), low), ENOTTY);
	for (unsigned int nr = 0; nr < 10; nr++) {
		CHECK_ERRNO(request(fd, _IOC(_IOC_READ | _IOC_WRITE, 'T', nr, 8), low), ENOTTY);
		CHECK_ERRNO(request(fd, _IOC(_IOC_WRITE, KYMO_IOC_MAGIC, nr, 8), low), ENOTTY);
	}
	CHECK_ERRNO(request(fd, _IOC(_IOC_NONE, KYMO_IOC_MAGIC, _IOC_NR(KYMO_IOC_START), 8), low), EINVAL);
	CHECK_ERRNO(request(fd, _IO(KYMO_IOC_MAGIC, _IOC_NR(KYMO_IOC_INFO)), low), ENOTTY);
	CHECK_ERRNO(request(fd, 0x5401, low), ENOTTY);
}

static void abuse_sizes(int fd)
{
	for (unsigned int i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const unsigned int cmd = known[i].cmd, bytes = known[i].bytes;

		memset(low, 0, page);
		for (unsigned int shorter = 0; shorter < bytes; shorter++)
			CHECK_ERRNO(request(fd, resized(cmd, shorter), low), EINVAL);
		/* What a newer program says and this kernel does not know */
		low[bytes + 3] = 1;
		CHECK_ERRNO(request(fd, resized(cmd, bytes + 8), low), E2BIG);
		CHECK_ERRNO(request(fd, resized(cmd, 4000), low), E2BIG);
		/* Bad pointers */
		CHECK_ERRNO(request(fd, cmd, NULL), EFAULT);
		CHECK_ERRNO(request(fd, cmd, low + page - bytes + 1), EFAULT);
		CHECK_ERRNO(request(fd, cmd, (void *)(narrow ? 0xfffff000ul : 0xffffffff81000000ul)), EFAULT);
		memset(low, 0, page);
		CHECK_ERRNO(request(fd, resized(cmd, 16000), low), EFAULT);
	}
}

/* A longer struct whose unknown end is zero is a newer program that asks for nothing new. */
static void newer_program(int fd)
{
	struct kymo_info *info = (void *)low;

	memset(low, 0, page);
	CHECK(request(fd, resized(KYMO_IOC_INFO, sizeof(*info) + 64), low) == 0);
	CHECK(info->abi == KYMO_ABI && info->cpus > 0 && info->page_bytes == page && info->types > 0);
	CHECK(info->clock == 1 && info->version[0] && !info->version[sizeof(info->version) - 1]);
	for (int i = sizeof(*info); i < 200; i++)
		CHECK(!low[i]);
}

static void abuse_before_setup(int fd)
{
	struct kymo_enable enable = { .glob = "sched_switch" };
	struct kymo_sync sync = { 0 };
	struct kymo_dump dump = { .done = 0 };
	struct kymo_stats stats = { 0 };

	CHECK_ERRNO(DO(fd, KYMO_IOC_ENABLE, &enable), EINVAL);
	CHECK_ERRNO(DO(fd, KYMO_IOC_DISABLE, &enable), EINVAL);
	CHECK_ERRNO(request(fd, KYMO_IOC_START, NULL), EINVAL);
	CHECK_ERRNO(request(fd, KYMO_IOC_STOP, NULL), EINVAL);
	CHECK_ERRNO(DO(fd, KYMO_IOC_SYNC, &sync), EINVAL);
	CHECK_ERRNO(DO(fd, KYMO_IOC_DUMP, &dump), EINVAL);
	CHECK(!DO(fd, KYMO_IOC_STATS, &stats) && stats.count == 0 && stats.memory_bytes > 0);
	CHECK_ERRNO(mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0), EINVAL);
	CHECK_ERRNO(write(fd, "x", 1), EINVAL);
	CHECK_ERRNO(read(fd, low, 1), EINVAL);
}

static void setup_fails(int fd, struct kymo_setup setup, int error)
{
	errno = 0;
	if (DO(fd, KYMO_IOC_SETUP, &setup) != -1 || errno != error)
		errx(1, "SETUP with flags %u, sets %u, budget %llu, packet %u x %u, mode %u, watermark %u: errno %d, want %d",
		     setup.flags, setup.sets, (unsigned long long)setup.budget_bytes, setup.set[0].packet_bytes,
		     setup.set[0].packets, setup.set[0].mode, setup.set[0].watermark, errno, error);
}
#define SETUP_FAILS(error, ...) setup_fails(fd, (struct kymo_setup){ __VA_ARGS__ }, error)

static void abuse_setup(int fd)
{
	struct kymo_setup setup = { .sets = 2, .set = { { .packet_bytes = 4096, .packets = 8 }, { .watermark = 1 } } };

	SETUP_FAILS(EINVAL, .sets = 0);
	SETUP_FAILS(EINVAL, .sets = KYMO_SETS_MAX + 1);
	SETUP_FAILS(EINVAL, .sets = ~0u);
	SETUP_FAILS(EINVAL, .sets = 1, .flags = 1);
	SETUP_FAILS(EINVAL, .sets = 1, .reserved = 1);
	SETUP_FAILS(EINVAL, .sets = 1, .set = { [1] = { .packets = 8 } });
	SETUP_FAILS(EINVAL, .sets = 1, .set = { { .packet_bytes = 2048 } });
	SETUP_FAILS(EINVAL, .sets = 1, .set = { { .packet_bytes = 5000 } });
	SETUP_FAILS(EINVAL, .sets = 1, .set = { { .packet_bytes = 2 << 20 } });
	SETUP_FAILS(EINVAL, .sets = 1, .set = { { .packets = 2 } });
	SETUP_FAILS(EINVAL, .sets = 1, .set = { { .packets = 5 } });
	SETUP_FAILS(EINVAL, .sets = 1, .set = { { .mode = 2 } });
	SETUP_FAILS(EINVAL, .sets = 1, .set = { { .watermark = 1 << 20 } });
	SETUP_FAILS(ENOSPC, .sets = 1, .budget_bytes = 1);
	SETUP_FAILS(ENOSPC, .sets = 1, .set = { { .packets = 1 << 20 } });
	SETUP_FAILS(ENOSPC, .sets = 1, .set = { { .packet_bytes = 1 << 20, .packets = 1u << 31 } });
	SETUP_FAILS(ENOMEM, .sets = 1, .budget_bytes = ~0ull);
	SETUP_FAILS(ENOMEM, .sets = 1, .budget_bytes = 1ull << 62);
	CHECK(!DO(fd, KYMO_IOC_SETUP, &setup));
	CHECK(setup.set[0].packets == 8 && setup.set[1].packet_bytes == 65536 && setup.set[1].packets >= KYMO_PACKETS_MIN);
	setup = (struct kymo_setup){ .sets = 1 };
	CHECK_ERRNO(DO(fd, KYMO_IOC_SETUP, &setup), EBUSY);
}

static void enable_fails(int fd, unsigned int cmd, struct kymo_enable enable, int error)
{
	errno = 0;
	if (DO(fd, cmd, &enable) != -1 || errno != error)
		errx(1, "ENABLE %.20s, set %u, flags %u: errno %d, want %d", enable.glob, enable.set, enable.flags, errno, error);
}

static void abuse_enable(int fd, unsigned int cmd)
{
	struct kymo_enable endless = { .glob = "" };

	memset(endless.glob, 'a', sizeof(endless.glob));
	enable_fails(fd, cmd, endless, EINVAL);
	enable_fails(fd, cmd, (struct kymo_enable){ .glob = "" }, EINVAL);
	enable_fails(fd, cmd, (struct kymo_enable){ .glob = "sched_switch", .set = 2 }, EINVAL);
	enable_fails(fd, cmd, (struct kymo_enable){ .glob = "sched_switch", .set = ~0u }, EINVAL);
	enable_fails(fd, cmd, (struct kymo_enable){ .glob = "sched_switch", .flags = 2 }, EINVAL);
	enable_fails(fd, cmd, (struct kymo_enable){ .glob = "no_such_*" }, ENOENT);
	enable_fails(fd, cmd, (struct kymo_enable){ .glob = "no:such" }, ENOENT);
	enable_fails(fd, cmd, (struct kymo_enable){ .glob = ":" }, ENOENT);
	enable_fails(fd, cmd, (struct kymo_enable){ .glob = "sched:" }, ENOENT);
	enable_fails(fd, cmd, (struct kymo_enable){ .glob = "../../sched:sched_switch" }, ENOENT);
	enable_fails(fd, cmd, (struct kymo_enable){ .glob = "%s%n[" }, ENOENT);
	enable_fails(fd, cmd, (struct kymo_enable){ .glob = "kymo_loss" }, ENOENT);
	enable_fails(fd, cmd, (struct kymo_enable){ .glob = "nobody", .flags = KYMO_ENABLE_SOURCE }, ENOENT);
}

static void abuse_catalogue(int fd)
{
	char *buf = low + 256;
	struct kymo_catalogue c = { .buf = (unsigned long)buf, .buf_bytes = 1 };

	CHECK_ERRNO(DO(fd, KYMO_IOC_CATALOGUE, &c), ENOSPC);
	c.buf_bytes = 0;
	CHECK_ERRNO(DO(fd, KYMO_IOC_CATALOGUE, &c), ENOSPC);
	c.buf_bytes = ~0u;
	c.buf = 8;
	CHECK_ERRNO(DO(fd, KYMO_IOC_CATALOGUE, &c), EFAULT);
	c.buf = ~0ull - 100;
	CHECK_ERRNO(DO(fd, KYMO_IOC_CATALOGUE, &c), EFAULT);
	c.buf = (unsigned long)buf;
	c.first = ~0u;
	CHECK(!DO(fd, KYMO_IOC_CATALOGUE, &c) && !c.used_bytes && !c.next);
	/* One after the other with the smallest buffer that works */
	c.first = 0;
	c.buf_bytes = 2048;
	do {
		CHECK(!DO(fd, KYMO_IOC_CATALOGUE, &c) && c.used_bytes && c.used_bytes <= 2048);
		CHECK(!c.next || c.next > c.first);
		c.first = c.next;
	} while (c.next);
}

static void abuse_stats(int fd)
{
	struct kymo_stats s = { .capacity = 1, .buf = 8 };

	CHECK_ERRNO(DO(fd, KYMO_IOC_STATS, &s), EFAULT);
	s = (struct kymo_stats){ .capacity = ~0u, .buf = (unsigned long)low + 512 };
	CHECK(!DO(fd, KYMO_IOC_STATS, &s) && s.count >= 1 && s.time_ns);
	s = (struct kymo_stats){ .capacity = 0, .buf = 8 };
	CHECK(!DO(fd, KYMO_IOC_STATS, &s) && s.count >= 1);
}

static void abuse_running(int fd)
{
	struct kymo_sync sync = { 0 };
	struct kymo_dump dump = { .reserved = 1 };

	CHECK_ERRNO(DO(fd, KYMO_IOC_DUMP, &dump), EINVAL);
	dump = (struct kymo_dump){ .done = 0 };
	CHECK_ERRNO(DO(fd, KYMO_IOC_DUMP, &dump), EINVAL); /* not started */
	CHECK(!request(fd, KYMO_IOC_STOP, NULL) && !request(fd, KYMO_IOC_START, NULL) && !request(fd, KYMO_IOC_START, NULL));
	CHECK(!DO(fd, KYMO_IOC_SYNC, &sync) && sync.time_ns);
	/* A cursor is a stranger's word: any value is safe. */
	for (unsigned int i = 0; i < 64; i++) {
		for (int j = 0; j < 4; j++)
			dump.cursor[j] = i & 1 ? (unsigned long long)random() << (random() % 48) : ~0ull >> (i + j) % 64;
		dump.done = random();
		CHECK(!DO(fd, KYMO_IOC_DUMP, &dump) && dump.done <= 1);
	}
	CHECK(!request(fd, KYMO_IOC_STOP, NULL) && !request(fd, KYMO_IOC_STOP, NULL));
}

static void no_int80(int signal)
{
	_exit(77);
}

int main(int argc, char **argv)
{
	struct kymo_enable enable = { .glob = "lttng_statedump_*" };
	int fd = open(KYMO_DEVICE, O_RDWR | O_CLOEXEC);

	page = getpagesize();
	narrow = argc > 1 && !strcmp(argv[1], "32");
	low = mmap(NULL, page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (narrow ? MAP_32BIT : 0), -1, 0);
	CHECK(fd >= 0 && low != MAP_FAILED && !munmap(low + page, page));
	if (narrow) {
		signal(SIGSEGV, no_int80);
		if (request(fd, KYMO_IOC_INFO, low) && errno == ENOSYS)
			return 77;
		signal(SIGSEGV, SIG_DFL);
	}
	abuse_numbers(fd);
	abuse_sizes(fd);
	newer_program(fd);
	abuse_before_setup(fd);
	abuse_setup(fd);
	CHECK(DO(fd, KYMO_IOC_ENABLE, &enable) == 0 || errno == ENOENT);
	abuse_enable(fd, KYMO_IOC_ENABLE);
	abuse_enable(fd, KYMO_IOC_DISABLE);
	enable = (struct kymo_enable){ .glob = "sched_switch", .set = 1 };
	CHECK(!DO(fd, KYMO_IOC_ENABLE, &enable) && enable.matched == 1 && !enable.unavailable);
	CHECK(!DO(fd, KYMO_IOC_ENABLE, &enable) && enable.matched == 1); /* what is enabled already */
	abuse_catalogue(fd);
	abuse_stats(fd);
	abuse_sizes(fd);
	abuse_running(fd);
	printf("%s caller: all refused as they should be\n", narrow ? "32-bit" : "64-bit");
	return 0;
}
