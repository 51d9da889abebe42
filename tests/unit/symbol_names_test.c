// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of real programs, built here with and without what helps: position independent or not, C++, stripped with a
 * debug file beside or by build-id, deleted, inside another root. And of what is no program at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbol/demangle.h"
#include "symbol/image.h"
#include "symbol/kallsyms.h"
#include "symbol/names.h"
#include "symbol/perfmap.h"
#include "symbol/stored.h"

static char room[200];

/* Tells where its two functions are, and stays until its input ends. */
static const char program_c[] =
	"#include <stdio.h>\n"
	"__attribute__((noinline)) int part_seventy(int n) { volatile int i = n; return i * 3; }\n"
	"static __attribute__((noinline)) int part_thirty(int n) { volatile int i = n; return i * 5; }\n"
	"int main(void) { printf(\"%p %p\\n\", (void *)part_seventy, (void *)part_thirty); fflush(stdout);\n"
	"return getchar() + part_seventy(1) + part_thirty(2); }\n";
static const char program_cc[] =
	"#include <cstdio>\n"
	"namespace loom { template <class T> struct Reel {\n"
	"__attribute__((noinline)) static T wind(T n) { volatile T i = n; return i * 3; } };\n"
	"__attribute__((noinline)) int unwind(int n) { volatile int i = n; return i * 5; } }\n"
	"int main() {\n"
	" int (*a)(int) = loom::Reel<int>::wind, (*b)(int) = loom::unwind; std::printf(\"%p %p\\n\", (void *)a, (void *)b);\n"
	"std::fflush(stdout); return std::getchar() + a(1) + b(2); }\n";

static void shell(const char *format, ...)
{
	char command[2000], inside[2300];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(inside, sizeof(inside), "cd '%s' && { %s; }", room, command);
	if (system(inside))
		fail_msg("%s", command);
}

static const char *in_room(const char *name)
{
	static char path[32][400];	/* far more than a test holds at once */
	static unsigned int next;
	char *out = path[next++ % 32];

	snprintf(out, sizeof(path[0]), "%s/%s", room, name);
	return out;
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(in_room(name), "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int set_up(void **state)
{
	snprintf(room, sizeof(room), "%s/kymo-names-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(room))
		return -1;
	write_file("program.c", program_c);
	write_file("program.cc", program_cc);
	return 0;
}

static int tear_down(void **state)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", room);
	return system(command);
}

/* ---- a running program, and its mappings as the kernel module would tell them ---- */

struct child {
	pid_t pid;
	int in, out;
	uint64_t address[2];
};

static struct child child_start(const char *path)
{
	int in[2], out[2];
	struct child c;
	FILE *from;

	assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
	c.pid = fork();
	if (!c.pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(path, path, (char *)NULL);
		_exit(1);
	}
	close(in[0]);
	close(out[1]);
	c.in = in[1];
	from = fdopen(out[0], "r");
	assert_int_equal(fscanf(from, "%" SCNx64 " %" SCNx64, &c.address[0], &c.address[1]), 2);
	fclose(from);
	return c;
}

static void child_stop(struct child *c)
{
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
	close(c->in);
}

static void add_map(struct names *n, struct spaces *s, pid_t pid, struct binary_map *map, struct binary_id *id, const char *path,
		    bool hold)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct image *image = fd >= 0 ? image_open(fd) : NULL;

	id->build_id_bytes = image ? (uint8_t)image_build_id(image, id->build_id) : 0;
	image_close(image);
	if (fd >= 0)
		close(fd);
	map->binary = names_binary(n, pid, map, id, path, hold);
	spaces_map(s, pid, map);
}

static void add_maps(struct names *n, struct spaces *s, pid_t pid, bool hold)
{
	char line[600], path[400], mode[8];
	unsigned int major, minor;
	FILE *from;

	snprintf(line, sizeof(line), "/proc/%d/maps", pid);
	from = fopen(line, "re");
	assert_non_null(from);
	while (fgets(line, sizeof(line), from)) {
		struct binary_map map = { .start = 0 };
		struct binary_id id = { .inode = 0 };

		path[0] = 0;
		sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %399[^\n]", &map.start, &map.end, mode,
		       &map.offset, &major, &minor, &id.inode, path);
		id.dev = major << 20 | minor;
		if (mode[2] == 'x')
			add_map(n, s, pid, &map, &id, path, hold);
	}
	fclose(from);
}

