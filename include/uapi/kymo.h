/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/kymo: the ABI between the kymo module and whoever reads it. A reader needs this file alone.
 *
 * One open is one session. A session owns its rings, its enabled event types and its counters; nobody
 * else sees them. The order of a session's life:
 *
 *	fd = open("/dev/kymo", O_RDWR | O_CLOEXEC)	EPERM: CAP_PERFMON is missing
 *	KYMO_IOC_INFO		which ABI, which clock, how many CPUs
 *	KYMO_IOC_SETUP		rings of which size; the answer says where they lie (offsets for mmap)
 *	KYMO_IOC_CATALOGUE	all event types with their typed fields; why a source does not work here
 *	KYMO_IOC_ENABLE		by glob, into one of the ring sets; at any time, also while running
 *	mmap			control page, tail page and data of each ring
 *	KYMO_IOC_START
 *	KYMO_IOC_DUMP		until done: who is there (tasks, mappings, modules, interrupts, interfaces)
 *	poll, read the maps, move the tails
 *	KYMO_IOC_STOP		closes every packet; then read the rest and the counters
 *	close			frees everything
 *
 * Ioctls are extensible: the kernel takes sizeof the struct from the request number. A shorter struct of an
 * older program is filled up with zeros; a longer one of a newer program is taken if what the kernel does
 * not know is zero (else E2BIG). Unknown flags and non-zero reserved members are EINVAL.
 * All structs have the same layout for 32-bit callers. Pointers are __u64.
 *
 * Rings. A ring set has one ring for each CPU that has been online since SETUP. Positions (head, reserve,
 * tail, closed) are bytes since the ring was made and never wrap; position X lies at
 * data[X % (packet_bytes * packets)]. A ring is divided into packets of packet_bytes; packet number
 * X / packet_bytes begins with struct kymo_packet, which is a CTF 1.8 packet header and context, followed by
 * records: struct kymo_record, then the fields, byte-packed, in host byte order.
 *
 * How to read (discard mode):
 *	head = load-acquire control->head		everything below is whole
 *	a packet [p, p + packet_bytes) is *closed* if head > p + packet_bytes or
 *	control->closed >= p + packet_bytes: then content_size, timestamp_end and events_discarded are valid,
 *	and its records end at content_size / 8.
 *	The packet that holds head is open: its records end at head; its close fields mean nothing.
 *	tail->tail = store-release of the position up to which the reader is done. A packet's memory is used
 *	again only when tail is at or beyond its end.
 * In overwrite mode the writer does not wait: copy, then read control->reserve; what lies below
 * (reserve rounded up to packet_bytes) - packet_bytes * packets may have changed under the copy.
 *
 * Time is CLOCK_MONOTONIC in ns. A record has the low 32 bits; the packet's timestamp_begin is at most
 * 2^32 - 1 ns before each of its records, and time never goes back inside a ring.
 *
 * Counters: for every event type and session, hits + sum of lost = how often it happened while the session
 * was active. In overwrite mode the number of overwritten records is hits - (those that are found).
 */
#ifndef _UAPI_KYMO_H
#define _UAPI_KYMO_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define KYMO_ABI	1
#define KYMO_DEVICE	"/dev/kymo"

enum kymo_limits {
	KYMO_SETS_MAX = 4,		/* ring sets in a session */
	KYMO_PACKET_BYTES_MIN = 4096,	/* a power of two, not below the page size */
	KYMO_PACKET_BYTES_MAX = 1 << 20,
	KYMO_PACKETS_MIN = 4,		/* in a ring; a power of two */
	KYMO_GLOB_BYTES = 128,
	KYMO_NAME_BYTES = 80,
	KYMO_FIELD_NAME_BYTES = 48,
	KYMO_SOURCE_BYTES = 16,
	KYMO_REASON_BYTES = 128,
};

/* ---- packets and records: what lies in the rings and, byte for byte, in the trace files ---- */

#define KYMO_CTF_MAGIC	0xc1fc1fc1u

struct kymo_packet {
	__u32 magic;			/* KYMO_CTF_MAGIC */
	__u8 uuid[16];			/* of the session */
	__u32 stream_id;		/* stream class: 0 */
	__u64 stream_instance_id;	/* set * cpus + cpu */
	__u64 timestamp_begin;		/* ns */
	__u64 timestamp_end;		/* close field */
	__u64 content_size;		/* close field; bits, this header included */
	__u64 packet_size;		/* bits */
	__u64 packet_seq_num;		/* packet number in the ring + 1 (0 is a recorder's opening packet) */
	__u64 events_discarded;		/* close field; lost in this ring up to the closing, never reset */
	__u32 cpu_id;
} __attribute__((packed));

