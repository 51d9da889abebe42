/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One attachment of a program that serves many event types: to a tracepoint by its number. Held by file descriptors,
 * as everything here.
 */
#ifndef KYMO_BPF_ATTACHMENT_H
#define KYMO_BPF_ATTACHMENT_H

#include "bpf_programs.h"

struct bpf_attachment;

/*
 * slot: the event type's place, which its records carry. All return 0 or -errno: -EOPNOTSUPP, the program does not work
 * here, else what the kernel says of the attachment.
 */
int bpf_attachment_tracepoint(struct bpf_programs *p, unsigned int slot, uint64_t event, const struct bpf_shape *shape,
			      struct bpf_attachment **out);

/* What came before does not count. */
void bpf_attachment_begin(struct bpf_attachment *a);

/* Nothing comes any more; its count stays. */
void bpf_attachment_end(struct bpf_attachment *a);
void bpf_attachment_destroy(struct bpf_attachment *a);

/* How often the kernel did not run the program between begin and end, because another one ran on that CPU. */
uint64_t bpf_attachment_missed(const struct bpf_attachment *a);

/* Does this kernel count that for programs at tracepoints and probes of functions? */
bool bpf_attachment_misses_are_counted(const struct bpf_programs *p);

#endif