/* Waits for the loader: it answers, or the test hangs and is killed. */
static enum names_state find(struct names *n, const struct names_place *place, struct names_function *f)
{
	enum names_state state;

	while ((state = names_find(n, place, f)) == NAMES_PENDING) {
		names_wait(n, 1000);
		names_poll(n);
	}
	return state;
}

static void assert_named(struct names *n, struct spaces *s, pid_t pid, uint64_t address, const char *want)
{
	const struct names_place place = names_place(s, pid, address, false);
	struct names_function f;
	char name[300];

	if (!want) {
		assert_int_equal(find(n, &place, &f), NAMES_NONE);
		return;
	}
	assert_int_equal(place.kind, NAMES_FILE);
	assert_int_equal(find(n, &place, &f), NAMES_NAMED);
	assert_string_equal(demangle(name, sizeof(name), f.name), want);
	assert_true(f.start <= place.at && place.at < f.start + f.bytes);
}

struct machine {
	struct names *names;
	struct spaces *spaces;
};

static struct machine machine_live(const struct locate *locate)
{
	struct machine m = { names_create(), spaces_create(1000) };

	assert_non_null(m.names);
	assert_non_null(m.spaces);
	assert_int_equal(names_go_live(m.names, locate), 0);
	return m;
}

static void machine_end(struct machine *m)
{
	names_destroy(m->names);
	spaces_destroy(m->spaces);
}

/* Runs it; its two functions have these names. NULL: none can be found. */
static void check_program(const char *program, const struct locate *locate, const char *first, const char *second)
{
	struct child c = child_start(in_room(program));
	struct machine m = machine_live(locate);

	add_maps(m.names, m.spaces, c.pid, false);
	assert_named(m.names, m.spaces, c.pid, c.address[0], first);
	assert_named(m.names, m.spaces, c.pid, c.address[1] + 3, second);
	machine_end(&m);
	child_stop(&c);
}

static void test_programs(void **state)
{
	shell("gcc -O1 -pie -fPIE -o pie program.c && gcc -O1 -no-pie -fno-pie -o fixed program.c && "
	      "g++ -O1 -o cc program.cc && gcc -O1 -static -o static program.c && gcc -O1 -Wl,--build-id=none -o noid program.c");
	check_program("pie", &locate_default, "part_seventy", "part_thirty");
	check_program("fixed", &locate_default, "part_seventy", "part_thirty");
	check_program("static", &locate_default, "part_seventy", "part_thirty");
	check_program("noid", &locate_default, "part_seventy", "part_thirty");
	check_program("cc", &locate_default, "loom::Reel<int>::wind", "loom::unwind");
}

#define KEEP_DEBUG "objcopy --only-keep-debug $p $p.debug && strip -s $p && objcopy --add-gnu-debuglink=$p.debug $p"

static void test_stripped(void **state)
{
	const struct locate elsewhere = { "/proc", room };

	shell("gcc -O1 -o linked program.c && gcc -O1 -Wl,--build-id=none -o crc program.c && cp crc wrong && "
	      "gcc -O1 -g -o byid program.c");
	shell("p=linked; " KEEP_DEBUG);
	check_program("linked", &locate_default, "part_seventy", "part_thirty");
	/* By the check sum, where there is no build-id; in .debug beside it. */
	shell("p=crc; " KEEP_DEBUG " && mkdir .debug && mv crc.debug .debug");
	check_program("crc", &locate_default, "part_seventy", "part_thirty");
	/* A debug file of something else is no use. */
	shell("p=wrong; " KEEP_DEBUG " && cp .debug/crc.debug wrong.debug && printf x >> wrong.debug");
	check_program("wrong", &locate_default, NULL, NULL);
	shell("p=byid; objcopy --only-keep-debug $p $p.debug && strip -s $p && "
	      "id=$(readelf -n byid | sed -n 's/.*Build ID: //p') && d=usr/lib/debug/.build-id/$(echo $id | cut -c1-2) && "
	      "mkdir -p $d && mv byid.debug $d/$(echo $id | cut -c3-).debug");
	check_program("byid", &locate_default, NULL, NULL);
	check_program("byid", &elsewhere, "part_seventy", "part_thirty");
}