struct kymo_record {
	__u32 time_low;			/* low half of the time in ns */
	__u16 id;			/* event type */
	__u16 len;			/* bytes of the fields that follow */
} __attribute__((packed));

/* ---- what a ring's maps hold ---- */

enum kymo_mode {
	KYMO_MODE_DISCARD = 0,		/* a full ring loses the newest */
	KYMO_MODE_OVERWRITE = 1,	/* flight recorder: a full ring gives up the oldest packet */
};

/* The control page: read-only for the reader. */
struct kymo_ring_control {
	__u32 packet_bytes;
	__u32 packets;
	__u32 mode;			/* enum kymo_mode */
	__u32 cpu;
	__u64 stream_instance_id;
	__u8 uuid[16];
	__u8 reserved0[24];
	/* of the writers */
	__u64 reserve;			/* next free position; ahead of head while somebody writes */
	__u64 last_ns;			/* time of the last reservation */
	__u64 lost;			/* records of all types lost in this ring */
	__u32 nest;			/* writers inside at this moment */
	__u32 reserved1;
	__u8 reserved2[32];
	/* what the reader waits for */
	__u64 head;			/* all records below are whole */
	__u64 closed;			/* packets that end at or below this position were closed by STOP */
	__u8 reserved3[48];
};

/* The tail page: the only memory that the reader may write. The kernel takes it as a hint. */
struct kymo_ring_tail {
	__u64 tail;			/* all below is done with */
	__u8 reserved[56];
};

/* ---- event types ---- */

enum kymo_field_kind {
	KYMO_FIELD_UNSIGNED = 0,
	KYMO_FIELD_SIGNED = 1,
	KYMO_FIELD_TEXT = 2,		/* count bytes, the text ends at the first NUL */
	KYMO_FIELD_STRING = 3,		/* NUL-terminated; bytes and count are 1 */
};

enum kymo_field_flags {
	KYMO_FIELD_HEX = 1 << 0,	/* shown in base 16 */
	KYMO_FIELD_SEQUENCE = 1 << 1,	/* a __u16 number of elements comes first; count is 0 */
	KYMO_FIELD_ADDRESS = 1 << 2,	/* 16 bytes: an IPv6 address, or IPv4 as ::ffff:a.b.c.d */
	KYMO_FIELD_BIG_ENDIAN = 1 << 3,
};

struct kymo_field {
	char name[KYMO_FIELD_NAME_BYTES];
	__u8 kind;			/* enum kymo_field_kind */
	__u8 bytes;			/* of an element: 1, 2, 4, 8 */
	__u16 flags;			/* enum kymo_field_flags */
	__u32 count;			/* elements: 1 for a scalar, more for an array */
};

enum kymo_type_flags {
	KYMO_TYPE_UNAVAILABLE = 1 << 0,	/* reason says why */
	KYMO_TYPE_INEXACT = 1 << 1,	/* the source can drop without counting (reason says when) */
	KYMO_TYPE_DUMP = 1 << 2,	/* written by KYMO_IOC_DUMP only */
	KYMO_TYPE_RATE = 1 << 3,	/* ENABLE takes rate_hz */
	KYMO_TYPE_ENABLED = 1 << 4,	/* in the asking session */
};

struct kymo_event_type {
	__u32 size;			/* bytes of this entry with its fields; the next entry follows */
	__u16 id;			/* never reused while the module is loaded */
	__u16 fields;
	__u32 flags;			/* enum kymo_type_flags */
	__u32 reserved;
	char source[KYMO_SOURCE_BYTES];
	char name[KYMO_NAME_BYTES];
	char reason[KYMO_REASON_BYTES];	/* a sentence, or empty */
	struct kymo_field field[];
};

/* ---- loss ---- */

enum kymo_loss {
	KYMO_LOSS_FULL = 0,		/* discard mode: the reader has not freed a packet */
	KYMO_LOSS_OVERWRITTEN = 1,	/* overwrite mode; found by the reader: hits - present */
	KYMO_LOSS_NESTED = 2,		/* interrupts on top of one unfinished record filled the whole ring */
	KYMO_LOSS_TOO_BIG = 3,		/* does not fit into a packet */
	KYMO_LOSS_NO_RING = 4,		/* no memory for this CPU's ring */
	KYMO_LOSS_PAUSED = 5,
	KYMO_LOSS_WRITER_DIED = 6,
	KYMO_LOSS_PROBE_MISSED = 7,	/* the hook itself had no room (kretprobe instances) */
	KYMO_LOSS_RATE = 8,
	KYMO_LOSS_THREADS = 9,
	KYMO_LOSS_CAUSES = 10,
};

