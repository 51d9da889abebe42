// SPDX-License-Identifier: GPL-2.0-or-later
/* Address spaces against a model that has one word for each page of each process; binaries by build-id and inode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "symbol/binaries.h"
#include "symbol/spaces.h"

enum { PAGE = 4096, PAGES = 40, PIDS = 6, STEPS = 60000 };

static uint64_t random_state = 0x9e3779b97f4a7c15ull;

static unsigned int random_below(unsigned int n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned int)(random_state >> 33) % n;
}

struct model_page {
	bool mapped;
	uint32_t binary, serial;
	uint64_t offset;
};

struct model_process {
	struct model_page page[PAGES];
	uint32_t serial, renamed;
	bool known, exited;
};

static struct model_process model[PIDS + 1];

static void model_map(struct model_process *p, unsigned int first, unsigned int count, uint32_t binary, uint64_t offset)
{
	for (unsigned int i = 0; i < count; i++)
		p->page[first + i] = (struct model_page){ true, binary, p->serial, offset + i * PAGE };
	p->serial++;
	p->known = true;
}

static void model_exec(struct model_process *p)
{
	for (unsigned int i = 0; p->renamed && i < PAGES; i++)
		if (p->page[i].serial < p->renamed)
			p->page[i].mapped = false;
	p->renamed = 0;
}

static void step(struct spaces *s)
{
	const int32_t pid = 1 + (int32_t)random_below(PIDS), other = 1 + (int32_t)random_below(PIDS);
	struct model_process *p = &model[pid];
	const unsigned int first = random_below(PAGES), count = 1 + random_below(PAGES - first);
	const uint32_t binary = random_below(9);

	switch (random_below(12)) {
	case 0:
		spaces_forked(s, pid, other);
		if (pid == other)
			break;
		model[other] = *p;
		model[other].renamed = 0;
		model[other].exited = false;
		break;
	case 1:
		spaces_renamed(s, pid);
		p->renamed = p->serial;
		break;
	case 2:
		spaces_execed(s, pid);
		model_exec(p);
		break;
	case 3:
		spaces_exited(s, pid);
		p->exited = p->known;
		break;
	case 4:
		spaces_freed(s, pid);
		if (!p->exited)
			break;
		memset(p, 0, sizeof(*p));
		p->serial = 1;
		break;
	default:
		spaces_map(s, pid, &(struct binary_map){ first * PAGE, (first + count) * PAGE, first * 16 * PAGE, binary });
		model_map(p, first, count, binary, first * 16 * PAGE);
	}
}

static void check(const struct spaces *s)
{
	const int32_t pid = 1 + (int32_t)random_below(PIDS);
	const unsigned int page = random_below(PAGES);
	const struct model_page *want = &model[pid].page[page];
	const uint64_t address = page * PAGE + random_below(PAGE);
	struct binary_map got;

	if (!spaces_find(s, pid, address, &got)) {
		assert_false(want->mapped);
		return;
	}
	assert_true(want->mapped);
	assert_int_equal(got.binary, want->binary);
	assert_int_equal(address - got.start + got.offset, want->offset + address % PAGE);
	assert_true(got.start <= address && address < got.end);
}

static void test_model(void **state)
{
	struct spaces *s = spaces_create(100);

	for (int i = 0; i <= PIDS; i++)
		model[i].serial = 1;
	for (unsigned int i = 0; i < STEPS; i++) {
		step(s);
		for (int k = 0; k < 4; k++)
			check(s);
	}
	assert_int_equal(spaces_refused(s), 0);
	spaces_destroy(s);
}

/* More processes than there is room for; the dead make room, and never one that lives again under the same number. */
static void test_bounds(void **state)
{
	const struct binary_map map = { PAGE, 2 * PAGE, 0, 7 };
	struct spaces *s = spaces_create(2000);
	struct binary_map got;

	for (int32_t pid = 1; pid <= 3000; pid++)
		spaces_map(s, pid, &map);
	assert_int_equal(spaces_count(s), 2000);
	assert_int_equal(spaces_refused(s), 1000);
	for (int32_t pid = 1; pid <= 1500; pid++)
		spaces_exited(s, pid);
	assert_int_equal(spaces_count(s), 2000 - (1500 - 1024));
	assert_false(spaces_find(s, 1, PAGE, &got));
	assert_true(spaces_find(s, 1500, PAGE, &got));
	spaces_map(s, 5000, &map);
	assert_true(spaces_find(s, 5000, PAGE, &got));
	spaces_forked(s, 5000, 1500);
	for (int32_t pid = 1501; pid <= 2000; pid++)
		spaces_exited(s, pid);
	for (int32_t pid = 3000; pid < 5000; pid++) {
		spaces_map(s, pid, &map);
		spaces_exited(s, pid);
	}
	assert_true(spaces_find(s, 1500, PAGE, &got));
	for (unsigned int i = 0; i < 20000; i++)
		spaces_map(s, 5000, &(struct binary_map){ i * 2 * PAGE, (i * 2 + 1) * PAGE, 0, 1 });
	assert_true(spaces_refused(s) > 1000 + 20000 - 8300);
	spaces_map(s, 5000, &(struct binary_map){ 5, 5, 0, 1 });
	spaces_map(s, 5000, &(struct binary_map){ 9, 5, 0, 1 });
	spaces_destroy(s);
}

