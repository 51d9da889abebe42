// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The names of sampled functions are kept while a recording runs: packets with the mappings and addresses of a real
 * program, which is deleted and dead before its names are asked for; and of this process's JIT map.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "trace_make.h" /* before signal.h, which makes macros of names of fields */

#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>

#include "input.h"
#include "machine.h"
#include "sampled.h"

static const char program[] =
	"#include <stdio.h>\n"
	"__attribute__((noinline)) int part_seventy(int n) { volatile int i = n; return i * 3; }\n"
	"static __attribute__((noinline)) int part_thirty(int n) { volatile int i = n; return i * 5; }\n"
	"int main(void) { printf(\"%p %p %p\\n\", (void *)part_seventy, (void *)part_thirty, (void *)main); fflush(stdout);\n"
	"return getchar() + part_seventy(1) + part_thirty(2); }\n";

struct recorded {
	struct catalogue *catalogue;
	struct machine *machine;
	struct sampled *sampled;
	struct make_trace trace;
	struct make_stream *stream;
	uint64_t taken;
};

static void recorded_begin(struct recorded *r, const char *dir)
{
	size_t bytes;
	void *entries = builtin_entries(&bytes);

	*r = (struct recorded){ .catalogue = catalogue_create(), .machine = machine_create(), .taken = sizeof(struct kymo_packet) };
	catalogue_add(r->catalogue, entries, bytes);
	free(entries);
	r->sampled = sampled_create(r->catalogue);
	assert_non_null(r->sampled);
	make_begin(&r->trace, dir);
	r->stream = make_stream(&r->trace, "stream_0_0", 0);
}

static void recorded_end(struct recorded *r)
{
	make_end(&r->trace);
	sampled_destroy(r->sampled);
	machine_destroy(r->machine);
	catalogue_destroy(r->catalogue);
}

/* What has been written since the last time, all of it in the first packet; the machine hears of it, too. */
static void take(struct recorded *r)
{
	const struct stretch s = { .packet = (const void *)r->stream->data, .from = (uint32_t)r->taken,
				   .to = (uint32_t)r->stream->control->head, .last_ns = make_clock_ns };
	struct packet_walk walk;
	struct event e;

	sampled_take(r->sampled, &s);
	packet_walk_init(&walk, r->catalogue, s.packet, s.from, s.to, s.last_ns);
	while (packet_walk_next(&walk, &e) == 1)
		machine_event(r->machine, e.type->id, &e);
	r->taken = s.to;
}

static void map_event(struct recorded *r, int32_t pid, const char *line)
{
	struct { struct kymo_ev_task_mmap ev; char path[400]; } __attribute__((packed)) m = { .ev = { .tid = pid, .pid = pid } };
	unsigned int major, minor;
	uint64_t start, end, offset, inode;
	char mode[8];

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %399[^\n]", &start, &end, mode, &offset, &major,
		   &minor, &inode, m.path) < 7 || mode[2] != 'x')
		return;
	m.ev.start = start;
	m.ev.end = end;
	m.ev.offset = offset;
	m.ev.inode = inode;
	m.ev.dev = major << 20 | minor;
	make_event(r->stream, KYMO_ID_task_mmap, &m, (uint32_t)(sizeof(m.ev) + strlen(m.path) + 1));
}

static void map_events(struct recorded *r, int32_t pid)
{
	char line[600];
	FILE *from;

	snprintf(line, sizeof(line), "/proc/%d/maps", pid);
	from = fopen(line, "re");
	assert_non_null(from);
	while (fgets(line, sizeof(line), from))
		map_event(r, pid, line);
	fclose(from);
}

static void sample_event(struct recorded *r, int32_t pid, uint64_t inner, uint64_t outer)
{
	struct { struct kymo_ev_cpu_sample ev; uint16_t kernels, users; uint64_t user[2]; } __attribute__((packed)) s = {
		.ev = { .tid = pid, .pid = pid, .period = 1, .flags = KYMO_SAMPLE_USER, .ip = inner }, .users = 2,
		.user = { inner, outer } };

	make_clock_ns += 1000;
	make_event(r->stream, KYMO_ID_cpu_sample, &s, sizeof(s));
}

