/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of the machine that never was: what its programs have mapped, the names that the trace holds for it, and
 * samples of it: kernel and user code, C++ and Rust, a JIT's, a file without names, stacks that end too early in both
 * ways, a name that a terminal must be protected from. Part of trace_story.h.
 */
#ifndef KYMO_TRACE_STORY_CODE_H
#define KYMO_TRACE_STORY_CODE_H

#include "trace_make.h"

enum { CODE_KERNELS = 5, CODE_USERS = 6, CODE_PERIOD_NS = 10000000 };

static const char code_symbols[] =
	"ffffffff81000100 80 do_syscall_64\nffffffff81000200 80 ksys_write\nffffffff81000300 80 tcp_sendmsg\n"
	"ffffffff81000400 80 copy_user_generic\nffffffff81000500 80 do_sys_poll\nffffffff81000600 80 handle_mm_fault\n"
	"ffffffff81000700 80 clear_page\nffffffff81000800 80 kthread\nffffffff81000900 80 __do_softirq\n"
	"ffffffff81000a00 80 net_rx_action\nffffffffc0000100 80 veth_poll [veth]\n";

/* Files are told by their inodes here; offsets are the addresses less the program's base, and the text begins at 0x1000. */
static const char code_functions[] =
	"binary - 800001 101 /usr/sbin/nginx\n"
	"1100 80 main\n1200 80 ngx_worker_process_cycle\n1300 80 ngx_epoll_process_events\n1400 80 ngx_http_write_filter\n"
	"1500 80 ngx_http_parse_header_line\n"
	"binary - 800001 102 /usr/lib/gcc/cc1plus\n"
	"1100 80 main\n1200 80 _ZN6parser8Compiler3runERKSt6vectorIiSaIiEE\n1300 80 _ZN6parser5TokenILi3EE4nextEv\n"
	"1400 80 _ZNSt3mapIiSt6vectorIS_IiiESaIS1_EEE8allocateEv\n"
	"binary - 800001 103 /usr/bin/wrk\n"
	"1100 80 _RNvCs1234_3wrk4main\n1200 80 _RNvNtCs1234_3wrk4http5parse\n"
	"binary - 800001 105 /tmp/evil\n"
	"1100 80 \\x1b[2J\\x1b]0;owned\\x07\\xff\n"
	"process 4194303\n"
	"7f0000001100 80 Interpreter\n7f0000001200 80 LCache;::lookup\n7f0000001300 80 LTree;::rotateLeft\n";

struct code_program {
	const char *comm, *path;
	uint32_t inode;
};

static const struct code_program code_programs[] = {
	{ "nginx", "/usr/sbin/nginx", 101 }, { "cc1plus", "/usr/lib/gcc/cc1plus", 102 }, { "wrk", "/usr/bin/wrk", 103 },
	{ "make", "/usr/bin/make", 104 }, { "\033[31mred\033]0;x\a", "/tmp/\033[31mevil", 105 },
};

/* A kind of stack, by the low parts of its addresses, innermost first. */
struct code_stack {
	const char *comm;		/* of the threads whose stack it is; a prefix */
	uint16_t kernel[CODE_KERNELS], user[CODE_USERS];
	uint8_t flags, weight;		/* weight: of all of that comm */
	bool module;			/* the innermost kernel address is a module's */
};

static const struct code_stack code_stacks[] = {
	{ "nginx", { 0x410, 0x320, 0x210, 0x110 }, { 0x1420, 0x1320, 0x1210, 0x1110 }, 0, 5, false },
	{ "nginx", { 0x330, 0x220, 0x120 }, { 0x1420, 0x1320, 0x1210, 0x1110 }, 0, 2, false },
	{ "nginx", { 0 }, { 0x1510, 0x1330, 0x1210, 0x1110 }, KYMO_SAMPLE_USER, 4, false },
	{ "wrk", { 0x510, 0x120 }, { 0x1210, 0x1110 }, KYMO_SAMPLE_USTACK_BROKEN, 3, false },
	{ "wrk", { 0 }, { 0x1220, 0x1110 }, KYMO_SAMPLE_USER, 3, false },
	{ "cc1plus", { 0 }, { 0x1310, 0x1210, 0x1110 }, KYMO_SAMPLE_USER, 4, false },
	{ "cc1plus", { 0x710, 0x610 }, { 0x1410, 0x1210, 0x1110 }, 0, 2, false },
	{ "java", { 0 }, { 0x1210, 0x1110 }, KYMO_SAMPLE_USER, 3, false },
	{ "java", { 0 }, { 0x1310, 0x1310, 0x1310, 0x1310, 0x1310, 0x1310 }, KYMO_SAMPLE_USER | KYMO_SAMPLE_USTACK_TRUNCATED, 2,
		false },
	{ "GC Thread", { 0 }, { 0x1110 }, KYMO_SAMPLE_USER, 1, false },
	{ "C2 Comp", { 0 }, { 0x1110 }, KYMO_SAMPLE_USER, 1, false },
	{ "make", { 0 }, { 0x1110 }, KYMO_SAMPLE_USER, 1, false },
	{ "\033[31mred", { 0 }, { 0x1110 }, KYMO_SAMPLE_USER, 1, false },
	{ "ksoftirqd", { 0x110, 0xa10, 0x910, 0x810 }, { 0 }, 0, 1, true },
};