static struct binary_id id_of(uint64_t inode, const char *build_id)
{
	struct binary_id id = { .inode = inode, .dev = 8 << 20 | 1 };

	id.build_id_bytes = (uint8_t)strlen(build_id);
	memcpy(id.build_id, build_id, id.build_id_bytes);
	return id;
}

static uint32_t number(struct binaries *b, uint64_t inode, const char *build_id, const char *path)
{
	const struct binary_id id = id_of(inode, build_id);
	bool made;

	return binaries_get(b, &id, path, &made);
}

static void test_binaries(void **state)
{
	struct binaries *b = binaries_create(5);
	const uint32_t libc = number(b, 10, "abcdefgh", "/lib/libc.so.6");
	uint32_t late, again;

	assert_int_equal(number(b, 10, "abcdefgh", "/lib/libc.so.6"), libc);
	/* Hard links and other mount namespaces: by another path, the same; without build-id the path must do. */
	assert_int_equal(number(b, 10, "abcdefgh", "/container/lib/libc.so.6"), libc);
	assert_int_equal(number(b, 10, "", "/lib/libc.so.6"), libc);
	/* A copy of it is another file, but the same code. */
	late = number(b, 11, "", "/copy/libc.so.6");
	assert_int_not_equal(late, libc);
	assert_int_equal(binaries_same(b, late), late);
	assert_int_equal(number(b, 11, "abcdefgh", "/copy/libc.so.6"), late);
	assert_int_equal(binaries_same(b, late), libc);
	/* The inode was given to another file. */
	again = number(b, 10, "zzzzzzzz", "/tmp/a.out");
	assert_int_not_equal(again, libc);
	assert_int_equal(number(b, 10, "abcdefgh", "/lib/libc.so.6"), libc);
	assert_int_equal(number(b, 10, "zzzzzzzz", "/tmp/a.out"), again);
	assert_string_equal(binaries_path(b, again), "/tmp/a.out");
	number(b, 20, "", "/a");
	number(b, 21, "", "/b");
	assert_int_equal(number(b, 22, "", "/c"), BINARIES_OTHERS);
	assert_string_equal(binaries_path(b, BINARIES_OTHERS), "(other files)");
	assert_string_equal(binaries_path(b, 12345), "");
	binaries_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model), cmocka_unit_test(test_bounds), cmocka_unit_test(test_binaries),
	};

	return cmocka_run_group_tests_name("spaces", tests, NULL, NULL);
}