#define KYMO_LOSS_SLOTS	16		/* of the arrays in the ABI; unused ones are 0 */

/* ---- ioctls ---- */

enum kymo_features {
	KYMO_FEATURE_OVERWRITE = 1 << 0,
	KYMO_FEATURE_DUMP = 1 << 1,
	KYMO_FEATURE_TRACEPOINT = 1 << 2,	/* ENABLE takes "system:name" of any kernel tracepoint */
};

/* KYMO_IOC_INFO: at any time. */
struct kymo_info {
	__u32 abi;			/* out: KYMO_ABI */
	__u32 clock;			/* out: clockid_t of all times */
	__u64 features;			/* out */
	__u32 cpus;			/* out: CPU numbers are below this */
	__u32 page_bytes;		/* out */
	__u32 types;			/* out: event types known now */
	__u32 sets;			/* out: ring sets of this session; 0 before SETUP */
	__u64 generation;		/* out: changes when an event type is added */
	char version[32];		/* out: of the module, for people */
};

struct kymo_set {
	__u32 packet_bytes;		/* in; 0: 65536 */
	__u32 packets;			/* in; of each ring; 0: from the budget. out: what it became */
	__u32 mode;			/* in: enum kymo_mode */
	__u32 watermark;		/* in: poll wakes when a ring has this many packets filled; 0: half */
};

/*
 * KYMO_IOC_SETUP: once (EBUSY), before ENABLE. The ring of (set, cpu) lies at
 * (set * cpus + cpu) * ring_stride in the file; add control_offset, tail_offset or data_offset. mmap there:
 * one page PROT_READ, one page PROT_READ|PROT_WRITE, packet_bytes * packets PROT_READ; MAP_SHARED. ENXIO:
 * this CPU has never been online.
 * ENOMEM: no memory; ENOSPC: the budget is too small for KYMO_PACKETS_MIN packets on each CPU.
 */
struct kymo_setup {
	__u32 flags;			/* in: 0 */
	__u32 sets;			/* in: 1..KYMO_SETS_MAX */
	__u64 budget_bytes;		/* in: ring memory of the session, all CPUs that are present; 0: 4 MiB a CPU */
	struct kymo_set set[KYMO_SETS_MAX];
	__u8 uuid[16];			/* out: of the session; stands in every packet */
	__u32 cpus;			/* out */
	__u32 reserved;
	__u64 ring_stride;		/* out */
	__u64 control_offset;		/* out */
	__u64 tail_offset;		/* out */
	__u64 data_offset;		/* out */
};

/* KYMO_IOC_CATALOGUE: fills buf with entries of the event types from index `first` on, as many as fit. ENOSPC: not even one. */
struct kymo_catalogue {
	__u64 buf;			/* in: address of struct kymo_event_type entries */
	__u32 buf_bytes;		/* in */
	__u32 first;			/* in: 0, then next */
	__u32 used_bytes;		/* out */
	__u32 next;			/* out; 0: that was all */
	__u64 generation;		/* out */
};

enum kymo_enable_flags {
	KYMO_ENABLE_SOURCE = 1 << 0,	/* glob matches the source's name instead of the type's */
};

/*
 * KYMO_IOC_ENABLE, KYMO_IOC_DISABLE: all event types whose name matches. Enabling what is enabled changes
 * its rate only. A name with a colon and no wildcard ("block:block_rq_issue") makes the event type of that
 * kernel tracepoint if it is not there yet. ENOENT: nothing matches. EOPNOTSUPP: what matches is unavailable
 * (the catalogue says why). Of several, those that can be are enabled. After DISABLE returns none is written.
 */
struct kymo_enable {
	char glob[KYMO_GLOB_BYTES];	/* in: *, ?, [a-z] */
	__u32 set;			/* in: ring set */
	__u32 flags;			/* in: enum kymo_enable_flags */
	__u64 rate_hz;			/* in: for KYMO_TYPE_RATE; 0: 99 */
	__u32 matched;			/* out: now (not) enabled */
	__u32 unavailable;		/* out: matched too, but do not work here */
};

