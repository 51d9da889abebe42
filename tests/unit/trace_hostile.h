/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace in which everything that has a name is called something that a terminal, or a reader of JSON, must be
 * protected from: tasks, programs' and files' paths of 4 KiB, functions, interrupts, interfaces, reasons, event types,
 * files of the trace, the host. Included by a test, which defines nothing before.
 */
#ifndef KYMO_TRACE_HOSTILE_H
#define KYMO_TRACE_HOSTILE_H

#include "trace_make.h"

/* The last bytes of some are cut off where a name is short, in the middle of a character. */
static const char *const hostile_names[] = {
	"\033[2J\033[H\033]0;owned\a",		/* clears, goes home, sets the title */
	"\033P1$q\033\\\x18\x1a\x9b" "31m",	/* device control, C1 as a byte */
	"\302\233" "31m\302\235" "0;x\302\234",	/* C1 as UTF-8 */
	"\377\376\200\300\257\355\240\200",	/* no UTF-8: overlong, surrogate, alone */
	"\364\220\200\200\370\210\200\200\200",	/* beyond the last character */
	"aaaaaaaaaaaaa\346\274\242",		/* cut in the middle */
	"\346\274\242\345\255\227\346\274\242\345\255\227\346\274\242", /* wide */
	"e\314\201\314\201\314\201\314\201\314\201\314\201\314\201",	/* one letter, many accents */
	"\342\200\256gnp.exe\342\200\213",	/* right to left, no width */
	"\342\200\250\302\205\r\n\b\v\f\t",	/* ends of lines of all kinds */
	"\"\\\\\\\",\"x\":1}\\u0000",		/* out of a string of JSON */
	"%s%n%x${x}`x`$(x)",			/* formats and shells */
	"</script><a&amp;>",
	" ",					/* looks like nothing */
	"\357\273\277\357\277\277\360\237\222\251",	/* byte order mark, no character, beyond 16 bits */
	"\003\004\021\023\034\016\017\005",	/* ends, stops, shifts, asks who is there */
};

enum { HOSTILE_NAMES = sizeof(hostile_names) / sizeof(hostile_names[0]), HOSTILE_LONG = 4095, HOSTILE_PID = 5000 };

#define HOSTILE_BEGIN_NS 1000000000000ULL
#define HOSTILE_END_NS (HOSTILE_BEGIN_NS + 2000000000ULL)

/* All of them again and again; the first byte is what a path begins with. */
static inline void hostile_long(char out[HOSTILE_LONG + 1], unsigned int from)
{
	size_t at = 1;

	out[0] = '/';
	for (unsigned int i = from; at < HOSTILE_LONG; i++) {
		const char *name = hostile_names[i % HOSTILE_NAMES];
		const size_t bytes = strlen(name), room = HOSTILE_LONG - at;

		memcpy(out + at, name, bytes < room ? bytes : room);
		at += bytes < room ? bytes : room;
	}
	out[HOSTILE_LONG] = 0;
}

static inline void hostile_comm(char *out, size_t size, unsigned int i)
{
	memset(out, 0, size);
	memcpy(out, hostile_names[i], strnlen(hostile_names[i], size - 1));
}

/* An event whose fixed part is followed by one string, which may be as long as a path. */
static inline void hostile_event(struct make_stream *s, uint16_t id, const void *fixed, size_t bytes, const char *text)
{
	char data[3800];	/* a packet holds it */
	const size_t length = strnlen(text, sizeof(data) - bytes - 1);

	memcpy(data, fixed, bytes);
	memcpy(data + bytes, text, length);
	data[bytes + length] = 0;
	make_event(s, id, data, (uint32_t)(bytes + length + 1));
}

/* kymo/functions as the recorder writes it, the worst of names in it. */
static inline void hostile_functions(const char *dir)
{
	char path[HOSTILE_LONG + 1], name[300];
	FILE *f;

	make_path(name, dir, "kymo/functions");
	f = fopen(name, "we");
	if (!f)
		abort();
	for (unsigned int i = 0; i < HOSTILE_NAMES; i++) {
		hostile_long(path, i);
		for (int text = 0; text < 2; text++) {
			fprintf(f, text ? "1000 1000 " : "binary - 800001 %u ", 200 + i);
			for (const char *c = text && i % 2 ? hostile_names[i] : path; *c; c++)
				fprintf(f, (unsigned char)*c < ' ' || *c == '\\' ? "\\x%02x" : "%c", (unsigned char)*c);
			fputc('\n', f);
		}
	}
	fclose(f);
}

/* A tracepoint's name is up to whoever wrote the module; of what is not printable ASCII no catalogue is read. */
static inline void hostile_catalogue(const char *dir)
{
	char path[300], name[] = "evil:\"%s\\u0000<b>";
	struct kymo_event_type type = { .size = sizeof(type), .id = 4711 };
	FILE *f;

	make_path(path, dir, "kymo/catalogue");
	f = fopen(path, "ae");
	memcpy(type.name, name, sizeof(name));
	memcpy(type.source, "evil\"", 5);
	if (!f || fwrite(&type, sizeof(type), 1, f) != 1 || fclose(f))
		abort();
}