static char *written(struct recorded *r)
{
	size_t bytes;
	char *text;

	sampled_place(r->sampled, r->machine, UINT64_MAX);
	while (!sampled_wait(r->sampled, 1000))
		;
	assert_int_equal(sampled_write(r->sampled, SIZE_MAX, &text, &bytes), 0);
	assert_int_equal(strlen(text), bytes);
	return text;
}

static void test_deleted(void **state)
{
	char dir[200], command[1000], line[300];
	struct recorded r;
	uint64_t seventy, thirty, main_;
	FILE *child;
	char *text;
	int pid;

	make_room(dir);
	make_file(dir, "program.c", program, sizeof(program) - 1);
	snprintf(command, sizeof(command), "cd %s && gcc -O1 -o prog program.c", dir);
	assert_int_equal(system(command), 0);
	recorded_begin(&r, dir);
	{
		int in[2], out[2];

		assert_int_equal(pipe(in) | pipe(out), 0);
		pid = fork();
		if (!pid) {
			dup2(in[0], 0);
			dup2(out[1], 1);
			snprintf(line, sizeof(line), "%s/prog", dir);
			execl(line, line, (char *)NULL);
			_exit(1);
		}
		close(out[1]);
		child = fdopen(out[0], "r");
		assert_int_equal(fscanf(child, "%" SCNx64 " %" SCNx64 " %" SCNx64, &seventy, &thirty, &main_), 3);
		fclose(child);
		map_events(&r, pid);
		take(&r);
		/* Until the loader has it open. */
		snprintf(line, sizeof(line), "ls -l /proc/%d/fd | grep -q %s/prog", getpid(), dir);
		while (system(line))
			usleep(10000);
		snprintf(line, sizeof(line), "rm %s/prog", dir);
		assert_int_equal(system(line), 0);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(in[0]);
		close(in[1]);
	}
	for (int i = 0; i < 5; i++)
		sample_event(&r, pid, seventy, main_ + 8);
	sample_event(&r, pid, thirty + 1, 0x1234);
	take(&r);
	/* Another round: what is younger than what the machine knows waits. */
	sampled_place(r.sampled, r.machine, 1);
	text = written(&r);
	snprintf(line, sizeof(line), "%s/prog\n", dir);
	assert_non_null(strstr(text, line));
	assert_non_null(strstr(text, " part_seventy\n"));
	assert_non_null(strstr(text, " part_thirty\n"));
	assert_non_null(strstr(text, " main\n"));
	assert_null(strstr(strstr(text, " part_seventy\n") + 2, "part_seventy"));
	assert_null(strstr(text, "_start"));
	free(text);
	assert_int_equal(sampled_left_out(r.sampled), 0);
	recorded_end(&r);
	make_remove(dir);
}

/* More than there is room for is counted, and what is written ends with a whole line. */
static void test_bounds(void **state)
{
	char dir[200];
	struct recorded r;
	size_t bytes;
	char *text;

	make_room(dir);
	recorded_begin(&r, dir);
	map_events(&r, getpid());
	sample_event(&r, getpid(), (uint64_t)test_deleted, (uint64_t)recorded_begin + 1);
	sample_event(&r, getpid(), (uint64_t)test_bounds, (uint64_t)recorded_end + 1);
	take(&r);
	text = written(&r);
	assert_non_null(strstr(text, " test_bounds\n"));
	assert_non_null(strstr(text, " recorded_end\n"));
	free(text);
	assert_int_equal(sampled_write(r.sampled, 100, &text, &bytes), 0);
	assert_true(bytes <= 100);
	assert_true(!bytes || text[bytes - 1] == '\n');
	free(text);
	assert_int_equal(sampled_left_out(r.sampled), 1);
	recorded_end(&r);
	make_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_deleted), cmocka_unit_test(test_bounds) };

	return cmocka_run_group_tests_name("sampled", tests, NULL, NULL);
}