/* Stripped, but with its symbols packed into it, as some distributions do; and what is no such thing. */
static void test_packed(void **state)
{
	shell("gcc -O1 -o mini program.c && objcopy --only-keep-debug mini mini.debug && strip -s mini && cp mini bare && "
	      "xz -k mini.debug && objcopy --add-section .gnu_debugdata=mini.debug.xz mini");
	check_program("mini", &locate_default, "part_seventy", "part_thirty");
	shell("cp bare rubbish && objcopy --add-section .gnu_debugdata=program.c rubbish");
	check_program("rubbish", &locate_default, NULL, NULL);
	shell("cp bare half && head -c 500 mini.debug.xz > half.xz && objcopy --add-section .gnu_debugdata=half.xz half");
	check_program("half", &locate_default, NULL, NULL);
	shell("cp bare bomb && head -c 40M /dev/zero | xz -1 > bomb.xz && objcopy --add-section .gnu_debugdata=bomb.xz bomb");
	check_program("bomb", &locate_default, NULL, NULL);
	shell("cp bare text && xz -k program.c && objcopy --add-section .gnu_debugdata=program.c.xz text");
	check_program("text", &locate_default, NULL, NULL);
}

/* Held open before anybody needed it; then file and process are gone. */
static void test_deleted(void **state)
{
	struct machine m = machine_live(&locate_default);
	struct child c;

	shell("gcc -O1 -o deleted program.c");
	c = child_start(in_room("deleted"));
	add_maps(m.names, m.spaces, c.pid, true);
	/* What was asked for later is answered later: the kernel's functions, or that there are none. */
	find(m.names, &(struct names_place){ .kind = NAMES_KERNEL }, &(struct names_function){ 0 });
	shell("rm deleted");
	child_stop(&c);
	assert_named(m.names, m.spaces, c.pid, c.address[0], "part_seventy");
	assert_named(m.names, m.spaces, c.pid, c.address[1], "part_thirty");
	machine_end(&m);
}

/* Another file has taken its place: no name is better than a wrong one. */
static void test_replaced(void **state)
{
	struct machine m = machine_live(&(struct locate){ "/proc/nowhere", "/" });
	struct child c;

	shell("gcc -O1 -o replaced program.c");
	c = child_start(in_room("replaced"));
	add_maps(m.names, m.spaces, c.pid, false);
	shell("sed s/part_/other_/g program.c > other.c && gcc -O2 -o new other.c && mv new replaced");
	assert_named(m.names, m.spaces, c.pid, c.address[0], NULL);
	machine_end(&m);
	child_stop(&c);
}

