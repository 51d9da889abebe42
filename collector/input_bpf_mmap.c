// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Executable mappings as they are made: no tracepoint tells them, perf does, by side-band records of a counter that
 * counts nothing, into a small ring for each CPU. Their times are the session's clock; they come into the collector's
 * own stream.
 */
#include <errno.h>
#include <kymo/event.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cpu_list.h"
#include "input_bpf_internal.h"

enum { MMAP_RING_PAGES = 256, MMAP_RECORD_MOST = 1 << 16 };	/* pages: a power of two; less if memory is limited */

struct bpf_mmaps {
	int fd;
	struct perf_event_mmap_page *page;
	size_t bytes;			/* of the data behind it */
};

/* As the kernel writes it, up to the name; behind that, at a multiple of 8, the time. */
struct mmap_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, bytes, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t prot, flags;
	char path[];
};

struct mmap_lost {
	struct perf_event_header header;
	uint64_t id, lost;
};

static size_t mmap_page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int mmap_open(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1, .mmap = 1, .mmap2 = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.watermark = 1, .wakeup_watermark = (uint32_t)(MMAP_RING_PAGES * mmap_page_bytes() / 2),
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int bpf_mmaps_try(void)
{
	int fd = mmap_open(0), err = fd < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return err == -ENODEV ? 0 : err;	/* CPU 0 may be off */
}

struct mmaps_follow {
	struct bpf *bpf;
	int err;
};

static int mmap_map(struct bpf_mmaps *m)
{
	for (unsigned int pages = MMAP_RING_PAGES; pages; pages /= 8) {
		void *page = mmap(NULL, (pages + 1) * mmap_page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);

		if (page == MAP_FAILED)
			continue;
		m->page = page;
		m->bytes = pages * mmap_page_bytes();
		return 0;
	}
	return -errno;
}

static void mmaps_cpu(void *context, unsigned int cpu)
{
	struct epoll_event when = { .events = EPOLLIN | EPOLLET };
	struct mmaps_follow *f = context;
	struct bpf_mmaps m = { .fd = -1 };

	if (f->err || cpu >= f->bpf->info.cpus || f->bpf->mmaps[cpu].page)
		return;
	m.fd = mmap_open(cpu);
	if (m.fd < 0) {
		f->err = errno == ENODEV ? 0 : -errno;
		return;
	}
	f->err = mmap_map(&m);
	if (!f->err && epoll_ctl(f->bpf->epoll, EPOLL_CTL_ADD, m.fd, &when)) {
		f->err = -errno;
		munmap(m.page, m.bytes + mmap_page_bytes());
	}
	if (f->err)
		close(m.fd);
	else
		f->bpf->mmaps[cpu] = m;
}

int bpf_mmaps_follow(struct bpf *b)
{
	struct mmaps_follow f = { .bpf = b };
	int got;

	if (!b->type[KYMO_ID_task_mmap])
		return 0;
	if (!b->mmaps)
		b->mmaps = calloc(b->info.cpus, sizeof(*b->mmaps));
	if (!b->mmaps)
		return -ENOMEM;
	got = cpu_list_read("online", mmaps_cpu, &f);
	return got < 0 ? got : f.err;
}

void bpf_mmaps_fini(struct bpf *b)
{
	for (unsigned int cpu = 0; b->mmaps && cpu < b->info.cpus; cpu++)
		if (b->mmaps[cpu].page) {
			munmap(b->mmaps[cpu].page, b->mmaps[cpu].bytes + mmap_page_bytes());
			close(b->mmaps[cpu].fd);
		}
	free(b->mmaps);
	b->mmaps = NULL;
}

/* ---- reading ---- */

static int mmap_take(struct bpf *b, const struct mmap_record *r)
{
	const uint64_t time_ns = *(const uint64_t *)((const uint8_t *)r + r->header.size - sizeof(uint64_t));
	const size_t path_room = r->header.size - sizeof(*r) - sizeof(uint64_t);
	const bool anonymous = !strncmp(r->path, "//anon", path_room);
	struct {
		struct kymo_ev_task_mmap ev;
		char path[BPF_STRING_BYTES];
	} __attribute__((packed)) out = { .ev = {
		.tid = (int32_t)r->tid, .pid = (int32_t)r->pid, .start = r->start, .end = r->start + r->bytes,
		.offset = anonymous ? 0 : r->offset, .inode = r->inode, .dev = r->major << 20 | r->minor,
	} };
	size_t bytes = anonymous ? 0 : strnlen(r->path, path_room);

	if (time_ns < b->start_ns)
		return 0;
	if (bytes >= sizeof(out.path))
		bytes = sizeof(out.path) - 1;
	memcpy(out.path, r->path, bytes);
	return bpf_own_record(b, time_ns, KYMO_ID_task_mmap, &out, sizeof(out.ev) + bytes + 1);
}

static int mmap_read(struct bpf *b, const struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_MMAP2 && header->size >= sizeof(struct mmap_record) + sizeof(uint64_t))
		return mmap_take(b, (const struct mmap_record *)header);
	if (header->type == PERF_RECORD_LOST && header->size >= sizeof(struct mmap_lost))
		b->type[KYMO_ID_task_mmap]->stats.lost[KYMO_LOSS_FULL] += ((const struct mmap_lost *)header)->lost;
	return 0;
}

/* A record may lie around the ring's end. */
static void mmap_copy(const struct bpf_mmaps *m, uint64_t at, void *to, size_t bytes)
{
	const size_t place = at & (m->bytes - 1), first = bytes < m->bytes - place ? bytes : m->bytes - place;
	const uint8_t *data = (const uint8_t *)m->page + mmap_page_bytes();

	memcpy(to, data + place, first);
	memcpy((uint8_t *)to + first, data, bytes - first);
}

static int mmap_drain(struct bpf *b, struct bpf_mmaps *m)
{
	const uint64_t head = __atomic_load_n(&m->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = m->page->data_tail, record[MMAP_RECORD_MOST / sizeof(uint64_t)];
	int err = 0;

	while (tail < head && !err) {
		struct perf_event_header header;

		mmap_copy(m, tail, &header, sizeof(header));
		mmap_copy(m, tail, record, header.size);
		err = mmap_read(b, (const struct perf_event_header *)record);
		tail += header.size;
	}
	__atomic_store_n(&m->page->data_tail, tail, __ATOMIC_RELEASE);
	return err;
}

int bpf_mmaps_drain(struct bpf *b)
{
	int err = 0;

	for (unsigned int cpu = 0; b->mmaps && cpu < b->info.cpus && !err; cpu++)
		if (b->mmaps[cpu].page)
			err = mmap_drain(b, &b->mmaps[cpu]);
	return err;
}
