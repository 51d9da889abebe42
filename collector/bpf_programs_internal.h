/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between bpf_programs, which has the programs, and bpf_attachment, which attaches one of them many times. */
#ifndef KYMO_BPF_PROGRAMS_INTERNAL_H
#define KYMO_BPF_PROGRAMS_INTERNAL_H

#include "bpf_programs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kymo.skel.h"

enum { PROGRAMS_MAX = 96, PROGRAM_REASON_BYTES = 100, PROGRAM_NAME_BYTES = 80 };

struct bpf_program_state {
	struct bpf_program *program;
	const char *name;
	char type[PROGRAM_NAME_BYTES];		/* the name without __older */
	bool works;
	char reason[PROGRAM_REASON_BYTES];
	int link;				/* fd; -1: not attached */
	uint64_t missed_before;			/* when it was attached */
	uint64_t missed;			/* while it was attached, up to the detaching */
};

struct bpf_programs {
	struct kymo_bpf *skeleton;
	struct btf *btf;			/* of the kernel */
	unsigned int cpus;
	struct bpf_program_state program[PROGRAMS_MAX];
	unsigned int programs;
	struct bpf_cpu_counts *counts;		/* mapped */
	int ring_fd;				/* of the first ring, for bpf_programs_grace() */
	uint32_t ring_index;
};

/* The program that is used for a type; NULL: none. */
struct bpf_program_state *bpf_programs_find(const struct bpf_programs *p, const char *type);

/* How often the kernel has not run it, as far as it counts that. */
uint64_t bpf_programs_misses(int program_fd);

#endif