/* Inside of a root of its own; a link to an absolute path leads nowhere but into that root. */
static void test_root(void **state)
{
	const struct locate locate = { in_room("proc"), "/nonexistent" };
	struct machine m = machine_live(&locate);
	struct binary_map map = { 0x1000, 0x100000, 0, 0 };
	struct names_place place = { .kind = NAMES_FILE, .pid = 77 };
	struct names_function f;
	struct binary_id id = { .inode = 0 };
	struct stat st;

	shell("mkdir -p proc/77 inside/usr/bin && ln -s ../../inside proc/77/root && ln -s /usr/bin inside/bin && "
	      "gcc -O1 -o inside/usr/bin/jailed program.c && ln -s jailed inside/usr/bin/link");
	assert_int_equal(stat(in_room("inside/usr/bin/jailed"), &st), 0);
	id.inode = st.st_ino;
	place.map = map;
	place.map.binary = names_binary(m.names, 77, &map, &id, "/bin/jailed", false);
	shell("nm inside/usr/bin/jailed | sed -n 's/ T part_seventy//p' > at");
	{
		FILE *from = fopen(in_room("at"), "re");

		assert_int_equal(fscanf(from, "%" SCNx64, &place.at), 1);
		fclose(from);
	}
	assert_int_equal(find(m.names, &place, &f), NAMES_NAMED);
	assert_string_equal(f.name, "part_seventy");
	/* A mapped path is the file's own: one that has become a link is another file's. */
	place.map.binary = names_binary(m.names, 77, &map, &id, "/usr/bin/link", false);
	assert_int_equal(find(m.names, &place, &f), NAMES_NONE);
	machine_end(&m);
}

/* ---- what is no program ---- */

static void check_nothing(const char *path, uint64_t inode)
{
	struct machine m = machine_live(&locate_default);
	const struct binary_map map = { 0x1000, 0x100000, 0, 0 };
	const struct binary_id id = { .inode = inode };
	struct names_place place = { .kind = NAMES_FILE, .pid = 999999999, .map = map, .at = 0x1100 };
	struct names_function f;

	place.map.binary = names_binary(m.names, 1, &map, &id, path, true);
	assert_int_equal(find(m.names, &place, &f), NAMES_NONE);
	machine_end(&m);
}

static void test_hostile_files(void **state)
{
	static const char *const names[] = { "fifo", "folder", "socket", "text", "empty", "sparse", "loop" };
	char path[5000];
	struct stat st;

	shell("mkfifo fifo; mkdir folder; echo hello > text; : > empty; truncate -s 10G sparse; ln -s loop loop");
	shell("printf '\\177ELF\\002\\001\\001' | dd of=sparse conv=notrunc status=none");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		st.st_ino = 1;
		lstat(in_room(names[i]), &st);
		check_nothing(in_room(names[i]), st.st_ino);
	}
	check_nothing("/dev/zero", 5);
	check_nothing("/proc/kcore", 1);
	check_nothing("/dev/watchdog (deleted)", 1);
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = 0;
	check_nothing(path, 1);
	for (size_t i = 0; i < sizeof(path) - 1; i += 2)
		path[i] = '/';
	check_nothing(path, 1);
}

/* Every prefix of a program, and with single bytes of its heads turned over: read to the end, or not at all. */
static void read_bytes(const uint8_t *bytes, size_t count)
{
	const int fd = memfd_create("image", MFD_CLOEXEC);
	struct functions *f = functions_create(1 << 20);
	uint8_t id[BINARY_BUILD_ID];
	char link[IMAGE_LINK];
	struct image *image;
	uint32_t crc;

	assert_int_equal(write(fd, bytes, count), (ssize_t)count);
	image = image_open(fd);
	if (image) {
		image_build_id(image, id);
		image_debug_link(image, link, &crc);
		image_functions(image, image, f);
		image_close(image_open_packed(image));
		functions_find(f, 0x1200);
	}
	image_close(image);
	functions_destroy(f);
	close(fd);
}

static void test_broken_images(void **state)
{
	uint8_t *bytes = malloc(1 << 16);
	size_t count;
	FILE *from;

	shell("gcc -O1 -o whole program.c && objcopy --only-keep-debug whole whole.debug && "
	      "xz -k whole.debug && objcopy --add-gnu-debuglink=whole.debug --add-section .gnu_debugdata=whole.debug.xz whole");
	from = fopen(in_room("whole"), "re");
	count = fread(bytes, 1, 1 << 16, from);
	fclose(from);
	for (size_t cut = 0; cut < count; cut += cut < 1024 ? 1 : 61)
		read_bytes(bytes, cut);
	for (size_t i = 0; i < 2048; i++) {
		/* Program heads lie behind the ELF head, section heads at the end. */
		const size_t at = i < 1024 ? i : count - (i - 1023);
		const uint8_t was = bytes[at];

		bytes[at] = i & 1 ? 0xff : was ^ (uint8_t)(1 << i % 8);
		read_bytes(bytes, count);
		bytes[at] = was;
	}
	free(bytes);
}

