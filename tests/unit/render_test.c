// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every view of a trace whose content is known, drawn at three sizes, in colour and mono, against what was looked at
 * and found good: golden/VIEW-COLUMNSxROWS-DEPTH.txt. KYMO_GOLDEN=update writes them anew: look at the difference
 * before it is committed (git diff tests/unit/golden). Then sizes and states of all kinds: whatever is asked for, it
 * stays inside of the grid and is safe.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "trace_story.h"
#include "cpu_range.h"
#include "drawn.h"
#include "golden.h"
#include "top/feed.h"

enum { SECONDS = 8, DRAWN_NS = 1000000000 };

static char room[200];
static struct feed *feed;
static const struct snapshot *snapshot;
static struct vitals vitals;

/* The sixth second. A replay knows nothing of Kymograph's own cost: this is a live one's header. */
static int begin(void **state)
{
	char why[FEED_WHY];

	make_room(room);
	story_make(room, SECONDS);
	feed = feed_trace(room, why);
	assert_non_null(feed);
	for (unsigned int i = 0; i < 6; i++)
		assert_int_equal(feed_tick(feed, DRAWN_NS, &snapshot), 0);
	vitals = snapshot->vitals;
	vitals.lost_ever = 1234;
	vitals.own_cpu_ns = 6000000;
	vitals.own_events = 140;
	vitals.own_memory_bytes = 11000000;
	return 0;
}

static int end(void **state)
{
	feed_destroy(feed);
	make_remove(room);
	return 0;
}

static void draw(struct drawn *d, unsigned int rows, unsigned int columns)
{
	const struct render_scene scene = {
		.snapshot = snapshot, .vitals = &vitals, .host = "web1", .input = "kmod", .release = "6.1.0-57-amd64",
	};

	drawn_make(d, scene, rows, columns);
}

static void type(struct drawn *d, const char *keys, unsigned int page)
{
	for (; *keys; keys++) {
		const struct stroke stroke = { .code = (uint8_t)*keys };
		const unsigned int todo = state_stroke(&d->state, &stroke);

		if (todo & STATE_ORDER)
			list_make(&d->list, snapshot, &d->state, page);
		if (todo & STATE_MOVE)
			list_move(&d->list, &d->state, page);
		if (todo & STATE_DRILL && list_drill(&d->list, &d->state))
			list_make(&d->list, snapshot, &d->state, page);
		if (todo & STATE_FIND)
			list_find(&d->list, &d->state, page);
		if (todo & STATE_USERS)
			list_users(&d->list, &d->state);
	}
}

/* ---- golden ---- */

static const unsigned int sizes[][2] = { { 50, 200 }, { 24, 80 }, { 10, 40 } };

static void golden(const char *name, const struct view *view, const char *keys)
{
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct drawn d = { 0 };

		state_init(&d.state, view, DRAWN_NS, false);
		draw(&d, sizes[i][0], sizes[i][1]);
		type(&d, keys, render_page(sizes[i][0], sizes[i][1]));
		draw(&d, sizes[i][0], sizes[i][1]);
		assert_golden(&d.grid, name, THEME_256);
		assert_golden(&d.grid, name, THEME_MONO);
		drawn_fini(&d);
	}
}

static void test_views(void **state)
{
	for (unsigned int i = 0; i < views_placed(); i++)
		golden(views[i].name, &views[i], "");
}

static void test_states(void **state)
{
	golden("tree", view_find("tasks"), "tjj");
	golden("drill", view_find("tasks"), "jjj\r");
	golden("callers_of", view_find("functions"), "jjjj\r");
	golden("help", view_find("tasks"), "h");
	golden("search", view_find("tasks"), "/ngi");
	golden("filter", view_find("tasks"), "\\cc1\rI");
	golden("none", view_find("tasks"), "\\nothing is called so\r");
}

static void test_sort_menu(void **state)
{
	struct drawn d = { 0 };
	struct stroke f6 = { .code = STROKE_F0 + 6 };

	state_init(&d.state, view_find("tasks"), DRAWN_NS, false);
	draw(&d, 24, 80);
	state_stroke(&d.state, &f6);
	draw(&d, 24, 80);
	assert_golden(&d.grid, "sort", THEME_256);
	drawn_fini(&d);
}