struct kymo_type_stats {
	__u32 id;
	__u32 flags;			/* enum kymo_type_flags */
	__u64 hits;			/* written into a ring */
	__u64 lost[KYMO_LOSS_SLOTS];	/* by enum kymo_loss */
};

/* KYMO_IOC_STATS: sums over all CPUs of every event type that was ever enabled in this session. Exact after STOP. */
struct kymo_stats {
	__u64 buf;			/* in: address of struct kymo_type_stats */
	__u32 capacity;			/* in: entries */
	__u32 count;			/* out: entries there are; more than capacity: ask again */
	__u64 time_ns;			/* out */
	__u64 memory_bytes;		/* out: of this session in the kernel */
};

/* KYMO_IOC_START, _STOP: no argument. STOP returns when nobody writes any more and every packet is closed. */

/* KYMO_IOC_SYNC: everything that happened up to time_ns is below the heads when it returns. About 20 ms. */
struct kymo_sync {
	__u64 time_ns;			/* out */
};

/*
 * KYMO_IOC_DUMP: writes the dump types that are enabled, as far as the ring has room for, into the ring of
 * the CPU that it runs on; call again with the same struct after the reader has made room, until done. It
 * keeps at least one packet free, so that it loses nothing by its own doing. EINVAL: not started.
 */
struct kymo_dump {
	__u64 cursor[4];		/* in/out: 0 at first; opaque */
	__u32 done;			/* out */
	__u32 reserved;
};

#define KYMO_IOC_MAGIC		0xEB
#define KYMO_IOC_INFO		_IOWR(KYMO_IOC_MAGIC, 0, struct kymo_info)
#define KYMO_IOC_SETUP		_IOWR(KYMO_IOC_MAGIC, 1, struct kymo_setup)
#define KYMO_IOC_CATALOGUE	_IOWR(KYMO_IOC_MAGIC, 2, struct kymo_catalogue)
#define KYMO_IOC_ENABLE		_IOWR(KYMO_IOC_MAGIC, 3, struct kymo_enable)
#define KYMO_IOC_DISABLE	_IOWR(KYMO_IOC_MAGIC, 4, struct kymo_enable)
#define KYMO_IOC_START		_IO(KYMO_IOC_MAGIC, 5)
#define KYMO_IOC_STOP		_IO(KYMO_IOC_MAGIC, 6)
#define KYMO_IOC_STATS		_IOWR(KYMO_IOC_MAGIC, 7, struct kymo_stats)
#define KYMO_IOC_SYNC		_IOWR(KYMO_IOC_MAGIC, 8, struct kymo_sync)
#define KYMO_IOC_DUMP		_IOWR(KYMO_IOC_MAGIC, 9, struct kymo_dump)

#ifdef __cplusplus
#define KYMO_STATIC_ASSERT static_assert
#else
#define KYMO_STATIC_ASSERT _Static_assert
#endif
KYMO_STATIC_ASSERT(sizeof(struct kymo_packet) == 84, "packet header");
KYMO_STATIC_ASSERT(sizeof(struct kymo_record) == 8, "record header");
KYMO_STATIC_ASSERT(sizeof(struct kymo_ring_control) == 192, "control page");
KYMO_STATIC_ASSERT(__builtin_offsetof(struct kymo_ring_control, reserve) == 64, "control page");
KYMO_STATIC_ASSERT(__builtin_offsetof(struct kymo_ring_control, head) == 128, "control page");
KYMO_STATIC_ASSERT(sizeof(struct kymo_ring_tail) == 64, "tail page");
KYMO_STATIC_ASSERT(sizeof(struct kymo_field) == 56, "field");
KYMO_STATIC_ASSERT(sizeof(struct kymo_event_type) == 240, "event type");
KYMO_STATIC_ASSERT(sizeof(struct kymo_info) == 72, "info");
KYMO_STATIC_ASSERT(sizeof(struct kymo_setup) == 136, "setup");
KYMO_STATIC_ASSERT(sizeof(struct kymo_catalogue) == 32, "catalogue");
KYMO_STATIC_ASSERT(sizeof(struct kymo_enable) == 152, "enable");
KYMO_STATIC_ASSERT(sizeof(struct kymo_type_stats) == 144, "type stats");
KYMO_STATIC_ASSERT(sizeof(struct kymo_stats) == 32, "stats");
KYMO_STATIC_ASSERT(sizeof(struct kymo_dump) == 40, "dump");

#endif