/* ---- JITs ---- */

static const char *perf_name(int fd, uint64_t at, struct functions **held)
{
	const struct function *f;

	functions_destroy(*held);
	*held = perfmap_read(fd, 1 << 20, 1 << 20);
	f = functions_find(*held, at);
	return f ? functions_name(*held, f) : "";
}

static void test_perf_map(void **state)
{
	char proc[300], host[300];
	const struct locate locate = { proc, host };
	struct functions *held = NULL;
	char status[100];
	int fd;

	snprintf(proc, sizeof(proc), "%s/proc", room);
	snprintf(host, sizeof(host), "%s/host", room);
	shell("mkdir -p proc/78 box/tmp host/tmp && ln -s ../../box proc/78/root");
	snprintf(status, sizeof(status), "Name:\tx\nUid:\t%u\t%u\t0\t0\nNSpid:\t78\t5\n", getuid(), geteuid());
	write_file("proc/78/status", status);
	assert_true(locate_perf_map(&locate, 78) < 0);
	write_file("host/tmp/perf-78.map", "1000 10 of_the_host\n");
	fd = locate_perf_map(&locate, 78);
	assert_true(fd >= 0);
	assert_string_equal(perf_name(fd, 0x1000, &held), "of_the_host");
	close(fd);
	write_file("box/tmp/perf-5.map",
		   "1000 10 first\n1010 20 LazyCompile:~b main.js:1\nrubbish\n 5\n1000 10 second\n0x2000 0x8 hex\n"
		   "3000 10 \n4000 0 nothing\n5000 ffffffffffffffff huge\nfffffffffffffff0 20 wrap\n"
		   "123456789012345678 1 long\n6000 1 cut");
	fd = locate_perf_map(&locate, 78);
	assert_true(fd >= 0);
	assert_string_equal(perf_name(fd, 0x100f, &held), "second");
	assert_string_equal(perf_name(fd, 0x1010, &held), "LazyCompile:~b main.js:1");
	assert_string_equal(perf_name(fd, 0x2007, &held), "hex");
	assert_string_equal(perf_name(fd, 0x2008, &held), "");
	assert_string_equal(perf_name(fd, 0x3000, &held), "");
	assert_string_equal(perf_name(fd, 0x6000, &held), "huge");
	close(fd);
	/* Not ours to read, or not to be read at all. */
	shell("rm box/tmp/perf-5.map host/tmp/perf-78.map; mkfifo box/tmp/perf-5.map");
	assert_true(locate_perf_map(&locate, 78) < 0);
	shell("rm box/tmp/perf-5.map; echo '1000 10 linked' > elsewhere; ln -s ../../elsewhere box/tmp/perf-5.map");
	assert_true(locate_perf_map(&locate, 78) < 0);
	shell("cd box/tmp && rm perf-5.map && truncate -s 10G perf-5.map && printf '\\n1000 10 end\\n' >> perf-5.map");
	fd = locate_perf_map(&locate, 78);
	assert_true(fd >= 0);
	assert_string_equal(perf_name(fd, 0x1000, &held), "end");
	close(fd);
	if (!geteuid()) {
		shell("chown 12345 box/tmp/perf-5.map");
		assert_true(locate_perf_map(&locate, 78) < 0);
	}
	functions_destroy(held);
}

/* ---- the rest ---- */