enum { CODE_STACKS = sizeof(code_stacks) / sizeof(code_stacks[0]) };

static const struct code_program *code_program(const char *comm)
{
	for (size_t i = 0; i < sizeof(code_programs) / sizeof(code_programs[0]); i++)
		if (!strncmp(code_programs[i].comm, comm, 15))
			return &code_programs[i];
	return NULL;
}

#define CODE_BASE(p) (0x555500000000ull + ((p) ? (p)->inode : 0) * 0x1000000ull)

static inline void code_names(const char *dir)
{
	make_file(dir, "kymo/symbols", code_symbols, sizeof(code_symbols) - 1);
	make_file(dir, "kymo/functions", code_functions, sizeof(code_functions) - 1);
}

/* As the start dump tells it; or, new, as exec does. */
static inline void code_map(struct make_stream *s, int32_t pid, const char *comm, bool new)
{
	const struct code_program *p = code_program(comm);
	struct {
		struct kymo_ev_task_mmap ev;
		char path[64];
	} __attribute__((packed)) mapped = { .ev = { .tid = pid, .pid = pid } };
	struct {
		struct kymo_ev_lttng_statedump_vm_map ev;
		char path[64];
	} __attribute__((packed)) dumped = { .ev = { .pid = pid } };

	if (!p)
		return;
	mapped.ev.start = dumped.ev.start = CODE_BASE(p) + 0x1000;
	mapped.ev.end = dumped.ev.end = CODE_BASE(p) + 0x3000;
	mapped.ev.offset = dumped.ev.pgoff = 0x1000;
	mapped.ev.inode = dumped.ev.inode = p->inode;
	mapped.ev.dev = dumped.ev.dev = 0x800001;
	snprintf(mapped.path, sizeof(mapped.path), "%s", p->path);
	snprintf(dumped.path, sizeof(dumped.path), "%s", p->path);
	if (new)
		make_event(s, KYMO_ID_task_mmap, &mapped, (uint32_t)(sizeof(mapped.ev) + strlen(mapped.path) + 1));
	else
		make_event(s, KYMO_ID_lttng_statedump_vm_map, &dumped, (uint32_t)(sizeof(dumped.ev) + strlen(dumped.path) + 1));
}

/* Anonymous code: the JIT's. */
static inline void code_map_jit(struct make_stream *s, int32_t pid)
{
	make_ev_string(s, lttng_statedump_vm_map, "", .pid = pid, .start = 0x7f0000001000, .end = 0x7f0000003000);
}

static const struct code_stack *code_stack(const char *comm, uint32_t random)
{
	unsigned int weights = 0;

	for (unsigned int i = 0; i < CODE_STACKS; i++)
		if (!strncmp(code_stacks[i].comm, comm, strlen(code_stacks[i].comm)))
			weights += code_stacks[i].weight;
	if (!weights)
		return NULL;
	random %= weights;
	for (unsigned int i = 0; i < CODE_STACKS; i++) {
		if (strncmp(code_stacks[i].comm, comm, strlen(code_stacks[i].comm)))
			continue;
		if (random < code_stacks[i].weight)
			return &code_stacks[i];
		random -= code_stacks[i].weight;
	}
	return NULL;
}

/* One sample of whoever is on a CPU; of whom there is no stack, the innermost address alone, which has no name. */
static inline void code_sample(struct make_stream *s, int32_t tid, int32_t pid, const char *comm, uint32_t random)
{
	const struct code_stack *stack = code_stack(comm, random);
	const uint64_t base = code_program(comm) ? CODE_BASE(code_program(comm)) : 0x7f0000000000ull;
	struct {
		struct kymo_ev_cpu_sample ev;
		uint16_t kernels;
		uint8_t rest[(CODE_KERNELS + CODE_USERS) * 8 + 2];
	} __attribute__((packed)) sample = { .ev = { .tid = tid, .pid = pid, .period = CODE_PERIOD_NS } };
	uint16_t users = 0;
	uint8_t *at = sample.rest, *count;

	memcpy(sample.ev.comm, comm, strnlen(comm, 15));
	sample.ev.flags = stack ? stack->flags : KYMO_SAMPLE_USER;
	for (; stack && sample.kernels < CODE_KERNELS && stack->kernel[sample.kernels]; sample.kernels++, at += 8) {
		const bool module = stack->module && !sample.kernels;
		const uint64_t address = (module ? 0xffffffffc0000000 : 0xffffffff81000000) + stack->kernel[sample.kernels];

		memcpy(at, &address, 8);
	}
	count = at;
	at += 2;
	for (; stack && users < CODE_USERS && stack->user[users]; users++, at += 8) {
		const uint64_t address = base + stack->user[users];

		memcpy(at, &address, 8);
	}
	memcpy(count, &users, 2);
	make_event(s, KYMO_ID_cpu_sample, &sample, (uint32_t)(at - (uint8_t *)&sample));
}

#endif
