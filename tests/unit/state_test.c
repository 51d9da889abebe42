// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every key: what it changes and what it asks for. Then the rows that a state means: order, filters, tree, and the
 * cursor, which stays with its row and in its place. The rows are made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "top/list.h"
#include "top/state.h"

enum { S = 1000000000 };

static struct state state_new(bool replay)
{
	struct state s;

	state_init(&s, view_find("tasks"), S, replay);
	return s;
}

static unsigned int press(struct state *s, uint32_t code)
{
	return state_stroke(s, &(struct stroke){ .code = code });
}

static void type_text(struct state *s, const char *text)
{
	for (; *text; text++)
		press(s, (uint8_t)*text);
}

/* ---- keys ---- */

static void test_help(void **state)
{
	static const uint32_t keys[] = { STROKE_F0 + 1, 'h', '?' };

	for (unsigned int i = 0; i < 3; i++) {
		struct state s = state_new(false);

		assert_int_equal(press(&s, keys[i]), STATE_DRAW);
		assert_int_equal(s.mode, STATE_HELP);
		assert_int_equal(press(&s, STROKE_DOWN), STATE_DRAW);
		assert_int_equal(s.help_top, 1);
		press(&s, STROKE_UP);
		press(&s, STROKE_UP);
		assert_int_equal(s.help_top, 0);
		press(&s, STROKE_PAGE_DOWN);
		assert_true(s.help_top > 1);
		assert_int_equal(press(&s, 'q'), STATE_DRAW); /* leaves the help, not the program */
		assert_int_equal(s.mode, STATE_LIST);
	}
}

static void test_quit(void **state)
{
	struct state s = state_new(false);

	assert_true(press(&s, 'q') & STATE_QUIT);
	assert_true(press(&s, STROKE_F10) & STATE_QUIT);
}

static void test_search_keys(void **state)
{
	struct state s = state_new(false);

	press(&s, '/');
	assert_int_equal(s.mode, STATE_SEARCH);
	assert_true(press(&s, 'n') & STATE_FIND);
	assert_true(s.find_here);
	press(&s, 'g');
	assert_string_equal(s.search, "ng");
	assert_true(press(&s, STROKE_F0 + 3) & STATE_FIND);
	assert_false(s.find_here);
	assert_true(press(&s, STROKE_UP) & STATE_FIND);
	assert_true(s.find_backwards);
	press(&s, STROKE_BACKSPACE);
	assert_string_equal(s.search, "n");
	press(&s, STROKE_ENTER);
	assert_int_equal(s.mode, STATE_LIST);
	assert_string_equal(s.search, "n");
	assert_true(press(&s, 'n') & STATE_FIND);
	assert_false(s.find_backwards);
	assert_true(press(&s, 'N') & STATE_FIND);
	assert_true(s.find_backwards);
	press(&s, STROKE_F0 + 3);
	press(&s, STROKE_ESCAPE);
	assert_int_equal(s.mode, STATE_LIST);
	assert_string_equal(s.search, "");
	press(&s, 'n'); /* nothing to look for: asks for it */
	assert_int_equal(s.mode, STATE_SEARCH);
}

static void test_filter_keys(void **state)
{
	struct state s = state_new(false);

	press(&s, STROKE_F0 + 4);
	assert_int_equal(s.mode, STATE_FILTER);
	assert_true(press(&s, 'q') & STATE_ORDER); /* a letter, not the key */
	press(&s, 0x6f22);
	press(&s, 0xe9);
	press(&s, 0x1f600);
	assert_string_equal(s.filter, "q\u6f22\u00e9\U0001f600");
	press(&s, STROKE_BACKSPACE);
	press(&s, STROKE_BACKSPACE);
	assert_string_equal(s.filter, "q\u6f22");
	press(&s, 0x9b); /* a control character */
	press(&s, 0x202e);
	press(&s, STROKE_LEFT);
	assert_string_equal(s.filter, "q\u6f22");
	press(&s, STROKE_ENTER);
	assert_int_equal(s.mode, STATE_LIST);
	press(&s, '\\');
	assert_string_equal(s.line.text, "q\u6f22"); /* goes on from there */
	press(&s, 'U' & 0x1f);
	assert_string_equal(s.filter, "");
	for (unsigned int i = 0; i < 200; i++)
		press(&s, i % 2 ? 0x6f22 : 'x');
	assert_true(strlen(s.filter) < STATE_TEXT && strlen(s.filter) > STATE_TEXT - 5);
	press(&s, STROKE_ESCAPE);
	assert_string_equal(s.filter, "");
}

