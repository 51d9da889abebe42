// SPDX-License-Identifier: GPL-2.0-or-later
/* What may be mapped how: only the tail page is writable, nothing is executable, and it stays so. */
#include <signal.h>
#include <sys/wait.h>
#include "reader.h"

static struct reader r;
static long page;

static void *map(unsigned long long offset, size_t bytes, int prot, int flags)
{
	return mmap(NULL, bytes, prot, flags, r.fd, offset);
}

static void wrong_protection(void)
{
	const unsigned long long control = r.setup.control_offset, tail = r.setup.tail_offset, data = r.setup.data_offset;
	const size_t bytes = reader_ring_bytes(&r, 0);
	char *at;

	CHECK_ERRNO(map(control, page, PROT_READ | PROT_WRITE, MAP_SHARED), EACCES);
	CHECK_ERRNO(map(control, page, PROT_WRITE, MAP_SHARED), EACCES);
	CHECK_ERRNO(map(data, bytes, PROT_READ | PROT_WRITE, MAP_SHARED), EACCES);
	CHECK_ERRNO(map(data, bytes, PROT_READ | PROT_EXEC, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map(tail, page, PROT_READ | PROT_EXEC, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map(control, page, PROT_READ, MAP_PRIVATE), EINVAL);
	CHECK_ERRNO(map(tail, page, PROT_READ | PROT_WRITE, MAP_PRIVATE), EINVAL);
	CHECK_ERRNO(map(data, bytes, PROT_READ, MAP_PRIVATE), EINVAL);
	/* Nor later */
	at = map(control, page, PROT_READ, MAP_SHARED);
	CHECK(at != MAP_FAILED);
	CHECK_ERRNO(mprotect(at, page, PROT_READ | PROT_WRITE), EACCES);
	CHECK_ERRNO(mprotect(at, page, PROT_READ | PROT_EXEC), EACCES);
	at = map(data, bytes, PROT_READ, MAP_SHARED);
	CHECK(at != MAP_FAILED);
	CHECK_ERRNO(mprotect(at, page, PROT_READ | PROT_WRITE), EACCES);
	CHECK_ERRNO(mprotect(at + page, page, PROT_WRITE), EACCES);
	at = map(tail, page, PROT_READ | PROT_WRITE, MAP_SHARED);
	CHECK(at != MAP_FAILED);
	CHECK_ERRNO(mprotect(at, page, PROT_READ | PROT_EXEC), EACCES);
	CHECK_ERRNO(mremap(at, page, 2 * page, MREMAP_MAYMOVE), EFAULT);
}

static void wrong_places(void)
{
	const unsigned long long stride = r.setup.ring_stride, rings = (unsigned long long)r.setup.sets * r.setup.cpus;
	const size_t bytes = reader_ring_bytes(&r, 0);

	CHECK_ERRNO(map(r.setup.control_offset, 2 * page, PROT_READ, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map(r.setup.tail_offset, 2 * page, PROT_READ, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map(r.setup.data_offset, bytes - page, PROT_READ, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map(r.setup.data_offset, bytes + page, PROT_READ, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map(r.setup.data_offset + page, bytes - page, PROT_READ, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map(r.setup.data_offset + page, page, PROT_READ, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map(0, stride, PROT_READ, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map(rings * stride, page, PROT_READ, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map(rings * stride + r.setup.data_offset, bytes, PROT_READ, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map(1ull << 40, page, PROT_READ, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map((1ull << 63) - page, page, PROT_READ, MAP_SHARED), EINVAL);
	CHECK_ERRNO(map(512, page, PROT_READ, MAP_SHARED), EINVAL);
}

/* A device that was opened for reading gives no writable tail. */
static void read_only_open(void)
{
	int fd = open(KYMO_DEVICE, O_RDONLY | O_CLOEXEC);
	struct kymo_setup setup = { .sets = 1 };

	CHECK(fd >= 0 && !ioctl(fd, KYMO_IOC_SETUP, &setup));
	CHECK_ERRNO(mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, setup.tail_offset), EACCES);
	CHECK(mmap(NULL, page, PROT_READ, MAP_SHARED, fd, setup.tail_offset) != MAP_FAILED);
	close(fd);
}

/* A child has the session's fd, not its maps. */
static void not_over_fork(void)
{
	int status;
	pid_t child;

	CHECK(reader_map_all(&r) > 0);
	child = fork();
	if (!child) {
		volatile unsigned int packets = r.ring[0].control->packets; /* SIGSEGV */

		_exit(packets ? 1 : 2);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	CHECK(r.ring[0].control->packets == r.setup.set[0].packets);
}

/* A map outlives close(2): the session is alive until it is gone. */
static void outlives_close(void)
{
	const struct kymo_ring_control *control = r.ring[0].control;
	unsigned long long before = control->head;

	CHECK(reader_enable(&r, "sched_switch", 0) == 1 && !ioctl(r.fd, KYMO_IOC_START));
	close(r.fd);
	for (int i = 0; i < 1000 && __atomic_load_n(&control->head, __ATOMIC_ACQUIRE) == before; i++)
		usleep(10000);
	CHECK(control->head > before);
}

int main(void)
{
	page = getpagesize();
	CHECK(!reader_open(&r, &(struct kymo_setup){ .sets = 2,
						  .set = { { .packet_bytes = 8192, .packets = 8 }, { .packets = 4 } } }));
	wrong_protection();
	wrong_places();
	read_only_open();
	not_over_fork();
	outlives_close();
	puts("maps: all rules hold");
	return 0;
}