/* ---- CPUs by the hundred ---- */

enum { MANY = 256 };

/* Two seconds in which CPU n is busy for n/256 of the time, by ten turns of one task. */
static void many_make(const char *dir)
{
	static const char session[] = "{\"cpus\": 256, \"start_ns\": 1000000000000, \"stop_ns\": 1002000000000}";
	struct make_trace *t = malloc(sizeof(*t));

	make_clock_ns = 1000000000000;
	make_begin(t, dir);
	make_file(dir, "kymo/session.json", session, sizeof(session) - 1);
	for (unsigned int i = 0; i < MANY; i++) {
		char name[40];

		snprintf(name, sizeof(name), "stream_0_%u", i);
		make_clock_ns = 1000000000000;
		make_stream(t, name, i);
		for (unsigned int turn = 0; turn < 10; turn++) {
			make_clock_ns = 1000000000000 + turn * 200000000ull;
			make_ev(&t->stream[i], sched_switch, .next_tid = 1000 + (int32_t)i, .next_comm = "work");
			make_clock_ns += i * (200000000ull / MANY);
			make_ev(&t->stream[i], sched_switch, .prev_tid = 1000 + (int32_t)i, .prev_comm = "work", .prev_state = 1);
		}
	}
	make_clock_ns = 1002000000000;
	make_end(t);
	free(t);
}

static const struct snapshot_row *range_of(const struct snapshot *s, const struct snapshot_row *row)
{
	const struct snapshot_table *ranges = &s->table[SNAPSHOT_CPU_RANGES];
	const uint32_t cpu = ((const struct tally_cpu_key *)row->key)->cpu;

	for (unsigned int i = 0; i < ranges->rows; i++) {
		const struct cpu_range *label = ranges->row[i].label;

		if (label->first <= cpu && cpu <= label->last)
			return &ranges->row[i];
	}
	fail_msg("CPU %u is in no range", cpu);
	return NULL;
}

/* Each CPU is in one range, and nothing else is. */
static void check_ranges(const struct snapshot *s)
{
	const struct snapshot_table *cpus = &s->table[TALLY_CPUS], *ranges = &s->table[SNAPSHOT_CPU_RANGES];
	uint64_t sum[16][CPU_COLUMNS] = { 0 };

	assert_int_equal(cpus->rows, MANY);
	assert_int_equal(ranges->rows, 16);
	for (unsigned int i = 0; i < cpus->rows; i++)
		for (unsigned int k = 0; k < CPU_COLUMNS; k++)
			sum[range_of(s, &cpus->row[i]) - ranges->row][k] += cpus->row[i].value[k];
	for (unsigned int i = 0; i < ranges->rows; i++) {
		const struct cpu_range *label = ranges->row[i].label;

		assert_memory_equal(ranges->row[i].value, sum[i], sizeof(sum[i]));
		assert_int_equal(label->cpus, 16);
		assert_int_equal(label->busiest, label->last);
		assert_int_equal(label->first, ((const struct cpu_range_key *)ranges->row[i].key)->first);
	}
}

static void test_many_cpus(void **state)
{
	const struct snapshot *was = snapshot;
	const struct vitals vitals_were = vitals;
	struct feed *many;
	char dir[200], why[FEED_WHY];
	struct drawn d = { 0 };

	make_room(dir);
	many_make(dir);
	many = feed_trace(dir, why);
	if (!many)
		fail_msg("%s", why);
	assert_int_equal(feed_tick(many, 1000000000, &snapshot), 0);
	vitals = snapshot->vitals;
	check_ranges(snapshot);
	golden("many", view_find("cpus"), "");
	golden("many_range", view_find("cpus"), "jj\r");
	golden("many_each", view_find("cpus"), "t");
	state_init(&d.state, view_find("cpus"), DRAWN_NS, false);
	draw(&d, 24, 80);
	assert_int_equal(d.list.rows, 16);
	type(&d, "\r", 10);
	assert_string_equal(d.state.view->name, "cpus");
	assert_int_equal(d.list.rows, 16);
	state_stroke(&d.state, &(struct stroke){ .code = STROKE_BACKSPACE });
	draw(&d, 24, 80);
	assert_string_equal(d.state.view->name, "cpu_ranges");
	type(&d, "t", 10);
	assert_int_equal(d.list.rows, MANY);
	type(&d, "t", 10);
	assert_int_equal(d.list.rows, 16);
	drawn_fini(&d);
	feed_destroy(many);
	make_remove(dir);
	snapshot = was;
	vitals = vitals_were;
}