static void test_order_keys(void **state)
{
	struct state s = state_new(false);
	const struct view_column *column = s.view->column;

	assert_int_equal(state_of_view(&s)->sort, STATE_NO_SORT);
	assert_true(press(&s, '>') & STATE_ORDER);
	assert_string_equal(column[state_of_view(&s)->sort].key, "cpu_ns"); /* behind CPU%, the view's own */
	press(&s, '<');
	press(&s, '<');
	assert_false(column[state_of_view(&s)->sort].json_only);
	assert_true(column[state_of_view(&s)->sort].key && strcmp(column[state_of_view(&s)->sort].key, "cpu_percent"));
	press(&s, 'I');
	assert_true(state_of_view(&s)->reverse);
	press(&s, '<');
	assert_false(state_of_view(&s)->reverse);
	while (state_of_view(&s)->sort)
		press(&s, '<');
	press(&s, '<'); /* round, and past what is only for JSON */
	assert_string_equal(column[state_of_view(&s)->sort].key, "command");

	press(&s, STROKE_F0 + 6);
	assert_int_equal(s.mode, STATE_SORT);
	assert_string_equal(s.item[s.item_at], "COMMAND");
	press(&s, STROKE_HOME);
	assert_string_equal(s.item[s.item_at], "PID");
	press(&s, STROKE_UP);
	press(&s, STROKE_DOWN);
	assert_string_equal(s.item[s.item_at], "PPID");
	assert_true(press(&s, STROKE_ENTER) & STATE_ORDER);
	assert_int_equal(s.mode, STATE_LIST);
	assert_string_equal(column[state_of_view(&s)->sort].key, "ppid");
	press(&s, STROKE_F0 + 6);
	press(&s, STROKE_END);
	press(&s, STROKE_ESCAPE);
	assert_string_equal(column[state_of_view(&s)->sort].key, "ppid");
	/* A click: another column; the same again: reversed. */
	state_mouse(&s, &(struct stroke){ .code = STROKE_CLICK }, (struct state_hit){ STATE_ON_HEAD, 0 });
	assert_int_equal(state_of_view(&s)->sort, 0);
	assert_false(state_of_view(&s)->reverse);
	state_mouse(&s, &(struct stroke){ .code = STROKE_CLICK }, (struct state_hit){ STATE_ON_HEAD, 0 });
	assert_true(state_of_view(&s)->reverse);
	/* Each view has its own. */
	press(&s, STROKE_TAB);
	assert_int_equal(state_of_view(&s)->sort, STATE_NO_SORT);
	press(&s, STROKE_BACK_TAB);
	assert_int_equal(state_of_view(&s)->sort, 0);
}

static void test_view_keys(void **state)
{
	struct state s = state_new(false);

	for (unsigned int i = 0; i < views_placed(); i++) {
		assert_ptr_equal(s.view, &views[i]);
		assert_true(press(&s, STROKE_TAB) & STATE_ORDER);
	}
	assert_ptr_equal(s.view, &views[0]);
	press(&s, STROKE_BACK_TAB);
	assert_ptr_equal(s.view, &views[views_placed() - 1]);
	press(&s, '2');
	assert_ptr_equal(s.view, &views[1]);
	for (uint32_t digit = '0'; digit <= '9'; digit++) {
		press(&s, digit);
		assert_true(s.view >= views && s.view < views + views_count);
	}
	press(&s, '1');
	state_mouse(&s, &(struct stroke){ .code = STROKE_CLICK }, (struct state_hit){ STATE_ON_VIEW, 2 });
	assert_ptr_equal(s.view, &views[2]);
	press(&s, '1');
	assert_true(press(&s, 'H') & STATE_ORDER);
	assert_string_equal(s.view->name, "threads");
	press(&s, 'H');
	assert_string_equal(s.view->name, "tasks");
	s.view = view_find("irqs");
	assert_int_equal(press(&s, 'H'), STATE_DRAW);
	assert_true(*s.message);
	press(&s, 'x');
	assert_false(*s.message);
}

