// SPDX-License-Identifier: GPL-2.0-or-later
/* What is written into a grid: safe whatever it was, never outside, never half a character. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "text.h"
#include "top/grid.h"
#include "top/theme.h"

static void assert_row(const struct grid *g, const char *text)
{
	char *dump = grid_dump(g, NULL);

	assert_string_equal(dump, text);
	free(dump);
}

static void test_put(void **state)
{
	struct grid g = { 0 };

	assert_int_equal(grid_reset(&g, 1, 8), 0);
	assert_int_equal(grid_put(&g, 0, 1, 3, GRID_PLAIN, "abcdef"), 3);
	assert_row(&g, "| abc    |\n");
	assert_int_equal(grid_put(&g, 0, 6, 100, GRID_PLAIN, "xyz"), 2);
	assert_row(&g, "| abc  xy|\n");
	grid_put_right(&g, 0, 0, 6, GRID_PLAIN, "12");
	assert_row(&g, "| abc12xy|\n");
	assert_int_equal(grid_put(&g, 1, 0, 3, GRID_PLAIN, "a"), 0);
	assert_int_equal(grid_put(&g, 0, 8, 3, GRID_PLAIN, "a"), 0);
	grid_fill(&g, 0, 5, 100, GRID_HEAD, '-');
	assert_row(&g, "| abc1---|\n");
	grid_fini(&g);
}

/* Two cells or none; who overwrites one half takes the other away. */
static void test_wide(void **state)
{
	struct grid g = { 0 };

	grid_reset(&g, 1, 6);
	assert_int_equal(grid_text_width("a漢字"), 5);
	assert_int_equal(grid_put(&g, 0, 0, 6, GRID_PLAIN, "a漢字"), 5);
	assert_row(&g, "|a漢字 |\n");
	assert_int_equal(grid_put(&g, 0, 0, 4, GRID_PLAIN, "漢字漢"), 4);
	assert_row(&g, "|漢字  |\n");
	assert_int_equal(grid_put(&g, 0, 1, 1, GRID_PLAIN, "x"), 1);
	assert_row(&g, "| x字  |\n");
	assert_int_equal(grid_put(&g, 0, 2, 1, GRID_PLAIN, "y"), 1);
	assert_row(&g, "| xy   |\n");
	assert_int_equal(grid_put(&g, 0, 5, 5, GRID_PLAIN, "漢"), 0);
	assert_int_equal(grid_put(&g, 0, 0, 3, GRID_PLAIN, "漢字"), 2);
	assert_row(&g, "|漢y   |\n");
	grid_put(&g, 0, 1, 4, GRID_PLAIN, "漢字");
	assert_row(&g, "| 漢字 |\n");
	grid_to_ascii(&g);
	assert_row(&g, "| ???? |\n");
	grid_fini(&g);
}

static void test_unsafe(void **state)
{
	struct grid g = { 0 };

	grid_reset(&g, 1, 12);
	grid_put(&g, 0, 0, 12, GRID_PLAIN, "a\033[31mb\n\x7f\xc2\x9b" "c");
	assert_row(&g, "|a?[31mb???c |\n");
	grid_reset(&g, 1, 12);
	grid_put(&g, 0, 0, 12, GRID_PLAIN, "\xff\xc3(\xe2\x82(\xed\xa0\x80\xf4\x90\x80\x80");
	assert_row(&g, "|?" "?(?" "?(????" "??|\n");
	grid_reset(&g, 1, 8);
	/* Combining, zero-width and right-to-left characters. */
	grid_put(&g, 0, 0, 8, GRID_PLAIN, "e\xcc\x81x\xe2\x80\x8by\xe2\x80\xaez");
	assert_row(&g, "|ex?y?z  |\n");
	grid_fini(&g);
}

static void test_long(void **state)
{
	struct grid g = { 0 };
	char path[4097];

	memset(path, '/', 4096);
	path[4096] = 0;
	grid_reset(&g, 2, 5);
	assert_int_equal(grid_put(&g, 0, 2, UINT32_MAX, GRID_PLAIN, path), 3);
	grid_put_right(&g, 1, 0, 4, GRID_PLAIN, path);
	assert_row(&g, "|  ///|\n|//// |\n");
	assert_int_equal(grid_text_width(path), 4096);
	assert_int_equal(grid_reset(&g, 0, 0), 0);
	assert_int_equal(grid_put(&g, 0, 0, 1, GRID_PLAIN, "a"), 0);
	grid_reset(&g, 1u << 31, 1);
	assert_int_equal(g.rows, GRID_SIDE_MAX);
	grid_fini(&g);
}

/* Random bytes at random places: every cell is printable ASCII or a character that wcwidth and text.h know as harmless. */
static void test_random(void **state)
{
	struct grid g = { 0 };
	uint32_t seed = 1;

	for (unsigned int round = 0; round < 3000; round++) {
		char text[60];

		if (round % 50 == 0)
			grid_reset(&g, 1 + round % 7, round / 50 % 9);
		for (unsigned int i = 0; i < sizeof(text); i++) {
			seed = seed * 1103515245 + 12345;
			text[i] = (char)(seed >> 16);
			if (seed >> 30 == 0 && i + 4 < sizeof(text)) {
				memcpy(text + i, "漢", 3);
				i += 2;
			}
		}
		text[seed >> 16 & 31] = 0;
		text[sizeof(text) - 1] = 0;
		grid_put(&g, seed >> 8 & 7, seed >> 11 & 15, seed >> 20 & 15, seed >> 4 & 7, text);
		if (round % 64 == 63)
			grid_to_ascii(&g);
		for (unsigned int row = 0; row < g.rows; row++) {
			for (unsigned int i = 0; i < g.columns; i++) {
				const struct grid_cell *c = grid_cell(&g, row, i);

				if (c->width == 0)
					assert_true(i && c[-1].width == 2);
				else
					assert_true(text_harmless(c->code));
				assert_true(c->width != 2 || (i + 1 < g.columns && c[1].width == 0));
			}
		}
	}
	grid_fini(&g);
}

static void test_dump(void **state)
{
	struct grid g = { 0 };
	char letter[GRID_STYLES], *dump;

	grid_reset(&g, 2, 5);
	grid_put(&g, 0, 0, 5, GRID_HEAD, "│é漢x");
	grid_paint(&g, 1, 1, 2, GRID_ALARM);
	theme_letters(THEME_256, letter);
	dump = grid_dump(&g, letter);
	assert_string_equal(dump, "|│é漢x|\n:hhhhh:\n|     |\n:.!!..:\n");
	free(dump);
	theme_letters(THEME_MONO, letter);
	dump = grid_dump(&g, letter);
	assert_string_equal(dump, "|│é漢x|\n:rrrrr:\n|     |\n:.rr..:\n");
	free(dump);
	grid_to_ascii(&g);
	assert_row(&g, "||???x|\n|     |\n");
	grid_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put), cmocka_unit_test(test_wide), cmocka_unit_test(test_unsafe),
		cmocka_unit_test(test_long), cmocka_unit_test(test_random), cmocka_unit_test(test_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
