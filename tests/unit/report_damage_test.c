// SPDX-License-Identifier: GPL-2.0-or-later
/* Damage of all kinds: an error in a sentence or a note, never a crash (the sanitizers watch). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "report_story.h"

/* A stream is of one CPU: a packet that says otherwise is damage, and cannot make reading slow. */
static void test_other_cpu(void **state)
{
	struct scene *scene = scene_begin(state);
	struct make_stream *s = scene->cpu;

	for (int i = 0; i < 200; i++) {
		at_ms(1 + (uint64_t)i);
		make_ev(s, irq_softirq_raise, .vec = 3);
		s->ring.begin.cpu_id = i > 50 ? 60000 : 0;
		if (i % 10 == 9)
			while (s->control->head % MAKE_PACKET_BYTES)
				if (scene_raise(s))
					break;
	}
	scene_read(scene);
	assert_non_null(strstr(scene_warning(scene), "of another CPU"));
}

static void test_foreign(void **state)
{
	const char *dir = ((struct scene *)*state)->dir;

	assert_null(scene_report("/nonexistent"));
	assert_null(scene_report("/dev/null"));
	assert_null(scene_report(dir));
	make_file(dir, "metadata", "garbage", 7);
	assert_null(scene_report(dir));
	make_file(dir, "metadata", "trace { uuid = \"ab010203-0405-0607-0809-0a0b0c0d0e0f\"; }", 56);
	assert_null(scene_report(dir));
	make_end(&scene_begin(state)->trace);
	make_file(dir, "kymo/catalogue", "garbage", 7);
	assert_null(scene_report(dir));
	make_file(dir, "kymo/catalogue", "", 0);
	assert_null(scene_report(dir));
}

static uint32_t random_state = 1;

static uint32_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	return random_state ^= random_state << 5;
}

static void load(const char *dir, const char *name, uint8_t **data, size_t *bytes)
{
	char path[300];
	FILE *f;

	make_path(path, dir, name);
	f = fopen(path, "re");
	*data = malloc(1 << 20);
	*bytes = fread(*data, 1, 1 << 20, f);
	fclose(f);
}

/* One file after the other with bytes changed, pieces cut out and ends cut off; headers more than the rest. */
static void test_mutations(void **state)
{
	static const char *const name[] = { "stream_0_0", "stream_0_1", "stream_kymo", "metadata", "kymo/catalogue",
		"kymo/session.json" };
	const char *dir = story_make(state)->dir;
	unsigned int opened = 0;

	for (unsigned int round = 0; round < 1200; round++) {
		const char *victim = name[round % 6];
		uint8_t *data, *copy;
		size_t bytes, left;
		json_t *root;

		load(dir, victim, &data, &bytes);
		copy = malloc(bytes + 1);
		memcpy(copy, data, bytes);
		left = bytes;
		for (unsigned int i = random_next() % 4 + 1; i && bytes; i--) {
			const size_t at = random_next() % 2 ? random_next() % bytes : random_next() % (bytes < 300 ? bytes : 300);

			switch (random_next() % 4) {
			case 0:
				copy[at] = (uint8_t)random_next();
				break;
			case 1:
				copy[at] ^= (uint8_t)(1u << random_next() % 8);
				break;
			case 2:
				copy[at] = random_next() % 2 ? 0xff : 0;
				break;
			case 3:
				if (random_next() % 4 == 0)
					left = at;
				break;
			}
		}
		make_file(dir, victim, copy, left);
		root = scene_report(dir);
		opened += root != NULL;
		json_decref(root);
		make_file(dir, victim, data, bytes);
		free(copy);
		free(data);
	}
	assert_true(opened > 600 && opened < 1200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_other_cpu), SCENE_TEST(test_foreign), SCENE_TEST(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