static void test_switches(void **state)
{
	struct state s = state_new(false);

	press(&s, 't');
	assert_true(state_of_view(&s)->tree);
	press(&s, STROKE_F0 + 5);
	assert_false(state_of_view(&s)->tree);
	s.view = view_find("irqs");
	press(&s, 't');
	assert_false(state_of_view(&s)->tree);
	s.view = view_find("tasks");
	assert_true(press(&s, 'K') & STATE_ORDER);
	assert_true(s.kernel_hidden);
	press(&s, 'K');
	assert_false(s.kernel_hidden);
	press(&s, 'p');
	assert_true(s.paused);
	assert_true(press(&s, ' ') & STATE_RESUME);
	assert_false(s.paused);
	assert_true(press(&s, 'F') & STATE_MOVE);
	assert_true(s.follow);
	press(&s, 'F');
	assert_false(s.follow);
	assert_true(press(&s, 'u') & STATE_USERS);
	assert_true(press(&s, 'R') & STATE_RECORD);
	assert_int_equal(press(&s, 0x1b5), 0);
}

static void test_interval(void **state)
{
	struct state s = state_new(false);

	assert_true(press(&s, '+') & STATE_INTERVAL);
	assert_int_equal(s.interval_ns, 2ull * S);
	press(&s, '-');
	press(&s, '-');
	assert_int_equal(s.interval_ns, S / 2);
	for (unsigned int i = 0; i < 20; i++)
		press(&s, '-');
	assert_int_equal(s.interval_ns, S / 10);
	assert_int_equal(press(&s, '-'), 0);
	for (unsigned int i = 0; i < 20; i++)
		press(&s, '=');
	assert_int_equal(s.interval_ns, 60ull * S);
	s.interval_ns = 3ull * S; /* by -d */
	press(&s, '+');
	assert_int_equal(s.interval_ns, 5ull * S);
	s.interval_ns = 3ull * S;
	press(&s, '-');
	assert_int_equal(s.interval_ns, 2ull * S);
	s.interval_ns = 600ull * S;
	assert_int_equal(press(&s, '+'), 0);
	press(&s, '-');
	assert_int_equal(s.interval_ns, 60ull * S);
}

static void test_replay(void **state)
{
	struct state s = state_new(true), live = state_new(false);

	assert_true(press(&s, 't') & STATE_STEP);
	assert_int_equal(s.step, 1);
	assert_true(s.paused);
	assert_true(press(&s, 'T') & STATE_STEP);
	assert_int_equal(s.step, -1);
	press(&s, STROKE_F0 + 5);
	assert_true(state_of_view(&s)->tree);
	press(&s, ']');
	press(&s, ']');
	assert_int_equal(s.speed_percent, 400);
	press(&s, '[');
	assert_int_equal(s.speed_percent, 200);
	for (unsigned int i = 0; i < 50; i++)
		press(&s, ']');
	assert_true(s.speed_percent <= 1000000);
	for (unsigned int i = 0; i < 50; i++)
		press(&s, '[');
	assert_true(s.speed_percent > 0);
	press(&s, 'g');
	assert_int_equal(s.mode, STATE_JUMP);
	type_text(&s, "1:02.5");
	assert_true(press(&s, STROKE_ENTER) & STATE_SEEK);
	assert_int_equal(s.seek_ns, 62500000000ull);
	press(&s, 'g');
	type_text(&s, "inf");
	assert_false(press(&s, STROKE_ENTER) & STATE_SEEK);
	assert_true(*s.message);
	press(&s, 'g');
	type_text(&s, "1e400");
	assert_false(press(&s, STROKE_ENTER) & STATE_SEEK);
	press(&s, 'g');
	assert_false(press(&s, STROKE_ESCAPE) & STATE_SEEK);
	/* Not where there is no trace. */
	assert_int_equal(press(&live, 'T'), 0);
	assert_int_equal(press(&live, 'g'), 0);
	assert_int_equal(press(&live, ']'), 0);
}