/* ---- whatever comes ---- */

static void test_sizes(void **state)
{
	struct drawn d = { 0 };

	state_init(&d.state, view_find("tasks"), DRAWN_NS, false);
	for (unsigned int rows = 0; rows < 60; rows = rows < 20 ? rows + 1 : rows + 13) {
		for (unsigned int columns = 0; columns < 320; columns = columns < 90 ? columns + 1 : columns + 50) {
			draw(&d, rows, columns);
			assert_int_equal(d.grid.rows, rows);
			assert_safe(&d.grid);
		}
	}
	draw(&d, 1000, 4000);
	assert_safe(&d.grid);
	drawn_fini(&d);
}

/* All strokes at random, all sizes: the cursor stays in the list, the list on the screen. */
static void test_random(void **state)
{
	struct drawn d = { 0 };
	uint32_t seed = 7;
	unsigned int rows = 24, columns = 80;

	state_init(&d.state, view_find("tasks"), DRAWN_NS, false);
	draw(&d, rows, columns);
	for (unsigned int i = 0; i < 20000; i++) {
		struct stroke stroke;
		unsigned int todo, page;

		seed = seed * 1664525 + 1013904223;
		stroke.code = seed >> 31 ? seed >> 8 & 127 : STROKE_UP + (seed >> 8) % (STROKE_F10 + 3 - STROKE_UP);
		stroke.row = (seed >> 16) % (rows + 2);
		stroke.column = (seed >> 20) % (columns + 2);
		if (seed % 50 == 0) {
			rows = (seed >> 8) % 60;
			columns = (seed >> 16) % 220;
		}
		page = render_page(rows, columns);
		todo = state_mouse(&d.state, &stroke, render_hit(&d.map, stroke.row, stroke.column));
		if (todo & STATE_DRILL)
			list_drill(&d.list, &d.state);
		if (todo & STATE_MOVE)
			list_move(&d.list, &d.state, page);
		if (todo & STATE_FIND)
			list_find(&d.list, &d.state, page);
		if (todo & STATE_USERS)
			list_users(&d.list, &d.state);
		if (todo || seed % 50 == 0)
			draw(&d, rows, columns);
		assert_safe(&d.grid);
		assert_true(d.state.cursor.at < d.list.rows || !d.state.cursor.at);
		assert_true(d.state.cursor.top <= d.state.cursor.at);
		assert_true(d.state.cursor.at < d.state.cursor.top + (page ? page : 1));
		assert_true(d.list.rows <= d.list.all);
	}
	drawn_fini(&d);
}

/* Everything that can be clicked does what stands there. */
static void test_clicks(void **state)
{
	struct drawn d = { 0 };
	const struct view *tasks = view_find("tasks");
	unsigned int heads = 0, rows = 0, keys = 0, tabs = 0;

	state_init(&d.state, tasks, DRAWN_NS, false);
	draw(&d, 24, 120);
	for (unsigned int row = 0; row < 24; row++) {
		for (unsigned int column = 0; column < 120; column++) {
			const struct state_hit hit = render_hit(&d.map, row, column);

			heads += hit.place == STATE_ON_HEAD;
			keys += hit.place == STATE_ON_BAR;
			tabs += hit.place == STATE_ON_VIEW;
			if (hit.place == STATE_ON_ROW)
				assert_int_equal(hit.n, row - 5 + d.state.cursor.top);
			rows += hit.place == STATE_ON_ROW;
		}
	}
	assert_true(heads > 60 && keys > 60 && tabs > 40);
	assert_int_equal(rows, 18 * 120);
	drawn_fini(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_views), cmocka_unit_test(test_states), cmocka_unit_test(test_sort_menu),
		cmocka_unit_test(test_many_cpus),
		cmocka_unit_test(test_sizes), cmocka_unit_test(test_random), cmocka_unit_test(test_clicks),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
