/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the BPF programs write and the collector reads: records in the rings of the kernel, and the counters. One text
 * for both. The layout is nobody else's: the programs are part of the collector.
 */
#ifndef KYMO_BPF_LAYOUT_H
#define KYMO_BPF_LAYOUT_H

#include <linux/types.h>

enum {
	BPF_TYPES = 2048,		/* a power of two; places of event types are below it */
	BPF_MADE_FIRST = 256,		/* of types that are made when asked for, in order; others have that of their number */
	BPF_MADE = 768,			/* so many of them */
	BPF_RECORD_BYTES = 8192,	/* the most that perf gives a tracepoint's record */
	BPF_LOCATED = 16,		/* fields of variable size in one record */
	BPF_SYSCALLS = 512,		/* system call numbers */
	BPF_SETS = 4,			/* ring sets */
	BPF_SET_NONE = 0xff,
	BPF_STACK_MAX = 127,		/* addresses in one stack */
	BPF_STRING_BYTES = 1024,	/* with its NUL */
	BPF_NAME_BYTES = 64,
};

/*
 * Before each record's fields. From `time_low` on it lies as struct kymo_record does, so that a packet gets it with one
 * copy. A record may be reserved with more bytes than `len` says: reservations are of constant size.
 */
struct bpf_head {
	__u64 time_ns;			/* taken after the reservation */
	__u32 time_low;			/* the collector's to fill in */
	__u16 id;			/* place of the event type */
	__u16 len;
};

/* Of a tracepoint's record: how much of it to copy. */
struct bpf_shape {
	__u16 fixed_bytes;
	__u16 located;			/* words that tell of something behind the fixed fields */
	struct {
		__u16 offset;
		__u16 relative;		/* not 0: counted from behind the word */
	} word[BPF_LOCATED];
};

/* Of one event type on one CPU. Written by one program, which the kernel does not let run on top of itself. */
struct bpf_count {
	__u64 hits;
	__u64 full;			/* the ring was */
	__u64 nested;			/* an NMI came on top of a reservation */
	__u64 no_ring;			/* the CPU came online just now */
};

struct bpf_cpu_counts {
	struct bpf_count type[BPF_TYPES];
};

/* Before each record that an iterator writes; the fields follow. */
struct bpf_dump_head {
	__u16 id;
	__u16 len;
};

/* Behind a sample's fixed fields, at the next multiple of 8: the collector makes it compact. */
struct bpf_stacks {
	__s64 kernel_bytes, user_bytes;	/* or -errno */
	__u64 kernel[BPF_STACK_MAX];
	__u64 user[BPF_STACK_MAX];
};

#endif