static void test_moves(void **state)
{
	static const struct {
		uint32_t code;
		int move, pages, ends;
	} keys[] = {
		{ STROKE_UP, -1, 0, 0 }, { STROKE_DOWN, 1, 0, 0 }, { 'k', -1, 0, 0 }, { 'j', 1, 0, 0 },
		{ STROKE_PAGE_UP, 0, -1, 0 }, { STROKE_PAGE_DOWN, 0, 1, 0 }, { STROKE_HOME, 0, 0, -1 }, { STROKE_END, 0, 0, 1 },
		{ STROKE_WHEEL_UP, -3, 0, 0 }, { STROKE_WHEEL_DOWN, 3, 0, 0 },
	};
	struct state s = state_new(false);

	for (unsigned int i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		assert_true(press(&s, keys[i].code) & STATE_MOVE);
		assert_int_equal(s.move, keys[i].move);
		assert_int_equal(s.pages, keys[i].pages);
		assert_int_equal(s.ends, keys[i].ends);
	}
	press(&s, STROKE_RIGHT);
	assert_true(s.scroll > 0);
	press(&s, STROKE_LEFT);
	press(&s, STROKE_LEFT);
	assert_int_equal(s.scroll, 0);
	assert_true(press(&s, STROKE_ENTER) & STATE_DRILL);
	s.cursor.at = 3;
	assert_true(state_mouse(&s, &(struct stroke){ .code = STROKE_CLICK }, (struct state_hit){ STATE_ON_ROW, 7 }) & STATE_MOVE);
	assert_int_equal(s.move, 4);
	assert_true(state_mouse(&s, &(struct stroke){ .code = STROKE_CLICK }, (struct state_hit){ STATE_ON_BAR, STROKE_F10 }) &
		    STATE_QUIT);
}

/* ---- rows ---- */

enum { ROWS = 12 };

static struct snapshot snapshot;
static struct snapshot_row row[ROWS];
static struct tally_process_key key[ROWS];
static struct tally_name label[ROWS];
static uint64_t value[ROWS][TASK_COLUMNS];
static struct histogram *histogram[TASK_COLUMNS];

/* pid i + 1, the first of all parent; CPU time falls with the pid; 3 and 4 are the kernel's. */
static void make_rows(unsigned int count)
{
	memset(value, 0, sizeof(value));
	memset(row, 0, sizeof(row));
	for (unsigned int i = 0; i < count; i++) {
		key[i] = (struct tally_process_key){ .pid = (int32_t)i + 1, .start_ns = 5 };
		label[i] = (struct tally_name){ .pid = (int32_t)i + 1, .ppid = i ? (int32_t)(i + 1) / 2 : 0 };
		label[i].kernel = i == 2 || i == 3;
		snprintf(label[i].name, sizeof(label[i].name), "task%u", i + 1);
		value[i][TASK_CPU_NS] = (ROWS - i) * 1000000;
		row[i] = (struct snapshot_row){ .key = &key[i], .label = &label[i], .value = value[i], .total = value[i],
			.histogram = histogram };
	}
	snapshot = (struct snapshot){ .end_ns = S };
	snapshot.table[TALLY_PROCESSES] = (struct snapshot_table){ row, count, TASK_COLUMNS, sizeof(key[0]) };
}

static int32_t pid_at(const struct list *l, unsigned int i)
{
	return ((const struct tally_process_key *)l->row[i].row->key)->pid;
}

static int32_t pid_under(const struct list *l, const struct state *s)
{
	return pid_at(l, s->cursor.at);
}