static void test_vdso(void **state)
{
	struct machine m = machine_live(&locate_default);
	struct functions *f = functions_create(1 << 20);
	struct image *image = image_open_memory((void *)getauxval(AT_SYSINFO_EHDR), 2 * 4096);
	bool clock_gettime = false;

	assert_non_null(image);
	assert_int_equal(image_functions(image, NULL, f), 0);
	add_maps(m.names, m.spaces, getpid(), false);
	for (size_t i = 0; i < functions_count(f); i++) {
		const struct function *function = functions_at(f, i);

		clock_gettime |= !!strstr(functions_name(f, function), "clock_gettime");
		assert_named(m.names, m.spaces, getpid(), getauxval(AT_SYSINFO_EHDR) + function->start,
			     functions_name(f, function));
	}
	assert_true(clock_gettime);
	image_close(image);
	functions_destroy(f);
	machine_end(&m);
}

static void test_demangle(void **state)
{
	static const char *const pairs[][2] = {
		{ "main", "main" }, { "", "" }, { "_start", "_start" }, { "_Z", "_Z" },
		{ "_ZN4loom4ReelIiE4windEi", "loom::Reel<int>::wind" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt" },
		{ "_ZN3foo\033[31mE", "_ZN3foo\033[31mE" },
	};
	char bomb[1500] = "_Z1fISt4pairIiiE", out[300];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_string_equal(demangle(out, sizeof(out), pairs[i][0]), pairs[i][1]);
	assert_string_equal(demangle(out, 8, "_RNvCs1234_7mycrate3foo"), "mycr...");
	assert_string_equal(demangle(out, 8, "a_long_name"), "a_lo...");
	assert_string_equal(demangle(out, 3, "a_long_name"), "a_");
	/* Each pair is of two of the pair before: 2^80 types, if somebody wrote them all. */
	for (int i = 0; i < 80; i++) {
		static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
		char one[64];

		snprintf(one, sizeof(one), "St4pairIS%.*s%c_S%.*s%c_E", i >= 36, "1", digit[i % 36], i >= 36, "1", digit[i % 36]);
		strcat(bomb, one);
	}
	strcat(bomb, "Evv");
	demangle(out, sizeof(out), bomb);
	memset(bomb, 'F', sizeof(bomb));
	memcpy(bomb, "_Z1f", 4);
	bomb[sizeof(bomb) - 1] = 0;
	demangle(out, sizeof(out), bomb);
}

static void test_kernel(void **state)
{
	static const char text[] =
		"ffffffff81000000 40 _text\nffffffff81000040 10 read_zero\nffffffffc0000000 20 kymo_probe [kymo]\n"
		"nonsense\nffffffffc0001000\n12 zz name\n";
	struct functions *f = kallsyms_parse(text, sizeof(text) - 1);
	uint64_t base = 1;

	assert_int_equal(functions_count(f), 3);
	assert_string_equal(functions_name(f, functions_find(f, 0xffffffff8100004f)), "read_zero");
	assert_string_equal(functions_name(f, functions_find(f, 0xffffffffc0000010)), "kymo_probe [kymo]");
	assert_null(functions_find(f, 0xffffffff81000050));
	assert_null(functions_find(f, 5));
	functions_destroy(f);
	write_file("kallsyms",
		   "ffffffff81000000 T _stext\nffffffff81000010 t beta\nffffffff81000010 T __alpha\nffffffff81000010 T alpha\n"
		   "ffffffff81000020 d data\nffffffff81000030 T gamma\nffffffffc0000000 t hook\t[mod]\n0000000000000000 T zero\n");
	f = kallsyms_read(in_room("kallsyms"), &base);
	assert_int_equal(base, 0xffffffff81000000);
	assert_string_equal(functions_name(f, functions_find(f, 0xffffffff8100002f)), "beta");
	assert_string_equal(functions_name(f, functions_find(f, 0xffffffffc0000001)), "hook [mod]");
	assert_int_equal(functions_count(f), 4);
	functions_destroy(f);
	assert_null(kallsyms_read(in_room("nowhere"), &base));
}

/* What was written for a trace names the same, on a machine where none of it exists. */
static void test_stored(void **state)
{
	static const char wild[] = "esc\033[31m \\ line\nbreak \xff";
	const struct binary_id id = { .inode = 5, .dev = 3, .build_id_bytes = 4, .build_id = { 1, 2, 0xab, 0xff } };
	const struct binary_id bare = { .inode = 6, .dev = 3 };
	const struct binary_map map = { 0x10000, 0x20000, 0x1000, 0 };
	struct names *n = names_create();
	struct names_place place = { .kind = NAMES_FILE, .pid = 3, .map = map, .at = 0x1234 };
	struct names_function f;
	char *text, path[2000];
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	memset(path, '\n', sizeof(path));
	path[0] = '/';
	path[1000] = 0;
	fputs("1 1 nobody's\n", to);
	stored_write_binary(to, &id, "/gone with\nnewline");
	stored_write_function(to, 0x1230, 0x10, wild);
	fputs("binary zz\n1230 10 lost\n", to);
	stored_write_binary(to, &bare, path);
	stored_write_function(to, 0x1230, 0x10, "bare");
	stored_write_process(to, 44);
	stored_write_function(to, 0x7f0000000000, 0x40, "jitted");
	fclose(to);
	assert_int_equal(names_read_stored(n, "ffffffff81000000 40 do_it\n", 26, text, bytes), 0);
	place.map.binary = names_binary(n, 3, &map, &id, "/another/path", false);
	assert_int_equal(names_find(n, &place, &f), NAMES_NAMED);
	assert_string_equal(f.name, wild);
	place.at = 0x1240;
	assert_int_equal(names_find(n, &place, &f), NAMES_NONE);
	place.at = 0x1230;
	place.map.binary = names_binary(n, 3, &map, &bare, path, false);
	assert_int_equal(names_find(n, &place, &f), NAMES_NAMED);
	assert_string_equal(f.name, "bare");
	place.map.binary = names_binary(n, 3, &map, &(struct binary_id){ .inode = 7 }, "/etc/hostname", false);
	assert_int_equal(names_find(n, &place, &f), NAMES_NONE);
	place = (struct names_place){ .kind = NAMES_ANONYMOUS, .at = 0x7f000000003f, .pid = 44 };
	assert_int_equal(names_find(n, &place, &f), NAMES_NAMED);
	assert_string_equal(f.name, "jitted");
	place.pid = 45;
	assert_int_equal(names_find(n, &place, &f), NAMES_NONE);
	place = (struct names_place){ .kind = NAMES_KERNEL, .at = 0xffffffff81000001 };
	assert_int_equal(names_find(n, &place, &f), NAMES_NAMED);
	assert_string_equal(f.name, "do_it");
	names_destroy(n);
	free(text);
}

/* Bounded, and honest about it. */
static void test_functions_bound(void **state)
{
	struct functions *f = functions_create(10000);
	int err = 0;
	unsigned int i;

	for (i = 0; !err; i++)
		err = functions_add(f, i * 16, 16, "a_name_of_some_length", 100, FUNCTION_LOCAL);
	assert_int_equal(err, -E2BIG);
	assert_in_range(i, 200, 300);
	functions_seal(f, false);
	assert_true(functions_memory(f) < 11000);
	assert_non_null(functions_find(f, 100));
	assert_null(functions_find(f, i * 16 + 100));
	functions_destroy(f);
	f = functions_create(10000);
	functions_seal(f, false);
	assert_null(functions_find(f, 0));
	functions_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs), cmocka_unit_test(test_stripped), cmocka_unit_test(test_packed),
		cmocka_unit_test(test_deleted),
		cmocka_unit_test(test_replaced), cmocka_unit_test(test_root), cmocka_unit_test(test_hostile_files),
		cmocka_unit_test(test_broken_images), cmocka_unit_test(test_perf_map), cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_demangle), cmocka_unit_test(test_kernel), cmocka_unit_test(test_stored),
		cmocka_unit_test(test_functions_bound),
	};

	return cmocka_run_group_tests_name("names", tests, set_up, tear_down);
}
