// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any tracepoint: its record as the kernel makes it for perf, copied whole; the collector takes the fields out of it.
 * Each of the event types has this program loaded once more for itself, so that the kernel counts by type how often it
 * did not run it. Which one it is, the cookie of its attachment says. Returns TRACEPOINT_PASS always: with 0 the event
 * would be hidden from everybody who uses perf on the same tracepoint.
 */
#include "emit.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BPF_MADE);
	__type(key, __u32);
	__type(value, struct bpf_shape);
} shapes SEC(".maps");

enum { TRACEPOINT_PASS = 1 };
enum { TRACEPOINT_HEADER = 8 };	/* the kernel has put an address over it */

/* Up to the end of the last thing that a word of the record tells of. */
static __always_inline __u32 tracepoint_bytes(const void *ctx, const struct bpf_shape *shape)
{
	__u32 bytes = shape->fixed_bytes;

	for (unsigned int i = 0; i < BPF_LOCATED && i < shape->located; i++) {
		const __u32 offset = shape->word[i].offset;
		__u32 word = 0, end;

		bpf_probe_read_kernel(&word, sizeof(word), ctx + offset);
		end = (word & 0xffff) + (word >> 16);
		if (shape->word[i].relative)
			end += offset + sizeof(word);
		if (end > bytes)
			bytes = end;
	}
	return bytes < BPF_RECORD_BYTES ? bytes : BPF_RECORD_BYTES;
}

struct tracepoint_record { struct bpf_head head; __u32 common; __s32 common_pid; __u8 data[]; };

/* Reservations are of constant size: the first of these that is large enough. */
#define TRACEPOINT_COPY(most) do { \
	struct tracepoint_record *r; \
	__u32 more = bytes - TRACEPOINT_HEADER; \
	\
	if (bytes > (most)) \
		break; \
	r = emit_reserve_bytes(slot, bytes, sizeof(r->head) + (most)); \
	if (!r) \
		return TRACEPOINT_PASS; \
	r->common = 0; \
	r->common_pid = (__s32)bpf_get_current_pid_tgid(); \
	asm volatile("" : "+r"(more)); \
	if (more <= (most) - TRACEPOINT_HEADER) \
		bpf_probe_read_kernel(r->data, more, ctx + TRACEPOINT_HEADER); \
	emit_submit(r); \
	return TRACEPOINT_PASS; \
} while (0)

SEC("tp")
int tracepoint_any(void *ctx)
{
	const __u32 slot = bpf_get_attach_cookie(ctx), index = slot - BPF_MADE_FIRST;
	const struct bpf_shape *shape = bpf_map_lookup_elem(&shapes, &index);
	__u32 bytes;

	if (!shape || !emit_active)
		return TRACEPOINT_PASS;
	bytes = tracepoint_bytes(ctx, shape);
	if (bytes < TRACEPOINT_HEADER)
		return TRACEPOINT_PASS;
	TRACEPOINT_COPY(64);
	TRACEPOINT_COPY(128);
	TRACEPOINT_COPY(256);
	TRACEPOINT_COPY(1024);
	TRACEPOINT_COPY(BPF_RECORD_BYTES);
	return TRACEPOINT_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
