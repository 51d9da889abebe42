// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters that sample the CPUs and run a BPF program at each overflow: hardware cycles, else the CPU clock. */
#include <errno.h>
#include <kymo/event.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu_list.h"
#include "input_bpf_internal.h"

enum { SAMPLE_RATE_DEFAULT = 99, SAMPLE_RATE_MAX = 10000 };

struct samples_follow {
	struct bpf *bpf;
	int program, err;
};

static int samples_open(const struct bpf *b, unsigned int cpu, bool cycles)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .freq = 1, .disabled = 1 };

	attr.type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	attr.config = cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_freq = b->rate_hz ? b->rate_hz : SAMPLE_RATE_DEFAULT;
	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* All CPUs by the same: which, the first decides. */
static int samples_begin(struct bpf *b, unsigned int cpu)
{
	const uint64_t rate = b->rate_hz ? b->rate_hz : SAMPLE_RATE_DEFAULT;
	int fd = b->sample_cycles || !b->sample_decided ? samples_open(b, cpu, true) : -1;

	if (!b->sample_decided)
		b->sample_cycles = fd >= 0;
	if (fd < 0 && !b->sample_cycles)
		fd = samples_open(b, cpu, false);
	if (fd < 0)
		return -errno;
	b->sample_decided = true;
	bpf_programs_sample_period(b->programs, b->sample_cycles ? 0 : 1000000000 / rate);
	return fd;
}

static void samples_cpu(void *context, unsigned int cpu)
{
	struct samples_follow *f = context;
	struct bpf *b = f->bpf;
	int fd;

	if (f->err || cpu >= b->info.cpus || b->sample_fd[cpu] >= 0)
		return;
	fd = samples_begin(b, cpu);
	if (fd == -ENODEV)	/* it has just gone */
		return;
	if (fd >= 0 && (ioctl(fd, PERF_EVENT_IOC_SET_BPF, f->program) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))) {
		f->err = -errno;
		close(fd);
		return;
	}
	if (fd < 0)
		f->err = fd;
	else
		b->sample_fd[cpu] = fd;
}

int bpf_samples_follow(struct bpf *b)
{
	struct samples_follow f = { .bpf = b };
	int got;

	if (!b->type[KYMO_ID_cpu_sample])
		return 0;
	if (b->rate_hz > SAMPLE_RATE_MAX)
		return -EINVAL;
	f.program = bpf_programs_fd(b->programs, "cpu_sample");
	if (f.program < 0)
		return f.program;
	if (!b->sample_fd) {
		b->sample_fd = malloc(b->info.cpus * sizeof(*b->sample_fd));
		if (!b->sample_fd)
			return -ENOMEM;
		memset(b->sample_fd, 0xff, b->info.cpus * sizeof(*b->sample_fd));
	}
	got = cpu_list_read("online", samples_cpu, &f);
	return got < 0 ? got : f.err;
}

void bpf_samples_fini(struct bpf *b)
{
	for (unsigned int cpu = 0; b->sample_fd && cpu < b->info.cpus; cpu++)
		if (b->sample_fd[cpu] >= 0)
			close(b->sample_fd[cpu]);
	free(b->sample_fd);
	b->sample_fd = NULL;
}
