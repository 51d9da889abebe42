/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs of this collector: loaded all at once into the kernel, tried one by one where that fails, attached
 * for the event types that are wanted. The only file that knows the skeleton. Everything is held by file descriptors:
 * nothing stays behind, however this process ends.
 */
#ifndef KYMO_BPF_PROGRAMS_H
#define KYMO_BPF_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bpf/layout.h"

struct bpf_programs;

bool bpf_programs_built(void);	/* are there any in this executable? */

/*
 * cpus: CPU numbers are below this. -ENOTSUP: this kymo was built without them; -EPERM, -ENOENT (the kernel does not
 * describe its types: BTF), or what the kernel says of the first program.
 */
int bpf_programs_open(struct bpf_programs **out, unsigned int cpus);
void bpf_programs_destroy(struct bpf_programs *p);

/* Does an event type's program work here? NULL: yes; else why not, a piece of a sentence. */
const char *bpf_programs_reason(const struct bpf_programs *p, const char *type);

void bpf_programs_set(struct bpf_programs *p, uint16_t id, unsigned int set);
void bpf_programs_syscall(struct bpf_programs *p, unsigned int number);	/* has event types of its own */
void bpf_programs_ring_bytes(struct bpf_programs *p, uint32_t bytes);

/* A ring for (set * cpus + cpu); returns its fd, the caller's, or -errno. */
int bpf_programs_ring(struct bpf_programs *p, unsigned int index, uint32_t bytes);

int bpf_programs_attach(struct bpf_programs *p, const char *type);
void bpf_programs_detach(struct bpf_programs *p);
void bpf_programs_activate(struct bpf_programs *p, bool yes);

/* Returns when every program that runs at the call has ended. */
int bpf_programs_grace(struct bpf_programs *p);

/* Of one CPU; read-only, and growing. */
const struct bpf_cpu_counts *bpf_programs_counts(const struct bpf_programs *p, unsigned int cpu);

/* How often the kernel has not run an attached type's program, because it was running already on that CPU. */
uint64_t bpf_programs_missed(const struct bpf_programs *p, const char *type);

/* The fd of an opened iterator, the caller's, or -errno. */
int bpf_programs_iterate(struct bpf_programs *p, const char *name);

/* The fd of a program that is attached by other means; -ENOENT: it does not work here. */
int bpf_programs_fd(const struct bpf_programs *p, const char *name);

void bpf_programs_sample_period(struct bpf_programs *p, uint64_t ns); /* 0: it samples by cycles */

/* What the kernel calls the reason for which it drops a packet; empty: unknown. */
const char *bpf_programs_drop_reason(const struct bpf_programs *p, uint32_t reason);

uint64_t bpf_programs_bytes(const struct bpf_programs *p); /* of the counters */

#endif
