// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What comes out when every name in a trace is an attack: on a screen (golden/hostile_VIEW-...), as text, as JSON.
 * Terminals get printable characters and ends of lines only, JSON is ASCII that a strict reader takes.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "trace_hostile.h"
#include "drawn.h"
#include "golden.h"
#include "report.h"
#include "top/batch_json.h"
#include "top/feed.h"
#include "view_text.h"

static char room[200];
static struct feed *feed;
static const struct snapshot *snapshot;

static int begin(void **state)
{
	char why[FEED_WHY];

	make_room(room);
	hostile_make(room);
	feed = feed_trace(room, why);
	if (!feed)
		fail_msg("%s", why);
	assert_int_equal(feed_tick(feed, 2000000000, &snapshot), 0);
	return 0;
}

static int end(void **state)
{
	feed_destroy(feed);
	make_remove(room);
	return 0;
}

/* ---- the screen ---- */

static void draw(struct drawn *d, unsigned int rows, unsigned int columns)
{
	const struct render_scene scene = {
		.snapshot = snapshot, .vitals = &snapshot->vitals, .host = "host", .input = "replay", .release = "6.1.0",
	};

	drawn_make(d, scene, rows, columns);
	assert_safe(&d->grid);
}

static void test_screen(void **state)
{
	for (unsigned int i = 0; i < views_placed(); i++) {
		struct drawn d = { 0 };
		char name[60];

		snprintf(name, sizeof(name), "hostile_%s", views[i].name);
		state_init(&d.state, &views[i], 1000000000, true);
		draw(&d, 24, 80);
		assert_golden(&d.grid, name, THEME_MONO);
		for (unsigned int columns = 1; columns < 200; columns += 3)
			draw(&d, 24, columns);
		grid_to_ascii(&d.grid);
		for (size_t k = 0; k < (size_t)d.grid.rows * d.grid.columns; k++)
			assert_in_range(d.grid.cell[k].code, ' ', '~');
		drawn_fini(&d);
	}
}

/* Looked into, and found: what the line of crumbs, search and filter show of a name. */
static void test_names_in_other_places(void **state)
{
	struct drawn d = { 0 };

	state_init(&d.state, view_find("functions"), 1000000000, true);
	draw(&d, 24, 80);
	for (unsigned int i = 0; i < d.list.rows; i++) {
		state_init(&d.state, view_find("functions"), 1000000000, true);
		draw(&d, 24, 80);
		d.state.cursor.at = i;
		assert_true(list_drill(&d.list, &d.state));
		draw(&d, 24, 80);
		assert_int_equal(d.list.rows, 1);
	}
	drawn_fini(&d);
}

/* ---- text and JSON ---- */

/* The whole output of a function. */
static char *written(void (*write)(FILE *to))
{
	char *text;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	write(to);
	assert_int_equal(fclose(to), 0);
	assert_int_equal(strlen(text), bytes);
	return text;
}

static void assert_harmless(const char *text)
{
	while (*text) {
		uint32_t code;
		const unsigned int n = text_utf8(text, strlen(text), &code);

		if (!n || (code != '\n' && !text_harmless(code)))
			fail_msg("neither printable nor an end of line: %.60s", text);
		text += n;
	}
}

static void write_views(FILE *to)
{
	for (unsigned int i = 0; i < views_count; i++)
		view_text(snapshot, &views[i], 0, to);
}

static void report_with(FILE *to, bool json)
{
	char error[INPUT_TRACE_ERROR];
	struct report r;

	if (report_read(&r, room, NULL, error))
		fail_msg("%s", error);
	if (json)
		assert_int_equal(report_json(&r, NULL, 0, to), 0);
	else
		report_text(&r, room, NULL, 0, to);
	report_fini(&r);
}

static void write_report(FILE *to)
{
	report_with(to, false);
}

static void test_text(void **state)
{
	char *views_text = written(write_views), *report = written(write_report);

	assert_harmless(views_text);
	assert_harmless(report);
	assert_non_null(strstr(views_text, "\\x1b[2J"));
	assert_non_null(strstr(views_text, "\346\274\242\345\255\227\346\274\242"));
	free(views_text);
	free(report);
}

static void write_report_json(FILE *to)
{
	report_with(to, true);
}

static void write_top_json(FILE *to)
{
	assert_int_equal(batch_json(feed, &(struct batch_options){ .json = true }, snapshot, true, to), 0);
}

static void check_json(void (*write)(FILE *to))
{
	char *text = written(write);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	for (const char *c = text; *c; c++)
		assert_true((*c >= ' ' && *c <= '~') || *c == '\n');
	assert_non_null(root);
	assert_int_equal(json_array_size(json_object_get(json_object_get(root, "views"), "irqs")), HOSTILE_NAMES);
	assert_int_equal(json_array_size(json_object_get(json_object_get(root, "views"), "functions")), HOSTILE_NAMES);
	json_decref(root);
	free(text);
}

static void test_json(void **state)
{
	check_json(write_report_json);
	check_json(write_top_json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screen), cmocka_unit_test(test_names_in_other_places), cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