static inline void hostile_session(const char *dir)
{
	static const char text[] =
		"{\"hostname\": \"\\u001b[2Jhost\\u009b31m\\u202e\", \"release\": \"\\u001b]0;x\\u0007\", \"machine\": \"x\\n\", "
		"\"command\": [\"kymo\", \"\\u001b[31m\", \"\\u0085\"], \"cpus\": 1, \"start_ns\": 1000000000000, "
		"\"stop_ns\": 1002000000000, \"clock_start\": {\"monotonic_ns\": 1000000000000, "
		"\"realtime_ns\": 1893456000000000000, \"width_ns\": 100}}";

	make_file(dir, "kymo/session.json", text, sizeof(text) - 1);
}

static inline void hostile_task(struct make_stream *s, unsigned int i)
{
	const int32_t pid = HOSTILE_PID + (int32_t)i;
	struct kymo_ev_lttng_statedump_process_state task = { .tid = pid, .vtid = pid, .pid = pid, .vpid = pid, .ppid = 1,
		.start_ns = 1000000ull * (uint64_t)pid, .uid = 4000000000u + i };
	struct kymo_ev_lttng_statedump_vm_map map = { .pid = pid, .start = 0x555500001000, .end = 0x555500003000,
		.pgoff = 0x1000, .inode = 200 + i, .dev = 0x800001 };
	struct kymo_ev_sched_process_exec exec = { .tid = pid, .old_tid = pid };
	char path[HOSTILE_LONG + 1];

	hostile_long(path, i);
	hostile_comm((char *)task.name, sizeof(task.name), i);
	hostile_comm((char *)exec.comm, sizeof(exec.comm), i);
	make_event(s, KYMO_ID_lttng_statedump_process_state, &task, sizeof(task));
	if (i % 2)
		hostile_event(s, KYMO_ID_sched_process_exec, &exec, sizeof(exec), path);
	path[1023] = 0;	/* as the module cuts it */
	hostile_event(s, KYMO_ID_lttng_statedump_vm_map, &map, sizeof(map), path);
}

static inline void hostile_runs(struct make_stream *s, unsigned int i)
{
	const int32_t pid = HOSTILE_PID + (int32_t)i;
	struct kymo_ev_sched_switch on = { .next_tid = pid }, off = { .prev_tid = pid, .prev_state = 1 };
	struct {
		struct kymo_ev_cpu_sample ev;
		uint16_t kernels, users;
		uint64_t user[2];
	} __attribute__((packed)) sample = { .ev = { .tid = pid, .pid = pid, .period = 10000000, .ip = 0x555500001100,
		.flags = KYMO_SAMPLE_USER }, .users = 2, .user = { 0x555500001100, 0x555500001200 } };
	struct kymo_ev_irq_handler_entry entry = { .irq = (int32_t)i };
	struct kymo_ev_net_dev_xmit packet = { .ifindex = (int32_t)i + 1, .netns = 1, .len = 100 };
	struct kymo_ev_skb_kfree drop = { .ifindex = (int32_t)i + 1, .netns = 1, .len = 60, .reason = i };

	hostile_comm((char *)on.next_comm, sizeof(on.next_comm), i);
	hostile_comm((char *)off.prev_comm, sizeof(off.prev_comm), i);
	hostile_comm((char *)sample.ev.comm, sizeof(sample.ev.comm), i);
	hostile_comm((char *)packet.name, sizeof(packet.name), i);
	hostile_comm((char *)drop.name, sizeof(drop.name), i);
	make_event(s, KYMO_ID_sched_switch, &on, sizeof(on));
	make_clock_ns += 1000000 * (HOSTILE_NAMES - i);
	make_event(s, KYMO_ID_cpu_sample, &sample, sizeof(sample));
	make_ev(s, net_send, .tid = pid, .pid = pid, .cookie = i + 1, .netns = 1, .family = 2, .protocol = 6, .bytes = 1000 - i,
		.saddr = { [10] = 0xff, [11] = 0xff, 127, 0, 0, 1 }, .daddr = { [10] = 0xff, [11] = 0xff, 127, 0, 0, 1 });
	hostile_event(s, KYMO_ID_irq_handler_entry, &entry, sizeof(entry), hostile_names[i]);
	make_clock_ns += 1000;
	make_ev(s, irq_handler_exit, .irq = (int32_t)i, .ret = 1);
	make_event(s, KYMO_ID_net_dev_xmit, &packet, sizeof(packet));
	hostile_event(s, KYMO_ID_skb_kfree, &drop, sizeof(drop), hostile_names[i]);
	make_event(s, KYMO_ID_sched_switch, &off, sizeof(off));
}

static inline void hostile_make(const char *dir)
{
	struct make_trace t;
	struct make_stream *cpu, *own;

	make_clock_ns = HOSTILE_BEGIN_NS;
	make_begin(&t, dir);
	hostile_session(dir);
	hostile_functions(dir);
	hostile_catalogue(dir);
	cpu = make_stream(&t, "stream_0_0", 0);
	own = make_stream(&t, "stream_kymo", 0);
	make_stream(&t, "stream_\033[2J\377", 0);
	for (unsigned int i = 0; i < HOSTILE_NAMES; i++)
		hostile_task(cpu, i);
	make_clock_ns = HOSTILE_BEGIN_NS + 1000000000;
	for (unsigned int i = 0; i < HOSTILE_NAMES; i++)
		hostile_runs(cpu, i);
	make_event(cpu, 4711, "", 0);
	make_ev_string(own, kymo_loss, "\033[2Jevil\0\377full", .type_id = 4711, .count = 3, .begin_ns = HOSTILE_BEGIN_NS,
		.end_ns = make_clock_ns);
	make_clock_ns = HOSTILE_END_NS;
	make_end(&t);
}

#endif