static void assert_pids(const struct list *l, const char *pids)
{
	char text[200] = "";

	for (unsigned int i = 0; i < l->rows; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%d", i ? " " : "", pid_at(l, i));
	assert_string_equal(text, pids);
}

static void do_it(struct list *l, struct state *s, unsigned int todo, unsigned int page)
{
	if (todo & STATE_MOVE)
		list_move(l, s, page);
	if (todo & STATE_FIND)
		list_find(l, s, page);
	if (todo & STATE_ORDER || (todo & STATE_DRILL && list_drill(l, s)))
		assert_int_equal(list_make(l, &snapshot, s, page), 0);
}

static void test_sorted(void **state)
{
	struct state s = state_new(false);
	struct list l = { 0 };

	make_rows(6);
	list_make(&l, &snapshot, &s, 10);
	assert_pids(&l, "1 2 3 4 5 6");
	do_it(&l, &s, press(&s, 'I'), 10);
	assert_pids(&l, "6 5 4 3 2 1");
	press(&s, 'I');
	value[4][TASK_RX_BYTES] = 10;
	value[2][TASK_RX_BYTES] = 20;
	for (unsigned int i = 0; i < s.view->columns; i++)
		if (s.view->column[i].key && !strcmp(s.view->column[i].key, "rx_bytes"))
			state_of_view(&s)->sort = (uint8_t)i;
	list_make(&l, &snapshot, &s, 10);
	assert_pids(&l, "3 5 1 2 4 6"); /* equal ones by key */
	state_of_view(&s)->sort = 0; /* PID: names go up */
	list_make(&l, &snapshot, &s, 10);
	assert_pids(&l, "1 2 3 4 5 6");
	row[0].overflow = true;
	do_it(&l, &s, press(&s, 'I'), 10);
	assert_pids(&l, "6 5 4 3 2 1");
	do_it(&l, &s, press(&s, 'I'), 10);
	assert_pids(&l, "2 3 4 5 6 1"); /* what could not be told apart is the last, however one sorts */
	list_fini(&l);
}

static void test_filtered(void **state)
{
	struct state s = state_new(false);
	struct list l = { 0 };

	make_rows(12);
	list_make(&l, &snapshot, &s, 10);
	do_it(&l, &s, press(&s, 'K'), 10);
	assert_int_equal(l.rows, 10);
	assert_int_equal(l.all, 12);
	press(&s, '\\');
	do_it(&l, &s, press(&s, 'K'), 10); /* whatever its case */
	do_it(&l, &s, press(&s, '1'), 10);
	assert_pids(&l, "1 10 11 12");
	press(&s, STROKE_ENTER);
	do_it(&l, &s, press(&s, STROKE_BACKSPACE), 10);
	do_it(&l, &s, press(&s, 'K'), 10);
	assert_int_equal(l.rows, 12);
	press(&s, '\\');
	do_it(&l, &s, press(&s, '9'), 10); /* a number from its beginning */
	assert_pids(&l, "9");
	list_fini(&l);
}

static void test_tree(void **state)
{
	struct state s = state_new(false);
	struct list l = { 0 };

	make_rows(7);
	list_make(&l, &snapshot, &s, 10);
	do_it(&l, &s, press(&s, 't'), 10);
	assert_pids(&l, "1 2 4 5 3 6 7");
	assert_int_equal(l.row[0].depth, 0);
	assert_int_equal(l.row[2].depth, 2);
	assert_int_equal(l.row[2].more, 2);	/* 2's brother comes below */
	assert_true(l.row[3].last);
	assert_false(l.row[1].last);
	assert_true(l.row[4].last);
	/* Rings of parents, and who is its own: all are there, once. */
	label[0].ppid = 7;
	label[4].ppid = 5;
	list_make(&l, &snapshot, &s, 10);
	assert_int_equal(l.rows, 7);
	assert_pids(&l, "5 1 2 4 3 6 7");
	list_fini(&l);
}

/* Deep enough to show it if each generation took stack. */
static void test_deep_tree(void **state)
{
	enum { DEEP = 60000 };
	struct state s = state_new(false);
	struct list l = { 0 };
	struct snapshot_row *rows = calloc(DEEP, sizeof(*rows));
	struct tally_process_key *keys = calloc(DEEP, sizeof(*keys));
	struct tally_name *labels = calloc(DEEP, sizeof(*labels));
	static uint64_t zeros[TASK_COLUMNS];

	for (unsigned int i = 0; i < DEEP; i++) {
		keys[i].pid = (int32_t)i + 1;
		labels[i].ppid = (int32_t)i;
		rows[i] = (struct snapshot_row){ .key = &keys[i], .label = &labels[i], .value = zeros, .total = zeros,
			.histogram = histogram };
	}
	snapshot = (struct snapshot){ .end_ns = S };
	snapshot.table[TALLY_PROCESSES] = (struct snapshot_table){ rows, DEEP, TASK_COLUMNS, sizeof(keys[0]) };
	press(&s, 't');
	list_make(&l, &snapshot, &s, 10);
	assert_int_equal(l.rows, DEEP);
	assert_int_equal(pid_at(&l, DEEP - 1), DEEP);
	assert_int_equal(l.row[DEEP - 1].depth, LIST_DEPTH);
	list_fini(&l);
	free(rows);
	free(keys);
	free(labels);
}

/* At the top the cursor is nobody's; moved, it stays with its row, and the row where it is; following, the row moves. */
static void test_cursor(void **state)
{
	struct state s = state_new(false);
	struct list l = { 0 };

	make_rows(8);
	list_make(&l, &snapshot, &s, 4);
	assert_int_equal(pid_under(&l, &s), 1);
	value[5][TASK_CPU_NS] = 1u << 30;
	list_make(&l, &snapshot, &s, 4);
	assert_pids(&l, "6 1 2 3 4 5 7 8");
	assert_int_equal(pid_under(&l, &s), 6);
	do_it(&l, &s, press(&s, STROKE_DOWN), 4);
	assert_int_equal(pid_under(&l, &s), 1);
	value[0][TASK_CPU_NS] = 0; /* it would be the last now */
	list_make(&l, &snapshot, &s, 4);
	assert_pids(&l, "6 1 2 3 4 5 7 8");
	assert_int_equal(s.cursor.at, 1);
	assert_int_equal(pid_under(&l, &s), 1);
	do_it(&l, &s, press(&s, 'F'), 4);
	list_make(&l, &snapshot, &s, 4);
	assert_pids(&l, "6 2 3 4 5 7 8 1");
	assert_int_equal(pid_under(&l, &s), 1);
	assert_int_equal(s.cursor.at - s.cursor.top, 3);
	do_it(&l, &s, press(&s, STROKE_UP), 4); /* moving ends following */
	assert_false(s.follow);
	assert_int_equal(pid_under(&l, &s), 8);
	do_it(&l, &s, press(&s, STROKE_HOME), 4);
	assert_false(s.cursor.pinned);
	assert_int_equal(s.cursor.at + s.cursor.top, 0);
	list_fini(&l);
}

static void test_gone(void **state)
{
	struct state s = state_new(false);
	struct list l = { 0 };

	make_rows(8);
	list_make(&l, &snapshot, &s, 4);
	do_it(&l, &s, press(&s, STROKE_END), 4);
	assert_int_equal(pid_under(&l, &s), 8);
	assert_int_equal(s.cursor.top, 4);
	snapshot.table[TALLY_PROCESSES].rows = 6;
	list_make(&l, &snapshot, &s, 4);
	assert_int_equal(pid_under(&l, &s), 6);
	assert_int_equal(s.cursor.top, 2);
	/* The same number, another process. */
	key[5].start_ns = 77;
	list_make(&l, &snapshot, &s, 4);
	assert_int_equal(pid_under(&l, &s), 6);
	snapshot.table[TALLY_PROCESSES].rows = 0;
	list_make(&l, &snapshot, &s, 4);
	assert_int_equal(s.cursor.at, 0);
	do_it(&l, &s, press(&s, STROKE_DOWN), 4);
	do_it(&l, &s, press(&s, STROKE_ENTER), 4);
	assert_true(*s.message);
	do_it(&l, &s, press(&s, STROKE_END), 4);
	list_fini(&l);
}

static void test_pages(void **state)
{
	struct state s = state_new(false);
	struct list l = { 0 };

	make_rows(12);
	list_make(&l, &snapshot, &s, 5);
	do_it(&l, &s, press(&s, STROKE_PAGE_DOWN), 5);
	assert_int_equal(s.cursor.at, 4);
	assert_int_equal(s.cursor.top, 4);
	do_it(&l, &s, press(&s, STROKE_PAGE_DOWN), 5);
	do_it(&l, &s, press(&s, STROKE_PAGE_DOWN), 5);
	assert_int_equal(s.cursor.at, 11);
	assert_int_equal(s.cursor.top, 7);
	for (unsigned int i = 0; i < 5; i++)
		do_it(&l, &s, press(&s, STROKE_PAGE_UP), 5);
	assert_int_equal(s.cursor.at, 0);
	assert_int_equal(s.cursor.top, 0);
	/* A screen of no rows at all. */
	do_it(&l, &s, press(&s, STROKE_PAGE_DOWN), 0);
	do_it(&l, &s, press(&s, STROKE_DOWN), 0);
	list_fini(&l);
}

static void test_found(void **state)
{
	struct state s = state_new(false);
	struct list l = { 0 };

	make_rows(12);
	list_make(&l, &snapshot, &s, 5);
	press(&s, '/');
	for (const char *p = "task1"; *p; p++)
		do_it(&l, &s, press(&s, (uint8_t)*p), 5);
	assert_int_equal(pid_under(&l, &s), 1);
	do_it(&l, &s, press(&s, STROKE_F0 + 3), 5);
	assert_int_equal(pid_under(&l, &s), 10);
	do_it(&l, &s, press(&s, '1'), 5);
	assert_int_equal(pid_under(&l, &s), 11);
	press(&s, STROKE_ENTER);
	do_it(&l, &s, press(&s, 'n'), 5); /* round, to itself */
	assert_int_equal(pid_under(&l, &s), 11);
	press(&s, '/');
	do_it(&l, &s, press(&s, 'z'), 5);
	assert_true(*s.message);
	do_it(&l, &s, press(&s, STROKE_ESCAPE), 5);
	assert_int_equal(pid_under(&l, &s), 11);
	list_fini(&l);
}

static void test_drill(void **state)
{
	struct state s = state_new(false);
	struct list l = { 0 };

	make_rows(8);
	list_make(&l, &snapshot, &s, 4);
	do_it(&l, &s, press(&s, STROKE_DOWN), 4);
	do_it(&l, &s, press(&s, STROKE_ENTER), 4);
	assert_string_equal(s.view->name, view_find("tasks")->drill);
	assert_int_equal(s.crumbs, 1);
	assert_int_equal(s.crumb[0].value[0].number, 2);
	press(&s, '1'); /* the filter stays */
	list_make(&l, &snapshot, &s, 4);
	assert_pids(&l, "2");
	press(&s, 'K');
	/* The text that was filtered stays behind with the rows it was meant for. */
	press(&s, '\\');
	type_text(&s, "ask2");
	press(&s, STROKE_ENTER);
	do_it(&l, &s, press(&s, STROKE_ENTER), 4);
	assert_int_equal(s.crumbs, 2);
	assert_string_equal(s.filter, "");
	do_it(&l, &s, press(&s, STROKE_BACKSPACE), 4);
	assert_string_equal(s.filter, "ask2");
	do_it(&l, &s, press(&s, STROKE_BACKSPACE), 4);
	do_it(&l, &s, press(&s, STROKE_BACKSPACE), 4);
	assert_int_equal(s.crumbs, 0);
	assert_string_equal(s.view->name, "tasks");
	assert_int_equal(pid_under(&l, &s), 2); /* where one left */
	do_it(&l, &s, press(&s, STROKE_BACKSPACE), 4);
	assert_true(*s.message);
	for (unsigned int i = 0; i < 20; i++) {
		press(&s, '1');
		list_make(&l, &snapshot, &s, 4);
		do_it(&l, &s, press(&s, STROKE_ENTER), 4);
	}
	assert_int_equal(s.crumbs, STATE_CRUMBS);
	list_fini(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_help), cmocka_unit_test(test_quit), cmocka_unit_test(test_search_keys),
		cmocka_unit_test(test_filter_keys), cmocka_unit_test(test_order_keys), cmocka_unit_test(test_view_keys),
		cmocka_unit_test(test_switches), cmocka_unit_test(test_interval), cmocka_unit_test(test_replay),
		cmocka_unit_test(test_moves), cmocka_unit_test(test_sorted), cmocka_unit_test(test_filtered),
		cmocka_unit_test(test_tree), cmocka_unit_test(test_deep_tree), cmocka_unit_test(test_cursor),
		cmocka_unit_test(test_gone), cmocka_unit_test(test_pages), cmocka_unit_test(test_found),
		cmocka_unit_test(test_drill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
